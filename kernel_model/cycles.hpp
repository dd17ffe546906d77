// The time of a list walk on an out-of-order core: instructions go in at the core's rate, list.next is a chain of loads
// that runs ahead of them as far as the reorder buffer reaches, and a step is done when its data is there. So a miss
// costs little while the chain is ahead, and all of its latency once it is behind. Branches are taken as predicted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_model/layout.hpp"

namespace auopt {

/// Cycles that the walk takes beyond instructions x cycles_per_instruction. `missed`: one flag per touch of the walk.
double walk_stall_cycles(const Walk& walk, const std::vector<std::uint8_t>& missed, const Cpu& cpu);

}  // namespace auopt
