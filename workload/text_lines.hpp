// What the readers of tracers' tables share: lines, words, counts, and the names of calls.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/ids.hpp"
#include "workload/workload.hpp"

namespace auopt {

/// The lines without their ends (LF or CR LF); the last one too when it has no end.
std::vector<std::string_view> text_lines(std::string_view text);
/// Words between spaces and TABs.
std::vector<std::string_view> words_of(std::string_view line);

constexpr double max_count = 9007199254740992.0;  // 2^53: above it, a double no longer counts by ones

/// Digits only, at most 2^53.
std::optional<double> count_of(std::string_view word);
/// Digits with at most one point: "12", "0.001".
std::optional<double> decimal_of(std::string_view word);

/// Adds up what a reader finds and reports what it cannot use.
class CallCounter {
public:
    CallCounter(FileId file, Machine machine, Diagnostics& diagnostics)
        : file_(file), machine_(machine), diagnostics_(diagnostics) {}

    /// From here on names and numbers are those of `machine`.
    void use(Machine machine) { machine_ = machine; }
    Machine machine() const { return machine_; }

    /// A name ("read", "syscall_0x1c3") or number of the machine; nothing when no table has it.
    std::optional<unsigned> number_of(std::string_view call) const;
    /// Adds calls; `line` is 1-based. An unknown call is reported.
    void add(std::string_view call, double calls, std::optional<double> failed, std::size_t line);
    void add_number(std::uint32_t arch, unsigned nr, double calls, std::optional<double> failed);

    void warn(std::string_view id, std::size_t line, std::string message);
    void error(std::string_view id, std::size_t line, std::string message, std::string help = {});

    /// Each call once, ascending, without those never made. Reports AU071 when none is left.
    std::optional<Workload> finish();

private:
    struct Sum {
        double calls = 0, failed = 0;
        bool failures_counted = true;
    };
    FileId file_;
    Machine machine_;
    Diagnostics& diagnostics_;
    std::map<std::pair<std::uint32_t, unsigned>, Sum> sums_;
};

/// The CPU time that `time`, /usr/bin/time -v or perf stat wrote beside the table: user and system seconds, added up;
/// nothing when one of the two is missing.
std::optional<double> cpu_seconds_of(const std::vector<std::string_view>& lines);

// One reader a file.
std::optional<MeasuredWorkload> read_workload_json(const Sources& sources, FileId file, Machine machine,
                                                   Diagnostics& diagnostics);
std::optional<MeasuredWorkload> read_bpftrace(const Sources& sources, FileId file, Machine machine,
                                              Diagnostics& diagnostics);
std::optional<MeasuredWorkload> read_perf_report(const Sources& sources, FileId file, Diagnostics& diagnostics);
std::optional<MeasuredWorkload> read_perf_trace(const Sources& sources, FileId file, Machine machine,
                                                Diagnostics& diagnostics);
std::optional<MeasuredWorkload> read_strace(const Sources& sources, FileId file, Machine machine,
                                            Diagnostics& diagnostics);

}  // namespace auopt
