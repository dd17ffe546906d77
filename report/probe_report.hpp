// Predicted instructions of whole calls (kernel_model/probes.hpp), path calls included, as a table or as JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel_model/probes.hpp"

namespace auopt {

/// One object a probe; empty for kernels without measured probes.
nlohmann::ordered_json probes_to_json(const std::vector<ProbeCost>& costs);
/// `name`: what the kernel is called.
std::string probes_to_text(const std::string& name, const std::vector<ProbeCost>& costs);

}  // namespace auopt
