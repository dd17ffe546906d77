// Replaces a file so that, whatever happens, either the old or the new content is there and complete.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace auopt {

/// Writes a temporary file beside `path`, syncs it, gives it the mode, ownership and security label of the file
/// that it replaces (0640 for a new one), renames it, and syncs the directory. A symbolic link is followed: its
/// target is replaced, the link stays. Error: what failed; the old file is untouched and no temporary is left.
tl::expected<void, std::string> install_file(const std::string& path, std::string_view bytes);

}  // namespace auopt
