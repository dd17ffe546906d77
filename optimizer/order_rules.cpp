// Does:    moves exit-list rules that take many events towards the head, so that these events leave the walk early.
// Needs:   lemma L5, pair by pair along the way.
// Keeps:   the order of any two rules that some call can satisfy both of, unless they decide alike with no hash rule
//          between; what is loaded where loading stops.
// Example: -a always,exit -F arch=b64 -S acct -F auid!=unset -F key=a
//          -a never,exit -F arch=b64 -S read -F ppid=1
//          -> the never rule first
#include <algorithm>

#include "optimizer/commute.hpp"
#include "optimizer/passes.hpp"

namespace auopt {
namespace {

// How often a test that the samples can't judge (program, label, directory, argument) holds; docs/WORKLOAD.md.
double selectivity(const FieldTest& t) {
    const bool negated = t.op == Op::not_equal;
    switch (t.field) {
        case Field::exe:
        case Field::subj_user:
        case Field::subj_role:
        case Field::subj_type:
        case Field::dir:
        case Field::obj_uid:
        case Field::obj_gid:
        case Field::inode:
        case Field::pid:
        case Field::ppid:
            return negated ? 0.99 : 0.01;
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::saddr_fam:
        case Field::filetype:
            return negated ? 0.9 : 0.1;
        default:
            return -1;  // judged on the sample
    }
}

// Share of the workload's calls that the rule takes.
double take_rate(const Rules& rules, const Entry& e) {
    double rate = 0;
    const KernelTables& kernel = *rules.ledger().kernels().front();
    for (const Ledger::Sample& s : rules.ledger().samples()) {
        if (!e.rule.mask.test(static_cast<unsigned>(s.event.nr))) continue;
        double share = s.weight;
        for (const FieldTest& t : e.rule.tests) {
            const double p = selectivity(t);
            share *= p >= 0 ? p : (test_holds(kernel, t, s.event, nullptr) ? 1.0 : 0.0);
        }
        rate += share;
    }
    return rate;
}

}  // namespace

PassCounts order_rules(Rules& rules) {
    PassCounts counts;
    struct Ranked {
        EntryPtr entry;
        double rate;
    };
    std::vector<Ranked> list;
    for (const EntryPtr& e : rules.entries())
        list.push_back({e, e->where == Placement::exit_list ? take_rate(rules, *e) : 0});
    // Insertion from the head; only moves that pass a rule which takes less are worth a change of order.
    for (std::size_t i = 1; i < list.size(); ++i) {
        if (list[i].entry->where != Placement::exit_list || list[i].rate <= 0) continue;
        std::size_t to = i;
        for (std::size_t j = i; j-- > 0 && may_cross(*list[i].entry, *list[j].entry) &&
                                rules.may_load_before(*list[i].entry, *list[j].entry);)
            if (list[j].entry->where == Placement::exit_list) {
                if (list[j].rate >= list[i].rate) break;
                to = j;
            }
        if (to == i) continue;
        std::rotate(list.begin() + static_cast<std::ptrdiff_t>(to), list.begin() + static_cast<std::ptrdiff_t>(i),
                    list.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        ++counts.kept;
    }
    if (counts.kept == 0) return counts;
    Entries candidate;
    for (Ranked& r : list) candidate.push_back(std::move(r.entry));
    if (!rules.propose(std::move(candidate), true)) return {0, counts.kept};
    return counts;
}

}  // namespace auopt
