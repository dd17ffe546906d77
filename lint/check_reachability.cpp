// AU201 shadowed, AU202 an exception that comes too late, AU203 equal but for key or order, AU204 -e 2 before rules.
// Shadowing (first match decides): an earlier rule of the exit list whose mask holds the later rule's mask and whose
// tests hold whenever the later rule's do. Rules in the inode hash are shadowed only under further conditions, since
// the hash is also walked where the exit list is not.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"

namespace auopt {
namespace {

/// A rule with what every comparison of two rules needs of it, worked out once.
struct Judged {
    const KernelRule& rule;
    Placement place;
    std::vector<FieldTest> tests;  // without the key, sorted
};

Judged judged(const KernelRule& rule) {
    std::vector<FieldTest> tests;
    std::copy_if(rule.tests.begin(), rule.tests.end(), std::back_inserter(tests),
                 [](const FieldTest& test) { return test.field != Field::key; });
    std::sort(tests.begin(), tests.end(), [](const FieldTest& a, const FieldTest& b) {
        return std::tie(a.field, a.op, a.value, a.text) < std::tie(b.field, b.op, b.value, b.text);
    });
    return {rule, placement(rule), std::move(tests)};
}

/// An io_uring worker (arch 0, nr 0) cannot match: it walks the hash without the exit list.
bool no_worker_event(const KernelRule& rule) {
    if (!rule.mask.test(0)) return true;
    return std::any_of(rule.tests.begin(), rule.tests.end(), [](const FieldTest& t) {
        return (t.field == Field::perm || t.field == Field::arch) && t.op == Op::equal;
    });
}

bool shadows(const Judged& a, const Judged& b) {
    const KernelRule &earlier = a.rule, &later = b.rule;
    if (earlier.list != List::exit || later.list != List::exit) return false;
    if (a.place != Placement::exit_list || b.place == Placement::either) return false;
    if (b.place == Placement::inode_hash && !((rule_key(earlier) || !rule_key(later)) && no_worker_event(later)))
        return false;
    return later.mask.subset_of(earlier.mask) && implied_by(earlier.tests, later.tests);
}

bool near_duplicates(const Judged& a, const Judged& b) {
    return a.tests == b.tests && a.rule.list == b.rule.list && a.rule.mask == b.rule.mask &&
           !a.rule.watch_kind_unknown && !b.rule.watch_kind_unknown;
}

std::string key_text(const KernelRule& rule) {
    const auto key = rule_key(rule);
    return key ? fmt::format("key {}", *key) : std::string("no key");
}

void report(const Judged& a, const Judged& b, Diagnostics& diagnostics) {
    const KernelRule &earlier = a.rule, &later = b.rule;
    const bool same_outcome = earlier.action == later.action && rule_key(earlier) == rule_key(later);
    const std::vector<Note> notes{
        {line_of(earlier), same_outcome ? "by this rule" : fmt::format("by this rule ({})", key_text(earlier))}};
    if (near_duplicates(a, b)) {
        std::string message = "the same rule again with its tests in another order";
        if (!same_outcome && b.place == Placement::inode_hash) {
            // Watches that are bound anew change places in their bucket (kernel/audit_watch.c:audit_update_watch).
            message =
                "the same events as an earlier rule: which of the two decides changes whenever the file is replaced";
        } else if (!same_outcome) {
            message = fmt::format("the same events as an earlier rule: this one's {} can never appear",
                                  later.action == earlier.action ? key_text(later) : std::string("action"));
        }
        diagnostics.add({std::string(ids::near_duplicate), same_outcome ? Level::info : Level::warning, line_of(later),
                         std::move(message), notes, "delete one of them; auopt explain AU203", std::nullopt});
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
         notes,
         same_outcome ? "delete it; auopt explain AU201" : "move it above that rule, or delete it; auopt explain AU201",
         std::nullopt});
}

}  // namespace

void check_reachability(const LintContext& context, Diagnostics& diagnostics) {
    std::vector<Judged> rules;
    std::transform(context.state.filter.begin(), context.state.filter.end(), std::back_inserter(rules), judged);
    for (std::size_t j = 0; j < rules.size(); ++j) {
        if (contradiction(rules[j].rule.tests) != nullptr) continue;  // AU106: it matches nothing anyway
        for (std::size_t i = 0; i < j; ++i) {
            const bool hash_twins = rules[i].place == Placement::inode_hash &&
                                    rules[j].place == Placement::inode_hash && near_duplicates(rules[i], rules[j]);
            if (!hash_twins && !shadows(rules[i], rules[j])) continue;
            report(rules[i], rules[j], diagnostics);
            break;
        }
    }
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
