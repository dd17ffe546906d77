// What one system call does that auditing can see, step by step, whatever rules are loaded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulator/files.hpp"

namespace auopt::simulator {

/// struct audit_names. An unresolved name keeps these values.
struct Name {
    Ino ino = no_inode;
    std::uint32_t uid = 0;
    std::uint32_t mode = 0;
};

struct Step {
    enum class Kind {
        name,         // a name joins names_list
        fill,         // the unresolved name that joined last turns out to be this
        seen,         // inodes that are looked at for trees (handle_path, handle_one)
        made,         // a directory is told of a name: FS_CREATE, FS_MOVED_TO
        unmade,       // FS_DELETE, FS_MOVED_FROM
        inode_gone,   // the last name of an inode nobody uses: FS_DELETE_SELF, and its marks go
        inode_moved,  // FS_MOVE_SELF
        record,       // another subsystem logs a record (AVC, LOGIN)
        signal,       // check_kill_permission looks at the target
    };
    Kind kind = Kind::name;
    Name name;                // name, fill
    std::vector<Ino> inodes;  // seen
    Ino ino = no_inode;       // what was made, unmade, removed, moved
    Ino directory = no_inode;
    std::string text;  // the name in the directory
};

enum class Result { none, success, failure };

struct Call {
    std::string words;  // for a report
    std::uint32_t arch = 0;
    std::int32_t nr = 0;
    std::optional<unsigned> uring_op;  // of an io_uring worker; arch and nr are 0 then
    std::array<std::uint64_t, 4> args{};
    std::uint32_t uid = 0, euid = 0, auid = 0;  // as the exit of the call sees them
    Ino exe = no_inode;
    Result result = Result::success;
    std::uint64_t code = 0;
    std::vector<Step> steps;

    /// Can the call change what auditing knows (watches, trees, marks)?
    bool changes_files() const;
    /// Does another subsystem log a record in it?
    bool logs() const;
};

}  // namespace auopt::simulator
