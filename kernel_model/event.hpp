// One system call as the filters see it at its exit, and what the kernel decides about it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir.hpp"

namespace auopt {

/// ctx->return_valid: AUDITSC_INVALID (no result yet: killed inside the call, or a watched name being
/// deleted), AUDITSC_SUCCESS, AUDITSC_FAILURE.
enum class ReturnValid { invalid, success, failure };

/// What a watch compares: device and inode number.
struct Inode {
    std::uint32_t dev_major = 0, dev_minor = 0;
    std::uint64_t ino = 0;
    auto operator<=>(const Inode&) const = default;
};

/// struct audit_names. Unresolved names (failed lookups) keep the defaults: owner 0, dev 0, ino ~0.
struct EventName {
    bool resolved = false;
    std::uint64_t ino = ~std::uint64_t{0};
    std::uint32_t dev_major = 0, dev_minor = 0, rdev_major = 0, rdev_minor = 0;
    std::uint32_t mode = 0, uid = 0, gid = 0;
    /// The path= strings (as in the rules) whose watch is bound to this (dev, ino).
    std::set<std::string> watches;
    /// Deleted or moved away in this call: the hash is also walked for it in the middle of the call,
    /// with no result yet, before the exit list (audit_watch.c:audit_update_watch).
    bool deleted = false;
    bool operator==(const EventName&) const = default;
};

/// One LSM test and the answer the LSM gives; tests not listed are false.
struct LsmAnswer {
    FieldTest test;
    bool operator==(const LsmAnswer&) const = default;
};

struct Event {
    std::uint32_t arch = arch_x86_64;  // 0: io_uring worker
    std::int32_t nr = 0;
    /// One run of the filters for this io_uring operation: in a worker (arch 0, nr 0), or inside the call nr.
    std::optional<unsigned> uring_op;
    std::array<std::uint64_t, 4> args{};
    std::uint32_t pid = 1000, ppid = 1, pers = 0;
    std::uint32_t uid = 0, euid = 0, suid = 0, fsuid = 0;
    std::uint32_t gid = 0, egid = 0, sgid = 0, fsgid = 0;
    std::set<std::uint32_t> groups;  // supplementary
    std::uint32_t loginuid = id_unset, sessionid = id_unset;
    ReturnValid return_valid = ReturnValid::success;
    std::uint64_t return_code = 0;
    std::vector<EventName> names;  // in names_list order
    std::set<std::string> dirs;    // dir= strings whose tree a collected reference belongs to
    std::set<std::string> exes;    // exe= strings that name the program running
    /// The program's inode, for an evaluation with a WatchTable that knows where exe= strings lead; exes is not read then.
    std::optional<Inode> program;
    std::optional<std::uint32_t> saddr_fam;
    std::uint64_t openat2_flags = 0;  // how.flags as recorded (stale after an early failure)
    std::vector<LsmAnswer> lsm_true;  // subj_* and obj_* tests that hold
    // Any-name tests of exit-list rules (obj_uid, obj_gid, devmajor, devminor, inode, filetype, field_compare with
    // obj_*) are computed from names.
    bool operator==(const Event&) const = default;
};

enum class Outcome { no_match, never, always };

struct Decision {
    Outcome outcome = Outcome::no_match;
    std::optional<std::string> key;  // the key the event would carry (also left behind by a never rule)
    bool operator==(const Decision&) const = default;
};

std::string to_string(const Decision& decision);
/// One line a person can read: call, credentials, result, names, and whatever else decides.
std::string describe(const Event& event);

}  // namespace auopt
