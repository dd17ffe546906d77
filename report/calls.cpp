#include "report/calls.hpp"

#include <algorithm>
#include <charconv>

#include "compiler/ir.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

Machine machine_of(std::uint32_t arch) { return arch == arch_i386 ? Machine::i386 : Machine::x86_64; }

std::vector<CallName> read_calls(std::uint32_t arch) {
    std::vector<CallName> calls;
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (std::string name = syscall_name(nr, machine_of(arch)); !name.empty())
            calls.push_back({arch, nr, std::move(name)});
    }
    return calls;
}

}  // namespace

std::string_view arch_name(std::uint32_t arch) { return arch == arch_i386 ? "b32" : "b64"; }

std::optional<CallName> find_call(std::string_view name, std::uint32_t arch) {
    if (const auto nr = syscall_number(name, machine_of(arch))) return CallName{arch, *nr, ascii_lower(name)};
    unsigned nr = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), nr);
    if (error != std::errc{} || end != name.data() + name.size() || nr >= mask_syscalls) return std::nullopt;
    std::string known = syscall_name(nr, machine_of(arch));
    return CallName{arch, nr, known.empty() ? std::string(name) : std::move(known)};
}

const std::vector<CallName>& all_calls(std::uint32_t arch) {
    static const std::vector<CallName> b64 = read_calls(arch_x86_64);
    static const std::vector<CallName> b32 = read_calls(arch_i386);
    return arch == arch_i386 ? b32 : b64;
}

std::vector<CallName> hot_calls(std::uint32_t arch) {
    std::vector<CallName> calls;
    for (const char* name : {"getpid", "read", "write", "futex", "close", "lseek", "mmap", "mprotect", "ioctl",
                             "epoll_wait", "openat", "newfstatat", "fstatat64"}) {
        if (auto call = find_call(name, arch)) calls.push_back(std::move(*call));
    }
    return calls;
}

}  // namespace auopt
