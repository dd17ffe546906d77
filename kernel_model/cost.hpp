// Predicted instructions per system call: what the rules add for a call that matches none of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel_model/evaluate.hpp"

namespace auopt {

struct RuleCost {
    std::size_t rule = 0;  // index into KernelState::filter
    std::uint32_t instructions = 0;
    bool in_mask = false;
};

struct CallCost {
    unsigned entries = 0;  // exit-list entries walked
    unsigned mask_hits = 0;
    std::uint64_t filter_instructions = 0;  // above the floor (auditing armed, empty exit list)
    bool matched = false;                   // the reference event matches a rule: the walk ends there
    std::vector<RuleCost> by_rule;          // filled when asked for
};

/// The reference event for (arch, nr): uid 0, auid unset, success, exit 0, no watched path, open read-only.
Event reference_event(std::uint32_t arch, unsigned nr);

struct EntryCost {
    std::uint32_t instructions = 0;
    bool in_mask = false;
    bool matched = false;
};
/// What one exit-list entry adds to `event` when the walk reaches it.
EntryCost entry_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event);
/// The cost of one test of a rule on `event`: [as the first test, failing; marginal, passing].
FieldCost test_cost(const FieldTest& test, const KernelTables& kernel, const Event& event);

/// Instructions the rules of `state` add to `event` on `kernel`.
CallCost call_cost(const KernelState& state, const KernelTables& kernel, const Event& event, bool with_rules = false);

/// Exit-list entries as walked by every call (rules with an unknown watch kind are counted as files).
unsigned exit_list_length(const KernelState& state);

/// What being armed costs above auditing on with no counted rule; 0 when n_rules is 0.
std::uint32_t fixed_instructions(const KernelState& state, const KernelTables& kernel);

}  // namespace auopt
