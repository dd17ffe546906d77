// Which calls can a rule match at all? Mask, arch= and perm= decide that without looking at the task.
#pragma once

#include "compiler/ir.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

constexpr unsigned io_uring_enter_nr = 426;  // the same number in both ABIs

struct Admission {
    SyscallSet x86_64, i386;
    bool worker = false;  // a hash rule that an io_uring worker (arch 0, nr 0) can match
    const SyscallSet& of(Abi abi) const { return abi == Abi::x86_64 ? x86_64 : i386; }
    bool none() const { return x86_64.none() && i386.none() && !worker; }
    /// Both admit io_uring_enter of one ABI: the filters run several times in that call.
    bool meets_in_io_uring_enter(const Admission& o) const {
        return (x86_64.test(io_uring_enter_nr) && o.x86_64.test(io_uring_enter_nr)) ||
               (i386.test(io_uring_enter_nr) && o.i386.test(io_uring_enter_nr));
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
