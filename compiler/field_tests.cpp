// -F: one field test. The order of the checks is auditctl's, so that a line with several faults is reported
// for the one that auditctl stops at.
#include <cerrno>
#include <cstdlib>

#include <fmt/format.h>

#include "compiler/line.hpp"
#include "compiler/spelling.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

constexpr std::size_t max_text_bytes = 4096;
constexpr std::uint32_t address_families = 46;  // AF_MAX of Debian 12's headers

Op to_op(OperatorToken token) {
    switch (token) {
        case OperatorToken::equal:
            return Op::equal;
        case OperatorToken::not_equal:
            return Op::not_equal;
        case OperatorToken::less:
            return Op::less;
        case OperatorToken::greater:
            return Op::greater;
        case OperatorToken::less_equal:
            return Op::less_equal;
        case OperatorToken::greater_equal:
            return Op::greater_equal;
        case OperatorToken::bit_mask:
            return Op::bit_mask;
        case OperatorToken::bit_test:
            return Op::bit_test;
    }
    return Op::equal;
}

unsigned list_bit(std::uint32_t list) {
    switch (list) {
        case 0:
            return on_user;
        case 1:
            return on_task;
        case 4:
            return on_exit;
        case 5:
            return on_exclude;
        case 6:
            return on_filesystem;
        default:
            return 0;
    }
}

bool allowed_on(const Features& features, const FieldRow& row, std::uint32_t list) {
    if (list == 7) return (row.lists & on_task) != 0;  // io_uring, or a list that does not exist
    if (list == 5 && features.exclude_all_fields) {
        return (row.lists & on_user) != 0 || row.value_class == ValueClass::permissions;
    }
    if (list == 5 && static_cast<Field>(row.number) == Field::exe && !features.exe_not_equal) return false;
    return (row.lists & list_bit(list)) != 0;
}

/// Everything about the value being read.
struct Value {
    LineState& state;
    const Argument& argument;
    const FieldRow& row;
    const Word& word;

    Span span() const { return argument.part(word.offset, word.text.size()); }
    void refuse(const std::string& message, std::string help = {}) const {
        state.fail(ids::bad_value, span(), message, std::move(help));
    }
    std::uint32_t number(bool is_signed) const {
        return read_number(state, argument, word.offset, word.text, is_signed, row.value_class == ValueClass::argument);
    }
    bool digit() const { return starts_with_digit(word.text); }
    bool minus_digit() const { return starts_with_minus_digit(word.text); }
};

std::optional<std::uint32_t> read_user(const Value& v) {
    if (v.digit()) return v.number(false);
    if (v.minus_digit()) return v.number(true);
    if (v.word.text == "unset") return id_unset;
    const auto& users = v.state.options.facts.users;
    if (const auto it = users.find(v.word.text); it != users.end()) return it->second;
    v.state.fail(
        ids::unknown_user, v.span(), fmt::format("no number is known for the user `{}`", v.word.text),
        "supply the users of the host with --facts FILE, use --target host for this machine's, or write the number");
    return std::nullopt;
}

std::optional<std::uint32_t> read_group(const Value& v) {
    if (v.digit()) return v.number(true);
    const auto& groups = v.state.options.facts.groups;
    if (const auto it = groups.find(v.word.text); it != groups.end()) return it->second;
    v.state.fail(
        ids::unknown_group, v.span(), fmt::format("no number is known for the group `{}`", v.word.text),
        "supply the groups of the host with --facts FILE, use --target host for this machine's, or write the number");
    return std::nullopt;
}

std::optional<std::uint32_t> read_exit(const Value& v) {
    if (v.digit() || v.minus_digit()) return v.number(true);
    if (const auto number = errno_number(v.word.text)) return static_cast<std::uint32_t>(*number);
    v.refuse(fmt::format("`{}` is no errno name and no number", v.word.text));
    return std::nullopt;
}

std::optional<std::uint32_t> read_message_type(const Value& v) {
    if (v.digit()) return v.number(true);  // any number goes
    const auto number = message_type_number(v.word.text, v.state.features.names);
    if (number && *number > 0) return static_cast<std::uint32_t>(*number);
    v.refuse(fmt::format("`{}` is no record type", v.word.text));
    return std::nullopt;
}

std::string no_arch_help(std::string_view word, Machine host) {
    const std::string lower = ascii_lower(word);
    if (lower == "b32" && !machine_32bit(host))
        return fmt::format("auditctl knows no 32-bit programs on {}: leave rules for b32 out there",
                           machine_name(host));
    if (lower == "b64" && !machine_64bit(host))
        return fmt::format("{} has no 64-bit programs: write b32, or leave arch out", machine_name(host));
    return "use b64, b32, a machine name, or the audit number as 0x...";
}

std::optional<std::uint32_t> read_arch(const Value& v) {
    LineState& state = v.state;
    if (state.syscalls_added) {
        state.fail(ids::arch_after_syscalls, v.argument.span,
                   "arch comes after the system calls or the watch that it should govern",
                   "put -F arch before -S; a watch cannot have one");
        return std::nullopt;
    }
    std::optional<Machine> machine;
    if (v.digit()) {
        const CNumber number = parse_c_number(v.word.text, state.features.binary_numbers);
        if (!number.overflow)
            machine = elf_machine(static_cast<std::uint32_t>(number.as_unsigned()), state.features.names);
    } else if (const std::string lower = ascii_lower(v.word.text); lower == "b64") {
        machine = machine_64bit(state.host);
    } else if (lower == "b32") {
        machine = machine_32bit(state.host);
    } else if (machine = machine_by_name(lower, state.features.names); !machine) {
        errno = 0;
        const auto elf = std::strtoull(v.word.text.c_str(), nullptr, 16);
        if (errno == 0) machine = elf_machine(static_cast<std::uint32_t>(elf), state.features.names);
    }
    if (!machine) {
        state.fail(ids::unknown_arch, v.span(),
                   fmt::format("`{}` names no architecture on {}", v.word.text, machine_name(state.host)),
                   no_arch_help(v.word.text, state.host));
        return std::nullopt;
    }
    state.arch = machine;
    return machine_elf(*machine);
}

std::optional<std::uint32_t> read_permissions(const Value& v) {
    const Permissions perms = parse_permissions(v.word.text);
    if (perms.bits) return perms.bits;
    v.state.fail(ids::bad_permissions, v.argument.part(v.word.offset + perms.bad_offset, 1),
                 "permissions are at most four of the letters r, w, x and a");
    return std::nullopt;
}

std::optional<std::uint32_t> read_fs_type(const Value& v) {
    std::optional<std::uint32_t> number;
    if (v.digit()) {
        number = v.number(false);
    } else {
        number = fstype_number(v.word.text, v.state.features.names);
    }
    if (number && *number != 0xFFFFFFFF) return number;
    v.refuse(fmt::format("`{}` is no file system type that auditctl knows", v.word.text));
    return std::nullopt;
}

std::optional<std::uint32_t> read_session(const Value& v) {
    if (v.digit()) return v.number(false);
    if (v.minus_digit()) return v.number(true);
    if (v.word.text == "unset") return id_unset;
    v.state.warn(ids::value_reads_differently, v.span(), "auditctl takes any word as session 0");
    return 0;
}

std::optional<std::uint32_t> read_address_family(const Value& v) {
    const std::uint32_t number = v.number(false);
    if (number < address_families) return number;
    v.refuse(fmt::format("address families end at {}", address_families - 1));
    return std::nullopt;
}

std::optional<std::uint32_t> read_value(const Value& v) {
    switch (v.row.value_class) {
        case ValueClass::number:
        case ValueClass::unsigned_number:
            if (v.digit()) return v.number(v.row.value_class == ValueClass::number);
            v.refuse(fmt::format("{} takes a number without a sign", v.row.name),
                     v.row.name == "success" ? "write success=1 or success=0" : "");
            return std::nullopt;
        case ValueClass::argument:
            if (v.digit()) return v.number(false);
            if (v.minus_digit()) return v.number(true);
            v.refuse(fmt::format("{} takes a number", v.row.name));
            return std::nullopt;
        case ValueClass::user:
            return read_user(v);
        case ValueClass::group:
            return read_group(v);
        case ValueClass::exit_code:
            return read_exit(v);
        case ValueClass::message_type:
            return read_message_type(v);
        case ValueClass::arch:
            return read_arch(v);
        case ValueClass::permissions:
            return read_permissions(v);
        case ValueClass::file_type:
            if (const auto number = file_type_number(v.word.text)) return number;
            v.refuse("filetype takes one of file, dir, socket, link, character, block, fifo");
            return std::nullopt;
        case ValueClass::fs_type:
            return read_fs_type(v);
        case ValueClass::session:
            return read_session(v);
        case ValueClass::address_family:
            return read_address_family(v);
        case ValueClass::text:
            return std::nullopt;  // not a number; the caller takes the text
    }
    return std::nullopt;
}

bool ops_allow(const Features& features, const FieldRow& row, Op op) {
    if (static_cast<Field>(row.number) == Field::exe && !features.exe_not_equal) return op == Op::equal;
    switch (row.ops) {
        case FieldOps::all:
            return true;
        case FieldOps::equality:
            return op == Op::equal || op == Op::not_equal;
        case FieldOps::equal_only:
            return op == Op::equal;
    }
    return false;
}

bool check_text(const Value& v) {
    LineState& state = v.state;
    const Field field = static_cast<Field>(v.row.number);
    if (field == Field::key && !(state.syscalls_added || state.perm_added || state.exe_added || state.fstype_added)) {
        state.fail(ids::key_without_test, v.argument.span,
                   "a key needs system calls, a watch, or a perm, path, dir or exe test in its rule",
                   "add `-S all` if every system call is meant");
        return false;
    }
    const std::size_t limit = field == Field::key ? max_key_bytes : max_text_bytes;
    if (v.word.text.size() > limit) {
        state.fail(ids::text_too_long, v.span(), fmt::format("{} takes at most {} bytes", v.row.name, limit));
        return false;
    }
    return true;
}

void note_flags(LineState& state, Field field) {
    if (field == Field::path || field == Field::dir || field == Field::perm) state.perm_added = true;
    if (field == Field::exe) state.exe_added = true;
    if (field == Field::fstype) state.fstype_added = true;
}

}  // namespace

bool add_field(LineState& state, const Argument& argument, std::uint32_t list) {
    const Features& features = state.features;
    if (state.rule.tests.size() >= max_rule_fields) {
        state.fail(ids::too_many_fields, argument.span, fmt::format("the rule already has {} tests", max_rule_fields));
        return false;
    }
    const auto text = split_field(argument.text);
    if (!text) {
        state.fail(ids::missing_operator, argument.span, "no operator in this test",
                   "write name, operator and value in one word");
        return false;
    }
    const Span op_span = argument.part(text->op_offset, operator_text(text->op).size());
    if (text->name.text.empty()) {
        state.fail(ids::missing_name_or_value, op_span, "no field name before the operator");
        return false;
    }
    if (text->value.text.empty()) {
        state.fail(ids::missing_name_or_value, op_span, "no value after the operator");
        return false;
    }
    const Span name_span = argument.part(0, text->name.text.size());
    const FieldRow* row = field_by_name(text->name.text);
    if (row == nullptr || (static_cast<Field>(row->number) == Field::saddr_fam && !features.saddr_fam)) {
        const bool split_in_value = row == nullptr && text->name.text.find_first_of("=<>&") != std::string::npos;
        state.fail(ids::unknown_field, name_span, fmt::format("`{}` is no field", text->name.text),
                   split_in_value
                       ? fmt::format("the test is split at the `{}` in its value; auditctl cannot express it",
                                     operator_text(text->op))
                       : "");
        return false;
    }
    if (!allowed_on(features, *row, list)) {
        state.fail(ids::field_not_on_list, name_span,
                   fmt::format("{} cannot be tested on the {} list", row->name,
                               list_word(static_cast<List>(list)).value_or("io_uring")));
        return false;
    }
    const Op op = to_op(text->op);
    const Value value{state, argument, *row, text->value};
    const auto refuse_op = [&] {
        state.fail(ids::bad_operator, op_span,
                   fmt::format("{} takes {} only", row->name, row->ops == FieldOps::equal_only ? "=" : "= and !="));
    };
    // arch reports its place before its operator.
    if (row->value_class == ValueClass::arch && state.syscalls_added) return read_arch(value).has_value();
    if (!ops_allow(features, *row, op)) {
        refuse_op();
        return false;
    }

    FieldTest test;
    test.field = static_cast<Field>(row->number);
    test.op = op;
    if (row->value_class == ValueClass::text) {
        if (!check_text(value)) return false;
        test.text = text->value.text;
    } else {
        const auto number = read_value(value);
        if (!number) return false;
        test.value = *number;
    }
    if (test.field == Field::perm && !narrow_by_perm(state, argument, text->value.text)) return false;
    note_flags(state, test.field);
    state.rule.tests.push_back(std::move(test));
    return true;
}

void apply_field(LineState& state, const Argument& argument) {
    // auditctl lets an arch without a list pass in front of -t, as if for the user list.
    add_field(state, argument, state.list().value_or(0));
}

}  // namespace auopt
