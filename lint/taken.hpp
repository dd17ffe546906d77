// Rules whose every event an earlier rule takes (AU201 to AU203), and which of them can be deleted without changing
// anything. Lemma L4 (docs/LEMMAS.md) says when the decisions stay; a rule also keeps a watch, a tree or a mark alive,
// can end loading, and counts for the records of signals.
#pragma once

#include <optional>
#include <vector>

#include "kernel_model/named_objects.hpp"

namespace auopt {

struct TakenRule {
    std::size_t rule, by;             // indices of KernelState::filter; `by` comes first
    bool near_duplicate = false;      // equal but for key, action and order of tests
    bool deletable = false;           // deleting `rule` is exact
    std::optional<NamedObject> last;  // that no earlier rule names: what `rule` keeps alive
};

/// In the order of the rules; for each the first that takes its events.
std::vector<TakenRule> taken_rules(const KernelState& state);

}  // namespace auopt
