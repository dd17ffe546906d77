#include "tables/names.hpp"

#include <libaudit.h>

#include <algorithm>
#include <array>

namespace auopt {

namespace {

struct MachineRow {
    Machine machine;
    int libaudit;
    std::uint32_t elf;
    std::string_view name;
};

// In the order of enum Machine. Big-endian ARM's name stands for the family, as in libaudit.
constexpr std::array<MachineRow, 11> machines{{
    {Machine::i386, MACH_X86, 0x40000003, "i386"},
    {Machine::x86_64, MACH_86_64, 0xC000003E, "x86_64"},
    {Machine::ppc, MACH_PPC, 0x00000014, "ppc"},
    {Machine::ppc64, MACH_PPC64, 0x80000015, "ppc64"},
    {Machine::ppc64le, MACH_PPC64LE, 0xC0000015, "ppc64le"},
    {Machine::s390, MACH_S390, 0x00000016, "s390"},
    {Machine::s390x, MACH_S390X, 0x80000016, "s390x"},
    {Machine::arm, MACH_ARM, 0x40000028, "armeb"},
    {Machine::aarch64, MACH_AARCH64, 0xC00000B7, "aarch64"},
    // libaudit 3.0.9 has no tables of theirs; the numbers are aarch64's but for those listed below.
    {Machine::riscv32, MACH_AARCH64, 0x400000F3, "riscv32"},
    {Machine::riscv64, MACH_AARCH64, 0xC00000F3, "riscv64"},
}};

constexpr const MachineRow& row(Machine machine) { return machines[static_cast<std::size_t>(machine)]; }

struct MachineAlias {
    std::string_view name;
    Machine machine;
};
constexpr std::array<MachineAlias, 20> aliases{{
    {"i386", Machine::i386},       {"i486", Machine::i386},       {"i586", Machine::i386},
    {"i686", Machine::i386},       {"x86_64", Machine::x86_64},   {"ppc", Machine::ppc},
    {"ppc64", Machine::ppc64},     {"ppc64le", Machine::ppc64le}, {"s390", Machine::s390},
    {"s390x", Machine::s390x},     {"armeb", Machine::arm},       {"arm", Machine::arm},
    {"armv5tejl", Machine::arm},   {"armv5tel", Machine::arm},    {"armv6l", Machine::arm},
    {"armv7l", Machine::arm},      {"aarch64", Machine::aarch64}, {"armv8l", Machine::aarch64},
    {"riscv32", Machine::riscv32}, {"riscv64", Machine::riscv64},
}};

struct NewCall {
    unsigned number;
    std::string_view name;
};
// Calls that libaudit 3.0.9 (its tables end at 450) does not know. From 424 on the kernel gives one number to
// all architectures (arch/x86/entry/syscalls/syscall_{32,64}.tbl, scripts/syscall.tbl).
constexpr std::array<NewCall, 21> new_calls{{
    {451, "cachestat"},         {452, "fchmodat2"},         {453, "map_shadow_stack"}, {454, "futex_wake"},
    {455, "futex_wait"},        {456, "futex_requeue"},     {457, "statmount"},        {458, "listmount"},
    {459, "lsm_get_self_attr"}, {460, "lsm_set_self_attr"}, {461, "lsm_list_modules"}, {462, "mseal"},
    {463, "setxattrat"},        {464, "getxattrat"},        {465, "listxattrat"},      {466, "removexattrat"},
    {467, "open_tree_attr"},    {468, "file_getattr"},      {469, "file_setattr"},     {470, "listns"},
    {471, "rseq_slice_yield"},
}};

// Calls below 451 that libaudit's tables left out until 4.1 (arch/powerpc/kernel/syscalls/syscall.tbl and its like for
// s390 and arm have had them all along).
constexpr std::array<NewCall, 6> ppc_gaps{{
    {0, "restart_syscall"},
    {256, "sys_debug_setcontext"},
    {258, "migrate_pages"},
    {259, "mbind"},
    {260, "get_mempolicy"},
    {261, "set_mempolicy"},
}};

constexpr std::array<NewCall, 19> s390_gaps{{
    {7, "restart_syscall"}, {110, "lookup_dcookie"}, {268, "mbind"},        {269, "get_mempolicy"},
    {270, "set_mempolicy"}, {287, "migrate_pages"},  {310, "move_pages"},   {378, "s390_guarded_storage"},
    {393, "semget"},        {394, "semctl"},         {395, "shmget"},       {396, "shmctl"},
    {397, "shmat"},         {398, "shmdt"},          {399, "msgget"},       {400, "msgsnd"},
    {401, "msgrcv"},        {402, "msgctl"},         {447, "memfd_secret"},
}};

constexpr std::array<NewCall, 20> s390_31bit_gaps{{
    {403, "clock_gettime64"},        {404, "clock_settime64"},
    {405, "clock_adjtime64"},        {406, "clock_getres_time64"},
    {407, "clock_nanosleep_time64"}, {408, "timer_gettime64"},
    {409, "timer_settime64"},        {410, "timerfd_gettime64"},
    {411, "timerfd_settime64"},      {412, "utimensat_time64"},
    {413, "pselect6_time64"},        {414, "ppoll_time64"},
    {416, "io_pgetevents_time64"},   {417, "recvmmsg_time64"},
    {418, "mq_timedsend_time64"},    {419, "mq_timedreceive_time64"},
    {420, "semtimedop_time64"},      {421, "rt_sigtimedwait_time64"},
    {422, "futex_time64"},           {423, "sched_rr_get_interval_time64"},
}};

constexpr std::array<NewCall, 2> s390_64bit_gaps{{
    {220, "getdents64"},
    {392, "semtimedop"},
}};

constexpr std::array<NewCall, 3> arm_gaps{{
    {335, "pselect6"},
    {336, "ppoll"},
    {346, "epoll_pwait"},
}};

// What riscv64 calls otherwise than aarch64, and riscv32 otherwise than riscv64 (scripts/syscall.tbl); no name: no such
// call.
constexpr std::array<NewCall, 7> riscv64_calls{{
    {38, ""},
    {61, "getdents64"},
    {67, "pread64"},
    {68, "pwrite64"},
    {80, "fstat"},
    {258, "riscv_hwprobe"},
    {259, "riscv_flush_icache"},
}};
constexpr std::array<NewCall, 59> riscv32_calls{{
    {4, ""},
    {25, "fcntl64"},
    {43, "statfs64"},
    {44, "fstatfs64"},
    {45, "truncate64"},
    {46, "ftruncate64"},
    {62, "llseek"},
    {71, "sendfile64"},
    {72, ""},
    {73, ""},
    {79, ""},
    {80, ""},
    {86, ""},
    {87, ""},
    {88, ""},
    {98, ""},
    {101, ""},
    {108, ""},
    {110, ""},
    {112, ""},
    {113, ""},
    {114, ""},
    {115, ""},
    {127, ""},
    {137, ""},
    {163, ""},
    {164, ""},
    {169, ""},
    {170, ""},
    {171, ""},
    {182, ""},
    {183, ""},
    {192, ""},
    {222, "mmap2"},
    {223, "fadvise64_64"},
    {243, ""},
    {260, ""},
    {266, ""},
    {292, ""},
    {403, "clock_gettime64"},
    {404, "clock_settime64"},
    {405, "clock_adjtime64"},
    {406, "clock_getres_time64"},
    {407, "clock_nanosleep_time64"},
    {408, "timer_gettime64"},
    {409, "timer_settime64"},
    {410, "timerfd_gettime64"},
    {411, "timerfd_settime64"},
    {412, "utimensat_time64"},
    {413, "pselect6_time64"},
    {414, "ppoll_time64"},
    {416, "io_pgetevents_time64"},
    {417, "recvmmsg_time64"},
    {418, "mq_timedsend_time64"},
    {419, "mq_timedreceive_time64"},
    {420, "semtimedop_time64"},
    {421, "rt_sigtimedwait_time64"},
    {422, "futex_time64"},
    {423, "sched_rr_get_interval_time64"},
}};

/// Calls that have another name than libaudit's table of row(machine) says.
std::vector<NewCall> renamed_of(Machine machine) {
    std::vector<NewCall> out;
    if (machine == Machine::riscv32) out.assign(riscv32_calls.begin(), riscv32_calls.end());
    if (machine == Machine::riscv32 || machine == Machine::riscv64) {
        for (const NewCall& call : riscv64_calls)
            if (std::none_of(out.begin(), out.end(), [&](const NewCall& c) { return c.number == call.number; }))
                out.push_back(call);
    }
    return out;
}

std::vector<NewCall> gaps_of(Machine machine) {
    std::vector<NewCall> out;
    const auto add = [&](const auto& calls) { out.insert(out.end(), calls.begin(), calls.end()); };
    switch (machine) {
        case Machine::ppc:
        case Machine::ppc64:
        case Machine::ppc64le:
            add(ppc_gaps);
            break;
        case Machine::s390:
            add(s390_gaps);
            add(s390_31bit_gaps);
            break;
        case Machine::s390x:
            add(s390_gaps);
            add(s390_64bit_gaps);
            break;
        case Machine::arm:
            add(arm_gaps);
            break;
        case Machine::i386:
        case Machine::x86_64:
        case Machine::aarch64:
        case Machine::riscv32:
        case Machine::riscv64:
            break;
    }
    return out;
}

/// What libaudit's table does not say of a machine.
struct CallCorrections {
    std::vector<NewCall> gaps, renamed;
};

const CallCorrections& corrections(Machine machine) {
    static const auto all = [] {
        std::array<CallCorrections, machines.size()> out;
        for (const MachineRow& r : machines)
            out[static_cast<std::size_t>(r.machine)] = {gaps_of(r.machine), renamed_of(r.machine)};
        return out;
    }();
    return all[static_cast<std::size_t>(machine)];
}

bool named_otherwise(const std::vector<NewCall>& renamed, unsigned number) {
    return std::any_of(renamed.begin(), renamed.end(), [&](const NewCall& call) { return call.number == number; });
}

bool is_riscv(Machine machine) { return machine == Machine::riscv32 || machine == Machine::riscv64; }

unsigned last_syscall(Machine machine, const KnownNames& known) {
    return is_riscv(machine) ? known.last_riscv_syscall : known.last_syscall;
}

bool known_machine(Machine machine, const KnownNames& known) {
    return known.last_riscv_syscall != 0 || !is_riscv(machine);
}

struct NamedNumber {
    std::string_view name;
    std::uint32_t number;
};
constexpr std::array<NamedNumber, 2> device_mapper_types{{{"DM_CTRL", 1338}, {"DM_EVENT", 1339}}};
constexpr std::array<NamedNumber, 4> fs_types{
    {{"tracefs", 0x74726163}, {"debugfs", 0x64626720}, {"cgroup", 0x27e0eb}, {"cgroup2", 0x63677270}}};

bool known_fs_type(const NamedNumber& type, const KnownNames& known) {
    return known.cgroups || !type.name.starts_with("cgroup");
}

// Operation numbers of linux/io_uring.h that auditctl gives names to.
constexpr std::array<NewCall, 31> io_uring_ops{{
    {9, "sendmsg"},       {10, "recvmsg"},     {13, "accept"},
    {16, "connect"},      {17, "fallocate"},   {18, "openat"},
    {19, "close"},        {28, "openat2"},     {34, "shutdown"},
    {35, "renameat"},     {36, "unlinkat"},    {37, "mkdirat"},
    {38, "symlinkat"},    {39, "linkat"},      {40, "msg_ring"},
    {41, "fsetxattr"},    {42, "setxattr"},    {43, "fgetxattr"},
    {44, "getxattr"},     {46, "uring_cmd"},   {47, "send_zc"},
    {48, "sendmsg_zc"},   {50, "waitid"},      {51, "futex_wait"},
    {52, "futex_wake"},   {53, "futex_waitv"}, {54, "fixed_fd_install"},
    {55, "ftruncate"},    {56, "bind"},        {57, "listen"},
    {64, "uring_cmd128"},
}};

std::string text_or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

}  // namespace

std::string ascii_lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::uint32_t machine_elf(Machine machine) { return row(machine).elf; }

std::optional<Machine> elf_machine(std::uint32_t elf, const KnownNames& known) {
    for (const auto& r : machines)
        if (r.elf == elf && known_machine(r.machine, known)) return r.machine;
    return std::nullopt;
}

std::string_view machine_name(Machine machine) { return row(machine).name; }

std::optional<Machine> machine_by_name(std::string_view name, const KnownNames& known) {
    const std::string lower = ascii_lower(name);
    for (const auto& alias : aliases)
        if (alias.name == lower && known_machine(alias.machine, known)) return alias.machine;
    return std::nullopt;
}

std::optional<Machine> machine_64bit(Machine host) {
    switch (host) {
        case Machine::x86_64:
        case Machine::aarch64:
        case Machine::ppc64:
        case Machine::ppc64le:
        case Machine::s390x:
        case Machine::riscv64:
            return host;
        default:
            return std::nullopt;
    }
}

std::optional<Machine> machine_32bit(Machine host) {
    switch (host) {
        case Machine::x86_64:
            return Machine::i386;
        case Machine::aarch64:
            return Machine::arm;
        case Machine::ppc64:
            return Machine::ppc;
        case Machine::s390x:
            return Machine::s390;
        case Machine::riscv64:
            return Machine::riscv32;
        case Machine::ppc64le:
            return std::nullopt;
        default:
            return host;
    }
}

Machine machine_companion(Machine machine) {
    switch (machine) {
        case Machine::x86_64:
            return Machine::i386;
        case Machine::ppc64:
            return Machine::ppc;
        case Machine::s390x:
            return Machine::s390;
        default:
            return machine;
    }
}

KnownNames common_names(const KnownNames& a, const KnownNames& b) {
    return {.last_syscall = std::min(a.last_syscall, b.last_syscall),
            .gaps_filled = a.gaps_filled && b.gaps_filled,
            .device_mapper = a.device_mapper && b.device_mapper,
            .cgroups = a.cgroups && b.cgroups,
            .last_riscv_syscall = std::min(a.last_riscv_syscall, b.last_riscv_syscall)};
}

std::optional<unsigned> syscall_number(std::string_view name, Machine machine, const KnownNames& known) {
    const std::string lower = ascii_lower(name);
    if (lower.empty()) return std::nullopt;  // as calls are named that are not there
    const auto among = [&](const auto& calls) -> std::optional<unsigned> {
        for (const NewCall& call : calls)
            if (call.name == lower) return call.number;
        return std::nullopt;
    };
    const CallCorrections& correct = corrections(machine);
    if (const auto gap = among(correct.gaps)) return known.gaps_filled ? gap : std::nullopt;
    auto number = among(correct.renamed);
    if (!number) {
        const int listed = audit_name_to_syscall(lower.c_str(), row(machine).libaudit);
        number = listed >= 0 ? std::optional(static_cast<unsigned>(listed)) : among(new_calls);
        if (number && named_otherwise(correct.renamed, *number)) return std::nullopt;
    }
    return number && *number <= last_syscall(machine, known) ? number : std::nullopt;
}

std::string syscall_name(unsigned number, Machine machine, const KnownNames& known) {
    const auto among = [&](const auto& calls) {
        for (const NewCall& call : calls)
            if (call.number == number) return std::string(call.name);
        return std::string();
    };
    const CallCorrections& correct = corrections(machine);
    if (std::string gap = among(correct.gaps); !gap.empty()) return known.gaps_filled ? gap : std::string();
    if (number > last_syscall(machine, known)) return {};
    if (named_otherwise(correct.renamed, number)) return among(correct.renamed);
    const char* name = audit_syscall_to_name(static_cast<int>(number), row(machine).libaudit);
    return name != nullptr ? name : among(new_calls);
}

std::optional<unsigned> io_uring_op_number(std::string_view name) {
    const std::string lower = ascii_lower(name);
    for (const auto& op : io_uring_ops)
        if (op.name == lower) return op.number;
    return std::nullopt;
}

std::optional<std::int32_t> errno_number(std::string_view name) {
    const int number = audit_name_to_errno(std::string(name).c_str());
    if (number == 0) return std::nullopt;
    return number;
}

std::string errno_name(int number) { return text_or_empty(audit_errno_to_name(number)); }

std::optional<std::int32_t> message_type_number(std::string_view name, const KnownNames& known) {
    for (const NamedNumber& type : device_mapper_types)
        if (ascii_lower(type.name) == ascii_lower(name))
            return known.device_mapper ? std::optional(static_cast<std::int32_t>(type.number)) : std::nullopt;
    const int number = audit_name_to_msg_type(std::string(name).c_str());
    if (number < 0) return std::nullopt;
    return number;
}

std::string message_type_name(int number, const KnownNames& known) {
    for (const NamedNumber& type : device_mapper_types)
        if (static_cast<int>(type.number) == number) return std::string(known.device_mapper ? type.name : "");
    return text_or_empty(audit_msg_type_to_name(number));
}

std::optional<std::uint32_t> file_type_number(std::string_view name) {
    const int number = audit_name_to_ftype(std::string(name).c_str());
    if (number < 0) return std::nullopt;
    return static_cast<std::uint32_t>(number);
}

std::string file_type_name(std::uint32_t number) {
    return text_or_empty(audit_ftype_to_name(static_cast<int>(number)));
}

std::optional<std::uint32_t> fstype_number(std::string_view name, const KnownNames& known) {
    const std::string lower = ascii_lower(name);
    for (const NamedNumber& type : fs_types)
        if (type.name == lower && known_fs_type(type, known)) return type.number;
    return std::nullopt;
}

std::string fstype_name(std::uint32_t number, const KnownNames& known) {
    for (const NamedNumber& type : fs_types)
        if (type.number == number && known_fs_type(type, known)) return std::string(type.name);
    return {};
}

}  // namespace auopt
