#include "workload/text_lines.hpp"

#include <charconv>

#include <fmt/format.h>

namespace auopt {

std::vector<std::string_view> text_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        lines.push_back(line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view space = " \t";
    for (std::size_t at = line.find_first_not_of(space); at != std::string_view::npos;) {
        const std::size_t end = line.find_first_of(space, at);
        words.push_back(line.substr(at, end == std::string_view::npos ? end : end - at));
        at = line.find_first_not_of(space, end);
    }
    return words;
}

std::optional<double> count_of(std::string_view word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || word.empty()) return std::nullopt;
    const auto count = static_cast<double>(value);
    return count <= max_count ? std::optional(count) : std::nullopt;
}

std::optional<double> decimal_of(std::string_view word) {
    if (word.empty() || word.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::optional<unsigned> CallCounter::number_of(std::string_view call) const {
    constexpr unsigned mask_calls = 2032;  // rules select numbers below this
    // strace writes numbers that its table lacks as syscall_0x1c3.
    constexpr std::string_view by_number = "syscall_0x";
    std::string_view digits = call;
    int base = 10;
    if (call.starts_with(by_number)) {
        digits = call.substr(by_number.size());
        base = 16;
    }
    unsigned nr = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nr, base);
    if (error == std::errc{} && end == digits.data() + digits.size() && !digits.empty())
        return nr < mask_calls ? std::optional(nr) : std::nullopt;
    if (const auto known = syscall_number(call, machine_)) return known;
    // Tracers use the kernel's names; libaudit has some calls under another.
    constexpr std::pair<std::string_view, std::string_view> kernel_names[] = {
        {"pread64", "pread"},
        {"pwrite64", "pwrite"},
        {"getdents64", "getdents"},
        {"newfstatat", "fstatat64"},
        {"timerfd_create", "timerfd"},
        {"perf_event_open", "perf_counter_open"},
        {"sync_file_range2", "sync_file_range"},
        {"kexec_load", "sys_kexec_load"},
        {"sched_rr_get_interval_time64", "sched_rr_get_interval64"},
    };
    for (const auto& [kernel, libaudit] : kernel_names)
        if (call == kernel) return syscall_number(libaudit, machine_);
    return std::nullopt;
}

void CallCounter::add(std::string_view call, double calls, std::optional<double> failed, std::size_t line) {
    const auto nr = number_of(call);
    if (!nr) {
        warn(ids::workload_call_unknown, line,
             fmt::format("{} has no system call {}; its {:.0f} calls are left out", machine_name(machine_), call,
                         calls));
        return;
    }
    if (failed && *failed > calls) {
        warn(ids::workload_line_unreadable, line, fmt::format("{}: more errors than calls; left out", call));
        return;
    }
    add_number(machine_elf(machine_), *nr, calls, failed);
}

void CallCounter::add_number(std::uint32_t arch, unsigned nr, double calls, std::optional<double> failed) {
    Sum& sum = sums_[{arch, nr}];
    sum.calls += calls;
    sum.failed += failed.value_or(0);
    if (!failed) sum.failures_counted = false;
}

void CallCounter::warn(std::string_view id, std::size_t line, std::string message) {
    diagnostics_.add({std::string(id),
                      Level::warning,
                      Span{file_, static_cast<std::uint32_t>(line), 0, 0},
                      std::move(message),
                      {},
                      {},
                      std::nullopt});
}

void CallCounter::error(std::string_view id, std::size_t line, std::string message, std::string help) {
    diagnostics_.add({std::string(id),
                      Level::error,
                      Span{file_, static_cast<std::uint32_t>(line), 0, 0},
                      std::move(message),
                      {},
                      std::move(help),
                      std::nullopt});
}

std::optional<Workload> CallCounter::finish() {
    Workload calls;
    for (const auto& [call, sum] : sums_) {
        if (sum.calls <= 0) continue;
        CallWeight weight{call.first, call.second, sum.calls, std::nullopt};
        if (sum.failures_counted) weight.failed = sum.failed / sum.calls;
        calls.push_back(weight);
    }
    if (calls.empty()) {
        error(ids::workload_empty, 0, "no system call with a count above zero");
        return std::nullopt;
    }
    return calls;
}

std::optional<double> cpu_seconds_of(const std::vector<std::string_view>& lines) {
    std::optional<double> user, system;
    const auto add = [](std::optional<double>& sum, std::optional<double> seconds) {
        if (seconds) sum = sum.value_or(0) + *seconds;
    };
    // "0m1.234s" (bash) or "1.23" (time -p).
    const auto time_word = [](std::string_view word) -> std::optional<double> {
        const std::size_t m = word.find('m');
        if (m == std::string_view::npos) return decimal_of(word);
        if (!word.ends_with('s')) return std::nullopt;
        const auto minutes = decimal_of(word.substr(0, m));
        const auto seconds = decimal_of(word.substr(m + 1, word.size() - m - 2));
        return minutes && seconds ? std::optional(*minutes * 60 + *seconds) : std::nullopt;
    };
    for (const std::string_view line : lines) {
        const auto words = words_of(line);
        if (words.size() == 2 && words[0] == "user") add(user, time_word(words[1]));
        if (words.size() == 2 && words[0] == "sys") add(system, time_word(words[1]));
        if (words.size() == 4 && words[1] == "time" && words[2] == "(seconds):") {  // /usr/bin/time -v
            if (words[0] == "User") add(user, decimal_of(words[3]));
            if (words[0] == "System") add(system, decimal_of(words[3]));
        }
        if (words.size() == 3 && words[1] == "seconds") {  // perf stat
            if (words[2] == "user") add(user, decimal_of(words[0]));
            if (words[2] == "sys") add(system, decimal_of(words[0]));
        }
    }
    if (!user || !system || *user + *system <= 0) return std::nullopt;
    return *user + *system;
}

}  // namespace auopt
