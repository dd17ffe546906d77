// AU107 never,task; AU108 never on the exclude list; AU110 everything excluded; AU111 a test that cuts the list short.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "kernel_model/list_cost.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/fields.hpp"

namespace auopt {
namespace {

constexpr std::uint32_t first_record_type = 1000, last_record_type = 2999;

bool covers_every_record(const KernelRule& rule) {
    if (rule.tests.empty()) return false;  // a rule without tests never matches on this list
    return std::all_of(rule.tests.begin(), rule.tests.end(), [](const FieldTest& test) {
        if (test.field != Field::msgtype) return false;
        switch (test.op) {
            case Op::greater:
                return test.value < first_record_type;
            case Op::greater_equal:
                return test.value <= first_record_type;
            case Op::less:
                return test.value > last_record_type;
            case Op::less_equal:
                return test.value >= last_record_type;
            case Op::not_equal:
                return test.value < first_record_type || test.value > last_record_type;
            default:
                return false;
        }
    });
}

/// auditfilter.c:audit_filter, shared by both lists.
void check_cut_short(const LintContext& context, const std::vector<KernelRule>& rules, Diagnostics& diagnostics) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const KernelRule& rule = rules[i];
        const auto test = std::find_if(rule.tests.begin(), rule.tests.end(),
                                       [](const FieldTest& t) { return !message_list_knows(t.field); });
        if (test == rule.tests.end()) continue;
        const FieldRow* row = field_by_number(static_cast<std::uint32_t>(test->field));
        const std::string_view name = row == nullptr ? std::string_view("this field") : row->name;
        const std::size_t behind = rules.size() - i - 1;
        diagnostics.add(
            {std::string(ids::list_cut_short),
             Level::error,
             field_place(context.sources, rule, {name}),
             fmt::format(
                 "the {} list knows no {}: where the other tests hold, the walk ends here, and neither this rule "
                 "nor {} behind it decides",
                 list_word(rule.list).value_or(""), name,
                 behind == 0   ? "any"
                 : behind == 1 ? "the rule"
                               : fmt::format("the {} rules", behind)),
             {},
             "take the test out; auopt explain AU111",
             std::nullopt});
    }
}

}  // namespace

void check_lists(const LintContext& context, Diagnostics& diagnostics) {
    for (const KernelRule& rule : context.state.task) {
        if (rule.action != Action::never) continue;
        const std::size_t others = context.state.filter.size();
        if (!rule.tests.empty()) continue;  // an exception for some tasks is a decision, not a slip
        diagnostics.add({std::string(ids::never_task),
                         Level::error,
                         line_of(rule),
                         others == 0
                             ? std::string("no task started after this is loaded is audited")
                             : fmt::format("no task started after this is loaded is audited: {} "
                                           "only for tasks that run already",
                                           others == 1 ? "the rule holds" : fmt::format("the {} rules hold", others)),
                         {},
                         "delete this line; its place in the file makes no difference; auopt explain AU107",
                         std::nullopt});
    }
    check_cut_short(context, context.state.user, diagnostics);
    check_cut_short(context, context.state.exclude, diagnostics);
    for (const KernelRule& rule : context.state.exclude) {
        if (rule.action == Action::never) {
            diagnostics.add(
                {std::string(ids::exclude_never),
                 Level::error,
                 line_of(rule),
                 "never on the exclude list is no exception: this drops the records it names, as always would",
                 {},
                 "to keep records, exclude the others: one rule per range; auopt explain AU108",
                 std::nullopt});
        }
        if (covers_every_record(rule)) {
            diagnostics.add({std::string(ids::exclude_all),
                             Level::error,
                             field_place(context.sources, rule, {"msgtype"}),
                             "this drops records of every type: nothing is logged any more",
                             {},
                             "exclude the types you mean; auopt explain AU110",
                             std::nullopt});
        }
    }
}

}  // namespace auopt
