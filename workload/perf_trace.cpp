// Reads what perf trace -s (and -S) prints: a section a thread, or one in all; the columns syscall, calls, errors (from
// 5.6 on), total, min, avg, max, stddev. Calls of a table are added up over all sections.
#include <algorithm>

#include "workload/text_lines.hpp"

namespace auopt {
namespace {

bool is_header(const std::vector<std::string_view>& words) {
    return words.size() >= 3 && words[0] == "syscall" && words[1] == "calls" &&
           std::find(words.begin(), words.end(), "stddev") != words.end();
}

bool is_dashes(std::string_view word) { return word.find_first_not_of('-') == std::string_view::npos; }

/// "ENOENT: 13" of --errno-summary.
bool is_errno_count(const std::vector<std::string_view>& words) {
    return words.size() == 2 && words[0].size() > 1 && words[0].back() == ':' && count_of(words[1]);
}

}  // namespace

std::optional<MeasuredWorkload> read_perf_trace(const Sources& sources, FileId file, Machine machine,
                                                Diagnostics& diagnostics) {
    const auto lines = text_lines(sources.text(file));
    CallCounter counter(file, machine, diagnostics);
    std::size_t columns = 0;  // of the table we are in; 0: none
    bool errors = false, any_table = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto words = words_of(lines[i]);
        if (words.size() >= 3 && words[0] == "LOST" && count_of(words[1])) {
            counter.warn(ids::workload_incomplete, i + 1, "perf lost events: the counts are too low");
            continue;
        }
        if (is_header(words)) {
            columns = words.size();
            errors = std::find(words.begin(), words.end(), "errors") != words.end();
            any_table = true;
            continue;
        }
        if (columns == 0) continue;
        if (words.empty()) continue;
        if (words[0].starts_with('(') || is_dashes(words[0]) || is_errno_count(words)) continue;
        // "nginx (1234), 99 events, 1.0%" opens the next thread's section.
        if (std::find(words.begin(), words.end(), "events,") != words.end()) {
            columns = 0;
            continue;
        }
        const auto count = words.size() == columns && words.back().ends_with('%') ? count_of(words[1]) : std::nullopt;
        std::optional<double> failed;
        if (count && errors) failed = count_of(words[2]);
        if (!count || (errors && !failed)) {
            counter.warn(ids::workload_line_unreadable, i + 1, "not a line of perf trace's table; left out");
            continue;
        }
        counter.add(words[0], *count, failed, i + 1);
    }
    if (!any_table) {
        counter.error(ids::workload_format_unknown, 0,
                      "no table with the columns syscall, calls, ..., stddev, as "
                      "perf trace -s prints");
        return std::nullopt;
    }
    auto calls = counter.finish();
    if (!calls) return std::nullopt;
    MeasuredWorkload workload;
    workload.name = sources.name(file);
    workload.format = WorkloadFormat::perf_trace;
    workload.calls = std::move(*calls);
    workload.cpu_seconds = cpu_seconds_of(lines);
    return workload;
}

}  // namespace auopt
