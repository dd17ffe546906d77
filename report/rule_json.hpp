// A kernel message as JSON, for `compile --format json` and other tools that want no hex.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/ir.hpp"
#include "grammar/source.hpp"

namespace auopt {

nlohmann::ordered_json rule_to_json(const Sources& sources, const KernelRule& rule);
nlohmann::ordered_json message_to_json(const Sources& sources, const Message& message);

}  // namespace auopt
