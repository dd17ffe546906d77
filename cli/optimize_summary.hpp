// What optimize tells about its work: a summary for standard error and a JSON report.
#pragma once

#include <string>

#include "cli/optimize_proven.hpp"

namespace auopt {

struct SummaryOptions {
    bool stats = false;
    bool verbose = false;
};
std::string optimize_summary(const OptimizeOutcome& outcome, const OptimizeRequest& request,
                             const SummaryOptions& options);

/// Deterministic: no times in it.
std::string optimize_report_json(const OptimizeOutcome& outcome, const OptimizeRequest& request);

/// Rule lines with their cost, for --dump-after.
std::string dump_state(const std::string& pass, const KernelState& state, const Target& target);

}  // namespace auopt
