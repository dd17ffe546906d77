// A kernel message as JSON, for `compile --format json` and other tools that want no hex.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "compiler/ir.hpp"
#include "grammar/source.hpp"

namespace auopt {

/// `machine` (uname -m): what the calls of a rule without an arch are called, and which arches are b64 and b32.
nlohmann::ordered_json rule_to_json(const Sources& sources, const KernelRule& rule, std::string_view machine);
nlohmann::ordered_json message_to_json(const Sources& sources, const Message& message, std::string_view machine);

}  // namespace auopt
