// Making one rule of two, for the passes that do: which pairs, where in the list, and whether it pays.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "optimizer/passes.hpp"

namespace auopt {

/// What a pass knows about its pairs.
struct Pairing {
    /// Rules of the same shape may pair; nothing: the rule never does.
    std::function<std::optional<std::string>(const Entry&)> shape;
    /// The pass's lemma admits this pair (earlier, later), as far as the two rules tell.
    std::function<bool(const Entry&, const Entry&)> admissible;
    std::function<KernelRule(const KernelRule&, const KernelRule&)> united;
    /// The united rule takes exactly the events of both, as far as that shows only in the result.
    std::function<bool(const Entry& united, const Entry&, const Entry&)> exact;
};

/// Unites pairs, earliest first, wherever both rules can be moved to one place (lemma L6's moves) and Rules::propose
/// takes the result.
PassCounts unite_pairs(Rules& rules, const Pairing& pairing);

}  // namespace auopt
