// What is known about single fields, independent of any solver: which tests are understood, which are
// never true, how numbers compare (auditfilter.c:audit_comparator).
#pragma once

#include <optional>

#include "compiler/ir.hpp"

namespace auopt::proof {

/// True when the proof knows what the test means: a field of the kernel's list with an operator it takes.
bool is_understood(const FieldTest& test);

/// True for tests that hold for no event (msgtype and fstype on these lists, unknown comparison codes).
bool never_true(const FieldTest& test);

/// Unsigned, 32 bits, as the kernel compares.
bool compare_numbers(std::uint32_t left, Op op, std::uint32_t right);

/// The credential that one side of a field_compare names.
enum class Credential : std::uint8_t {
    uid,
    euid,
    suid,
    fsuid,
    gid,
    egid,
    sgid,
    fsgid,
    loginuid,
    object_uid,
    object_gid
};
struct ComparedPair {
    Credential left, right;
};
/// Of AUDIT_COMPARE_* (linux/audit.h); nothing for unknown codes, which the kernel answers with "false".
std::optional<ComparedPair> compared_pair(std::uint32_t code);

/// Fields whose operand is the same from the entry of the call to its exit, so that a rule tested in the
/// middle of the call (audit_watch.c:audit_update_watch) and a rule tested at its exit see the same value.
bool is_call_invariant(Field field);
/// Scalars that may change inside a call, but are the same for two rules tested at its exit.
bool is_exit_scalar(Field field);

}  // namespace auopt::proof
