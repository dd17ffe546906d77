// The answer of verify as text and as JSON (cli reference, "Machine formats").
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "grammar/source.hpp"
#include "verify/verify.hpp"

namespace auopt {

std::string_view preserve_name(Preserve preserve);

/// "proven", "refuted" or "unknown".
std::string_view verdict_name(const Verdict& verdict);

/// The texts that the rules of both sides were read from; none: the deciding lines are not shown.
struct VerdictSources {
    const Sources* before = nullptr;
    const Sources* after = nullptr;
};

std::string verdict_to_text(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions,
                            const VerdictSources& sources);
nlohmann::ordered_json verdict_to_json(const Verdict& verdict, Preserve preserve,
                                       const std::vector<std::string>& assumptions, const VerdictSources& sources);

}  // namespace auopt
