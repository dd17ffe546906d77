// Names and numbers: spot checks against the audit rule language, and every table against its own reverse.
#include <gtest/gtest.h>

#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

TEST(Names, SyscallsAnyCaseAndBeyondTheHostsLibrary) {
    EXPECT_EQ(syscall_number("openat", Machine::x86_64), 257U);
    EXPECT_EQ(syscall_number("OPEN", Machine::x86_64), 2U);
    EXPECT_EQ(syscall_number("open", Machine::i386), 5U);
    EXPECT_EQ(syscall_number("chown32", Machine::i386), 212U);
    EXPECT_FALSE(syscall_number("chown32", Machine::x86_64));
    EXPECT_EQ(syscall_number("fchmodat2", Machine::x86_64), 452U);
    EXPECT_EQ(syscall_number("file_setattr", Machine::aarch64), 469U);
    EXPECT_FALSE(syscall_number("59", Machine::x86_64));
    EXPECT_FALSE(syscall_number("", Machine::x86_64));
}

TEST(Names, SyscallNamesReadBackAsTheirNumbers) {
    for (const Machine machine :
         {Machine::x86_64, Machine::i386, Machine::aarch64, Machine::s390x, Machine::riscv32, Machine::riscv64}) {
        unsigned known = 0;
        for (unsigned nr = 0; nr < 512; ++nr) {
            const std::string name = syscall_name(nr, machine);
            if (name.empty()) continue;
            ++known;
            EXPECT_EQ(syscall_number(name, machine), nr) << name;
        }
        EXPECT_GT(known, 250U);
    }
    EXPECT_TRUE(syscall_name(2000, Machine::x86_64).empty());
}

TEST(Names, OlderLibrariesKnowFewerNames) {
    const KnownNames old{
        .last_syscall = 450, .gaps_filled = false, .device_mapper = false, .cgroups = false, .last_riscv_syscall = 0};
    for (const Machine machine : {Machine::ppc, Machine::ppc64, Machine::ppc64le, Machine::s390, Machine::s390x}) {
        EXPECT_FALSE(syscall_number("migrate_pages", machine, old)) << machine_name(machine);
        const auto number = syscall_number("Migrate_Pages", machine);
        ASSERT_TRUE(number) << machine_name(machine);
        EXPECT_EQ(syscall_name(*number, machine), "migrate_pages");
        EXPECT_EQ(syscall_name(*number, machine, old), "");
    }
    EXPECT_EQ(syscall_number("getdents64", Machine::s390x), 220U);
    EXPECT_EQ(syscall_number("getdents64", Machine::s390, old), 220U);
    EXPECT_EQ(syscall_number("futex_time64", Machine::s390), 422U);
    EXPECT_FALSE(syscall_number("futex_time64", Machine::s390x));
    EXPECT_FALSE(syscall_number("ppoll", Machine::arm, old));
    EXPECT_EQ(syscall_number("ppoll", Machine::arm), 336U);
    EXPECT_TRUE(syscall_number("migrate_pages", Machine::x86_64, old));
    EXPECT_FALSE(syscall_number("mseal", Machine::x86_64, old));
    EXPECT_EQ(syscall_name(462, Machine::x86_64, old), "");
    EXPECT_EQ(message_type_number("dm_event"), 1339);
    EXPECT_FALSE(message_type_number("DM_EVENT", old));
    EXPECT_EQ(message_type_name(1338), "DM_CTRL");
    EXPECT_EQ(message_type_name(1338, old), "");
    EXPECT_EQ(fstype_name(0x27e0eb), "cgroup");
    EXPECT_EQ(fstype_name(0x27e0eb, old), "");
    EXPECT_EQ(common_names(old, {.last_syscall = 386}), (KnownNames{386, false, false, false, 0}));
}

TEST(Names, RiscvCallsLikeAarch64ButForWhatItsTablesSay) {
    EXPECT_EQ(machine_by_name("RISCV64"), Machine::riscv64);
    EXPECT_EQ(elf_machine(0x400000F3), Machine::riscv32);
    EXPECT_FALSE(machine_by_name("riscv64", {.last_riscv_syscall = 0}));
    EXPECT_FALSE(elf_machine(0xC00000F3, {.last_riscv_syscall = 0}));
    EXPECT_EQ(machine_32bit(Machine::riscv64), Machine::riscv32);
    EXPECT_FALSE(machine_64bit(Machine::riscv32));
    EXPECT_EQ(syscall_number("openat", Machine::riscv64), 56U);
    EXPECT_EQ(syscall_number("fstat", Machine::riscv64), 80U);
    EXPECT_FALSE(syscall_number("newfstat", Machine::riscv64));
    EXPECT_FALSE(syscall_number("renameat", Machine::riscv64));
    EXPECT_EQ(syscall_name(38, Machine::riscv64), "");
    EXPECT_FALSE(syscall_number("", Machine::riscv64));
    EXPECT_EQ(syscall_number("fcntl64", Machine::riscv32), 25U);
    EXPECT_FALSE(syscall_number("fcntl", Machine::riscv32));
    EXPECT_EQ(syscall_number("riscv_hwprobe", Machine::riscv32), 258U);
    EXPECT_EQ(syscall_number("mseal", Machine::riscv32), 462U);
    EXPECT_FALSE(syscall_number("mseal", Machine::riscv32, {.last_riscv_syscall = 450}));
}

TEST(Names, Machines) {
    EXPECT_EQ(machine_by_name("I686"), Machine::i386);
    EXPECT_EQ(machine_by_name("armv8l"), Machine::aarch64);
    EXPECT_FALSE(machine_by_name("uring"));
    for (const char* name : {"i386", "x86_64", "ppc", "ppc64", "ppc64le", "s390", "s390x", "arm", "aarch64"}) {
        const auto machine = machine_by_name(name);
        ASSERT_TRUE(machine) << name;
        EXPECT_EQ(elf_machine(machine_elf(*machine)), machine);
    }
    EXPECT_EQ(machine_32bit(Machine::x86_64), Machine::i386);
    EXPECT_FALSE(machine_32bit(Machine::ppc64le));
    EXPECT_FALSE(machine_64bit(Machine::i386));
}

TEST(Names, ErrnoTypesAndFiles) {
    EXPECT_EQ(errno_number("EPERM"), 1);
    EXPECT_EQ(errno_number("-eacces"), -13);
    EXPECT_EQ(errno_number("EWOULDBLOCK"), 11);
    EXPECT_FALSE(errno_number("ENOTSUP"));
    EXPECT_EQ(errno_name(13), "EACCES");
    EXPECT_EQ(message_type_number("cwd"), 1307);
    EXPECT_EQ(message_type_number("UNKNOWN[1234]"), 1234);
    EXPECT_FALSE(message_type_number("nonsense"));
    EXPECT_EQ(file_type_number("Dir"), 0x4000U);
    EXPECT_FALSE(file_type_number("reg"));
    EXPECT_EQ(file_type_name(0x8000), "file");
    EXPECT_EQ(fstype_number("debugfs", {.cgroups = false}), 0x64626720U);
    EXPECT_FALSE(fstype_number("cgroup", {.cgroups = false}));
    EXPECT_EQ(fstype_number("cgroup"), 0x27e0ebU);
}

TEST(Fields, NamesAreUniqueAndFound) {
    for (const auto& row : field_rows()) {
        ASSERT_NE(field_by_name(row.name), nullptr);
        EXPECT_EQ(field_by_name(row.name)->number, row.number);
        ASSERT_NE(field_by_number(row.number), nullptr);
    }
    EXPECT_EQ(field_by_name("LoginUID")->number, 9U);
    EXPECT_EQ(field_by_name("loginuid_set"), nullptr);
    EXPECT_EQ(comparison_rows().size(), 25U);
}

}  // namespace
}  // namespace auopt
