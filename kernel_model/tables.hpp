// What is known about one kernel version on one machine: syscall classes and instruction costs. Data files in
// tables/machines/*.toml (classes) and tables/kernels/*.toml (costs), each naming its source; embedded at build time.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir.hpp"
#include "kernel_model/machine.hpp"

namespace auopt {

/// How perm= judges a call (auditsc.c:audit_match_perm after audit_classify_syscall).
enum class SyscallKind : std::uint8_t { native, open, openat, openat2, execve, socketcall };

using SyscallSet = std::bitset<2048>;

struct AbiClasses {
    SyscallSet write, read, chattr, signal;
    std::map<unsigned, SyscallKind> special;
    SyscallKind kind(unsigned nr) const {
        auto it = special.find(nr);
        return it == special.end() ? SyscallKind::native : it->second;
    }
};

/// Instructions, exact counts measured under qemu -icount (unit: retired instructions).
struct FieldCost {
    std::uint32_t fail_first = 0;  // whole rule when this is the first test and fails
    std::uint32_t pass = 0;        // marginal cost when it passes
};
struct CostTable {
    std::uint32_t unarmed_instructions = 0;  // getpid, auditing on, no counted rule
    std::uint32_t armed_instructions = 0;    // getpid, one file watch loaded, exit list empty
    std::uint32_t first_entry = 0;           // once, when the exit list is not empty
    std::uint32_t mask_miss = 0;
    std::uint32_t match_never_no_fields = 0;  // in mask, zero tests, never, no key
    std::uint32_t match_key = 0;              // extra when the matching rule has a key
    std::map<Field, FieldCost> fields;
    FieldCost loginuid_set, perm_open, lsm;
    std::uint32_t gid_supplementary = 0;  // extra of gid= when the task has supplementary groups
    std::uint32_t per_name_filetype = 0, per_name_obj = 0, per_dir_ref = 0, ppid_once = 0;
};

struct KernelTables {
    std::string name;       // "linux-6.1"
    std::string source;     // where classes and costs come from
    bool measured = false;  // costs measured in the lab, not carried over from a neighbour
    const MachineModel* machine = nullptr;
    AbiClasses native, compat;
    CostTable cost;  // of x86_64, whatever the machine: see costs_measured
    const AbiClasses& classes(Abi abi) const { return abi == Abi::native ? native : compat; }
    /// The classes that audit_classify_syscall judges a call by.
    const AbiClasses& classes_of_arch(std::uint32_t arch) const { return classes(machine->abi_of(arch)); }
    /// Instructions were counted on x86_64 only. On other machines they rank rules (which test is cheaper, which rule is
    /// dearer) and are never shown.
    bool costs_measured() const { return machine->machine == Machine::x86_64; }
};

/// The embedded tables of a modelled machine, in name order. Aborts the program only if the build embedded garbage.
const std::vector<KernelTables>& kernel_tables(Machine machine = Machine::x86_64);
const KernelTables* find_kernel(std::string_view name, Machine machine = Machine::x86_64);

/// Numbers below this are the same calls in every kernel of the tables; from here to
/// `last_new_syscall` a stable update may add a call to a perm class (spec, lemma L1).
constexpr unsigned first_new_syscall = 452;
constexpr unsigned last_new_syscall = 511;

}  // namespace auopt
