#include "cli/child_work.hpp"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/file_descriptor.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_bytes = std::size_t{1} << 28U;
enum ChildExit : int { child_done = 0, child_out_of_memory = 10, child_failed = 11 };

void limit(int resource, std::uint64_t soft, std::uint64_t hard) {
    struct rlimit wanted {
    }, now{};
    if (getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return;
    wanted.rlim_cur = std::min<rlim_t>(soft, now.rlim_max);
    wanted.rlim_max = std::min<rlim_t>(hard, now.rlim_max);
    static_cast<void>(setrlimit(static_cast<__rlimit_resource>(resource), &wanted));
}

/// Never returns.
[[noreturn]] void be_the_child(int pipe, pid_t parent, const ChildLimits& limits, const StopSignals& signals,
                               const std::function<std::vector<std::string>()>& work) {
    // Nobody would read the answer of a child that outlives us.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(child_failed);
    if (limits.ends_by_signal) signals.release();
    limit(RLIMIT_AS, limits.memory_mib << 20U, limits.memory_mib << 20U);
    const auto seconds = static_cast<std::uint64_t>(limits.time.count() / 1000 + 1);
    limit(RLIMIT_CPU, seconds, seconds + 1);
    try {
        const std::string answer = pack(work());
        std::string_view left = answer;
        while (!left.empty()) {
            const ssize_t n = write(pipe, left.data(), left.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) _exit(child_failed);
            left.remove_prefix(static_cast<std::size_t>(n));
        }
        std::fflush(stderr);
        _exit(child_done);
    } catch (const std::bad_alloc&) {
        _exit(child_out_of_memory);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "auopt: internal error: %s\n", error.what());
        _exit(child_failed);
    }
}

enum class Reading { whole, out_of_time, broken_off };

/// Reads to the end, or until the time is up or a signal has come.
Reading read_until(int pipe, const StopSignals* signals, Clock::time_point deadline, std::string& bytes) {
    std::string buffer(1U << 16U, '\0');
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return Reading::out_of_time;
        pollfd fds[] = {{pipe, POLLIN, 0}, {signals != nullptr ? signals->fd() : -1, POLLIN, 0}};
        const int ready = poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left, 60000)));
        if (ready < 0 && errno != EINTR) return Reading::broken_off;
        if (fds[1].revents != 0) return Reading::broken_off;
        if (ready <= 0 || fds[0].revents == 0) continue;
        const ssize_t n = read(pipe, buffer.data(), buffer.size());
        if (n == 0) return Reading::whole;
        if (n < 0 && errno != EINTR) return Reading::broken_off;
        if (n > 0) bytes.append(buffer, 0, static_cast<std::size_t>(n));
        if (bytes.size() > most_bytes) return Reading::broken_off;
    }
}

ChildFailure failure_of(int status, const ChildLimits& limits) {
    const auto undecided = [](std::string reason) { return ChildFailure{exit_unknown, std::move(reason), false}; };
    const std::string memory = fmt::format("out of memory (--memory-limit {} MiB)", limits.memory_mib);
    if (WIFEXITED(status) && WEXITSTATUS(status) == child_out_of_memory) return undecided(memory);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        return undecided(fmt::format("not done after {:.1f} s of CPU time (--time-limit)",
                                     static_cast<double>(limits.time.count()) / 1000));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return undecided("the optimizer was killed, perhaps because the system has no memory left");
    if (WIFSIGNALED(status))
        return {
            exit_internal,
            fmt::format("the optimizer ended with a signal, {} (unless it was sent: a bug in auopt, please report it)",
                        strsignal(WTERMSIG(status))),
            false};
    return {exit_internal,
            fmt::format("the optimizer ended with code {} and no whole answer (a bug in auopt, please report it)",
                        WEXITSTATUS(status)),
            false};
}

}  // namespace

std::string pack(const std::vector<std::string>& strings) {
    std::string body;
    for (const std::string& s : strings) body += fmt::format("{}\n", s.size()) + s;
    return sha256_hex(body) + "\n" + body;
}

std::optional<std::vector<std::string>> unpack(std::string_view bytes) {
    constexpr std::size_t hash_size = 64;
    if (bytes.size() <= hash_size || bytes[hash_size] != '\n') return std::nullopt;
    const std::string_view hash = bytes.substr(0, hash_size);
    bytes.remove_prefix(hash_size + 1);
    if (sha256_hex(std::string(bytes)) != hash) return std::nullopt;
    std::vector<std::string> strings;
    while (!bytes.empty()) {
        std::size_t size = 0;
        const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), size);
        if (error != std::errc() || end == bytes.data() + bytes.size() || *end != '\n') return std::nullopt;
        bytes.remove_prefix(static_cast<std::size_t>(end - bytes.data()) + 1);
        if (size > bytes.size()) return std::nullopt;
        strings.emplace_back(bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return strings;
}

tl::expected<std::vector<std::string>, ChildFailure> run_in_child(
    const ChildLimits& limits, const StopSignals& signals, const std::function<std::vector<std::string>()>& work) {
    const auto failed = [](const char* what) {
        return tl::unexpected(ChildFailure{exit_internal, fmt::format("{}: {}", what, std::strerror(errno)), false});
    };
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed("no pipe");
    FileDescriptor from_child(ends[0]), to_parent(ends[1]);
    // What is buffered would be written twice.
    std::fflush(nullptr);
    // Where SIGCHLD is ignored, nobody could say how the child ended.
    std::signal(SIGCHLD, SIG_DFL);
    const Clock::time_point deadline = Clock::now() + limits.time;
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return failed("no process for the optimizer");
    if (child == 0) {
        from_child.reset();
        be_the_child(to_parent.get(), parent, limits, signals, work);
    }
    to_parent.reset();

    std::string bytes;
    const Reading reading = read_until(from_child.get(), limits.ends_by_signal ? &signals : nullptr, deadline, bytes);
    const int stopped_by = reading == Reading::broken_off ? signals.pending() : 0;
    if (reading != Reading::whole) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return failed("the optimizer cannot be waited for");
    }
    if (stopped_by != 0)
        return tl::unexpected(
            ChildFailure{128 + stopped_by, fmt::format("stopped by a signal ({})", strsignal(stopped_by)), true});
    if (reading == Reading::out_of_time)
        return tl::unexpected(ChildFailure{
            exit_unknown,
            fmt::format("not done after {:.1f} s (--time-limit)", static_cast<double>(limits.time.count()) / 1000),
            false});
    if (reading != Reading::whole || !WIFEXITED(status) || WEXITSTATUS(status) != child_done)
        return tl::unexpected(failure_of(status, limits));
    auto strings = unpack(bytes);
    if (!strings)
        return tl::unexpected(ChildFailure{
            exit_internal, "the optimizer's answer is not whole (a bug in auopt, please report it)", false});
    return *std::move(strings);
}

}  // namespace auopt
