// Kernel rule -> the text line that every auditctl from 2.8.5 to 4.2 loads as the same bytes (the
// emission rule): perm= before any arch, arch, then syscall numbers in one -S, then the rest.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"

namespace auopt {

/// The line for `rule` (no newline), with b64 and b32 as `machine` (uname -m) reads them. Fields keep their stored
/// order. Unset ids are written -1, which all versions and all id fields read. A rule with watch_kind_unknown
/// becomes the author's -w line.
/// Error, with the reason, where no line loads as this rule in every version: a perm= behind an arch= with a
/// partial mask, class selectors in a partial mask, bytes that the tokenizer cannot carry (newline, NUL, 0x04,
/// 0x07), a key not in last place or not on this list, values without a spelling, -A, more than 6142 bytes.
/// Fields that an older version does not know at all (saddr_fam, exe!=, list io_uring, most of the exclude list)
/// are written; those versions refuse the source line too.
tl::expected<std::string, std::string> rule_to_line(const KernelRule& rule);
tl::expected<std::string, std::string> rule_to_line(const KernelRule& rule, std::string_view machine);

/// Comma list of readable call names for the comment above a rule.
std::string syscall_names(const SyscallMask& mask, std::uint32_t arch);

}  // namespace auopt
