// The main job: rules in, proven text out. Reads nothing and writes nothing but its arguments; optimize and
// augenrules decide what to do with the outcome.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/load_rules.hpp"
#include "optimizer/pipeline.hpp"
#include "verify/verify.hpp"

namespace auopt {

struct OptimizeRequest {
    OptimizeRequest(const Inputs& inputs_, const Setting& setting_)
        : inputs(inputs_), setting(setting_), workload(default_measured_workload(setting_.target.machine)) {}
    const Inputs& inputs;
    const Setting& setting;
    std::string preserve = "exact";
    std::vector<std::string> assume;
    std::set<std::string> passes;  // empty: all
    bool no_passes = false;
    unsigned cpus = 0;  // that share exe= reference counts, priced in the optimizer; 0: as the workload says
    /// Of the setting's machine; the constructor takes the default.
    MeasuredWorkload workload;
    std::function<void(const std::string&, const KernelState&)> after_pass;
    /// The rewriting itself; tests put a wrong one here to see that nothing unproven comes out.
    std::function<std::vector<PassReport>(KernelState&, const OptimizeOptions&)> rewrite = optimize;
    /// Sees the text before it is read again; tests spoil it here.
    std::function<void(std::string&)> after_writing;
};

struct StageTimes {
    double read_ms = 0, rewrite_ms = 0, write_ms = 0, proof_ms = 0;
};

struct OptimizeOutcome {
    enum class Status {
        proven,          // text may be installed
        would_not_load,  // the input; diagnostics say why
        outside_model,   // reason says why
        refuted,         // our own output: a bug of ours
        unknown,
    };
    Status status = Status::unknown;
    std::string reason;                                // for outside_model and unknown
    std::string text;                                  // only when proven
    std::string unproven_text;                         // what was refuted or could not be judged, for a bug report
    Sources unproven_sources;                          // the same text, with the places of its lines
    std::vector<std::string> wire_before, wire_after;  // kernel messages, to see whether anything changes
    KernelState before, after;                         // after: as loaded from the text again
    std::vector<PassReport> passes;
    std::optional<Verdict> verdict;
    StageTimes times;
};

/// `diagnostics` receives what is wrong with the input.
OptimizeOutcome optimize_proven(const OptimizeRequest& request, Diagnostics& diagnostics);

/// 0 for proven, else the documented exit code.
int exit_code_of(OptimizeOutcome::Status status);

}  // namespace auopt
