// --preserve and --assume as verify takes them.
#pragma once

#include <string>
#include <vector>

#include "cli/load_rules.hpp"
#include "verify/verify.hpp"

namespace auopt {

Preserve preserve_level(const std::string& name);
/// Points into `setting`, which must outlive the result.
VerifyOptions proof_options(const Setting& setting, const std::string& preserve,
                            const std::vector<std::string>& assume);
/// Names without repeats, in a fixed order.
std::vector<std::string> assumption_names(const std::vector<std::string>& assume);

}  // namespace auopt
