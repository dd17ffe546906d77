// Rules and events of the generators, which speak of x86_64, as rules and events of another machine: arch values become
// the machine's, and the calls of the pools become calls that matter there (numbers of its classes, numbers that mean
// another call in its other ABI).
#pragma once

#include <map>
#include <vector>

#include "kernel_model/event.hpp"
#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"

namespace auopt::test {

inline const std::vector<Machine>& other_machines() {
    static const std::vector<Machine> machines{Machine::aarch64, Machine::ppc64le, Machine::ppc64, Machine::s390x};
    return machines;
}

/// Numbers of the generators' pools, in x86_64, and what stands for them.
inline unsigned moved_call(unsigned nr, Machine machine) {
    static const std::vector<unsigned> x86{0,  2,  5,   10,  39,  59,  62,  82,  86, 87,
                                           90, 92, 102, 257, 262, 295, 426, 437, 452};
    static const std::map<Machine, std::vector<unsigned>> there{
        // io_setup; 32-bit open; unlink of the other ABI; fchmod; execve, execveat; kill; renameat; linkat, kill of the
        // other ABI; unlinkat; fchmodat; fchownat; no socketcall; openat of both
        {Machine::aarch64, {0, 5, 8, 10, 52, 221, 129, 38, 37, 35, 53, 54, 102, 56, 281, 322, 426, 437, 452}},
        // open, readlink, unlink, mkdir, execve, kill, rename, link, swapon, chmod, truncate64 (32-bit only), socketcall,
        // openat, execveat, lchown
        {Machine::ppc64le, {0, 5, 85, 10, 39, 11, 37, 38, 9, 87, 15, 193, 102, 286, 362, 16, 426, 437, 452}},
        {Machine::ppc64, {0, 5, 85, 10, 39, 11, 37, 38, 9, 87, 15, 193, 102, 286, 362, 16, 426, 437, 452}},
        // chown of the 31-bit ABI (182), chown (212), lchown of the 31-bit ABI (16)
        {Machine::s390x, {0, 5, 85, 10, 39, 11, 37, 38, 182, 87, 15, 212, 102, 288, 354, 16, 426, 437, 452}},
    };
    for (std::size_t i = 0; i < x86.size(); ++i)
        if (x86[i] == nr) return there.at(machine)[i];
    return nr;
}

inline std::uint32_t moved_arch(std::uint32_t arch, const MachineModel& machine) {
    return arch == arch_x86_64 ? machine.abi_arch(Abi::native)
           : arch == arch_i386 ? machine.abi_arch(Abi::compat)
                               : arch;
}

inline KernelState moved(KernelState state, Machine machine) {
    const MachineModel& model = machine_model(machine);
    state.machine = machine;
    for (KernelRule& rule : state.filter) {
        for (FieldTest& t : rule.tests)
            if (t.field == Field::arch) t.value = moved_arch(t.value, model);
        if (rule.list == List::io_uring || rule.mask.full()) continue;
        SyscallMask mask;
        for (unsigned nr = 0; nr < mask_syscalls; ++nr)
            if (rule.mask.test(nr)) mask.set(moved_call(nr, machine));
        rule.mask = mask;
    }
    // Different masks may have become equal ones; the kernel refuses equal rules.
    std::vector<KernelRule> kept;
    for (KernelRule& rule : state.filter) {
        bool repeated = false;
        for (const KernelRule& other : kept) repeated |= other.same_as(rule);
        if (!repeated) kept.push_back(std::move(rule));
    }
    state.filter = std::move(kept);
    return state;
}

inline Event moved(Event event, Machine machine) {
    event.arch = moved_arch(event.arch, machine_model(machine));
    if (event.arch != 0) event.nr = static_cast<std::int32_t>(moved_call(static_cast<unsigned>(event.nr), machine));
    return event;
}

}  // namespace auopt::test
