// The passes, in order, each kept only where the model says that it pays.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"
#include "workload/workload.hpp"

namespace auopt {

struct OptimizeOptions {
    std::vector<const KernelTables*> kernels;  // every rewrite must pay on each of them
    Workload workload;
    std::set<std::string> passes;  // names to run; empty: all
    /// Called after each pass with its name and the state (for --dump-after).
    std::function<void(const std::string&, const KernelState&)> after_pass;
};

struct PassReport {
    std::string name;
    std::size_t rules_before = 0, rules_after = 0;
    std::size_t rewrites = 0;  // kept
    std::size_t refused = 0;   // possible, but the model says it costs more than it saves
};

/// Rewrites `state` in place. Never an error: what cannot be improved stays.
std::vector<PassReport> optimize(KernelState& state, const OptimizeOptions& options);
const std::vector<std::string>& pass_names();

/// Not a pass: what cannot be written otherwise, so it comes before them (drop_equal.cpp).
void drop_equal(KernelState& state);

}  // namespace auopt
