// Prices rules with kernel_model's cost tables.
#include "optimizer/ledger.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace auopt {
namespace {

// A path lookup lands in one of the 32 buckets of the inode hash; which, is chance.
constexpr double bucket_share = 1.0 / 32.0;

// Calls that look up a name (of the machine's own programs; a 32-bit program's share of the workload is small, and priced
// without).
constexpr std::string_view calls_with_name[] = {
    "open",       "stat",       "lstat",       "access",       "execve",    "truncate",   "chdir",    "rename",
    "mkdir",      "rmdir",      "creat",       "link",         "unlink",    "symlink",    "readlink", "chmod",
    "chown",      "lchown",     "mknod",       "chroot",       "setxattr",  "lsetxattr",  "getxattr", "lgetxattr",
    "listxattr",  "llistxattr", "removexattr", "lremovexattr", "openat",    "mkdirat",    "mknodat",  "fchownat",
    "newfstatat", "unlinkat",   "renameat",    "linkat",       "symlinkat", "readlinkat", "fchmodat", "faccessat",
    "utimensat",  "renameat2",  "execveat",    "statx",        "openat2",   "faccessat2"};

std::set<unsigned> numbers_with_name(Machine machine) {
    std::set<unsigned> numbers;
    for (const std::string_view name : calls_with_name)
        if (const auto nr = syscall_number(name, machine)) numbers.insert(*nr);
    return numbers;
}

struct Profile {
    double share;  // of all calls
    bool user;     // a login session: auid and uid 1000
    bool success;
};
// Most calls of a server are made by daemons (docs/WORKLOAD.md), and a tenth fails where nobody counted.
constexpr double daemon_share = 0.7, usual_failed = 0.1;
std::array<Profile, 4> profiles(double failed) {
    const double user_share = 1 - daemon_share;
    return {{{daemon_share * (1 - failed), false, true},
             {daemon_share * failed, false, false},
             {user_share * (1 - failed), true, true},
             {user_share * failed, true, false}}};
}

Event sample_event(const CallWeight& call, const Profile& profile) {
    Event e = reference_event(call.arch, call.nr);
    if (profile.user) {
        e.uid = e.euid = e.suid = e.fsuid = e.gid = e.egid = e.sgid = e.fsgid = e.loginuid = 1000;
        e.sessionid = 1;
    }
    if (!profile.success) {
        constexpr std::int64_t enoent = 2;
        e.return_valid = ReturnValid::failure;
        e.return_code = static_cast<std::uint64_t>(-enoent);
    }
    return e;
}

// An entry of the bucket that a name happens to fall into, another file's watch: the first test that fails is path=.
double hash_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event) {
    if (!rule.mask.test(static_cast<unsigned>(event.nr))) return kernel.cost.mask_miss;
    double cost = 0;
    for (const FieldTest& t : rule.tests) {
        const FieldCost f = test_cost(t, kernel, event);
        if (!test_holds(kernel, t, event, nullptr)) return cost + f.fail_first;
        cost += f.pass;
    }
    return cost;
}

}  // namespace

Ledger::Ledger(std::vector<const KernelTables*> kernels, Workload workload) : kernels_(std::move(kernels)) {
    const MachineModel& machine = *kernels_.front()->machine;
    const std::set<unsigned> with_name = numbers_with_name(machine.machine);
    const auto names_of = [&](const CallWeight& call) {
        return call.arch == machine.abi_arch(Abi::native) && with_name.contains(call.nr) ? 1.0 : 0.0;
    };
    double total = 0;
    for (const CallWeight& call : workload) total += call.weight;
    for (const CallWeight& call : workload)
        for (const Profile& profile : profiles(call.failed.value_or(usual_failed)))
            samples_.push_back(
                {sample_event(call, profile), total > 0 ? call.weight / total * profile.share : 0, names_of(call)});
}

RuleCosts Ledger::costs_of(const KernelRule& rule) const {
    RuleCosts costs;
    const Placement where = placement(rule);
    for (const KernelTables* kernel : kernels_) {
        RuleCosts::OnKernel on;
        if (where == Placement::exit_list) {
            on.reference.reserve(2 * ledger_calls);
            on.ends_walk.reserve(2 * ledger_calls);
            for (Abi abi : all_abis) {
                Event e = reference_event(kernel->machine->abi_arch(abi), 0);
                for (unsigned nr = 0; nr < ledger_calls; ++nr) {
                    e.nr = static_cast<std::int32_t>(nr);
                    const EntryCost c = entry_cost(rule, *kernel, e);
                    on.reference.push_back(static_cast<std::uint16_t>(c.instructions));
                    on.ends_walk.push_back(c.matched ? 1 : 0);
                }
            }
            for (const Sample& s : samples_) on.weighted += s.weight * entry_cost(rule, *kernel, s.event).instructions;
        } else if (where == Placement::inode_hash) {
            for (const Sample& s : samples_)
                if (s.names > 0) on.weighted += s.weight * s.names * bucket_share * hash_cost(rule, *kernel, s.event);
        }
        costs.kernels.push_back(std::move(on));
    }
    return costs;
}

}  // namespace auopt
