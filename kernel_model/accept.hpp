// Would the kernel take this rule? auditfilter.c: audit_to_entry_common, audit_field_valid, audit_data_to_entry.
#pragma once

#include <optional>
#include <string>

#include "compiler/ir.hpp"

namespace auopt {

/// Why the kernel answers EINVAL (or another error that depends on the rule alone), or nothing.
std::optional<std::string> refusal(const KernelRule& rule);

/// True when class-selector bits (2032..2047) are set in a mask that is not "all 2048 bits".
bool selects_classes(const SyscallMask& mask);

}  // namespace auopt
