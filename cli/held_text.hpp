// What a kernel holds as the text of a rules file that loads as it: for fmt of --loaded and of listings.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/load_rules.hpp"

namespace auopt {

struct HeldText {
    std::string text;
    bool complete = true;  // false: a rule has no line; a comment stands in its place, an error in the diagnostics
};

/// -D, the settings that are known, the rules in the kernel's order, -e. Each line loads as its rule's bytes in every
/// version of `versions`, or, where no line can, as the same tests in another order on lists where order has no
/// meaning. `program`: of read_program.
HeldText held_text(const Inputs& inputs, const Program& program, const CompileOptions& options,
                   const std::vector<AuditctlVersion>& versions, Diagnostics& diagnostics);

}  // namespace auopt
