// AU201 shadowed, AU202 an exception that comes too late, AU203 equal but for key or order, AU204 -e 2 before rules.
#include <algorithm>

#include <fmt/format.h>

#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "lint/taken.hpp"

namespace auopt {
namespace {

std::string key_text(const KernelRule& rule) {
    const auto key = rule_key(rule);
    return key ? fmt::format("key {}", *key) : std::string("no key");
}

/// What can be done about a rule that decides nothing. Deleting is advised only where nothing changes by it.
std::string advice(const TakenRule& taken, bool same_outcome, std::string_view id) {
    std::string help;
    if (taken.deletable)
        help = same_outcome ? "delete it" : "move it above that rule, or delete it";
    else if (taken.last)
        help =
            fmt::format("{}but do not delete it: it is the first rule with {}, which the kernel watches because of it",
                        same_outcome ? "it can stay, " : "move it above that rule, ", to_string(*taken.last));
    else
        help = same_outcome ? "before you delete it, ask auopt verify whether that changes anything"
                            : "move it above that rule; before you delete it, ask auopt verify whether that changes "
                              "anything";
    return fmt::format("{}; auopt explain {}", help, id);
}

bool same_order(const KernelRule& a, const KernelRule& b) {
    const auto tests = [](const KernelRule& rule) {
        std::vector<FieldTest> result = rule.tests;
        std::erase_if(result, [](const FieldTest& t) { return t.field == Field::key; });
        return result;
    };
    return tests(a) == tests(b);
}

void report(const KernelState& state, const TakenRule& taken, Diagnostics& diagnostics) {
    const KernelRule &earlier = state.filter[taken.by], &later = state.filter[taken.rule];
    const bool same_outcome = earlier.action == later.action && rule_key(earlier) == rule_key(later);
    const std::vector<Note> notes{
        {line_of(earlier), same_outcome ? "by this rule" : fmt::format("by this rule ({})", key_text(earlier))}};
    if (taken.near_duplicate) {
        std::string message =
            same_order(earlier, later) ? "the same rule again" : "the same rule again with its tests in another order";
        std::string help = advice(taken, same_outcome, ids::near_duplicate);
        if (!same_outcome && placement(later) == Placement::inode_hash) {
            // Watches that are bound anew change places in their bucket (kernel/audit_watch.c:audit_update_watch).
            message =
                "the same events as an earlier rule: which of the two decides changes whenever the file is replaced";
            help = "keep one of them, with both keys if both are wanted; auopt explain AU203";
        } else if (!same_outcome) {
            message = fmt::format("the same events as an earlier rule: this one's {} can never appear",
                                  later.action == earlier.action ? key_text(later) : std::string("action"));
        }
        diagnostics.add({std::string(ids::near_duplicate), same_outcome ? Level::info : Level::warning, line_of(later),
                         std::move(message), notes, std::move(help), std::nullopt});
        return;
    }
    if (later.action == Action::never && earlier.action == Action::always) {
        diagnostics.add({std::string(ids::late_exception), Level::warning, line_of(later),
                         "this exception comes too late: an earlier rule already records its events", notes,
                         "move it above that rule; auopt explain AU202", std::nullopt});
        return;
    }
    diagnostics.add(
        {std::string(ids::shadowed), same_outcome ? Level::info : Level::warning, line_of(later),
         same_outcome ? std::string("redundant: an earlier rule already decides all of its events the same way")
                      : fmt::format("this rule can never be the first match: its {} can never appear", key_text(later)),
         notes, advice(taken, same_outcome, ids::shadowed), std::nullopt});
}

}  // namespace

void check_reachability(const LintContext& context, Diagnostics& diagnostics) {
    for (const TakenRule& taken : taken_rules(context.state)) report(context.state, taken, diagnostics);
    bool rule_seen_after = false;
    for (auto it = context.program.messages.rbegin(); it != context.program.messages.rend(); ++it) {
        if (std::holds_alternative<AddRule>(it->body) || std::holds_alternative<DeleteRule>(it->body))
            rule_seen_after = true;
        const auto* set = std::get_if<SetStatus>(&it->body);
        if (set != nullptr && set->mask == 1 && set->value == 2 && rule_seen_after) {
            diagnostics.add({std::string(ids::lock_before_rules),
                             Level::error,
                             it->source,
                             "-e 2 locks the rules: everything after it is refused",
                             {},
                             "move it to the end of the file; auopt explain AU204",
                             std::nullopt});
        }
    }
}

}  // namespace auopt
