#include "kernel_model/cycles.hpp"

#include <algorithm>

namespace auopt {

double walk_stall_cycles(const Walk& walk, const std::vector<std::uint8_t>& missed, const Cpu& cpu) {
    struct Done {
        double instructions = 0, at = 0;  // all steps up to here: instructions, and the cycle in which they retired
    };
    std::vector<Done> done;
    done.reserve(walk.steps.size());
    std::size_t retired = 0;  // steps known to have left the reorder buffer
    double count = 0, dispatched = 0, pointer = 0, finished = 0;
    const auto latency = [&](std::uint32_t touch) { return missed[touch] != 0 ? cpu.l2_cycles : cpu.l1_cycles; };
    for (const WalkStep& step : walk.steps) {
        // Instructions enter in order, and only once those a buffer's length before them have retired.
        while (retired < done.size() && done[retired].instructions <= count - cpu.rob) ++retired;
        if (retired > 0) dispatched = std::max(dispatched, done[retired - 1].at);
        const double start = std::max(dispatched, pointer);
        double data = start;
        for (std::uint32_t t = step.first; t < step.first + step.count; ++t) data = std::max(data, start + latency(t));
        pointer = start + latency(step.first);
        const double work = step.instructions * cpu.cycles_per_instruction;
        finished = std::max(finished + work, data);
        count += step.instructions;
        dispatched += work;
        done.push_back({count, finished});
    }
    return finished - count * cpu.cycles_per_instruction;
}

}  // namespace auopt
