// The words of a rule: operators, lists, permissions, arches, and bytes as a token that reads back as them.
// Shared by the printers (emit, listing, format).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"
#include "tables/names.hpp"

namespace auopt {

/// Empty for a value that is no operator.
std::string_view op_text(Op op);
/// Nothing for a number that is no list.
std::optional<std::string_view> list_word(List list);
/// rwxa, in this order.
std::string permission_letters(std::uint32_t bits);
/// b64 or b32 where `host` reads them as this arch, else the number.
std::string arch_text(std::uint32_t elf, Machine host);
/// A value as the token that reads back as it: spaces and backslashes escaped. Error: a byte that no token can carry.
tl::expected<std::string, std::string> escaped_token(std::string_view text);

}  // namespace auopt
