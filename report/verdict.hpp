// The answer of verify as text and as JSON (cli reference, "Machine formats").
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "verify/verify.hpp"

namespace auopt {

std::string_view preserve_name(Preserve preserve);

/// "proven", "refuted" or "unknown".
std::string_view verdict_name(const Verdict& verdict);

std::string verdict_to_text(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions);
nlohmann::ordered_json verdict_to_json(const Verdict& verdict, Preserve preserve,
                                       const std::vector<std::string>& assumptions);

nlohmann::ordered_json event_to_json(const Event& event);
nlohmann::ordered_json list_event_to_json(const ListEvent& event);
nlohmann::ordered_json decision_to_json(const Decision& decision);

}  // namespace auopt
