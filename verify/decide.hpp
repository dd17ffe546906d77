// The proof of one obligation: a call that sees two different lists of rules decides alike by both.
#pragma once

#include <optional>
#include <string>

#include "verify/obligations.hpp"
#include "verify/smt.hpp"

namespace auopt::proof {

/// Why a group is not shown; `before` and `after` are the rules (indices) that the reason is about.
struct Gap {
    std::string reason;
    std::vector<std::size_t> before, after;
};

/// Nothing when both lists are shown to decide every event of the group's calls alike.
/// `recorded`: never and no match are the same outcome.
std::optional<Gap> decide(const Group& group, bool recorded, const Vocabulary& vocabulary, Solver& solver);

/// The rules of either list that the other one lacks.
Gap difference(std::string reason, const Sequence& before, const Sequence& after);

}  // namespace auopt::proof
