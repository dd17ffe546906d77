// What the rules cost a workload: instructions per average call, and the share of CPU time spent in filtering, before and
// after a change of the rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel_model/cost.hpp"
#include "report/calls.hpp"
#include "report/hardware_cost.hpp"
#include "workload/workload.hpp"

namespace auopt {

struct WorkloadRow {
    CallName call;
    double calls = 0;
    CallCost cost;            // of the reference event
    double instructions = 0;  // calls * cost
};

struct WorkloadCost {
    const KernelTables* kernel = nullptr;
    std::string name;               // what the figures are called: the kernel's, or the target's own
    std::vector<WorkloadRow> rows;  // the dearest first
    double calls = 0;
    double instructions = 0;   // of filtering, in all calls
    std::optional<double> ns;  // the same in time on a CPU, L1D misses included; see add_cpu_time
    std::string cpu;
    double per_call() const { return calls > 0 ? instructions / calls : 0; }
};

/// The reference event of each call, weighted.
WorkloadCost price_workload(const KernelState& state, const KernelTables& kernel, const Workload& calls);

/// Prices filtering in time on a CPU, L1D misses of random placements included (their mean). Nothing where the kernel's
/// layout or its costs are unknown.
void add_cpu_time(WorkloadCost& cost, const KernelState& state, const HardwareChoice& choice);

/// How instructions become time, and on whose word.
struct Pace {
    double ns_per_instruction = 0;
    std::string source;
};
/// That of the CPU that the cost was priced on, else the workload's own, else the published one.
Pace pace_of(const MeasuredWorkload& workload, const WorkloadCost& cost);

/// Percent of the workload's CPU time; nothing when that time is not known. The time is the one measured under the rules
/// `before` (absent: these), and what filtering saves is taken from it; or one without rules, and filtering is added.
std::optional<double> cpu_share(const WorkloadCost& cost, const MeasuredWorkload& workload,
                                const WorkloadCost* before = nullptr);

/// The measured share of the filter functions, percent, scaled by the predicted change of the rules.
double scaled_share(double measured_percent, const WorkloadCost& before, const WorkloadCost& after);

/// For cost: the weighted table; `old`, when given, is what --compare names.
std::string workload_to_text(const MeasuredWorkload& workload, const WorkloadCost& cost, const WorkloadCost* old,
                             std::size_t top);
nlohmann::ordered_json workload_to_json(const MeasuredWorkload& workload, const WorkloadCost& cost,
                                        const WorkloadCost* old);

/// For optimize: one line a kernel and the share before and after.
std::string workload_change(const MeasuredWorkload& workload, const std::vector<WorkloadCost>& before,
                            const std::vector<WorkloadCost>& after);

}  // namespace auopt
