// Does:    makes one rule without arch= of a b64 and a b32 rule that are otherwise the same.
// Needs:   lemma L8 (equal masks), or perm=: the union of the masks then admits nothing new where each mask holds every
//          call of its own ABI's perm class. Both rules must reach one place by lemma L5.
// Keeps:   the hash sequence of every call; a hash rule must have perm= or not admit call 0 (io_uring workers).
// Example: -a always,exit -F arch=b32 -F path=/etc/passwd -F perm=wa -F key=id ; the same with arch=b64
//          -> -a always,exit -F path=/etc/passwd -F perm=wa -F key=id
#include <algorithm>

#include "optimizer/shapes.hpp"
#include "optimizer/unite.hpp"

namespace auopt {
namespace {

// The one arch= test of a rule, or nullptr.
const FieldTest* only_arch(const Entry& e) {
    const KernelRule& rule = e.rule;
    const auto is_arch = [](const FieldTest& t) { return t.field == Field::arch; };
    if (std::count_if(rule.tests.begin(), rule.tests.end(), is_arch) != 1) return nullptr;
    const FieldTest* t = find_test(rule, Field::arch);
    const bool own = t->value == e.machine->abi_arch(Abi::native) || t->value == e.machine->abi_arch(Abi::compat);
    return t->op == Op::equal && own ? t : nullptr;
}

// Rules that are the same but for the arch.
std::optional<std::string> shape(const Entry& e) {
    if (e.where != Placement::exit_list && e.where != Placement::inode_hash) return std::nullopt;
    if (only_arch(e) == nullptr) return std::nullopt;
    return shape_text(e, [](const FieldTest& t) { return t.field != Field::arch; });
}

KernelRule folded(const KernelRule& a, const KernelRule& b) {
    KernelRule rule = a;
    rule.mask = a.mask | b.mask;
    std::erase_if(rule.tests, [](const FieldTest& t) { return t.field == Field::arch; });
    stand_for(rule, a, b);
    return rule;
}

// Exactly the calls of both rules, ABI by ABI.
bool admits_nothing_new(const Entry& united, const Entry& a, const Entry& b) {
    for (Abi abi : all_abis)
        if (united.admission.of(abi) != (a.admission.of(abi) | b.admission.of(abi))) return false;
    return united.admission.worker == (a.admission.worker || b.admission.worker);
}

}  // namespace

PassCounts fold_arches(Rules& rules) {
    const auto other_arch = [](const Entry& a, const Entry& b) { return only_arch(a)->value != only_arch(b)->value; };
    return unite_pairs(rules, {shape, other_arch, folded, admits_nothing_new});
}

}  // namespace auopt
