// Replaces a file so that, whatever happens, either the old or the new content is there and complete.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "cli/write_place.hpp"

namespace auopt {

enum class FileKind {
    ordinary,     // a new file: 0666 less the umask; an old one's owner, group and mode are kept
    audit_rules,  // what auditctl -R reads: 0640 and ours whatever was there, since it refuses a file of somebody else
};

/// Writes a temporary file beside `path`, syncs it, gives it the group, security label and access control list of the
/// file that it replaces, and owner and mode by its kind; renames it, and syncs the directory. Whatever the kind, group
/// and others may not write the result, and no set-id bit is kept. Which links are followed: find_write_place().
/// Error: what failed; the old file is untouched and no temporary is left.
tl::expected<void, std::string> install_file(const std::string& path, std::string_view bytes,
                                             FileKind kind = FileKind::ordinary);
/// `shown` is the name for errors.
tl::expected<void, std::string> install_file(const WritePlace& place, const std::string& shown, std::string_view bytes,
                                             FileKind kind = FileKind::ordinary);

}  // namespace auopt
