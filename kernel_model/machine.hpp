// The machines whose kernels are modelled: which arch value a program runs with, whose numbers its calls have, and how
// the kernel tells its own programs from 32-bit ones. Sources: syscall_get_arch of each architecture (asm/syscall.h),
// audit_classify_arch (lib/audit.c, arch/{x86,powerpc,s390}/kernel/audit*.c).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tables/names.hpp"

namespace auopt {

/// Whose numbers a call uses: the machine's own, or those of the 32-bit programs that it runs.
enum class Abi : std::uint8_t { native, compat };
constexpr Abi all_abis[] = {Abi::native, Abi::compat};
constexpr std::size_t abi_count = 2;
constexpr std::size_t index_of(Abi abi) { return static_cast<std::size_t>(abi); }

struct MachineModel {
    Machine machine = Machine::x86_64;
    std::array<std::uint32_t, abi_count> arch{};  // by Abi: AUDIT_ARCH_* of its programs
    std::array<Machine, abi_count> names{};       // by Abi: whose names the numbers have

    std::uint32_t abi_arch(Abi abi) const { return arch[index_of(abi)]; }
    Machine names_of(Abi abi) const { return names[index_of(abi)]; }
    /// The ABI of a call. Arch 0, an io_uring worker's, is in no class either way.
    Abi abi_of(std::uint32_t call_arch) const {
        return call_arch == arch[index_of(Abi::compat)] ? Abi::compat : Abi::native;
    }
    /// audit_classify_arch, for the value of a rule's arch test: does the kernel take it for a 32-bit program's?
    bool classified_compat(std::uint32_t rule_arch) const;
    /// A kernel built without 32-bit programs (no CONFIG_COMPAT, no IA32_EMULATION) takes every arch value for its own
    /// and has no 32-bit classes; powerpc's has them in any case.
    bool compat_is_optional() const { return machine != Machine::ppc64 && machine != Machine::ppc64le; }
};

/// Null for a machine whose kernel is not modelled (one that runs 32-bit kernels only).
const MachineModel* find_machine_model(Machine machine);
/// Machine must be modelled.
const MachineModel& machine_model(Machine machine);
/// In the order in which they are listed to a user: x86_64 first.
const std::vector<Machine>& modelled_machines();

/// What -F arch= calls an ABI, and `auditctl -l` (by the 64-bit flag of the value): "b64" or "b32".
constexpr const char* abi_word(Abi abi) { return abi == Abi::compat ? "b32" : "b64"; }
constexpr const char* arch_word(std::uint32_t arch) { return (arch & 0x80000000U) != 0 ? "b64" : "b32"; }

}  // namespace auopt
