// What a machine does: how often it makes each system call, and in how much CPU time. Read from what tracers print
// (docs/WORKLOAD.md); weighs the optimizer's decisions and turns instructions per call into a share of CPU time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostic.hpp"
#include "grammar/source.hpp"
#include "tables/names.hpp"

namespace auopt {

/// Weight of one call in a workload; weights need not add up to one.
struct CallWeight {
    std::uint32_t arch = 0;  // AUDIT_ARCH_*
    unsigned nr = 0;
    double weight = 0;             // calls, or calls per CPU second: only ratios matter to the optimizer
    std::optional<double> failed;  // share of the calls that return an error, 0..1; absent: not counted
};
using Workload = std::vector<CallWeight>;

enum class WorkloadFormat { json, bpftrace, perf_report, perf_trace, strace };
constexpr WorkloadFormat all_workload_formats[] = {WorkloadFormat::json, WorkloadFormat::bpftrace,
                                                   WorkloadFormat::perf_report, WorkloadFormat::perf_trace,
                                                   WorkloadFormat::strace};
/// "json", "bpftrace", "perf-report", "perf-trace", "strace".
std::string_view workload_format_name(WorkloadFormat format);
std::optional<WorkloadFormat> workload_format_named(std::string_view name);

/// Beyond this nobody has CPUs (CONFIG_NR_CPUS of x86_64).
constexpr unsigned most_cpus = 8192;

/// Percent of samples, as perf report counted them.
struct SymbolShares {
    double filter = 0;  // functions whose work grows with the rules (audit_filter_*, __audit_filter_op, comparators)
    double other_audit = 0;  // the rest of audit: what being armed costs, and writing records
    double entry = 0;        // system call entry and exit (entry_SYSCALL_64, do_syscall_64, syscall_trace_enter, ...)
};

struct MeasuredWorkload {
    std::string name;  // of the file, or of the shipped workload
    WorkloadFormat format = WorkloadFormat::json;
    std::string source;                 // how it was obtained (JSON only)
    Workload calls;                     // each (arch, nr) once, ascending; weights above 0
    std::optional<double> cpu_seconds;  // CPU time in which `calls` were made
    bool audited = true;                // under the rules (before a change): the CPU time holds their filtering already
    std::optional<double> ns_per_instruction;
    std::optional<SymbolShares> measured;
    std::optional<unsigned> cpus;  // that run one program and share the count behind its exe= tests (JSON only)
};

/// Reads one tracer's output. `format`: nothing means to tell it from the content. Names and numbers are those of
/// `machine`, in strace's 32-bit tables those of its 32-bit companion. What cannot be used is in `diagnostics`
/// (AU070..AU077); nothing is returned when no use can be made of the file.
std::optional<MeasuredWorkload> read_workload(const Sources& sources, FileId file, std::optional<WorkloadFormat> format,
                                              Machine machine, Diagnostics& diagnostics);

/// What the content looks like; nothing when like none of the formats.
std::optional<WorkloadFormat> detect_workload_format(std::string_view text);

/// The calls of `counts` joined with the symbol shares of `profile`, as from two files of one measurement.
MeasuredWorkload join_workloads(MeasuredWorkload first, const MeasuredWorkload& second);

/// The workloads that ship with the program, by name ("server"); share/workloads/NAME.json. nullptr when unknown.
const MeasuredWorkload* shipped_workload(std::string_view name);
std::vector<std::string> shipped_workload_names();

/// The documented default (docs/WORKLOAD.md): the shipped workload of this name.
constexpr std::string_view default_workload_name = "server";
const MeasuredWorkload& default_measured_workload(Machine machine = Machine::x86_64);
inline const Workload& default_workload(Machine machine = Machine::x86_64) {
    return default_measured_workload(machine).calls;
}

/// A workload of x86_64 as it would be on another machine: calls that it lacks become those that stand for them there
/// (openat for open), or are left out.
MeasuredWorkload workload_on(const MeasuredWorkload& workload, Machine machine);

}  // namespace auopt
