// Which calls can a rule match at all? Mask, arch= and perm= decide that without looking at the task.
#pragma once

#include "compiler/ir.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

/// io_uring_enter and io_uring_register, the same numbers in both ABIs: operations run the filters inside them.
constexpr unsigned io_uring_calls[] = {426, 427};

struct Admission {
    SyscallSet x86_64, i386;
    bool worker = false;  // a hash rule that an io_uring worker (arch 0, nr 0) can match
    const SyscallSet& of(Abi abi) const { return abi == Abi::x86_64 ? x86_64 : i386; }
    bool none() const { return x86_64.none() && i386.none() && !worker; }
    bool in_io_uring() const {
        for (unsigned nr : io_uring_calls)
            if (x86_64.test(nr) || i386.test(nr)) return true;
        return worker;
    }
    /// Both admit a call of one ABI in which the filters run several times, or both a worker.
    bool meets_in_io_uring(const Admission& o) const {
        for (unsigned nr : io_uring_calls)
            if ((x86_64.test(nr) && o.x86_64.test(nr)) || (i386.test(nr) && o.i386.test(nr))) return true;
        return worker && o.worker;
    }
    bool disjoint(const Admission& o) const {
        return (x86_64 & o.x86_64).none() && (i386 & o.i386).none() && !(worker && o.worker);
    }
};

/// Calls that perm= with these bits can be true for, in any kernel of the tables or a later stable update (lemma L1).
SyscallSet perm_calls(std::uint32_t perm, Abi abi);

SyscallSet to_set(const SyscallMask& mask);
SyscallMask to_mask(const SyscallSet& set);

Admission admission(const KernelRule& rule);

}  // namespace auopt
