#include "cli/host_versions.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace auopt {
namespace {

constexpr int answer_within_ms = 5000;
constexpr std::size_t longest_answer = 4096;

/// The program's file, as execvp(3) and a root shell would find it.
std::optional<std::string> found(const std::string& program) {
    if (program.find('/') != std::string::npos) return program;
    const char* path = std::getenv("PATH");
    std::istringstream folders(std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string file = (folder.empty() ? "." : folder) + "/" + program;
        if (access(file.c_str(), X_OK) == 0) return file;
    }
    return std::nullopt;
}

/// What the child writes until it ends or the time is over.
std::string answer_of(int fd) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(answer_within_ms);
    std::string text;
    std::array<char, 512> buffer{};
    while (text.size() < longest_answer) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
        if (left <= 0) return {};
        pollfd wait{fd, POLLIN, 0};
        const int ready = poll(&wait, 1, static_cast<int>(left));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return {};
        const ssize_t n = read(fd, buffer.data(), buffer.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return text;
}

std::string printed_version(const std::string& file) {
    std::array<int, 2> pipe_ends{};
    if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {};
    std::string program = file, option = "-v";
    char* arguments[] = {program.data(), option.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, pipe_ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int error = posix_spawn(&child, program.c_str(), &files, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(pipe_ends[1]);
    std::string text;
    if (error == 0) {
        text = answer_of(pipe_ends[0]);
        if (text.empty()) kill(child, SIGKILL);  // it says nothing, or does not end
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    close(pipe_ends[0]);
    return text;
}

}  // namespace

std::optional<std::string> version_in(const std::string& printed) {
    constexpr const char* lead = "auditctl version ";
    const std::size_t at = printed.find(lead);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t begin = at + std::string(lead).size();
    const std::size_t end = printed.find_first_not_of("0123456789.", begin);
    std::string version = printed.substr(begin, end == std::string::npos ? end : end - begin);
    if (version.empty() || version.front() == '.') return std::nullopt;
    return version;
}

HostVersions host_versions(const std::string& program) {
    static std::map<std::string, HostVersions> known;  // one question a run
    if (const auto it = known.find(program); it != known.end()) return it->second;
    HostVersions versions;
    utsname host{};
    if (uname(&host) == 0) versions.kernel = host.release;
    if (const auto file = found(program)) versions.auditctl = version_in(printed_version(*file));
    return known.emplace(program, std::move(versions)).first->second;
}

}  // namespace auopt
