// Which format a workload has, and joining several files into one workload.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "workload/text_lines.hpp"

namespace auopt {
namespace {

bool has_word(const std::vector<std::string_view>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::string_view workload_format_name(WorkloadFormat format) {
    switch (format) {
        case WorkloadFormat::json:
            return "json";
        case WorkloadFormat::bpftrace:
            return "bpftrace";
        case WorkloadFormat::perf_report:
            return "perf-report";
        case WorkloadFormat::perf_trace:
            return "perf-trace";
        case WorkloadFormat::strace:
            return "strace";
    }
    return "";
}

std::optional<WorkloadFormat> workload_format_named(std::string_view name) {
    for (const WorkloadFormat format : all_workload_formats)
        if (workload_format_name(format) == name) return format;
    return std::nullopt;
}

std::optional<WorkloadFormat> detect_workload_format(std::string_view text) {
    const auto lines = text_lines(text);
    // bpftrace -f json writes an object a line, each with a type, perhaps behind its messages; ours is one object.
    for (const std::string_view line : lines)
        if (line.starts_with("{\"type\"")) return WorkloadFormat::bpftrace;
    for (const std::string_view line : lines) {
        const auto words = words_of(line);
        if (words.empty()) continue;
        if (words[0].starts_with('{')) return WorkloadFormat::json;
        break;
    }
    for (const std::string_view line : lines) {
        if (line.starts_with('@') && line.find('[') != std::string_view::npos &&
            line.find("]:") != std::string_view::npos)
            return WorkloadFormat::bpftrace;
        const auto words = words_of(line);
        if (words.size() >= 2 && words[0] == "#" && (words[1] == "Overhead" || words[1] == "Children"))
            return WorkloadFormat::perf_report;
        if (words.size() >= 3 && words[0] == "syscall" && words[1] == "calls" && has_word(words, "stddev"))
            return WorkloadFormat::perf_trace;
    }
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
        if (has_word(words_of(lines[i]), "syscall") && words_of(lines[i + 1]).size() > 0 &&
            words_of(lines[i + 1]).front().starts_with("---"))
            return WorkloadFormat::strace;
    return std::nullopt;
}

std::optional<MeasuredWorkload> read_workload(const Sources& sources, FileId file, std::optional<WorkloadFormat> format,
                                              Machine machine, Diagnostics& diagnostics) {
    if (!format) format = detect_workload_format(sources.text(file));
    if (!format) {
        diagnostics.add({std::string(ids::workload_format_unknown),
                         Level::error,
                         Span{file, 0, 0, 0},
                         "this is no workload: neither JSON (no { first), nor bpftrace (no @[call]: count), nor perf "
                         "report (no # Overhead), nor perf trace -s (no columns syscall, calls ... stddev), nor strace "
                         "-c (no column syscall above a line of dashes)",
                         {},
                         "auopt explain AU070; FORMAT:FILE says which one it is meant to be",
                         std::nullopt});
        return std::nullopt;
    }
    switch (*format) {
        case WorkloadFormat::json:
            return read_workload_json(sources, file, machine, diagnostics);
        case WorkloadFormat::bpftrace:
            return read_bpftrace(sources, file, machine, diagnostics);
        case WorkloadFormat::perf_report:
            return read_perf_report(sources, file, diagnostics);
        case WorkloadFormat::perf_trace:
            return read_perf_trace(sources, file, machine, diagnostics);
        case WorkloadFormat::strace:
            return read_strace(sources, file, machine, diagnostics);
    }
    return std::nullopt;
}

MeasuredWorkload join_workloads(MeasuredWorkload first, const MeasuredWorkload& second) {
    first.name += " + " + second.name;
    if (second.measured) first.measured = second.measured;
    if (second.ns_per_instruction) first.ns_per_instruction = second.ns_per_instruction;
    if (second.cpus) first.cpus = second.cpus;
    if (second.calls.empty()) return first;
    const bool had_calls = !first.calls.empty();
    // Counts of both runs; their CPU time is known only where both say it.
    if (!had_calls) {
        first.cpu_seconds = second.cpu_seconds;
        first.audited = second.audited;
        first.format = second.format;
    } else if (first.cpu_seconds && second.cpu_seconds)
        *first.cpu_seconds += *second.cpu_seconds;
    else
        first.cpu_seconds.reset();
    std::map<std::pair<std::uint32_t, unsigned>, CallWeight> sums;
    for (const CallWeight& call : first.calls) sums[{call.arch, call.nr}] = call;
    for (const CallWeight& call : second.calls) {
        auto [at, added] = sums.try_emplace({call.arch, call.nr}, call);
        if (added) continue;
        CallWeight& sum = at->second;
        if (sum.failed && call.failed)
            sum.failed = (*sum.failed * sum.weight + *call.failed * call.weight) / (sum.weight + call.weight);
        else
            sum.failed.reset();
        sum.weight += call.weight;
    }
    first.calls.clear();
    for (const auto& [key, call] : sums) first.calls.push_back(call);
    return first;
}

}  // namespace auopt
