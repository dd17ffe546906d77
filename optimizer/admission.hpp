// Which calls can a rule match at all? Mask, arch= and perm= decide that without looking at the task.
#pragma once

#include <array>

#include "compiler/ir.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

/// io_uring_enter and io_uring_register, the same numbers in every ABI of every machine: operations run the filters inside them.
constexpr unsigned io_uring_calls[] = {426, 427};

struct Admission {
    std::array<SyscallSet, abi_count> calls;  // by Abi
    bool worker = false;                      // a hash rule that an io_uring worker (arch 0, nr 0) can match
    const SyscallSet& of(Abi abi) const { return calls[index_of(abi)]; }
    /// Numbers, whichever ABI admits them.
    SyscallSet either() const { return of(Abi::native) | of(Abi::compat); }
    bool none() const { return either().none() && !worker; }
    bool in_io_uring() const {
        for (unsigned nr : io_uring_calls)
            if (of(Abi::native).test(nr) || of(Abi::compat).test(nr)) return true;
        return worker;
    }
    /// Both admit a call of one ABI in which the filters run several times, or both a worker.
    bool meets_in_io_uring(const Admission& o) const {
        for (Abi abi : all_abis)
            for (unsigned nr : io_uring_calls)
                if (of(abi).test(nr) && o.of(abi).test(nr)) return true;
        return worker && o.worker;
    }
    bool disjoint(const Admission& o) const {
        for (Abi abi : all_abis)
            if ((of(abi) & o.of(abi)).any()) return false;
        return !(worker && o.worker);
    }
};

/// Calls that perm= with these bits can be true for, in any kernel of the tables or a later stable update (lemma L1).
const SyscallSet& perm_calls(std::uint32_t perm, Machine machine, Abi abi);

SyscallSet to_set(const SyscallMask& mask);
SyscallMask to_mask(const SyscallSet& set);

Admission admission(const KernelRule& rule, const MachineModel& machine);

}  // namespace auopt
