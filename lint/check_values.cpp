// AU103 positive errno, AU104 unsigned exit comparison, AU105 auid without unset, AU106 tests that exclude each other.
#include <algorithm>

#include <fmt/format.h>

#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

constexpr std::uint32_t first_error = 0xFFFFF001;  // -4095 as the comparison sees it

std::size_t count_before(const KernelRule& rule, std::size_t index) {
    return static_cast<std::size_t>(
        std::count_if(rule.tests.begin(), rule.tests.begin() + static_cast<std::ptrdiff_t>(index),
                      [&](const FieldTest& t) { return t.field == rule.tests[index].field; }));
}

/// The test's value was written as an errno name.
bool names_errno(const std::string& text) {
    const std::size_t value = text.find_last_of("=<>&");
    return value != std::string::npos && value + 1 < text.size() && (text[value + 1] == 'E' || text[value + 1] == 'e');
}

void check_exit(const LintContext& context, const KernelRule& rule, std::size_t index, Diagnostics& diagnostics) {
    const FieldTest& test = rule.tests[index];
    const std::size_t n = count_before(rule, index);
    const Span at = field_place(context.sources, rule, {"exit"}, n);
    const std::string text = field_text(context.sources, rule, {"exit"}, n);
    const auto value = static_cast<std::int32_t>(test.value);
    if (value > 0 && names_errno(text)) {
        const std::string name = errno_name(value);
        diagnostics.add(
            {std::string(ids::positive_errno),
             Level::error,
             at,
             fmt::format("{} is the return value +{}, never a failure: a failing call returns -{}", text, value, value),
             {},
             fmt::format("write exit=-{}; auopt explain AU103", name.empty() ? "ERRNO" : name),
             std::nullopt});
        return;
    }
    std::string message, help;
    const bool below = test.op == Op::less || test.op == Op::less_equal;
    const bool above = test.op == Op::greater || test.op == Op::greater_equal;
    if (test.op == Op::less && test.value == 0) {
        message = "exit<0 is never true: the kernel compares exit without a sign";
        help = "write success=0 for calls that fail";
    } else if (test.op == Op::greater_equal && test.value == 0) {
        message = "exit>=0 is true for every result, failures included: the kernel compares exit without a sign";
        help = "write success=1 for calls that succeed";
    } else if (above && test.value < first_error) {
        const bool only_success = std::any_of(rule.tests.begin(), rule.tests.end(), [](const FieldTest& t) {
            return t.field == Field::success &&
                   ((t.op == Op::equal && t.value != 0) || (t.op == Op::not_equal && t.value == 0));
        });
        if (only_success) return;
        message = fmt::format(
            "{} is also true for every failing call: the kernel compares exit without a sign, and -1 is 4294967295",
            text.empty() ? "this test" : text);
        help = "add success=1, or write success=0 if failures are meant";
    } else if (below && test.value >= 0x80000000U) {
        message = fmt::format("{} is true for every call that succeeds: the kernel compares exit without a sign",
                              text.empty() ? "this test" : text);
        help = "write exit=-ERRNO for one error, or success=0 for all";
    }
    if (message.empty()) return;
    diagnostics.add({std::string(ids::unsigned_exit),
                     Level::warning,
                     at,
                     message,
                     {},
                     help + "; auopt explain AU104",
                     std::nullopt});
}

void check_auid(const LintContext& context, const KernelRule& rule, Diagnostics& diagnostics) {
    bool from_below = false, excludes_unset = false;
    std::size_t seen = 0, place = 0;
    for (const FieldTest& test : rule.tests) {
        if (test.field == Field::loginuid_set) excludes_unset = true;
        if (test.field != Field::loginuid) continue;
        if (test.op == Op::greater || test.op == Op::greater_equal) {
            from_below = true;
            place = seen;
        } else if (test.op != Op::not_equal || test.value == id_unset) {
            excludes_unset = true;  // an upper bound, an exact value, or auid!=unset itself
        }
        ++seen;
    }
    if (!from_below || excludes_unset) return;
    const std::string text = field_text(context.sources, rule, {"auid", "loginuid"}, place);
    diagnostics.add({std::string(ids::unset_auid),
                     Level::warning,
                     field_place(context.sources, rule, {"auid", "loginuid"}, place),
                     fmt::format("{} also holds for every process nobody logged in for: unset is 4294967295",
                                 text.empty() ? "this" : text),
                     {},
                     "add -F auid!=unset; auopt explain AU105",
                     std::nullopt});
}

void check_possible(const LintContext& context, const KernelRule& rule, Diagnostics& diagnostics) {
    if (const FieldTest* test = contradiction(rule.tests)) {
        // AU104 says it better
        if (std::any_of(rule.tests.begin(), rule.tests.end(),
                        [](const FieldTest& t) { return t.field == Field::exit && t.op == Op::less && t.value == 0; }))
            return;
        diagnostics.add({std::string(ids::impossible_tests),
                         Level::warning,
                         line_of(rule),
                         test->field == Field::exit || test->field == Field::success
                             ? "this rule never matches: its tests on the result exclude each other"
                             : "this rule never matches: its tests on one field exclude each other",
                         {},
                         "auopt explain AU106",
                         std::nullopt});
        return;
    }
    if (only_errors(rule.tests) && only_success(rule.tests)) {
        diagnostics.add({std::string(ids::impossible_tests),
                         Level::warning,
                         field_place(context.sources, rule, {"success"}),
                         "no failing call matches: exit asks for an error, and success excludes errors",
                         {},
                         "take one of the two out; auopt explain AU106",
                         std::nullopt});
        return;
    }
    if (rule.list != List::exit || context.kernels.empty()) return;  // no tables, no classes
    for (const Abi abi : admitted_abis(rule, *machine_of(context))) {
        if (admitted_calls(rule, abi, context.kernels).any()) return;
    }
    const bool perm =
        std::any_of(rule.tests.begin(), rule.tests.end(), [](const FieldTest& t) { return t.field == Field::perm; });
    diagnostics.add({std::string(ids::impossible_tests),
                     Level::warning,
                     perm ? field_place(context.sources, rule, {"perm"}) : line_of(rule),
                     perm ? "this rule never matches: perm= holds for none of its system calls"
                          : "this rule never matches: it selects no system call of any architecture here",
                     {},
                     "auopt explain AU106",
                     std::nullopt});
}

}  // namespace

void check_values(const LintContext& context, Diagnostics& diagnostics) {
    for (const auto* rules :
         {&context.state.filter, &context.state.task, &context.state.user, &context.state.exclude}) {
        for (const KernelRule& rule : *rules) {
            for (std::size_t i = 0; i < rule.tests.size(); ++i) {
                if (rule.tests[i].field == Field::exit) check_exit(context, rule, i, diagnostics);
            }
            check_auid(context, rule, diagnostics);
            check_possible(context, rule, diagnostics);
        }
    }
}

}  // namespace auopt
