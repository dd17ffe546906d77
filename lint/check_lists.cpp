// AU107 never,task; AU108 never on the exclude list; AU110 everything excluded.
#include <algorithm>

#include <fmt/format.h>

#include "lint/lint.hpp"
#include "lint/places.hpp"

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
