// Kernel rule -> the text line that every auditctl from 2.8.5 to 4.2 loads as the same bytes (the
// emission rule): perm= before any arch, arch, then syscall numbers in one -S, then the rest.
#pragma once

#include <string>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"

namespace auopt {

/// The line for `rule` (no newline). Fields keep their stored order, so a rule whose perm= stands
/// after an arch= cannot be written: error. Also an error: a mask with class-selector bits on a partial
/// mask, bytes that the tokenizer cannot carry (newline, NUL, 0x04, 0x07), a key not in last place.
tl::expected<std::string, std::string> rule_to_line(const KernelRule& rule);

/// The -w line of a rule with watch_kind_unknown, exactly as the author's.
/// Comma list of readable call names for the comment above a rule.
std::string syscall_names(const SyscallMask& mask, std::uint32_t arch);

}  // namespace auopt
