// Facts given with --facts, held against the host whose rules are meant: what was true when they were taken may not be.
#pragma once

#include <string>
#include <vector>

#include "compiler/facts.hpp"

namespace auopt {

/// What `given` says and this host contradicts, "WHAT: FACTS, here HOST" each; what only one of them knows is no
/// contradiction. A kernel or an auditctl of another version makes them older, or another host's.
std::vector<std::string> contradictions(const Facts& given, const Facts& host);

/// The same against this host, asked for what `given` is about.
std::vector<std::string> contradictions_with_host(const Facts& given);

}  // namespace auopt
