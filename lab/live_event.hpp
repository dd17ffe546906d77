// A call that the guest recorded in full, as the model's event.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel_model/evaluate.hpp"
#include "kernel_model/event.hpp"
#include "lab/live_log.hpp"

namespace auopt::lab {

/// What records do not say of an event.
struct Told {
    std::uint32_t arch = arch_x86_64;
    std::int32_t nr = 0;  // the call under observation
    std::uint64_t openat2_flags = 0;
    std::set<std::uint32_t> groups;
    bool by_worker =
        false;  // names are looked up by a thread of io_uring, whose context gets the directories (spec 2.7)
};

/// One run of the filters in a call.
struct Run {
    Event event;
    std::vector<NameChange> changes;
};

/// The runs of the call that `group` records, in order: io_uring operations, then the call's own exit. Names carry no
/// watches; event.dirs and event.exes are empty.
struct Call {
    std::vector<Run> runs;
    std::vector<Inode> inodes;  // of all names that the call itself found
    std::string exe;            // of the process, at exit
};
Call read_call(const Group& group, const Told& told);

/// True for records that another part of the kernel wrote inside the call, so that the call became auditable.
bool is_foreign(int type);

/// A SYSCALL record of the helper's own read from descriptor 3 or write to 4 (lab/workload/call.c).
bool is_helpers_own(const Record& syscall);

/// The group of the call (arch, nr) of process `pid`; nullptr: not recorded, or more than one (`several` is set).
const Group* find_call(const LoggedEvent& event, int pid, std::uint32_t arch, std::int32_t nr, bool& several);

}  // namespace auopt::lab
