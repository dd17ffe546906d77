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

struct Search {
    const KernelState& before;
    const KernelState& after;
    const std::vector<const KernelTables*>& kernels;
    Preserve preserve = Preserve::exact;
    std::uint32_t rlimit = 0;
};

/// An event of one of the group's calls.
std::optional<Counterexample> refute(const Search& search, const Group& group);
/// An operation of an io_uring worker: `operation` first, then others.
std::optional<Counterexample> refute_worker(const Search& search, unsigned operation);

}  // namespace auopt::proof
