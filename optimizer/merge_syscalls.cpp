// Does:    makes one rule of rules that differ only in their system calls, or (exit list) in perm=.
// Needs:   lemmas L6 and L7: the rules must reach one place by lemma L5; for perm= the united rule must admit, letter by
//          letter, nothing that neither rule admitted.
// Keeps:   the hash sequence of every call, the rules of calls that run io_uring operations.
// Example: -a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=perm ; the same with -S chown
//          -> -a always,exit -F arch=b64 -S 90,92 -F auid>=1000 -F key=perm
#include <algorithm>
#include <map>

#include "optimizer/commute.hpp"
#include "optimizer/meet.hpp"
#include "optimizer/passes.hpp"

namespace auopt {
namespace {

struct Shape {  // what two rules must share
    List list;
    Action action;
    std::vector<FieldTest> tests;  // sorted: order is free (L2); without perm= where that may differ
    std::optional<std::uint32_t> perm;
};

Shape shape_of(const Entry& e) {
    Shape s{e.rule.list, e.rule.action, {}, std::nullopt};
    const auto is_perm = [](const FieldTest& t) { return t.field == Field::perm; };
    const bool one_perm = std::count_if(e.rule.tests.begin(), e.rule.tests.end(), is_perm) == 1 &&
                          find_test(e.rule, Field::perm)->op == Op::equal;
    for (const FieldTest& t : e.rule.tests) {
        if (one_perm && is_perm(t)) s.perm = t.value;
        else s.tests.push_back(t);
    }
    std::sort(s.tests.begin(), s.tests.end(), [](const FieldTest& a, const FieldTest& b) {
        return std::tie(a.field, a.op, a.value, a.text) < std::tie(b.field, b.op, b.value, b.text);
    });
    return s;
}

// Several arch tests must keep their order (the last one counts for audit_signals).
bool mergeable(const Entry& e) {
    return (e.where == Placement::exit_list || e.where == Placement::inode_hash) &&
           std::count_if(e.rule.tests.begin(), e.rule.tests.end(), [](const FieldTest& t) { return t.field == Field::arch; }) <= 1;
}

KernelRule united_rule(const KernelRule& a, const KernelRule& b) {
    KernelRule rule = a;
    rule.mask = a.mask | b.mask;
    for (FieldTest& t : rule.tests)
        if (t.field == Field::perm && t.op == Op::equal) t.value |= find_test(b, Field::perm)->value;
    rule.sources = merged_sources(a, b);
    return rule;
}

// L7: with the union of the masks and of the letters, each call must be judged by the letters it had.
bool letters_admit_nothing_new(const Entry& a, const Entry& b, std::uint32_t perm_a, std::uint32_t perm_b) {
    for (Abi abi : all_abis) {
        const SyscallSet mask_a = to_set(a.rule.mask), mask_b = to_set(b.rule.mask);
        const auto gains = [&](const SyscallSet& own, const SyscallSet& other, std::uint32_t other_perm) {
            return (own & perm_calls(other_perm, abi) & ~other).any();
        };
        if (gains(mask_a, mask_b, perm_b) || gains(mask_b, mask_a, perm_a)) return false;
    }
    return true;
}

bool can_unite(const Entry& a, const Entry& b, const Shape& sa, const Shape& sb) {
    if (a.where != b.where || a.admission.meets_in_io_uring(b.admission)) return false;
    if (sa.perm == sb.perm) return true;
    return a.where == Placement::exit_list && sa.perm && sb.perm && letters_admit_nothing_new(a, b, *sa.perm, *sb.perm);
}

}  // namespace

PassCounts merge_syscalls(Rules& rules) {
    PassCounts counts;
    std::vector<Shape> shapes;
    for (const Entry& e : rules.entries) shapes.push_back(shape_of(e));
    for (std::size_t i = 0; i < rules.entries.size(); ++i) {
        if (!mergeable(rules.entries[i])) continue;
        for (std::size_t j = i + 1; j < rules.entries.size(); ++j) {
            const Entry &a = rules.entries[i], &b = rules.entries[j];
            if (shapes[i].list != shapes[j].list || shapes[i].action != shapes[j].action || shapes[i].tests != shapes[j].tests) continue;
            if (!mergeable(b) || !can_unite(a, b, shapes[i], shapes[j])) continue;
            const auto place = meeting_place(rules.entries, i, j);
            if (!place) continue;
            Entry united = rules.make(united_rule(a.rule, b.rule));
            if (!rules.propose(united_at(rules.entries, i, j, std::move(united), *place))) {
                ++counts.refused;
                continue;
            }
            ++counts.kept;
            shapes.clear();
            for (const Entry& e : rules.entries) shapes.push_back(shape_of(e));
            --i;  // whatever stands here now has not been looked at
            break;
        }
    }
    return counts;
}

}  // namespace auopt
