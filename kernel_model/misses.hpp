// L1D misses and time of one call over random placements: boots x runs of a program that repeats the call.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel_model/l1d.hpp"
#include "kernel_model/layout.hpp"
#include "kernel_model/placement.hpp"

namespace auopt {

struct PlacementOptions {
    unsigned boots = 200;  // placements of the rules
    unsigned runs = 10;    // programs started in each
    std::uint64_t seed = 1;
    unsigned cpus = 0;  // that run one program and share its exe= reference count; 0: not priced
};

/// Over boots; of the means over the runs of each.
struct Spread {
    double min = 0, mean = 0, max = 0;
};

struct CallHardwareCost {
    Spread l1d_misses;     // per call, everything the call touches
    Spread stall;          // cycles of the walk beyond instructions x cycles_per_instruction
    double exe_count = 0;  // cycles of the shared count of exe=
    Spread cycles, ns;     // what the rules add to the call, stall and exe_count included
};

/// Prices calls of one rule set on one kernel, CPU and variant. Calls that touch the same bytes are simulated once.
class PlacedCalls {
public:
    /// `state` and `kernel` (see with_variant) must outlive it.
    PlacedCalls(const KernelState& state, const KernelTables& kernel, const Layout& layout, const Cpu& cpu,
                const KernelVariant& variant, const PlacementOptions& options);

    CallHardwareCost price(const Event& event);

private:
    struct Result {
        Spread misses, stall;
    };
    Result simulate(const Walk& walk) const;

    const KernelState& state_;
    const KernelTables& kernel_;
    const Layout& layout_;
    const Cpu& cpu_;
    const KernelVariant& variant_;
    PlacementOptions options_;
    std::vector<RuleObject> objects_;
    std::map<std::vector<std::uint64_t>, Result> known_;  // by touches and instructions
};

}  // namespace auopt
