// Rules through every check: what would not load, then what loads but is wrong. Used by lint and gate.
#pragma once

#include "cli/inputs.hpp"
#include "cli/load_rules.hpp"
#include "lint/lint.hpp"

namespace auopt {

/// A line that auditctl or the kernel refuses, and what for.
struct RefusedLine {
    Span at;
    std::string reason;
};

struct LintOutcome {
    /// Some line would be refused by auditctl or the kernel, whether or not -i or -c stands before it.
    bool some_refused = false;
    /// Loading ends before the last line.
    bool would_stop = false;
    /// The refused lines up to where loading ends, in the order in which auditctl meets them.
    std::vector<RefusedLine> lost;
    std::size_t rules_behind_stop = 0;  // that never load because loading ends before them
    std::size_t unknown_watches = 0;    // -w rules of which no fact says whether they are directories
    Diagnostics diagnostics;            // without what is suppressed
    std::vector<SuppressedFinding> suppressed;
};
/// `suppressions` false: comments that suppress findings are not read.
LintOutcome lint_rules(const Inputs& inputs, const Setting& setting, bool suppressions = true);

}  // namespace auopt
