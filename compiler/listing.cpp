#include "compiler/listing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {

namespace {

constexpr std::uint32_t all_permissions = 15;
constexpr char key_separator = 0x01;

using Text = tl::expected<std::string, std::string>;

Machine machine_of(std::string_view name) { return machine_by_name(name).value_or(Machine::x86_64); }

/// The option once for each key of the joined text; empty keys have no spelling.
Text keys_text(std::string_view keys, std::string_view option) {
    std::string out;
    std::size_t at = 0;
    while (at <= keys.size()) {
        const std::size_t end = std::min(keys.find(key_separator, at), keys.size());
        if (end == at) return tl::unexpected(std::string("the key has an empty part"));
        const Text token = escaped_token(keys.substr(at, end - at));
        if (!token) return token;
        out += fmt::format("{}{}", option, *token);
        at = end + 1;
    }
    return out;
}

Text watch_text(const KernelRule& rule) {
    const Text path = escaped_token(rule.tests[0].text);
    if (!path) return path;
    std::string line = fmt::format("-w {} -p {}", *path, permission_letters(rule.tests[1].value));
    if (rule.tests.size() == 3) {
        const Text keys = keys_text(rule.tests[2].text, " -k ");
        if (!keys) return keys;
        line += *keys;
    }
    return line;
}

Text calls_text(const KernelRule& rule, Machine machine, const KnownNames& known) {
    if (rule.list != List::exit && rule.list != List::io_uring) {
        const bool usual = rule.list == List::task ? rule.mask.none() : rule.mask.full();
        if (!usual) return tl::unexpected(std::string("system calls on a list that has none"));
        return std::string();
    }
    if (rule.mask.full()) return std::string(" -S all");
    if (rule.mask.none()) return std::string(" -S ,");
    std::string out;
    for (unsigned nr = 0; nr < 2048; ++nr) {
        if (!rule.mask.test(nr)) continue;
        const std::string name = rule.list == List::exit ? syscall_name(nr, machine, known) : std::string();
        out += out.empty() ? " -S " : ",";
        out += name.empty() ? fmt::format("{}", nr) : name;
    }
    return out;
}

Text test_text(const FieldTest& test, List list, std::string_view machine, const KnownNames& known) {
    const std::string_view op = op_text(test.op);
    if (op.empty()) return tl::unexpected(std::string("an operator that has no spelling"));
    if (test.field == Field::field_compare && list == List::exit && (test.op == Op::equal || test.op == Op::not_equal))
        for (const auto& row : comparison_rows())
            if (row.number == test.value) return fmt::format(" -C {}{}{}", row.left, op, row.right);
    const FieldRow* row = field_by_number(static_cast<std::uint32_t>(test.field));
    if (row == nullptr) return tl::unexpected(fmt::format("field {} has no name", static_cast<unsigned>(test.field)));
    if (test.field == Field::key && test.op == Op::equal) return keys_text(test.text, " -F key=");
    const Text value = row->value_class == ValueClass::text ? Text(test.text) : listed_value(test, machine, known);
    if (!value) return value;
    const Text token = escaped_token(*value);
    if (!token) return token;
    return fmt::format(" -F {}{}{}", row->name, op, *token);
}

}  // namespace

bool is_watch(const KernelRule& rule) {
    const auto& tests = rule.tests;
    if (rule.list != List::exit || rule.prepend || rule.action != Action::always || !rule.mask.full()) return false;
    if (tests.size() < 2 || tests.size() > 3) return false;
    if (!std::all_of(tests.begin(), tests.end(), [](const FieldTest& t) { return t.op == Op::equal; })) return false;
    const bool place = tests[0].field == Field::path || tests[0].field == Field::dir;
    return place && tests[1].field == Field::perm && tests[1].value != 0 && tests[1].value <= all_permissions &&
           (tests.size() == 2 || tests[2].field == Field::key);
}

Text listed_value(const FieldTest& test, std::string_view machine, const KnownNames& known) {
    const FieldRow* row = field_by_number(static_cast<std::uint32_t>(test.field));
    const auto none = [&] { return tl::unexpected(fmt::format("value {} has no spelling", test.value)); };
    const std::uint32_t value = test.value;
    const auto as_signed = static_cast<std::int32_t>(value);
    if (row == nullptr) return none();
    switch (row->value_class) {
        case ValueClass::user:
        case ValueClass::session:
            return value == id_unset ? "-1" : fmt::format("{}", value);
        case ValueClass::exit_code: {
            const std::string name = as_signed < 0 && as_signed > -4096 ? errno_name(-as_signed) : std::string();
            return name.empty() ? fmt::format("{}", as_signed) : "-" + name;
        }
        case ValueClass::argument:
            return fmt::format("0x{:X}", value);
        case ValueClass::arch:
            return arch_text(value, machine_of(machine));
        case ValueClass::permissions:
            if (value == 0 || value > all_permissions) return none();
            return permission_letters(value);
        case ValueClass::file_type: {
            std::string name = file_type_name(value);
            if (name.empty()) return none();
            return name;
        }
        case ValueClass::message_type: {
            std::string name = as_signed > 0 ? message_type_name(as_signed, known) : std::string();
            return name.empty() ? fmt::format("{}", value) : name;
        }
        case ValueClass::fs_type: {
            std::string name = fstype_name(value, known);
            return name.empty() ? fmt::format("{}", value) : name;
        }
        case ValueClass::address_family:
        case ValueClass::number:
        case ValueClass::unsigned_number:
        case ValueClass::group:
            return fmt::format("{}", value);
        case ValueClass::text:
            break;
    }
    return none();
}

Text rule_to_listing(const KernelRule& rule, const ListingOptions& options) {
    if (options.watch_form && is_watch(rule)) return watch_text(rule);
    const auto list = list_word(rule.list);
    if (!list) return tl::unexpected(fmt::format("list {} has no name", static_cast<std::uint32_t>(rule.list)));
    std::string line =
        fmt::format("-{} {},{}", rule.prepend ? 'A' : 'a', rule.action == Action::never ? "never" : "always", *list);
    Machine names = machine_of(options.machine);
    for (const FieldTest& test : rule.tests) {  // arch stands in front of the calls, wherever it is stored
        if (test.field != Field::arch) continue;
        names = elf_machine(test.value).value_or(names);
        const Text text = test_text(test, rule.list, options.machine, options.names);
        if (!text) return text;
        line += *text;
    }
    const Text calls = calls_text(rule, names, options.names);
    if (!calls) return calls;
    line += *calls;
    for (const FieldTest& test : rule.tests) {
        if (test.field == Field::arch) continue;
        const Text text = test_text(test, rule.list, options.machine, options.names);
        if (!text) return text;
        line += *text;
    }
    return line;
}

}  // namespace auopt
