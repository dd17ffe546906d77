#include "report/rule_json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/listing.hpp"
#include "compiler/overloaded.hpp"
#include "compiler/spelling.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;

constexpr std::uint32_t prepend_bit = 0x10;  // AUDIT_FILTER_PREPEND

/// The ABIs whose numbers the rule means: those of its arch tests, else both of the machine.
std::vector<std::pair<std::string, Machine>> abis_of(const KernelRule& rule, Machine host) {
    std::vector<std::pair<std::string, Machine>> abis;
    for (const FieldTest& test : rule.tests) {
        if (test.field != Field::arch || test.op != Op::equal) continue;
        if (const auto machine = elf_machine(test.value)) abis.emplace_back(arch_text(test.value, host), *machine);
    }
    if (!abis.empty()) return abis;
    if (const auto wide = machine_64bit(host)) abis.emplace_back("b64", *wide);
    if (const auto narrow = machine_32bit(host)) abis.emplace_back("b32", *narrow);
    return abis;
}

/// "all", or each number with its name in every ABI that the rule is about.
ordered_json calls_to_json(const KernelRule& rule, Machine host) {
    if (rule.mask == SyscallMask::all()) return "all";
    const auto abis = abis_of(rule, host);
    ordered_json calls = ordered_json::array();
    for (unsigned nr = 0; nr < 2048; ++nr) {
        if (!rule.mask.test(nr)) continue;
        ordered_json call{{"nr", nr}};
        if (rule.list == List::exit) {
            ordered_json names = ordered_json::object();
            for (const auto& [abi, machine] : abis) {
                const std::string name = syscall_name(nr, machine);
                if (name.empty())
                    names[abi] = nullptr;
                else
                    names[abi] = name;
            }
            call["names"] = names;
        }
        calls.push_back(call);
    }
    return calls;
}

/// What was joined with byte 0x01.
ordered_json keys_to_json(const KernelRule& rule) {
    ordered_json keys = ordered_json::array();
    const auto key = rule_key(rule);
    if (!key) return keys;
    std::size_t at = 0;
    while (at <= key->size()) {
        const std::size_t end = std::min(key->find('\x01', at), key->size());
        keys.push_back(key->substr(at, end - at));
        at = end + 1;
    }
    return keys;
}

ordered_json test_to_json(const FieldTest& test, std::string_view machine) {
    const auto number = static_cast<std::uint32_t>(test.field);
    const FieldRow* row = field_by_number(number);
    const std::string_view op = op_text(test.op);
    ordered_json field{
        {"field", row != nullptr ? std::string(row->name) : fmt::format("f{}", number)},
        {"number", number},
        {"op", op.empty() ? fmt::format("0x{:x}", static_cast<std::uint32_t>(test.op)) : std::string(op)}};
    if (is_text_field(test.field)) {
        field["text"] = test.text;
        return field;
    }
    field["value"] = test.value;
    if (test.field == Field::field_compare) {
        for (const ComparisonRow& pair : comparison_rows())
            if (pair.number == test.value) field["compares"] = {pair.left, pair.right};
    } else if (const auto shown = listed_value(test, machine)) {
        field["shown"] = *shown;
    }
    return field;
}

ordered_json source_to_json(const Sources& sources, const Span& span) {
    return {{"file", sources.name(span.file)}, {"line", span.line}};
}

}  // namespace

ordered_json rule_to_json(const Sources& sources, const KernelRule& rule, std::string_view machine) {
    const Machine host = machine_by_name(machine).value_or(Machine::x86_64);
    const auto number = static_cast<std::uint32_t>(rule.list);
    ordered_json fields = ordered_json::array();
    for (const FieldTest& test : rule.tests) fields.push_back(test_to_json(test, machine));
    ordered_json result{{"list", list_word(rule.list).value_or(std::string_view("unknown"))},
                        {"flags", number | (rule.prepend ? prepend_bit : 0U)},
                        {"prepend", rule.prepend},
                        {"action", rule.action == Action::never ? "never" : "always"},
                        {"syscalls", calls_to_json(rule, host)},
                        {"fields", fields},
                        {"keys", keys_to_json(rule)}};
    if (rule.watch_kind_unknown) result["watch_kind"] = "unknown";
    ordered_json from = ordered_json::array();
    for (const Span& span : rule.sources) from.push_back(source_to_json(sources, span));
    result["sources"] = from;
    return result;
}

ordered_json message_to_json(const Sources& sources, const Message& message, std::string_view machine) {
    ordered_json result = std::visit(
        Overloaded{
            [&](const AddRule& m) {
                return ordered_json{{"message", "ADD_RULE"}, {"rule", rule_to_json(sources, m.rule, machine)}};
            },
            [&](const DeleteRule& m) {
                return ordered_json{{"message", "DEL_RULE"}, {"rule", rule_to_json(sources, m.rule, machine)}};
            },
            [](const DeleteAll& m) {
                ordered_json j{{"message", "DELETE_ALL"}, {"key", nullptr}};
                if (m.key) j["key"] = *m.key;
                return j;
            },
            [](const SetStatus& m) {
                return ordered_json{{"message", "SET"}, {"mask", m.mask}, {"value", m.value}};
            },
            [](const SetFeature& m) {
                return ordered_json{
                    {"message", "SET_FEATURE"}, {"mask", m.mask}, {"features", m.features}, {"lock", m.lock}};
            },
            [](const Trim&) {
                return ordered_json{{"message", "TRIM"}};
            },
            [](const MakeEquiv& m) {
                return ordered_json{{"message", "MAKE_EQUIV"}, {"mount", m.mount}, {"subtree", m.subtree}};
            },
            [](const UserMessage& m) {
                return ordered_json{{"message", "USER"}, {"text", m.text}};
            },
            [](const Inert& m) {
                static constexpr const char* names[] = {"ignore_errors", "continue_on_error", "list",
                                                        "status",        "version",           "signal"};
                return ordered_json{{"message", "NONE"}, {"option", names[static_cast<int>(m.kind)]}};
            },
        },
        message.body);
    result["source"] = source_to_json(sources, message.source);
    return result;
}

}  // namespace auopt
