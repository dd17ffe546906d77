// Predicted instructions of the lists beside exit: user (a message), exclude (a record), filesystem (a looked-up name), task
// (a new task), io_uring (an operation). Mirrors audit_filter, __audit_inode, audit_filter_task and audit_filter_uring.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel_model/cost.hpp"

namespace auopt {

struct ListCost {
    List list = List::user;
    std::string_view unit;  // what pays once: "message", "record", "name", "task", "operation"
    std::size_t rules = 0;  // on the list; io_uring: with those of the inode hash
    std::uint64_t instructions = 0;
    bool matched = false;  // the reference unit matches a rule, which ends the walk
};

/// Whether a test of `field` is looked at on the lists user and exclude. Any other ends the walk of the list: neither its
/// rule nor one behind it decides (auditfilter.c:audit_filter).
bool message_list_knows(Field field);

/// What each of the five lists adds to its reference unit, in the order above, measured by lab/measure-lists:
///   message and record: of uid 0, auid unset, of a type that no rule names;
///   name: on a file system that no rule names;
///   task: made by uid 0, auid unset;
///   operation: openat, inside the call io_uring_enter, matching nothing. It walks the io_uring list and the exit list
///     once more, and, where any rule of exit, io_uring or task is loaded, pays for being judged at all.
std::vector<ListCost> list_costs(const KernelState& state, const KernelTables& kernel);

/// What being judged costs an io_uring operation that matches nothing, with empty lists; 0 when n_rules is 0.
std::uint32_t judged_operation_instructions(const KernelState& state, const KernelTables& kernel);

}  // namespace auopt
