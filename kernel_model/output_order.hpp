// The order in which an output adds its rules: the other lists first and -e last, unless loading can stop in between. Then
// rules of other lists and -e stay between the same stops, so that whatever is missing they are loaded as the input loads them
// (docs/TRUST.md, "Loading that stops").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"

namespace auopt {

struct OutputLine {
    const KernelRule* rule = nullptr;  // of `after`; nullptr: here stands -e
};

/// `before`: as loaded from the input. Without an entry for -e, that line comes last.
std::vector<OutputLine> output_order(const KernelState& before, const KernelState& after);

/// Why an output in walking order cannot load as the input does where loading stops: -A behind a rule at which it can stop, or
/// rules that were added and deleted again. Nothing where it can.
std::optional<std::string> order_not_kept(const KernelState& before);

/// Numbers the rules of `after` (KernelRule::added) and its -e as they will be added.
void number_as_output(const KernelState& before, KernelState& after);

}  // namespace auopt
