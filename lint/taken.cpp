// Shadowing (first match decides): an earlier rule of the exit list whose mask holds the later rule's mask and whose
// tests hold whenever the later rule's do. Rules in the inode hash are shadowed only under further conditions, since
// the hash is also walked where the exit list is not.
#include "lint/taken.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "kernel_model/named_objects.hpp"
#include "lint/implied.hpp"

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

/// Inline io_uring operations run the filters several times within one call, with other results and credentials.
bool may_see_uring_call(const KernelRule& rule) {
    constexpr unsigned io_uring_enter = 426;
    return rule.mask.test(io_uring_enter) && std::none_of(rule.tests.begin(), rule.tests.end(), [](const FieldTest& t) {
               return t.field == Field::perm && t.op == Op::equal;
           });
}

/// What is left without a rule: some rule that arms auditing or touches signal calls, and one for each name, whatever is missing
/// or goes. A rule is spared only by another one that needs no more names than it does.
class Names {
public:
    explicit Names(const KernelState& state) : machine_(state.machine) {
        for (std::size_t i = 0; i < state.filter.size(); ++i)
            for (NamedObject& object : named_objects(state.filter[i])) first_.emplace(std::move(object), i);
        for (const KernelRule* rule : in_loading_order(state)) {
            const NameSet names = name_set(*rule);
            all_.add(names);
            if (arms(*rule)) arming_.add(names);
            for (const bool with_compat : {true, false})
                if (counts_as_signal(*rule, machine_, with_compat)) signals_[with_compat].add(names);
        }
    }
    /// Index into KernelState::filter of the first rule that names it.
    std::size_t first(const NamedObject& object) const { return first_.at(object); }
    bool stay_without(const KernelRule& rule) const {
        const NameSet names = name_set(rule);
        const auto spared = [&](const NameSets& sets, const NamedObject* kept = nullptr) {
            return sets.count(names) > 1 || sets.has_smaller(names, kept);
        };
        for (const NamedObject& object : names)
            if (!spared(all_, &object)) return false;
        if (arms(rule) && !spared(arming_)) return false;
        for (const bool with_compat : {true, false})
            if (counts_as_signal(rule, machine_, with_compat) && !spared(signals_[with_compat])) return false;
        return true;
    }

private:
    static bool arms(const KernelRule& r) {
        return r.list == List::exit || r.list == List::io_uring || r.list == List::task;
    }
    Machine machine_;
    std::map<NamedObject, std::size_t> first_;
    NameSets all_, arming_, signals_[2];
};

}  // namespace

std::vector<TakenRule> taken_rules(const KernelState& state) {
    std::vector<Judged> rules;
    std::transform(state.filter.begin(), state.filter.end(), std::back_inserter(rules), judged);
    const Names names(state);
    std::vector<TakenRule> taken;
    for (std::size_t j = 0; j < rules.size(); ++j) {
        if (contradiction(rules[j].rule.tests) != nullptr) continue;  // AU106: it matches nothing anyway
        for (std::size_t i = 0; i < j; ++i) {
            const bool twins = near_duplicates(rules[i], rules[j]);
            const bool hash_twins =
                twins && rules[i].place == Placement::inode_hash && rules[j].place == Placement::inode_hash;
            if (!hash_twins && !shadows(rules[i], rules[j])) continue;
            TakenRule found{j, i, twins, false, std::nullopt};
            const KernelRule& rule = rules[j].rule;
            // Where a new name is missing, loading would stop elsewhere.
            bool known_before = true;
            for (NamedObject& object : named_objects(rule)) {
                if (names.first(object) < j) continue;
                known_before = false;
                if (object.kind != NamedObject::Kind::label && !found.last) found.last = std::move(object);
            }
            // A rule of the hash goes only from right behind its twin: anything between may match its events.
            const bool same_outcome = rules[i].rule.action == rule.action && rule_key(rules[i].rule) == rule_key(rule);
            const bool decides_nothing =
                rules[j].place == Placement::exit_list || (hash_twins && same_outcome && j == i + 1);
            found.deletable = decides_nothing && known_before && !may_see_uring_call(rule) && names.stay_without(rule);
            taken.push_back(std::move(found));
            break;
        }
    }
    return taken;
}

}  // namespace auopt
