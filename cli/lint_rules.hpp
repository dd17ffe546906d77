// Rules through every check: what would not load, then what loads but is wrong. Used by lint and gate.
#pragma once

#include "cli/inputs.hpp"
#include "cli/load_rules.hpp"

namespace auopt {

struct LintOutcome {
    /// Some line would be refused by auditctl or the kernel, whether or not -i or -c stands before it.
    bool some_refused = false;
    /// Loading ends before the last line.
    bool would_stop = false;
    std::size_t unknown_watches = 0;  // -w rules of which no fact says whether they are directories
    Diagnostics diagnostics;          // suppressions applied
};
LintOutcome lint_rules(const Inputs& inputs, const Setting& setting);

}  // namespace auopt
