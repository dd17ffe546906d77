// Does:    clears, in rules with perm=, the calls that perm= can't be true for.
// Needs:   lemma L1, and the perm classes of every kernel in the tables. Numbers 452 to 511 stay: stable updates put
//          new calls into the classes.
// Keeps:   audit_signals, whatever marks of programs go: where every rule that touches kill, tkill or tgkill would lose it,
//          the cheapest keeps kill.
// Example: -a always,exit -F dir=/etc/sudoers.d -F perm=x -F key=k (every call)
//          -> -a always,exit -F dir=/etc/sudoers.d -F perm=x -S 11,59,322,358,452,...,511 -F key=k
#include <map>
#include <set>

#include "optimizer/passes.hpp"

namespace auopt {
namespace {

bool has_perm(const KernelRule& rule) {
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::perm && t.op == Op::equal) return true;
    return false;
}

KernelRule narrowed(const Entry& e) {
    KernelRule rule = e.rule;
    // Without a matching call the mask stays: an empty mask can't be written as text.
    const SyscallSet calls = e.admission.either();
    if (calls.any()) rule.mask = to_mask(calls);
    return rule;
}

// Numbers of kill, with which the rule counts in audit_signals: as its arch has it (audit_match_signal), and as a kernel
// built without 32-bit programs takes any arch.
SyscallSet kill_numbers(const Entry& e) {
    const FieldTest* last = nullptr;
    for (const FieldTest& t : e.rule.tests)
        if (t.field == Field::arch) last = &t;
    const KernelTables& kernel = kernel_tables(e.machine->machine).front();
    const auto kill = [&](Abi abi) { return static_cast<unsigned>(kernel.classes(abi).signal._Find_first()); };
    SyscallSet calls;
    calls.set(kill(Abi::native));
    if (last != nullptr && e.machine->classified_compat(last->value)) {
        if (!e.machine->compat_is_optional()) calls.reset();
        calls.set(kill(Abi::compat));
    }
    return calls;
}

// Where the input's rules that touch signal calls must keep one with certain names (Rules::must_touch_signals), the one whose
// walk costs least keeps kill.
void keep_signal_calls(const Rules& rules, Entries& candidate) {
    std::map<NameSet, PerBuild<bool>> wanted;
    for (const EntryPtr& e : rules.entries()) {
        const PerBuild<bool> must = rules.must_touch_signals(*e);
        PerBuild<bool>& of_names = wanted[e->names];
        for (std::size_t b = 0; b < must.size(); ++b) of_names[b] = of_names[b] || must[b];
    }
    for (const EntryPtr& e : candidate) {
        PerBuild<bool>& of_names = wanted.at(e->names);
        for (std::size_t b = 0; b < of_names.size(); ++b) of_names[b] = of_names[b] && !e->signals[b];
    }
    const auto restored = [&](std::size_t i) {
        KernelRule rule = candidate[i]->rule;
        rule.mask = to_mask(to_set(rule.mask) | (kill_numbers(*candidate[i]) & to_set(rules.entries()[i]->rule.mask)));
        return rules.make(std::move(rule));
    };
    // kill looks up no names: in the hash its number costs nothing.
    for (const bool on_hash : {true, false})
        for (std::size_t i = 0; i < candidate.size(); ++i) {
            if ((candidate[i]->where == Placement::inode_hash) != on_hash) continue;
            PerBuild<bool>& of_names = wanted.at(candidate[i]->names);
            if (!of_names[0] && !of_names[1]) continue;
            EntryPtr touching = restored(i);
            bool helps = false;
            for (std::size_t b = 0; b < of_names.size(); ++b) helps |= of_names[b] && touching->signals[b];
            if (!helps) continue;
            for (std::size_t b = 0; b < of_names.size(); ++b) of_names[b] = of_names[b] && !touching->signals[b];
            candidate[i] = std::move(touching);
        }
}

bool pays(const Entry& before, const Entry& after) {
    for (std::size_t k = 0; k < after.costs.kernels.size(); ++k)
        if (after.costs.kernels[k].weighted < before.costs.kernels[k].weighted) return true;
    return false;
}

}  // namespace

PassCounts narrow_masks(Rules& rules) {
    PassCounts counts;
    Entries candidate = rules.entries();
    std::set<std::size_t> identities;
    for (const EntryPtr& e : candidate) identities.insert(e->identity);
    for (EntryPtr& e : candidate) {
        if (e->where == Placement::either || e->where == Placement::io_uring_list || !has_perm(e->rule)) continue;
        KernelRule rule = narrowed(*e);
        if (rule.mask == e->rule.mask) continue;
        EntryPtr narrow = rules.make(std::move(rule));
        // What only the mask told apart would become equal; the kernel refuses that.
        if (!pays(*e, *narrow) || !identities.insert(narrow->identity).second) {
            ++counts.refused;
            continue;
        }
        e = std::move(narrow);
        ++counts.kept;
    }
    if (counts.kept == 0) return counts;
    keep_signal_calls(rules, candidate);
    if (!rules.propose(std::move(candidate))) return {0, counts.kept};
    return counts;
}

}  // namespace auopt
