// System calls by name, for flags and tables, and the calls worth showing first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auopt {

struct CallName {
    std::uint32_t arch = 0;
    unsigned nr = 0;
    std::string name;
    bool operator==(const CallName&) const = default;
};

/// "b64" or "b32".
std::string_view arch_name(std::uint32_t arch);

/// A name or number of `arch`; nothing when no table has the name (numbers up to 2031 are always calls).
std::optional<CallName> find_call(std::string_view name, std::uint32_t arch);

/// Every call of `arch` that has a name, by number.
const std::vector<CallName>& all_calls(std::uint32_t arch);

/// Calls that busy machines make most, in a fixed order; those of them that `arch` has.
std::vector<CallName> hot_calls(std::uint32_t arch);

}  // namespace auopt
