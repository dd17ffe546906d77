// What auopt augenrules finds out before it installs anything but the plain merge: whether that merge and the file that
// is installed load whole on this host, and the optimized text. Both run in a child process (cli/child_work.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/child_work.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"

namespace auopt {

/// How the plain merge would load, compared with the file that is installed now.
struct LoadCheck {
    std::vector<std::string> lost;    // "FILE:LINE: TEXT (WHY)" of the merge
    std::string diagnostics;          // rendered, of these lines
    bool repeats_only = false;        // lost only because a line repeats another: optimize can repair that
    bool installed_is_whole = false;  // there is one, and no line of it is lost
};
tl::expected<LoadCheck, ChildFailure> check_loading(const AugenrulesVerb& verb, const Inputs& inputs,
                                                    const std::optional<std::string>& installed,
                                                    const StopSignals& signals);

/// The optimized text, or why there is none.
struct Plan {
    std::string text;    // "": none
    std::string reason;  // or, of an optimized text, what was gained
    int exit_code = 0;
    bool interrupted = false;
};
Plan make_plan(const AugenrulesVerb& verb, const Inputs& inputs, const StopSignals& signals);

}  // namespace auopt
