// A workload measured on x86_64, as it would be on another machine: the same calls, where it has them; else those that
// the C library makes there in their place (openat for open).
#include <map>
#include <string>
#include <string_view>

#include "workload/workload.hpp"

namespace auopt {
namespace {

std::string call_there(const std::string& name, Machine machine) {
    static const std::map<std::string_view, std::string_view> instead{
        {"open", "openat"},         {"stat", "newfstatat"},        {"access", "faccessat"},
        {"readlink", "readlinkat"}, {"epoll_wait", "epoll_pwait"}, {"poll", "ppoll"},
        {"rename", "renameat"},     {"unlink", "unlinkat"},        {"newfstatat", "fstatat64"},
        {"mmap", "mmap2"},          {"lseek", "_llseek"},          {"fcntl", "fcntl64"}};
    if (syscall_number(name, machine)) return name;
    const auto found = instead.find(name);
    return found == instead.end() ? name : std::string(found->second);
}

}  // namespace

MeasuredWorkload workload_on(const MeasuredWorkload& workload, Machine machine) {
    constexpr Machine from = Machine::x86_64;
    if (machine == from) return workload;
    MeasuredWorkload there = workload;
    there.calls.clear();
    for (const CallWeight& call : workload.calls) {
        const bool native = call.arch == machine_elf(from);
        const Machine names = native ? machine : machine_companion(machine);
        const Machine old_names = native ? from : machine_companion(from);
        const auto nr = syscall_number(call_there(syscall_name(call.nr, old_names), names), names);
        if (!nr) continue;
        MeasuredWorkload one;
        one.calls = {{machine_elf(names), *nr, call.weight, call.failed}};
        there = join_workloads(std::move(there), one);
    }
    there.name = workload.name;
    there.cpu_seconds = workload.cpu_seconds;
    there.audited = workload.audited;
    return there;
}

const MeasuredWorkload& default_measured_workload(Machine machine) {
    static std::map<Machine, MeasuredWorkload> known;
    const auto [at, added] = known.try_emplace(machine);
    if (added) at->second = workload_on(*shipped_workload(default_workload_name), machine);
    return at->second;
}

}  // namespace auopt
