// Messages that are not rules (gate asks for them by themselves): settings and what acts on trees. Compared value by value, never skipped.
#pragma once

#include <vector>

#include "kernel_model/state.hpp"
#include "verify/verify.hpp"

namespace auopt::proof {

/// -e, -f, -r, -b, --backlog_wait_time, --reset-lost, --loginuid-immutable, -D, -t and -q: what differs, with both values.
std::vector<Difference> compare_settings(const KernelState& before, const KernelState& after);

}  // namespace auopt::proof
