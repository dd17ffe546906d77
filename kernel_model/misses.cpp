#include "kernel_model/misses.hpp"

#include <algorithm>
#include <limits>

#include "kernel_model/contention.hpp"
#include "kernel_model/cycles.hpp"

namespace auopt {
namespace {

// A program repeats the call; the cache is then in a cycle. Pseudo-LRU may need several calls to come round again.
constexpr unsigned warm_calls = 3, counted_calls = 4;

class Range {
public:
    void add(double value) {
        spread_.min = std::min(spread_.min, value);
        spread_.max = std::max(spread_.max, value);
        spread_.mean += value;
        ++n_;
    }
    Spread spread() const {
        if (n_ == 0) return {};
        return {spread_.min, spread_.mean / n_, spread_.max};
    }

private:
    Spread spread_{std::numeric_limits<double>::max(), 0, std::numeric_limits<double>::lowest()};
    unsigned n_ = 0;
};

Spread scaled(const Spread& s, double factor, double plus) {
    return {s.min * factor + plus, s.mean * factor + plus, s.max * factor + plus};
}

}  // namespace

PlacedCalls::PlacedCalls(const KernelState& state, const KernelTables& kernel, const Layout& layout, const Cpu& cpu,
                         const KernelVariant& variant, const PlacementOptions& options)
    : state_(state),
      kernel_(kernel),
      layout_(layout),
      cpu_(cpu),
      variant_(variant),
      options_(options),
      objects_(rule_objects(state, layout)) {}

PlacedCalls::Result PlacedCalls::simulate(const Walk& walk) const {
    L1d cache(cpu_.l1d_sets, cpu_.l1d_ways, cpu_.replacement);
    std::vector<std::uint32_t> walk_lines(walk.touches.size());
    std::vector<std::uint8_t> missed(walk.touches.size());
    Range misses_of_boots, stall_of_boots;
    for (unsigned boot = 0; boot < options_.boots; ++boot) {
        // Rules and the rest draw from sources of their own, so that two rule sets meet the same boots.
        Random rules(options_.seed * 2654435761U + 2ULL * boot), rest(options_.seed * 2654435761U + 2ULL * boot + 1);
        std::uint32_t next_page = 1;
        const std::vector<std::uint32_t> addresses = place_objects(objects_, layout_, variant_, rules, next_page);
        for (std::size_t t = 0; t < walk.touches.size(); ++t)
            walk_lines[t] = (addresses[walk.touches[t].object] + walk.touches[t].offset) / cpu_.line_bytes;
        std::vector<std::vector<std::uint32_t>> others(layout_.others.size());
        double misses = 0, stall = 0;
        for (unsigned run = 0; run < options_.runs; ++run) {
            std::vector<std::uint32_t> before, after;
            for (std::size_t g = 0; g < layout_.others.size(); ++g) {
                const Layout::Others& group = layout_.others[g];
                if (run == 0 || !group.per_boot) others[g] = place_others(group, cpu_.line_bytes, rest, next_page);
                before.insert(before.end(), others[g].begin(), others[g].end());
                if (group.again) after.insert(after.end(), others[g].begin(), others[g].end());
            }
            cache.clear();
            unsigned counted = 0;
            for (unsigned call = 0; call < warm_calls + counted_calls; ++call) {
                if (call == warm_calls) counted = 0;
                for (const std::uint32_t line : before) counted += cache.access(line) ? 0 : 1;
                for (std::size_t t = 0; t < walk_lines.size(); ++t) {
                    missed[t] = cache.access(walk_lines[t]) ? 0 : 1;
                    counted += missed[t];
                }
                for (const std::uint32_t line : after) counted += cache.access(line) ? 0 : 1;
            }
            misses += static_cast<double>(counted) / counted_calls;
            stall += walk_stall_cycles(walk, missed, cpu_);
        }
        misses_of_boots.add(misses / options_.runs);
        stall_of_boots.add(stall / options_.runs);
    }
    return {misses_of_boots.spread(), stall_of_boots.spread()};
}

CallHardwareCost PlacedCalls::price(const Event& event) {
    const Walk walk = walk_of(state_, kernel_, layout_, objects_, event);
    std::vector<std::uint64_t> key;
    for (const Touch& touch : walk.touches) {
        const std::uint64_t line = touch.offset / cpu_.line_bytes;
        key.push_back(std::uint64_t{touch.object} << 32 | line);
    }
    for (const WalkStep& step : walk.steps) key.push_back(std::uint64_t{step.instructions} << 32 | step.count);
    auto it = known_.find(key);
    if (it == known_.end()) it = known_.emplace(std::move(key), simulate(walk)).first;

    CallHardwareCost cost;
    cost.l1d_misses = it->second.misses;
    cost.stall = it->second.stall;
    const auto instructions = static_cast<double>(call_cost(state_, kernel_, event).filter_instructions);
    const double rest = cpu_.transition_cycles + cost.stall.mean +
                        (kernel_.cost.armed_instructions + instructions) * cpu_.cycles_per_instruction;
    cost.exe_count = exe_count_cycles(cpu_, options_.cpus, walk.exe_tests, rest);
    cost.cycles = scaled(cost.stall, 1, instructions * cpu_.cycles_per_instruction + cost.exe_count);
    cost.ns = scaled(cost.cycles, 1 / cpu_.clock_ghz, 0);
    return cost;
}

}  // namespace auopt
