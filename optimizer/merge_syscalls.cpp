// Does:    makes one rule of rules that differ only in their system calls, or (exit list) in perm=.
// Needs:   lemmas L6 and L7: the rules must reach one place by lemma L5; for perm= the united rule must admit, letter
//          by letter, nothing that neither rule admitted.
// Keeps:   the hash sequence of every call, the rules of calls that run io_uring operations.
// Example: -a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=perm ; the same with -S chown
//          -> -a always,exit -F arch=b64 -S 90,92 -F auid>=1000 -F key=perm
#include <algorithm>

#include "optimizer/shapes.hpp"
#include "optimizer/unite.hpp"

namespace auopt {
namespace {

// perm= where there is exactly one and it is =: the letters may differ.
const FieldTest* only_perm(const KernelRule& rule) {
    const auto is_perm = [](const FieldTest& t) { return t.field == Field::perm; };
    if (std::count_if(rule.tests.begin(), rule.tests.end(), is_perm) != 1) return nullptr;
    const FieldTest* t = find_test(rule, Field::perm);
    return t->op == Op::equal ? t : nullptr;
}

// Rules that are the same but for the system calls and the letters of perm=. Several arch tests must keep their order
// (the last one counts for audit_signals), so such rules never pair.
std::optional<std::string> shape(const Entry& e) {
    if (e.where != Placement::exit_list && e.where != Placement::inode_hash) return std::nullopt;
    const auto is_arch = [](const FieldTest& t) { return t.field == Field::arch; };
    if (std::count_if(e.rule.tests.begin(), e.rule.tests.end(), is_arch) > 1) return std::nullopt;
    const FieldTest* perm = only_perm(e.rule);
    return shape_text(e, [&](const FieldTest& t) { return &t != perm; }) + (perm != nullptr ? " / perm" : "");
}

KernelRule united_rule(const KernelRule& a, const KernelRule& b) {
    KernelRule rule = a;
    rule.mask = a.mask | b.mask;
    for (FieldTest& t : rule.tests)
        if (t.field == Field::perm && t.op == Op::equal) t.value |= find_test(b, Field::perm)->value;
    stand_for(rule, a, b);
    return rule;
}

// L7: with the union of the masks and of the letters, each call must be judged by the letters it had.
bool letters_admit_nothing_new(const Entry& a, const Entry& b, std::uint32_t perm_a, std::uint32_t perm_b) {
    for (Abi abi : all_abis) {
        const SyscallSet mask_a = to_set(a.rule.mask), mask_b = to_set(b.rule.mask);
        const auto gains = [&](const SyscallSet& own, const SyscallSet& other, std::uint32_t other_perm) {
            return (own & perm_calls(other_perm, a.machine->machine, abi) & ~other).any();
        };
        if (gains(mask_a, mask_b, perm_b) || gains(mask_b, mask_a, perm_a)) return false;
    }
    return true;
}

bool can_unite(const Entry& a, const Entry& b) {
    if (a.admission.meets_in_io_uring(b.admission)) return false;
    // Two hash rules of one call are two chances to match in it (drop_dead says when one of them is none).
    if (a.where == Placement::inode_hash && !a.admission.disjoint(b.admission)) return false;
    const FieldTest *perm_a = only_perm(a.rule), *perm_b = only_perm(b.rule);
    if (perm_a == nullptr || perm_a->value == perm_b->value) return true;
    return a.where == Placement::exit_list && letters_admit_nothing_new(a, b, perm_a->value, perm_b->value);
}

}  // namespace

PassCounts merge_syscalls(Rules& rules) {
    const auto always = [](const Entry&, const Entry&, const Entry&) {
        return true;
    };  // can_unite has seen all there is
    return unite_pairs(rules, {shape, can_unite, united_rule, always});
}

}  // namespace auopt
