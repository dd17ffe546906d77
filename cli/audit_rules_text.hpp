// A kernel state and its control lines as the text of an audit.rules file: header, control lines where augenrules
// puts them, one rule a line, provenance comments. A pure function of its arguments, so that the same input gives
// the same bytes everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "cli/inputs.hpp"
#include "compiler/compile.hpp"
#include "kernel_model/state.hpp"

namespace auopt {

/// What the text needs besides the rules, in the order auditctl has to see it.
struct ControlLines {
    std::vector<std::string> first;  // -D, -b, -f, then -i/-c, then the other settings and what preceded all rules
    std::vector<std::string> last;   // what followed all rules
    std::string enable;              // -e, or ""; at the very end, unless loading can stop before that (output_order)
};

/// From the messages of a program and the settings they end in. Error: a construct whose place among the rules
/// cannot be kept (the reason, for exit code 5).
tl::expected<ControlLines, std::string> control_lines(const Program& program, const KernelState& state);

struct PredictedCall {
    std::string name;
    std::uint64_t before = 0, after = 0;            // watches of unknown kind as files
    std::uint64_t most_before = 0, most_after = 0;  // ... as directories
};
struct Prediction {
    std::string kernel;
    std::vector<PredictedCall> calls;
};

struct TextHeader {
    std::string version;
    std::vector<InputFile> inputs;
    std::string facts;  // Setting::facts_source
    std::string target;
    std::string not_measured;         // "" or what the predictions are made with
    std::size_t unknown_watches = 0;  // the predictions are ranges
    std::string preserve;
    std::vector<std::string> assumptions;
    std::vector<std::string> proven_for;  // kernels
    std::vector<std::string> loads_in;    // auditctl versions
    std::vector<Prediction> predictions;
};

/// Error: a rule that no line can express (message for exit code 5).
tl::expected<std::string, std::string> audit_rules_text(const TextHeader& header, const ControlLines& control,
                                                        const KernelState& before, const KernelState& after,
                                                        const Inputs& inputs);

/// The same rule in an order of tests that a line can express: perm= before arch, key last. Exact on the exit
/// and io_uring lists (order of tests never matters there); other lists are left alone.
KernelRule expressible(KernelRule rule);

/// `text` as comment lines ("# " in front, long ones wrapped), free of bytes that could end a comment.
std::string comment(const std::string& text);

}  // namespace auopt
