// Are two events one and the same, member by member?
#pragma once

#include <algorithm>
#include <tuple>

#include "kernel_model/event.hpp"

namespace auopt::test {

inline bool same(const EventName& x, const EventName& y) {
    const auto members = [](const EventName& n) {
        return std::tie(n.resolved, n.ino, n.dev_major, n.dev_minor, n.rdev_major, n.rdev_minor, n.mode, n.uid, n.gid,
                        n.watches, n.deleted);
    };
    return members(x) == members(y);
}

inline bool same(const Event& x, const Event& y) {
    const auto members = [](const Event& e) {
        return std::tie(e.arch, e.nr, e.uring_op, e.args, e.pid, e.ppid, e.pers, e.uid, e.euid, e.suid, e.fsuid, e.gid,
                        e.egid, e.sgid, e.fsgid, e.groups, e.loginuid, e.sessionid, e.return_valid, e.return_code,
                        e.dirs, e.exes, e.program, e.saddr_fam, e.openat2_flags, e.lsm_true);
    };
    return members(x) == members(y) && std::equal(x.names.begin(), x.names.end(), y.names.begin(), y.names.end(),
                                                  [](const EventName& a, const EventName& b) { return same(a, b); });
}

}  // namespace auopt::test
