// -C: two ids compared with each other.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/line.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

std::optional<std::uint32_t> comparison_number(std::string_view a, std::string_view b) {
    for (const auto& row : comparison_rows())
        if ((row.left == a && row.right == b) || (row.left == b && row.right == a)) return row.number;
    return std::nullopt;
}

}  // namespace

void apply_comparison(LineState& state, const Argument& argument) {
    if (state.rule.tests.size() >= max_rule_fields) {
        state.fail(ids::too_many_fields, argument.span, fmt::format("the rule already has {} tests", max_rule_fields));
        return;
    }
    const auto text = split_comparison(argument.text);
    if (!text) {
        state.fail(ids::missing_operator, argument.span, "a comparison takes = or !=");
        return;
    }
    const Span left_span = argument.part(0, text->name.text.size());
    const Span right_span = argument.part(text->value.offset, text->value.text.size());
    if (text->name.text.empty() || text->value.text.empty()) {
        state.fail(ids::missing_name_or_value, argument.part(text->op_offset, operator_text(text->op).size()),
                   fmt::format("no field {} the operator", text->name.text.empty() ? "before" : "after"));
        return;
    }
    const FieldRow* left = field_by_name(text->name.text);
    const FieldRow* right = field_by_name(text->value.text);
    if (left == nullptr || right == nullptr) {
        const bool is_left = left == nullptr;
        state.fail(ids::unknown_field, is_left ? left_span : right_span,
                   fmt::format("`{}` is no field", is_left ? text->name.text : text->value.text));
        return;
    }
    if (state.list() != std::uint32_t{4}) {
        state.fail(ids::bad_comparison, argument.span, "comparisons exist on the exit list only",
                   state.list() ? "" : "put -a always,exit before -C");
        return;
    }
    // One number per field: both spellings of auid are the same one.
    const auto number = comparison_number(field_by_number(left->number)->name, field_by_number(right->number)->name);
    if (!number) {
        state.fail(ids::bad_comparison, argument.span,
                   fmt::format("{} cannot be compared with {}", left->name, right->name));
        return;
    }
    FieldTest test;
    test.field = Field::field_compare;
    test.op = text->op == OperatorToken::equal ? Op::equal : Op::not_equal;
    test.value = *number;
    state.rule.tests.push_back(test);
}

}  // namespace auopt
