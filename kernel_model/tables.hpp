// What is known about one kernel version: syscall classes and instruction costs. Data files in
// tables/kernels/*.toml, each naming its source; embedded at build time.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/ir.hpp"

namespace auopt {

enum class Abi { x86_64, i386 };
constexpr Abi all_abis[] = {Abi::x86_64, Abi::i386};
constexpr std::uint32_t abi_arch(Abi abi) { return abi == Abi::x86_64 ? arch_x86_64 : arch_i386; }

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
    AbiClasses x86_64, i386;
    CostTable cost;
    const AbiClasses& classes(Abi abi) const { return abi == Abi::x86_64 ? x86_64 : i386; }
};

/// The embedded tables, in name order. Aborts the program only if the build embedded garbage.
const std::vector<KernelTables>& kernel_tables();
const KernelTables* find_kernel(std::string_view name);

/// Numbers below this are the same calls in every kernel of the tables; from here to
/// `last_new_syscall` a stable update may add a call to a perm class (spec, lemma L1).
constexpr unsigned first_new_syscall = 452;
constexpr unsigned last_new_syscall = 511;

}  // namespace auopt
