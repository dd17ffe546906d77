#include "compiler/emit.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "grammar/tokenizer.hpp"
#include "grammar/values.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {

namespace {

constexpr std::size_t max_rule_fields = 63;
constexpr std::size_t max_text_bytes = 4096, max_key_bytes = 256, max_watch_bytes = 4095;
constexpr std::uint32_t all_permissions = 15;
constexpr char key_separator = 0x01;

/// What stands in the way of writing a rule, as an error of the expected.
template <typename... Args>
tl::unexpected<std::string> cannot(fmt::format_string<Args...> format, Args&&... args) {
    return tl::unexpected(fmt::format(format, std::forward<Args>(args)...));
}

using Text = tl::expected<std::string, std::string>;

/// The value of a number field in the spelling that every version reads as this number.
Text number_text(const FieldRow& row, const FieldTest& test, Machine host) {
    const std::uint32_t value = test.value;
    switch (row.value_class) {
        case ValueClass::user:
        case ValueClass::session:
            return value == id_unset ? "-1" : fmt::format("{}", value);
        case ValueClass::exit_code:
            return fmt::format("{}", static_cast<std::int32_t>(value));
        case ValueClass::argument:
            return fmt::format("0x{:x}", value);
        case ValueClass::arch:
            if (!elf_machine(value, {.last_riscv_syscall = 0}))
                return cannot("arch 0x{:x} has no name in every auditctl", value);
            return arch_text(value, host);
        case ValueClass::permissions: {
            if (value == 0 || value > all_permissions) return cannot("perm value {} has no letters", value);
            return permission_letters(value);
        }
        case ValueClass::file_type: {
            const std::string name = file_type_name(value);
            if (name.empty()) return cannot("file type 0x{:x} has no name", value);
            return name;
        }
        case ValueClass::message_type:
            if (value == 0 || value > 0x7FFFFFFF) return cannot("record type {} cannot be written", value);
            return fmt::format("{}", value);
        case ValueClass::fs_type:
            if (value == 0xFFFFFFFF) return cannot("file system type -1 cannot be written");
            return fmt::format("{}", value);
        case ValueClass::address_family:
            if (value >= 46) return cannot("address family {} cannot be written", value);
            return fmt::format("{}", value);
        case ValueClass::number:
        case ValueClass::unsigned_number:
        case ValueClass::group:
            return fmt::format("{}", value);
        case ValueClass::text:
            break;
    }
    return cannot("{} is no number", row.name);
}

/// ` -F name op value` or ` -C left op right`.
Text test_text(const FieldTest& test, List list, Machine host) {
    const std::string_view op = op_text(test.op);
    if (op.empty()) return cannot("operator 0x{:x} has no spelling", static_cast<std::uint32_t>(test.op));
    if (test.field == Field::field_compare && list == List::exit &&
        (test.op == Op::equal || test.op == Op::not_equal)) {
        for (const auto& row : comparison_rows())
            if (row.number == test.value) return fmt::format(" -C {}{}{}", row.left, op, row.right);
    }
    const FieldRow* row = field_by_number(static_cast<std::uint32_t>(test.field));
    if (row == nullptr) return cannot("field {} has no name", static_cast<std::uint32_t>(test.field));

    const Text value = row->value_class == ValueClass::text ? Text(test.text) : number_text(*row, test, host);
    if (!value) return value;
    if (value->empty()) return cannot("{} has no value", row->name);
    if (row->value_class == ValueClass::text && value->size() > max_text_bytes)
        return cannot("the text of {} is too long", row->name);
    // Read back what would be written: a value may hold something that is taken for the operator.
    const std::string plain = std::string(row->name) + std::string(op) + *value;
    const auto split = split_field(plain);
    if (!split || split->name.text != row->name || operator_text(split->op) != op || split->value.text != *value) {
        return cannot("the value of {} holds an operator that auditctl would split it at", row->name);
    }
    const Text token = escaped_token(plain);
    if (!token) return token;
    return " -F " + *token;
}

/// One -F key= (or -k) for each part of the key.
Text key_text(std::string_view key, std::string_view option) {
    if (key.empty() || key.size() > max_key_bytes) return cannot("the key has {} bytes", key.size());
    const auto split = split_field("key=" + std::string(key));
    if (split->name.text != "key") return cannot("the key holds an operator that auditctl would split it at");
    std::string out;
    std::size_t at = 0;
    while (at <= key.size()) {
        const std::size_t end = std::min(key.find(key_separator, at), key.size());
        const std::string_view part = key.substr(at, end - at);
        if (part.empty()) return cannot("the key has an empty part");
        const Text token = escaped_token(part);
        if (!token) return token;
        out += fmt::format("{}{}", option, *token);
        at = end + 1;
    }
    return out;
}

/// What the mask asks for: nothing, `-S all`, or `-S` with numbers.
struct SyscallsText {
    bool full = false;
    std::string text;
};
tl::expected<SyscallsText, std::string> syscalls_text(const SyscallMask& mask) {
    if (mask.full()) return SyscallsText{true, " -S all"};
    if (mask.none()) return SyscallsText{false, " -S ,"};
    std::string out;
    for (unsigned nr = 0; nr < 2048; ++nr) {
        if (!mask.test(nr)) continue;
        if (nr >= mask_syscalls) return cannot("the mask holds the class selector {}", nr);
        out += fmt::format("{}{}", out.empty() ? " -S " : ",", nr);
    }
    return SyscallsText{false, std::move(out)};
}

Text checked_length(std::string line) {
    if (line.size() >= max_line_bytes)
        return cannot("the line would have {} bytes, and auditctl reads {}", line.size(), max_line_bytes);
    const TokenLine tokens = tokenize(line, Span{}, TokenLimit::third_of_length);
    if (!tokens.dropped.empty()) return cannot("the line has more words than auditctl keeps");
    return line;
}

bool is_arch(const FieldTest& test) { return test.field == Field::arch; }
bool is_perm(const FieldTest& test) { return test.field == Field::perm; }

/// The author's -w line: path, its permissions, then whatever else the line tested.
Text watch_line(const KernelRule& rule, Machine host) {
    const auto& tests = rule.tests;
    const bool watch = rule.list == List::exit && tests.size() >= 2 && tests[0].field == Field::path &&
                       tests[0].op == Op::equal && is_perm(tests[1]) && rule.mask.full();
    if (!watch) return cannot("a watch whose name may be a file or a directory can only be written as it was");
    if (tests[0].text.size() > max_watch_bytes) return cannot("the watched path is too long");
    if (tests[0].text.empty() || tests[0].text[0] != '/') return cannot("a watched path starts with /");
    if (tests[0].text.find_first_not_of('/') == std::string::npos) return cannot("the root is no file");
    if (tests[0].text.size() > 2 && tests[0].text.back() == '/')
        return cannot("auditctl cuts the slash at the end of a watched path");
    const Text path = escaped_token(tests[0].text);
    if (!path) return path;
    std::string line = "-w " + *path;
    if (rule.action == Action::never) line += " -a exit,never";
    const std::string letters = permission_letters(tests[1].value);
    if (letters.empty() || tests[1].value > all_permissions)
        return cannot("perm value {} has no letters", tests[1].value);
    line += " -p " + letters;

    std::string key;
    for (std::size_t i = 2; i < tests.size(); ++i) {
        if (is_arch(tests[i])) return cannot("a watch cannot test arch");
        if (tests[i].field == Field::key) {
            if (i + 1 != tests.size() || tests[i].op != Op::equal) return cannot("the key does not stand last");
            const Text text = key_text(tests[i].text, " -k ");
            if (!text) return text;
            line += *text;
            continue;
        }
        const Text text = test_text(tests[i], rule.list, host);
        if (!text) return text;
        line += *text;
    }
    return checked_length(std::move(line));
}

}  // namespace

Text rule_to_line(const KernelRule& rule, std::string_view machine) {
    const Machine host = machine_by_name(machine).value_or(Machine::x86_64);
    const auto& tests = rule.tests;
    if (rule.prepend) return cannot("auditctl 4.0.4 to 4.1.0 delete the rule that -A should add");
    if (tests.size() > max_rule_fields) return cannot("the rule has {} tests", tests.size());
    if (rule.watch_kind_unknown) return watch_line(rule, host);

    const auto list = list_word(rule.list);
    if (!list) return cannot("list {} has no name", static_cast<std::uint32_t>(rule.list));
    const bool has_key = !tests.empty() && tests.back().field == Field::key;
    for (std::size_t i = 0; i + 1 < tests.size(); ++i)
        if (tests[i].field == Field::key) return cannot("the key does not stand last");
    if (has_key && tests.back().op != Op::equal) return cannot("a key with another operator than =");

    // Where the system calls go: behind the last arch; without one behind perm (which later versions would
    // turn into calls if they stood before it), else in front.
    std::ptrdiff_t last_arch = -1, last_perm = -1;
    bool perm_after_arch = false, arch_after_that = false;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        if (is_arch(tests[i])) {
            last_arch = at;
            arch_after_that = perm_after_arch;
        }
        if (is_perm(tests[i])) {
            last_perm = at;
            perm_after_arch = last_arch >= 0;
        }
    }
    const bool selects_calls = rule.list == List::exit || rule.list == List::io_uring;
    const auto calls = syscalls_text(rule.mask);
    if (!calls) return tl::unexpected(calls.error());
    if (rule.list == List::task ? !rule.mask.none() : !selects_calls && !calls->full) {
        return cannot("a system call mask on the {} list", *list);
    }
    // -p can put it on another list; -F perm=, which is what stands here, takes the exit list alone.
    if (last_perm >= 0 && rule.list != List::exit) return cannot("perm on the {} list", *list);

    const auto any = [&](auto... fields) {
        return std::any_of(tests.begin(), tests.end(),
                           [&](const FieldTest& t) { return ((t.field == fields) || ...); });
    };
    const bool key_possible = any(Field::path, Field::dir, Field::perm, Field::exe, Field::fstype);
    if (has_key && !selects_calls && !(rule.list == List::filesystem ? any(Field::fstype) : any(Field::exe))) {
        return cannot("a key on the {} list", *list);
    }
    // perm after an arch is read as a list of calls by later versions. That does no harm where every call is in
    // the mask already and no further arch follows.
    bool write_calls = selects_calls && !calls->full;
    if (selects_calls && calls->full && has_key && !key_possible) write_calls = true;
    if (perm_after_arch && (arch_after_that || !calls->full)) return cannot("perm stands behind an arch");
    if (perm_after_arch) {
        // 3.1.3 to 4.0.3 fail where the arch lacks one of the calls they want; these two have them all.
        const std::uint32_t elf = tests[static_cast<std::size_t>(last_arch)].value;
        if (elf != machine_elf(Machine::x86_64) && elf != machine_elf(Machine::i386))
            return cannot("perm stands behind an arch");
        write_calls = true;
    }
    if (write_calls && calls->full && rule.list == List::io_uring) {
        return cannot("every io_uring operation together with a key: `all` means only some of them there");
    }
    const std::ptrdiff_t calls_after = last_arch >= 0 ? last_arch : last_perm;

    std::string line = fmt::format("-a {},{}", rule.action == Action::never ? "never" : "always", *list);
    if (write_calls && calls_after < 0) line += calls->text;
    for (std::size_t i = 0; i < tests.size(); ++i) {
        if (has_key && i + 1 == tests.size()) break;
        const Text text = test_text(tests[i], rule.list, host);
        if (!text) return text;
        line += *text;
        if (write_calls && calls_after == static_cast<std::ptrdiff_t>(i)) line += calls->text;
    }
    if (has_key) {
        const Text key = key_text(tests.back().text, " -F key=");
        if (!key) return key;
        line += *key;
    }
    return checked_length(std::move(line));
}

Text rule_to_line(const KernelRule& rule) { return rule_to_line(rule, "x86_64"); }

std::string syscall_names(const SyscallMask& mask, std::uint32_t arch) {
    if (mask.full()) return "all";
    const Machine machine = elf_machine(arch).value_or(Machine::x86_64);
    std::string out;
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (!mask.test(nr)) continue;
        const std::string name = syscall_name(nr, machine);
        if (!out.empty()) out += ',';
        out += name.empty() ? fmt::format("{}", nr) : name;
    }
    return out;
}

}  // namespace auopt
