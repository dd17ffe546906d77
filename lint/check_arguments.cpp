// AU109: one test of an argument over system calls for which that argument means different things.
// Meanings: the prototypes of man 2 (64-bit and 32-bit forms agree in order for the calls listed).
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using Meanings = std::array<std::string_view, 4>;

/// "&" marks an address: its bits say nothing about what it points to.
const std::map<std::string_view, Meanings>& meanings() {
    static const std::map<std::string_view, Meanings> table{
        {"open", {"&pathname", "open flags", "mode", ""}},
        {"openat", {"directory fd", "&pathname", "open flags", "mode"}},
        {"openat2", {"directory fd", "&pathname", "&how", "size"}},
        {"creat", {"&pathname", "mode", "", ""}},
        {"open_by_handle_at", {"mount fd", "&handle", "open flags", ""}},
        {"name_to_handle_at", {"directory fd", "&pathname", "&handle", "&mount id"}},
        {"truncate", {"&pathname", "length", "", ""}},
        {"ftruncate", {"fd", "length", "", ""}},
        {"chmod", {"&pathname", "mode", "", ""}},
        {"fchmod", {"fd", "mode", "", ""}},
        {"fchmodat", {"directory fd", "&pathname", "mode", ""}},
        {"fchmodat2", {"directory fd", "&pathname", "mode", "at flags"}},
        {"chown", {"&pathname", "uid", "gid", ""}},
        {"lchown", {"&pathname", "uid", "gid", ""}},
        {"fchown", {"fd", "uid", "gid", ""}},
        {"fchownat", {"directory fd", "&pathname", "uid", "gid"}},
        {"mkdir", {"&pathname", "mode", "", ""}},
        {"mkdirat", {"directory fd", "&pathname", "mode", ""}},
        {"mknod", {"&pathname", "mode", "device", ""}},
        {"mknodat", {"directory fd", "&pathname", "mode", "device"}},
        {"rmdir", {"&pathname", "", "", ""}},
        {"unlink", {"&pathname", "", "", ""}},
        {"unlinkat", {"directory fd", "&pathname", "at flags", ""}},
        {"rename", {"&pathname", "&pathname", "", ""}},
        {"renameat", {"directory fd", "&pathname", "directory fd", "&pathname"}},
        {"renameat2", {"directory fd", "&pathname", "directory fd", "&pathname"}},
        {"link", {"&pathname", "&pathname", "", ""}},
        {"linkat", {"directory fd", "&pathname", "directory fd", "&pathname"}},
        {"symlink", {"&pathname", "&pathname", "", ""}},
        {"symlinkat", {"&pathname", "directory fd", "&pathname", ""}},
        {"access", {"&pathname", "access mode", "", ""}},
        {"faccessat", {"directory fd", "&pathname", "access mode", ""}},
        {"faccessat2", {"directory fd", "&pathname", "access mode", "at flags"}},
        {"execve", {"&pathname", "&argv", "&envp", ""}},
        {"execveat", {"directory fd", "&pathname", "&argv", "&envp"}},
        {"setxattr", {"&pathname", "&name", "&value", "size"}},
        {"lsetxattr", {"&pathname", "&name", "&value", "size"}},
        {"fsetxattr", {"fd", "&name", "&value", "size"}},
        {"removexattr", {"&pathname", "&name", "", ""}},
        {"lremovexattr", {"&pathname", "&name", "", ""}},
        {"fremovexattr", {"fd", "&name", "", ""}},
        {"read", {"fd", "&buffer", "size", ""}},
        {"write", {"fd", "&buffer", "size", ""}},
        {"fcntl", {"fd", "command", "argument", ""}},
        {"ioctl", {"fd", "request", "argument", ""}},
        {"kill", {"pid", "signal", "", ""}},
        {"tkill", {"tid", "signal", "", ""}},
        {"tgkill", {"pid", "tid", "signal", ""}},
        {"ptrace", {"request", "pid", "address", "data"}},
        {"socket", {"domain", "type", "protocol", ""}},
        {"socketpair", {"domain", "type", "protocol", "&pair"}},
        {"bind", {"fd", "&sockaddr", "size", ""}},
        {"connect", {"fd", "&sockaddr", "size", ""}},
        {"accept", {"fd", "&sockaddr", "&size", ""}},
        {"accept4", {"fd", "&sockaddr", "&size", "socket flags"}},
        {"socketcall", {"call", "&arguments", "", ""}},
        {"mount", {"&source", "&pathname", "&type", "mount flags"}},
        {"umount2", {"&pathname", "umount flags", "", ""}},
        {"setuid", {"uid", "", "", ""}},
        {"setreuid", {"uid", "uid", "", ""}},
        {"setresuid", {"uid", "uid", "uid", ""}},
        {"setfsuid", {"uid", "", "", ""}},
        {"setgid", {"gid", "", "", ""}},
        {"setregid", {"gid", "gid", "", ""}},
        {"setresgid", {"gid", "gid", "gid", ""}},
        {"prctl", {"option", "argument", "argument", "argument"}},
        {"personality", {"persona", "", "", ""}},
        {"init_module", {"&image", "size", "&parameters", ""}},
        {"finit_module", {"fd", "&parameters", "module flags", ""}},
        {"delete_module", {"&name", "module flags", "", ""}},
        {"unshare", {"clone flags", "", "", ""}},
        {"setns", {"fd", "clone flags", "", ""}},
        {"clone", {"clone flags", "&stack", "", ""}},
        {"adjtimex", {"&timex", "", "", ""}},
        {"clock_settime", {"clock", "&timespec", "", ""}},
        {"clock_adjtime", {"clock", "&timex", "", ""}},
        {"settimeofday", {"&timeval", "&timezone", "", ""}},
        {"bpf", {"command", "&attributes", "size", ""}},
        {"keyctl", {"command", "argument", "argument", "argument"}},
    };
    return table;
}

void check_test(const LintContext& context, const KernelRule& rule, const FieldTest& test, std::size_t index,
                Diagnostics& diagnostics) {
    const MachineModel& machine = *machine_of(context);
    // A zero address is a common and exact question (is there an argument at all?).
    const bool asks_for_zero = test.value == 0 && (test.op == Op::equal || test.op == Op::not_equal);
    std::map<std::string_view, std::vector<std::string>> by_meaning;
    for (const Abi abi : admitted_abis(rule, machine)) {
        for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
            if (!rule.mask.test(nr)) continue;
            const std::string name = syscall_name(nr, machine.names_of(abi));
            const auto row = meanings().find(name);
            if (row == meanings().end() || row->second[index].empty()) continue;
            auto& names = by_meaning[row->second[index]];
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
        if (find_test(rule, Field::arch) == nullptr) break;  // without arch the numbers are the 64-bit ones (AU101)
    }
    std::vector<std::string> addresses;
    for (const auto& [meaning, names] : by_meaning) {
        if (meaning[0] == '&')
            addresses.push_back(
                fmt::format("a{} of {} is the address of the {}", index, fmt::join(names, ", "), meaning.substr(1)));
    }
    std::string message;
    if (!addresses.empty() && !asks_for_zero)
        message = fmt::format("{}", fmt::join(addresses, "; "));
    else if (by_meaning.size() > 1 && addresses.empty()) {
        std::vector<std::string> parts;
        for (const auto& [meaning, names] : by_meaning)
            parts.push_back(fmt::format("the {} of {}", meaning, fmt::join(names, ", ")));
        message = fmt::format("a{} is {}", index, fmt::join(parts, ", but "));
    }
    if (message.empty()) return;
    const std::string field = fmt::format("a{}", index);
    diagnostics.add({std::string(ids::argument_index),
                     Level::warning,
                     field_place(context.sources, rule, {field}),
                     message,
                     {},
                     "write one rule per argument order; auopt explain AU109",
                     std::nullopt});
}

}  // namespace

void check_arguments(const LintContext& context, Diagnostics& diagnostics) {
    if (machine_of(context) == nullptr) return;
    for (const KernelRule& rule : context.state.filter) {
        if (rule.list != List::exit || rule.mask.full()) continue;
        for (const FieldTest& test : rule.tests) {
            const auto field = static_cast<std::uint32_t>(test.field);
            const auto first = static_cast<std::uint32_t>(Field::arg0);
            if (field >= first && field <= first + 3) check_test(context, rule, test, field - first, diagnostics);
        }
    }
}

}  // namespace auopt
