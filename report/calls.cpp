#include "report/calls.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "compiler/ir.hpp"
#include "kernel_model/machine.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

Machine machine_of(std::uint32_t arch) { return elf_machine(arch).value_or(Machine::x86_64); }

std::vector<CallName> read_calls(std::uint32_t arch) {
    std::vector<CallName> calls;
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (std::string name = syscall_name(nr, machine_of(arch)); !name.empty())
            calls.push_back({arch, nr, std::move(name)});
    }
    return calls;
}

}  // namespace

std::string_view arch_name(std::uint32_t arch) { return arch_word(arch); }

std::optional<CallName> find_call(std::string_view name, std::uint32_t arch) {
    if (const auto nr = syscall_number(name, machine_of(arch))) return CallName{arch, *nr, ascii_lower(name)};
    unsigned nr = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), nr);
    if (error != std::errc{} || end != name.data() + name.size() || nr >= mask_syscalls) return std::nullopt;
    std::string known = syscall_name(nr, machine_of(arch));
    return CallName{arch, nr, known.empty() ? std::string(name) : std::move(known)};
}

const std::vector<CallName>& all_calls(std::uint32_t arch) {
    static std::map<std::uint32_t, std::vector<CallName>> known;
    const auto [it, fresh] = known.try_emplace(arch);
    if (fresh) it->second = read_calls(arch);
    return it->second;
}

std::vector<CallName> hot_calls(std::uint32_t arch) {
    std::vector<CallName> calls;
    for (const char* name : {"getpid", "read", "write", "futex", "close", "lseek", "mmap", "mprotect", "ioctl",
                             "epoll_wait", "epoll_pwait", "openat", "newfstatat", "fstatat64"}) {
        // The older call where there is one.
        if (name == std::string_view("epoll_pwait") && find_call("epoll_wait", arch)) continue;
        if (auto call = find_call(name, arch)) calls.push_back(std::move(*call));
    }
    return calls;
}

}  // namespace auopt
