#include "report/rule_json.hpp"

#include <fmt/format.h>

#include "compiler/overloaded.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;

std::string list_name(List list) {
    switch (list) {
        case List::user:
            return "user";
        case List::task:
            return "task";
        case List::exit:
            return "exit";
        case List::exclude:
            return "exclude";
        case List::filesystem:
            return "filesystem";
        case List::io_uring:
            return "io_uring";
    }
    return fmt::format("{}", static_cast<std::uint32_t>(list));
}

std::string op_text(Op op) {
    switch (op) {
        case Op::equal:
            return "=";
        case Op::not_equal:
            return "!=";
        case Op::less:
            return "<";
        case Op::greater:
            return ">";
        case Op::less_equal:
            return "<=";
        case Op::greater_equal:
            return ">=";
        case Op::bit_mask:
            return "&";
        case Op::bit_test:
            return "&=";
    }
    return fmt::format("0x{:x}", static_cast<std::uint32_t>(op));
}

ordered_json mask_to_json(const SyscallMask& mask) {
    if (mask == SyscallMask::all()) return "all";
    ordered_json numbers = ordered_json::array();
    for (unsigned nr = 0; nr < 2048; ++nr)
        if (mask.test(nr)) numbers.push_back(nr);
    return numbers;
}

ordered_json source_to_json(const Sources& sources, const Span& span) {
    return {{"file", sources.name(span.file)}, {"line", span.line}};
}

}  // namespace

ordered_json rule_to_json(const Sources& sources, const KernelRule& rule) {
    ordered_json fields = ordered_json::array();
    for (const FieldTest& test : rule.tests) {
        const auto number = static_cast<std::uint32_t>(test.field);
        const FieldRow* row = field_by_number(number);
        ordered_json field{{"field", row != nullptr ? std::string(row->name) : fmt::format("f{}", number)},
                           {"op", op_text(test.op)}};
        if (is_text_field(test.field))
            field["text"] = test.text;
        else
            field["value"] = test.value;
        fields.push_back(field);
    }
    ordered_json result{{"list", list_name(rule.list)},
                        {"prepend", rule.prepend},
                        {"action", rule.action == Action::never ? "never" : "always"},
                        {"syscalls", mask_to_json(rule.mask)},
                        {"fields", fields}};
    if (rule.watch_kind_unknown) result["watch_kind"] = "unknown";
    ordered_json from = ordered_json::array();
    for (const Span& span : rule.sources) from.push_back(source_to_json(sources, span));
    result["sources"] = from;
    return result;
}

ordered_json message_to_json(const Sources& sources, const Message& message) {
    ordered_json result = std::visit(
        Overloaded{
            [&](const AddRule& m) {
                return ordered_json{{"message", "ADD_RULE"}, {"rule", rule_to_json(sources, m.rule)}};
            },
            [&](const DeleteRule& m) {
                return ordered_json{{"message", "DEL_RULE"}, {"rule", rule_to_json(sources, m.rule)}};
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
