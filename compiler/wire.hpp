// struct audit_rule_data and friends, as bytes (spec: rule language, section 0). Little-endian hosts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"

namespace auopt {

/// 1040 + buflen bytes, without netlink padding.
std::vector<std::uint8_t> rule_to_wire(const KernelRule& rule);
/// The reverse, of bytes that nobody vouches for: every length, count, list, action, field and operator is checked.
/// Error: what is wrong with them, without a place.
tl::expected<KernelRule, std::string> rule_from_wire(std::span<const std::uint8_t> bytes);
/// The printable message line ("ADD_RULE <hex>", "SET <hex>", "TRIM -", ...) of `compile --format wire`,
/// or empty for messages that send nothing of their own or only read (-D on an empty table, -l, -s, -i).
std::string message_to_wire_line(const Message& message);

}  // namespace auopt
