// Does:    drops rules that can never be the first match: tests that exclude each other, and rules an earlier one
//          covers.
// Needs:   lemma L4. An exit-list rule: an earlier exit-list rule that matches whenever it does. A hash rule: an
//          earlier hash rule of the same path (or inode) with the same action and key, nothing between that meets its
//          calls.
// Keeps:   the rules of calls that run io_uring operations, audit_n_rules and audit_signals zero or not, the last rule of every
//          watch, tree and mark (they do things of their own: docs/TRUST.md).
// Example: -a always,exit -F arch=b64 -S chmod,fchmod -F key=perm
//          -a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=user
//          -> -a always,exit -F arch=b64 -S chmod,fchmod -F key=perm
#include <algorithm>

#include "optimizer/commute.hpp"
#include "optimizer/passes.hpp"

namespace auopt {
namespace {

bool covers(const Admission& wide, const Admission& narrow) {
    for (Abi abi : all_abis)
        if ((narrow.of(abi) & ~wide.of(abi)).any()) return false;
    return wide.worker || !narrow.worker;
}

bool same_object(const KernelRule& a, const KernelRule& b) {
    for (Field f : {Field::path, Field::inode}) {
        const FieldTest *x = find_test(a, f), *y = find_test(b, f);
        if ((x != nullptr) != (y != nullptr) || (x != nullptr && !(*x == *y))) return false;
    }
    return true;
}

bool shadowed_by(const Entries& entries, std::size_t earlier, std::size_t later) {
    const Entry &a = *entries[earlier], &b = *entries[later];
    if (a.where != b.where || !covers(a.admission, b.admission) || !implied(a.rule, b.rule)) return false;
    if (a.admission.meets_in_io_uring(b.admission)) return false;
    if (a.where == Placement::exit_list) return true;
    if (a.where != Placement::inode_hash || !same_object(a.rule, b.rule) || !same_decision(a.rule, b.rule))
        return false;
    // As if the later rule moved up to the earlier one. That counts hash rules too: rules of one path change their
    // order when the file is replaced, so that the later one may come to stand before what lies between. And what
    // stands before must not meet it: a call may run the hash twice, and a second match ends the walk over its names.
    for (std::size_t i = 0; i < earlier; ++i)
        if (entries[i]->where != Placement::exit_list && !same_decision(entries[i]->rule, b.rule) &&
            !may_cross(b, *entries[i]))
            return false;
    for (std::size_t i = earlier + 1; i < later; ++i)
        if (!may_cross(b, *entries[i])) return false;
    return true;
}

// Never true here, but plainly written for another machine that may share the file.
bool for_other_machine(const Entry& e) {
    return std::any_of(e.rule.tests.begin(), e.rule.tests.end(), [&](const FieldTest& t) {
        return t.field == Field::arch && t.value != e.machine->abi_arch(Abi::native) &&
               t.value != e.machine->abi_arch(Abi::compat);
    });
}

bool dead(const Entries& entries, std::size_t i) {
    const Entry& e = *entries[i];
    if (e.where == Placement::either || e.where == Placement::io_uring_list) return false;
    if (for_other_machine(e)) return false;
    if (e.admission.none()) return true;
    if (e.where == Placement::exit_list && !e.admission.in_io_uring() && !satisfiable(e.rule)) return true;
    for (std::size_t j = 0; j < i; ++j)
        if (shadowed_by(entries, j, i)) return true;
    return false;
}

}  // namespace

PassCounts drop_dead(Rules& rules) {
    PassCounts counts;
    for (std::size_t i = rules.entries().size(); i-- > 0;) {
        if (!dead(rules.entries(), i)) continue;
        Entries candidate = rules.entries();
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(i));
        ++(rules.propose(std::move(candidate), true) ? counts.kept : counts.refused);
    }
    return counts;
}

}  // namespace auopt
