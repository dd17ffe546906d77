// Rule sets of any size, in the proportions of a STIG file: most rules watch files, some directories, the rest name
// calls.
#pragma once

#include <string>

namespace auopt {

/// `rules` lines; the same text for the same number. No line is a duplicate; b32/b64 pairs and mergeable lines are
/// frequent.
std::string generate_rules(unsigned rules);

}  // namespace auopt
