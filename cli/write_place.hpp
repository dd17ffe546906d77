// Where a file is to be written. Symbolic links are followed here, in user space, and the file is renamed into its
// place, so the kernel's own guards (fs.protected_symlinks, fs.protected_regular) never see what is done: this file
// stands in for them, and is stricter.
#pragma once

#include <optional>
#include <string>

#include <sys/stat.h>

#include <tl/expected.hpp>

#include "cli/file_descriptor.hpp"

namespace auopt {

/// A name in a directory that is held open, so that no later change of the path leads elsewhere.
struct WritePlace {
    FileDescriptor directory;
    std::string name;
    std::optional<struct stat> old;  // the regular file that has the name now
};

/// Opens `path` one component at a time, O_NOFOLLOW on each. A link is followed only if it belongs to root or to us and
/// lies where nobody else can put or move one: never below a directory of another user, nor in one that anybody may
/// write to. (Below a sticky one, such as /tmp, our own and root's directories are safe again: nobody else can replace
/// them.) A file of somebody else in a directory that anybody may write to is not replaced either.
/// Error: the reason; anything but a regular file, and every failure but "there is no such file", is one.
tl::expected<WritePlace, std::string> find_write_place(const std::string& path);

/// What stands there now. Error: there is nothing, or why it cannot be read.
tl::expected<std::string, std::string> read_old(const WritePlace& place);

}  // namespace auopt
