// The ids of what can be wrong with a workload file. Stable, as all ids.
#pragma once

#include <string_view>
#include <vector>

#include "grammar/ids.hpp"

namespace auopt {

namespace ids {
inline constexpr std::string_view workload_format_unknown = "AU070";
inline constexpr std::string_view workload_empty = "AU071";
inline constexpr std::string_view workload_call_unknown = "AU072";
inline constexpr std::string_view workload_line_unreadable = "AU073";
inline constexpr std::string_view workload_member = "AU074";
inline constexpr std::string_view workload_incomplete = "AU075";
inline constexpr std::string_view workload_no_counts = "AU076";
inline constexpr std::string_view workload_ambiguous = "AU077";
}  // namespace ids

/// Every id of this file, ascending.
const std::vector<IdRow>& workload_ids();

}  // namespace auopt
