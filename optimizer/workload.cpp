// The default workload (docs/WORKLOAD.md): how often a general-purpose server makes each call.
#include <map>
#include <string>
#include <string_view>

#include "optimizer/pipeline.hpp"

namespace auopt {
namespace {

Workload x86_64_workload() {
    struct Row {
        unsigned nr;
        double weight;
    };
    // x86_64 numbers; weights are shares of 100 calls.
    constexpr Row rows[] = {
        {0, 16.0} /* read */,         {1, 9.0} /* write */,
        {202, 14.0} /* futex */,      {3, 6.5} /* close */,
        {257, 4.0} /* openat */,      {262, 3.5} /* newfstatat */,
        {5, 1.5} /* fstat */,         {9, 3.5} /* mmap */,
        {10, 1.5} /* mprotect */,     {11, 1.5} /* munmap */,
        {8, 2.5} /* lseek */,         {16, 2.5} /* ioctl */,
        {232, 6.0} /* epoll_wait */,  {233, 1.5} /* epoll_ctl */,
        {7, 2.0} /* poll */,          {45, 3.5} /* recvfrom */,
        {44, 2.5} /* sendto */,       {47, 2.5} /* recvmsg */,
        {46, 1.5} /* sendmsg */,      {72, 1.5} /* fcntl */,
        {13, 1.5} /* rt_sigaction */, {14, 2.5} /* rt_sigprocmask */,
        {12, 0.5} /* brk */,          {39, 0.5} /* getpid */,
        {17, 1.0} /* pread64 */,      {18, 0.5} /* pwrite64 */,
        {20, 0.8} /* writev */,       {230, 1.0} /* clock_nanosleep */,
        {217, 0.3} /* getdents64 */,  {21, 0.3} /* access */,
        {439, 0.2} /* faccessat2 */,  {332, 0.5} /* statx */,
        {89, 0.2} /* readlink */,     {41, 0.2} /* socket */,
        {42, 0.2} /* connect */,      {288, 0.2} /* accept4 */,
        {56, 0.05} /* clone */,       {59, 0.05} /* execve */,
        {61, 0.1} /* wait4 */,        {87, 0.05} /* unlink */,
        {82, 0.05} /* rename */,      {62, 0.05} /* kill */,
        {234, 0.05} /* tgkill */,     {15, 0.1} /* rt_sigreturn */,
        {2, 0.2} /* open */,          {4, 0.2} /* stat */,
        {186, 0.3} /* gettid */,      {318, 0.2} /* getrandom */,
    };
    constexpr Row rows32[] = {
        // a few 32-bit programs
        {3, 0.1} /* read */, {4, 0.1} /* write */, {5, 0.05} /* open */, {6, 0.05} /* close */, {240, 0.05} /* futex */,
    };
    Workload w;
    for (const Row& r : rows) w.push_back({arch_x86_64, r.nr, r.weight});
    for (const Row& r : rows32) w.push_back({arch_i386, r.nr, r.weight});
    return w;
}

// What the C library calls where a machine lacks the older call.
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

Workload translated(const MachineModel& to) {
    const MachineModel& from = machine_model(Machine::x86_64);
    Workload out;
    for (const CallWeight& call : x86_64_workload()) {
        const Abi abi = from.abi_of(call.arch);
        const Machine there = to.names_of(abi);
        const auto nr = syscall_number(call_there(syscall_name(call.nr, from.names_of(abi)), there), there);
        if (nr) out.push_back({to.abi_arch(abi), *nr, call.weight});
    }
    return out;
}

}  // namespace

const Workload& default_workload(Machine machine) {
    static const std::map<Machine, Workload> workloads = [] {
        std::map<Machine, Workload> all;
        for (const Machine m : modelled_machines())
            all[m] = m == Machine::x86_64 ? x86_64_workload() : translated(machine_model(m));
        return all;
    }();
    return workloads.at(machine);
}

}  // namespace auopt
