// The filter fields: name, number, how a value is written, on which lists and with which operators auditctl
// 3.0.9 lets them through. Source: the rule language of auditctl, measured field by field.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace auopt {

/// How the value of a field is written.
enum class ValueClass : std::uint8_t {
    number,           // digits only
    unsigned_number,  // digits only, read unsigned (inode)
    user,
    group,
    exit_code,
    message_type,
    text,
    arch,
    permissions,
    file_type,
    fs_type,
    argument,
    session,
    address_family,
};

/// Bits of FieldRow::lists: one per filter list.
constexpr unsigned on_exit = 1, on_task = 2, on_user = 4, on_exclude = 8, on_filesystem = 16;

enum class FieldOps : std::uint8_t { all, equality /* = and != */, equal_only };

struct FieldRow {
    std::string_view name;
    std::uint32_t number;
    ValueClass value_class;
    unsigned lists;
    FieldOps ops;
};

/// All fields with a name; loginuid follows auid, its older spelling comes second.
const std::vector<FieldRow>& field_rows();
/// By name, any case; nullptr when unknown.
const FieldRow* field_by_name(std::string_view name);
/// By number (first spelling); nullptr when it has no name.
const FieldRow* field_by_number(std::uint32_t number);

/// One -C comparison: two field names and the number that field_compare holds.
struct ComparisonRow {
    std::string_view left, right;  // in the order listings use
    std::uint32_t number;
};
const std::vector<ComparisonRow>& comparison_rows();

}  // namespace auopt
