#include "compiler/print_listing.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "compiler/version.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

constexpr std::uint32_t arch_64bit = 0x80000000;  // __AUDIT_ARCH_64BIT
constexpr unsigned last_listed_io_uring_op = 36;  // a limit of auditctl's own
constexpr char key_separator = 0x01;

bool has_calls(List list) { return list == List::exit || list == List::io_uring; }

/// Words 0..62, as auditctl looks at them: the last word, half of which the kernel clears, is left out.
bool listed_as_all(const SyscallMask& mask) {
    return std::all_of(mask.words.begin(), mask.words.end() - 1, [](std::uint32_t w) { return w == 0xFFFFFFFF; });
}

std::string signed_number(std::uint32_t value) { return fmt::format("{}", static_cast<std::int32_t>(value)); }

/// Empty parts are skipped, as strtok(3) does.
std::string keys(std::string_view text, std::string_view option) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(key_separator, at), text.size());
        if (end != at) out += fmt::format("{}{}", option, text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

std::string value_of(const FieldTest& test, const FieldRow& row, const ListingPrinter& printer) {
    const auto as_signed = static_cast<std::int32_t>(test.value);
    switch (row.value_class) {
        case ValueClass::text:
            return test.text;
        case ValueClass::permissions:
            return permission_letters(test.value);
        case ValueClass::unsigned_number:
            return fmt::format("{}", test.value);
        case ValueClass::argument:
            return fmt::format("0x{:X}", test.value);
        case ValueClass::exit_code: {
            const std::string name = as_signed < 0 && as_signed > -4096 ? errno_name(-as_signed) : std::string();
            return name.empty() ? signed_number(test.value) : "-" + name;
        }
        case ValueClass::message_type: {
            std::string name = message_type_name(as_signed, printer.known);
            return name.empty() ? signed_number(test.value) : name;
        }
        case ValueClass::fs_type: {
            std::string name = fstype_name(test.value, printer.known);
            return name.empty() ? signed_number(test.value) : name;
        }
        case ValueClass::user:
        case ValueClass::session:
            if (printer.interpreted && test.value == id_unset &&
                (test.field == Field::loginuid || test.field == Field::sessionid))
                return "unset";
            return signed_number(test.value);
        default:
            return signed_number(test.value);
    }
}

/// The operator is shown as it is, but for those that older versions print as "=" whatever they are.
std::string_view shown_op(const FieldTest& test, bool operators_shown) {
    const bool always_equal =
        test.field == Field::key || test.field == Field::perm ||
        (!operators_shown && (test.field == Field::path || test.field == Field::dir || test.field == Field::exe));
    return always_equal ? "=" : op_text(test.op);
}

std::string test_text(const FieldTest& test, const ListingPrinter& printer, bool watch) {
    const auto number = static_cast<std::uint32_t>(test.field);
    if (test.field == Field::field_compare) {
        for (const ComparisonRow& row : comparison_rows())
            if (row.number == test.value) return fmt::format(" -C {}{}{}", row.left, op_text(test.op), row.right);
        return {};
    }
    const FieldRow* row = field_by_number(number);
    if (row == nullptr) return fmt::format(" f{}{}{}", number, op_text(test.op), signed_number(test.value));
    if (test.field == Field::key) return keys(test.text, watch ? " -k " : " -F key=");
    const std::string value = value_of(test, *row, printer);
    if (watch) return fmt::format("{} {}", test.field == Field::perm ? " -p" : "-w", value);
    return fmt::format(" -F {}{}{}", row->name, shown_op(test, printer.operators_shown), value);
}

}  // namespace

ListingPrinter listing_printer(AuditctlVersion version, Machine machine) {
    const Features& features = features_of(version);
    return {.machine = machine,
            .known = features.names,
            .operators_shown = features.lists_operators,
            .io_uring_list = features.last_io_uring_op != 0,
            .interpreted = false};
}

bool listed_as_watch(const KernelRule& rule) {
    const auto fits = [](const FieldTest& t) {
        return t.field == Field::perm || t.field == Field::key || t.field == Field::dir || t.field == Field::path;
    };
    if (!std::all_of(rule.tests.begin(), rule.tests.end(), fits)) return false;
    if (find_test(rule, Field::perm) == nullptr) return false;
    return !has_calls(rule.list) || listed_as_all(rule.mask);
}

std::string listed_head(const KernelRule& rule, const ListingPrinter& printer, CallNames& names) {
    const auto list = list_word(rule.list);
    const bool named = list && (rule.list != List::io_uring || printer.io_uring_list);
    std::string out =
        fmt::format("-a {},{}", rule.action == Action::never ? "never" : "always", named ? *list : "(null)");
    for (const FieldTest& test : rule.tests) {
        if (test.field != Field::arch) continue;
        names = elf_machine(test.value, printer.known);
        const std::string arch = !names                ? fmt::format("0x{:X}", test.value)
                                 : printer.interpreted ? std::string(machine_name(*names))
                                                       : ((test.value & arch_64bit) != 0 ? "b64" : "b32");
        out += fmt::format(" -F arch{}{}", op_text(test.op), arch);
    }
    return out;
}

std::string listed_calls(const KernelRule& rule, const ListingPrinter& printer, const CallNames& names) {
    if (!has_calls(rule.list)) return {};
    if (listed_as_all(rule.mask)) return " -S all";
    std::string out;
    for (unsigned nr = 0; nr < mask_words * 32; ++nr) {
        if (!rule.mask.test(nr)) continue;
        if (rule.list == List::io_uring && printer.io_uring_list && nr > last_listed_io_uring_op) continue;
        const bool named = names && rule.list == List::exit;
        const std::string name = named ? syscall_name(nr, *names, printer.known) : std::string();
        out += out.empty() ? " -S " : ",";
        out += name.empty() ? fmt::format("{}", nr) : name;
    }
    return out;
}

std::string listed_tests(const KernelRule& rule, const ListingPrinter& printer) {
    const bool watch = listed_as_watch(rule);
    std::string out;
    for (const FieldTest& test : rule.tests)
        if (test.field != Field::arch) out += test_text(test, printer, watch);
    return out;
}

std::string print_listing(const std::vector<KernelRule>& rules, const ListingPrinter& printer) {
    if (rules.empty()) return "No rules\n";
    std::string out;
    CallNames names = printer.machine;
    for (const KernelRule& rule : rules) {
        if (!listed_as_watch(rule)) {
            out += listed_head(rule, printer, names);
            out += listed_calls(rule, printer, names);
        }
        out += listed_tests(rule, printer) + "\n";
    }
    return out;
}

}  // namespace auopt
