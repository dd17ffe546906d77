// When one conjunction of field tests is never true, or true whenever another is. Sound, not complete: "no" may
// mean "not known". Semantics: kernel/auditsc.c:audit_filter_rules, unsigned 32-bit comparisons.
#pragma once

#include <vector>

#include "compiler/ir.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

/// A field of these tests whose tests exclude each other; nullptr when none is known to.
const FieldTest* contradiction(const std::vector<FieldTest>& tests);

/// The tests on exit hold for errors (-4095 to -1) alone, of those on success for calls that succeed alone. Together no
/// failing call satisfies them; yet a result of 64 bits whose low half looks like an error may.
bool only_errors(const std::vector<FieldTest>& tests);
bool only_success(const std::vector<FieldTest>& tests);

/// Every event that satisfies `narrow` satisfies `wide` (keys are not tests).
bool implied_by(const std::vector<FieldTest>& wide, const std::vector<FieldTest>& narrow);

/// ABIs that the rule's arch tests admit.
std::vector<Abi> admitted_abis(const KernelRule& rule, const MachineModel& machine);

/// Calls of `abi` that the rule can match on some of the kernels: in its mask and, with perm=, in a class of it.
/// Numbers that kernels may still add to a class (first_new_syscall on) count as in it.
SyscallSet admitted_calls(const KernelRule& rule, Abi abi, const std::vector<const KernelTables*>& kernels);

}  // namespace auopt
