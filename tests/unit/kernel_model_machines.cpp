// The classes of tables/machines, derived again: the name lists of include/asm-generic/audit_*.h with the #ifdefs they
// have, numbered by tables::syscall_number (libaudit's tables). A number with a typo in it is of another call here.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel_model/evaluate.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

using Names = std::vector<std::string>;

/// The number of a call on a kernel: what its table ends at, it does not know.
class Numbers {
public:
    Numbers(Machine machine, const std::string& kernel)
        : machine_(machine), last_(kernel == "linux-6.1" ? 450U : 462U) {}  // set_mempolicy_home_node, mseal
    bool has(const std::string& name) const { return number(name).has_value(); }
    std::optional<unsigned> number(const std::string& name) const {
        // libaudit has one table for all of PowerPC, the 32-bit one. These two are no calls of a 64-bit program.
        if ((machine_ == Machine::ppc64 || machine_ == Machine::ppc64le) &&
            (name == "truncate64" || name == "ftruncate64"))
            return std::nullopt;
        const auto nr = syscall_number(name, machine_);
        return nr && *nr <= last_ ? nr : std::nullopt;
    }
    std::set<unsigned> all(const Names& names) const {
        std::set<unsigned> out;
        for (const std::string& name : names)
            if (const auto nr = number(name)) out.insert(*nr);
        return out;
    }

private:
    Machine machine_;
    unsigned last_;
};

// audit_dir_write.h; the mkdirat group stands under one #ifdef.
Names dir_write(const Numbers& n) {
    Names names{"rename", "mkdir", "rmdir", "creat", "link", "unlink", "symlink", "mknod", "renameat2"};
    if (n.has("mkdirat"))
        for (const char* name : {"mkdirat", "mknodat", "unlinkat", "renameat", "linkat", "symlinkat"})
            names.emplace_back(name);
    return names;
}
Names write_names(const Numbers& n) {
    Names names = dir_write(n);
    for (const char* name :
         {"acct", "swapon", "quotactl", "truncate", "truncate64", "ftruncate", "ftruncate64", "bind", "fallocate"})
        names.emplace_back(name);
    return names;
}
Names read_names(const Numbers&) {
    return {"readlink", "quotactl",   "listxattr", "listxattrat", "llistxattr", "flistxattr",
            "getxattr", "getxattrat", "lgetxattr", "fgetxattr",   "readlinkat"};
}
Names chattr_names(const Numbers& n) {
    Names names{"chmod",       "fchmod",       "fchown",       "setxattr",  "lsetxattr", "fsetxattr",
                "removexattr", "lremovexattr", "fremovexattr", "fchmodat2", "link",      "linkat"};
    if (n.has("chown")) names.insert(names.end(), {"chown", "lchown"});
    if (n.has("fchownat")) names.insert(names.end(), {"fchownat", "fchmodat"});
    if (n.has("chown32")) names.insert(names.end(), {"chown32", "fchown32", "lchown32"});
    return names;
}
Names signal_names(const Numbers&) { return {"kill", "tgkill", "tkill"}; }

/// The cases of each audit_classify_syscall, in words.
std::map<std::string, SyscallKind> special_names(Machine machine, Abi abi) {
    std::map<std::string, SyscallKind> out{{"open", SyscallKind::open},
                                           {"openat", SyscallKind::openat},
                                           {"openat2", SyscallKind::openat2},
                                           {"execve", SyscallKind::execve}};
    const bool x86 = machine == Machine::x86_64, arm = machine == Machine::aarch64;
    // arch/x86 (both files) and lib/audit.c know execveat; lib/compat_audit.c, powerpc and s390 do not.
    if (x86 || (arm && abi == Abi::native)) out.emplace("execveat", SyscallKind::execve);
    // An arm64 kernel has no socketcall for 32-bit programs either: libaudit's 102 is of the old ARM ABI.
    if (!arm && (!x86 || abi == Abi::compat)) out.emplace("socketcall", SyscallKind::socketcall);
    return out;
}

std::set<unsigned> members(const SyscallSet& set) {
    std::set<unsigned> out;
    for (auto nr = set._Find_first(); nr < set.size(); nr = set._Find_next(nr)) out.insert(static_cast<unsigned>(nr));
    return out;
}

TEST(Machines, classes_are_those_of_the_kernels_name_lists) {
    unsigned checked = 0;
    for (const Machine machine : modelled_machines())
        for (const KernelTables& kernel : kernel_tables(machine))
            for (const Abi abi : all_abis) {
                const Machine names = kernel.machine->names_of(abi);
                SCOPED_TRACE(std::string(machine_name(machine)) + " " + kernel.name + " " +
                             std::string(machine_name(names)));
                const Numbers n(names, kernel.name);
                const AbiClasses& c = kernel.classes(abi);
                EXPECT_EQ(members(c.write), n.all(write_names(n)));
                EXPECT_EQ(members(c.read), n.all(read_names(n)));
                EXPECT_EQ(members(c.chattr), n.all(chattr_names(n)));
                EXPECT_EQ(members(c.signal), n.all(signal_names(n)));
                EXPECT_EQ(c.signal.count(), 3U);
                std::map<unsigned, SyscallKind> special;
                for (const auto& [name, kind] : special_names(machine, abi))
                    if (const auto nr = n.number(name)) special.emplace(*nr, kind);
                EXPECT_EQ(c.special, special);
                // A worker is (arch 0, nr 0), and what is taken for granted about it is that perm= never holds.
                EXPECT_FALSE(c.write.test(0) || c.read.test(0) || c.chattr.test(0) || c.signal.test(0));
                EXPECT_EQ(c.kind(0), SyscallKind::native);
                ++checked;
            }
    EXPECT_EQ(checked, 2 * 2 * modelled_machines().size());
}

TEST(Machines, io_uring_calls_have_one_number_everywhere) {
    for (const Machine machine : modelled_machines())
        for (const Abi abi : all_abis) {
            const Machine names = machine_model(machine).names_of(abi);
            EXPECT_EQ(syscall_number("io_uring_enter", names), 426U);
            EXPECT_EQ(syscall_number("io_uring_register", names), 427U);
            EXPECT_EQ(syscall_number("openat2", names), 437U);
        }
}

TEST(Machines, names_of_calls_from_new_syscall_numbers_on_are_the_same_everywhere) {
    for (unsigned nr = first_new_syscall; nr <= last_new_syscall; ++nr)
        for (const Machine machine : modelled_machines())
            for (const Abi abi : all_abis)
                EXPECT_EQ(syscall_name(nr, machine_model(machine).names_of(abi)), syscall_name(nr, Machine::x86_64))
                    << nr;
}

TEST(Machines, arch_values_are_those_of_the_kernel) {
    const auto arch = [](Machine m, Abi abi) { return machine_model(m).abi_arch(abi); };
    EXPECT_EQ(arch(Machine::x86_64, Abi::native), arch_x86_64);
    EXPECT_EQ(arch(Machine::x86_64, Abi::compat), arch_i386);
    EXPECT_EQ(arch(Machine::aarch64, Abi::native), 0xC00000B7U);
    EXPECT_EQ(arch(Machine::aarch64, Abi::compat), 0x40000028U);
    EXPECT_EQ(arch(Machine::ppc64le, Abi::native), 0xC0000015U);
    EXPECT_EQ(arch(Machine::ppc64le, Abi::compat), 0x14U);
    EXPECT_EQ(arch(Machine::ppc64, Abi::native), 0x80000015U);
    EXPECT_EQ(arch(Machine::s390x, Abi::native), 0x80000016U);
    EXPECT_EQ(arch(Machine::s390x, Abi::compat), 0x16U);
    EXPECT_EQ(find_machine_model(Machine::i386), nullptr);
    EXPECT_EQ(find_machine_model(Machine::arm), nullptr);
}

TEST(Machines, an_arch_that_the_kernel_does_not_know) {
    // lib/audit.c asks for bit 31 only, the others for the one value.
    EXPECT_TRUE(machine_model(Machine::aarch64).classified_compat(arch_i386));
    EXPECT_FALSE(machine_model(Machine::aarch64).classified_compat(arch_x86_64));
    EXPECT_FALSE(machine_model(Machine::x86_64).classified_compat(0x40000028));
    EXPECT_FALSE(machine_model(Machine::s390x).classified_compat(0x14));
    EXPECT_TRUE(machine_model(Machine::ppc64le).classified_compat(0x14));
    EXPECT_FALSE(machine_model(Machine::ppc64le).classified_compat(0x40000014));
}

std::uint32_t signals(Machine machine, const std::string& line) {
    CompileOptions options = test::test_compile_options();
    options.machine = machine_name(machine);
    return test::state_of(line + "\n", options).n_signals();
}

TEST(Machines, signal_calls_are_counted_by_the_machines_numbers) {
    EXPECT_EQ(signals(Machine::aarch64, "-a always,exit -F arch=b64 -S kill"), 1U);
    EXPECT_EQ(signals(Machine::aarch64, "-a always,exit -F arch=b64 -S 37"), 0U);  // linkat; kill of the 32-bit ABI
    EXPECT_EQ(signals(Machine::aarch64, "-a always,exit -F arch=b32 -S 37"), 1U);
    EXPECT_EQ(signals(Machine::aarch64, "-a always,exit -F arch=b32 -S 62"), 0U);  // ustat; kill of x86_64
    EXPECT_EQ(signals(Machine::aarch64, "-a always,exit -S 37"), 1U);
    EXPECT_EQ(signals(Machine::ppc64le, "-a always,exit -F arch=b64 -S tgkill"), 1U);
    EXPECT_EQ(signals(Machine::s390x, "-a always,exit -F arch=b64 -S 62"), 0U);
    EXPECT_EQ(signals(Machine::s390x, "-a always,exit -F arch=b32 -S tkill"), 1U);
}

TEST(Machines, a_kernel_without_32_bit_programs_counts_signals_by_its_own_numbers) {
    const auto without = [](Machine machine, const std::string& line) {
        CompileOptions options = test::test_compile_options();
        options.machine = machine_name(machine);
        return test::state_of(line + "\n", options).n_signals(false);
    };
    EXPECT_EQ(without(Machine::aarch64, "-a always,exit -F arch=b32 -S 37"), 0U);
    EXPECT_EQ(without(Machine::aarch64, "-a always,exit -F arch=b32 -S 129"), 1U);
    EXPECT_EQ(without(Machine::aarch64, "-a always,exit -S 37"), 0U);
    EXPECT_EQ(without(Machine::x86_64, "-a always,exit -F arch=b32 -S kill"), 0U);
    EXPECT_EQ(without(Machine::x86_64, "-a always,exit -F arch=b64 -S kill"), 1U);
    EXPECT_EQ(without(Machine::ppc64, "-a always,exit -F arch=b32 -S kill"), 1U);
}

}  // namespace
}  // namespace auopt
