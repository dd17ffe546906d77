// Names <-> numbers of the audit system: system calls per machine, machines and ELF architectures, errno,
// record types, file types, file system types. Mirrors the pure table functions of libaudit (audit_name_to_*),
// plus tables for what libaudit 3.0.9 lacks. The lowest layer: plain numbers and strings, no rules.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auopt {

/// The machines whose system call tables are known.
enum class Machine : std::uint8_t { i386, x86_64, ppc, ppc64, ppc64le, s390, s390x, arm, aarch64, riscv32, riscv64 };

/// Which names one version of libaudit knows, by default all of them: those of the libaudit that this program runs with,
/// and the later ones listed here. Each compared with the libaudit of auditctl 3.0.9, 4.0.2, 4.1.2 and 4.2.1.
struct KnownNames {
    unsigned last_syscall = 0xFFFFFFFF;        // calls of higher numbers have no name
    bool gaps_filled = true;                   // the calls that its tables of ppc, s390 and arm left out until 4.1
    bool device_mapper = true;                 // record types DM_CTRL and DM_EVENT
    bool cgroups = true;                       // file system types cgroup and cgroup2
    unsigned last_riscv_syscall = 0xFFFFFFFF;  // of riscv32 and riscv64; 0: they are no machines

    friend bool operator==(const KnownNames&, const KnownNames&) = default;
};
/// The names that both know.
KnownNames common_names(const KnownNames& a, const KnownNames& b);

/// AUDIT_ARCH_* of a machine.
std::uint32_t machine_elf(Machine machine);
std::optional<Machine> elf_machine(std::uint32_t elf, const KnownNames& known = {});
/// Canonical name ("x86_64", "armeb", ...).
std::string_view machine_name(Machine machine);
/// uname -m or an -F arch= word (i586, armv8l, ...), any case.
std::optional<Machine> machine_by_name(std::string_view name, const KnownNames& known = {});
/// What b64 / b32 mean on `host`; nothing where the pair does not exist (b32 on ppc64le).
std::optional<Machine> machine_64bit(Machine host);
std::optional<Machine> machine_32bit(Machine host);
/// The 32-bit companion whose numbers a rule without arch may have meant; the machine itself if there is none.
Machine machine_companion(Machine machine);

/// Number of a call, any case.
std::optional<unsigned> syscall_number(std::string_view name, Machine machine, const KnownNames& known = {});
/// Name of a call; empty when it has none.
std::string syscall_name(unsigned number, Machine machine, const KnownNames& known = {});
/// io_uring operation, any case (list io_uring takes these instead of system calls).
std::optional<unsigned> io_uring_op_number(std::string_view name);

/// errno by name with optional '-' ("EPERM" = 1, "-EPERM" = -1), any case; nothing when unknown.
std::optional<std::int32_t> errno_number(std::string_view name);
/// "EACCES" for 13; empty when unknown.
std::string errno_name(int number);
/// Record type by name, any case, or UNKNOWN[n]; nothing when unknown.
std::optional<std::int32_t> message_type_number(std::string_view name, const KnownNames& known = {});
std::string message_type_name(int number, const KnownNames& known = {});
/// S_IFMT bits by name (file, dir, socket, link, character, block, fifo), any case.
std::optional<std::uint32_t> file_type_number(std::string_view name);
std::string file_type_name(std::uint32_t number);
/// File system magic by name, any case; nothing when unknown.
std::optional<std::uint32_t> fstype_number(std::string_view name, const KnownNames& known = {});
/// tracefs, debugfs, cgroup or cgroup2; empty when it has no name.
std::string fstype_name(std::uint32_t number, const KnownNames& known = {});

/// ASCII lower case, byte for byte.
std::string ascii_lower(std::string_view text);

}  // namespace auopt
