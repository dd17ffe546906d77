#include "cli/load_into_kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/streams.hpp"
#include "compiler/loaded.hpp"

extern char** environ;

namespace auopt {

int run_auditctl(const std::string& auditctl, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), auditctl);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    // What main ignores, auditctl need not. The signals that we hold stay held in it: rules are loaded whole.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int error = posix_spawnp(&child, auditctl.c_str(), nullptr, &attributes, pointers.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        return fail("augenrules", exit_input, fmt::format("{} cannot be run: {}", auditctl, std::strerror(error)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail("augenrules", exit_internal, std::strerror(errno));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int load_into_kernel(const std::string& auditctl, const std::string& file) {
    const bool plain = file.empty() || file[0] == '/' || file[0] == '.';
    return run_auditctl(auditctl, {"-R", plain ? file : "./" + file});
}

bool clears_first(std::string_view rules) {
    for (std::size_t at = 0; at < rules.size();) {
        const std::size_t end = std::min(rules.find('\n', at), rules.size());
        std::string_view line = rules.substr(at, end - at);
        at = end + 1;
        while (line.starts_with(' ')) line.remove_prefix(1);
        while (line.ends_with(' ')) line.remove_suffix(1);
        if (line == "-D") return true;
        for (const std::string_view rule : {"-a", "-A", "-d", "-w", "-W", "-D"})
            if (line.starts_with(rule)) return false;
    }
    return false;
}

bool rules_are_locked() {
    const auto socket = open_audit_socket();
    if (!socket) return false;
    const auto held = read_loaded_rules(*socket);
    if (!held) return false;
    constexpr std::uint32_t enabled = 1, locked = 2;
    return std::any_of(held->settings.begin(), held->settings.end(),
                       [](const SetStatus& s) { return s.mask == enabled && s.value == locked; });
}

}  // namespace auopt
