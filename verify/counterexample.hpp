// From "not shown" to an event: searches one that both files decide differently, and believes it only
// when kernel_model::evaluate agrees.
#pragma once

#include <optional>
#include <vector>

#include "verify/obligations.hpp"
#include "verify/verify.hpp"

namespace auopt::proof {

/// What level the decisions of one event are compared at (the assumptions are already in it).
bool decisions_differ(const Decision& before, const Decision& after, Preserve preserve);
/// How they differ, or nothing.
std::optional<DifferenceKind> difference_kind(const Decision& before, const Decision& after, Preserve preserve);

struct Search {
    const KernelState& before;
    const KernelState& after;
    const std::vector<const KernelTables*>& kernels;
    Preserve preserve = Preserve::exact;
    std::uint32_t rlimit = 0;
};

/// The worst event found so far, and what is left of the effort: once there is one, worse ones are searched for so many more
/// questions to the solver.
struct Found {
    std::optional<Counterexample> example;
    std::size_t questions_left = 8;
    /// Where events were found that no call can produce, and no other: why not.
    std::optional<std::string> impossible;

    /// May something worse than the example be found?
    bool open() const { return !example || (example->kind != DifferenceKind::lost && questions_left != 0); }
};

/// Searches an event of one of the group's calls.
void refute(const Search& search, const Group& group, Found& found);
/// Searches an operation of an io_uring worker: `operation` first, then others.
void refute_worker(const Search& search, unsigned operation, Found& found);

}  // namespace auopt::proof
