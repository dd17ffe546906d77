// Kernel filter specification, sections 2.1, 2.5 and 6, and lemma L1.
#include "optimizer/admission.hpp"

#include <array>
#include <map>

#include "kernel_model/state.hpp"

namespace auopt {
namespace {

SyscallSet compute_perm_calls(std::uint32_t perm, Machine machine, Abi abi) {
    SyscallSet set;
    for (const KernelTables& kernel : kernel_tables(machine)) {
        const AbiClasses& c = kernel.classes(abi);
        if ((perm & perm_write) != 0) set |= c.write;
        if ((perm & perm_read) != 0) set |= c.read;
        if ((perm & perm_attr) != 0) set |= c.chattr;
        for (const auto& [nr, kind] : c.special) {
            const bool can = kind == SyscallKind::execve       ? (perm & perm_exec) != 0
                             : kind == SyscallKind::socketcall ? (perm & perm_write) != 0
                                                               : (perm & (perm_read | perm_write)) != 0;
            if (can) set.set(nr);
        }
    }
    for (unsigned nr = first_new_syscall; nr <= last_new_syscall; ++nr) set.set(nr);
    return set;
}

bool arch_tests_hold(const KernelRule& rule, std::uint32_t arch) {
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::arch && (t.op == Op::equal) != (t.value == arch)) return false;
    return true;
}

}  // namespace

const SyscallSet& perm_calls(std::uint32_t perm, Machine machine, Abi abi) {
    using ByPerm = std::array<SyscallSet, 16>;
    static const auto tables = [] {
        std::map<Machine, std::array<ByPerm, abi_count>> t;
        for (Machine m : modelled_machines())
            for (Abi a : all_abis)
                for (std::uint32_t p = 0; p < 16; ++p) t[m][index_of(a)][p] = compute_perm_calls(p, m, a);
        return t;
    }();
    return tables.at(machine)[index_of(abi)][perm & 15];
}

SyscallSet to_set(const SyscallMask& mask) {
    SyscallSet set;
    for (unsigned w = 0; w < mask_words; ++w)
        for (std::uint32_t bits = mask.words[w]; bits != 0; bits &= bits - 1)
            set.set(32 * w + static_cast<unsigned>(__builtin_ctz(bits)));
    return set;
}

SyscallMask to_mask(const SyscallSet& set) {
    SyscallMask mask;
    for (auto nr = set._Find_first(); nr < set.size(); nr = set._Find_next(nr)) mask.set(static_cast<unsigned>(nr));
    return mask;
}

Admission admission(const KernelRule& rule, const MachineModel& machine) {
    Admission a;
    const SyscallSet mask = to_set(rule.mask);
    const bool has_perm = find_test(rule, Field::perm) != nullptr;
    for (Abi abi : all_abis) {
        if (!arch_tests_hold(rule, machine.abi_arch(abi))) continue;
        SyscallSet set = mask;
        for (const FieldTest& t : rule.tests)
            if (t.field == Field::perm && t.op == Op::equal) set &= perm_calls(t.value, machine.machine, abi);
        a.calls[index_of(abi)] = set;
    }
    const Placement where = placement(rule);
    a.worker = (where == Placement::inode_hash || where == Placement::either) && rule.mask.test(0) && !has_perm &&
               arch_tests_hold(rule, 0);
    return a;
}

}  // namespace auopt
