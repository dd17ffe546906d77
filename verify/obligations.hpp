// Which calls have to be proven: every (arch, nr) sees a list of rules in each file; equal lists are
// dropped, equal pairs of lists are grouped into one obligation.
#pragma once

#include <cstdint>
#include <vector>

#include "verify/project.hpp"

namespace auopt::proof {

/// What one call sees of one file, in priority order.
struct Sequence {
    std::vector<ItemId> items;
    std::vector<std::size_t> rules;  // index into KernelState::filter, by item
};

struct Call {
    Abi abi = Abi::native;
    unsigned nr = 0;
};

/// Calls that see the same pair of lists.
struct Group {
    PermShape shape = PermShape::constant;
    std::vector<Call> calls;
    Sequence before, after;
    bool in_io_uring() const { return runs_io_uring(calls.front().nr); }
};

struct Obligations {
    std::size_t calls = 0;   // (arch, nr), the worker's included
    std::size_t groups = 0;  // distinct pairs of lists
    std::vector<Group> differing;
    bool worker_differs = false;
    Sequence worker_before, worker_after;
};

Obligations obligations(const Projection& before, const Projection& after, const PermModel& perms, bool with_compat,
                        const Vocabulary& vocabulary);

/// The list without rules of the exit and io_uring lists that an earlier one of theirs shadows, and with rules of one list of equal action
/// and key that stand together in one fixed order: both change nothing (spec L4, L5), in any call at all.
std::vector<ItemId> canonical(const std::vector<ItemId>& items, const Vocabulary& vocabulary);

}  // namespace auopt::proof
