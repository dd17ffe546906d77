// A unified diff of two texts, three lines of context.
#pragma once

#include <string>
#include <string_view>

namespace auopt {

/// "" when the texts are equal.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name);

}  // namespace auopt
