// Reads what strace -c and -C print: one table per personality, "% time seconds usecs/call calls errors syscall" by
// default, any columns in any order with -U; the errors column is blank where there are none.
#include <algorithm>

#include <fmt/format.h>

#include "workload/text_lines.hpp"

namespace auopt {
namespace {

/// "% time" is one column.
std::vector<std::string> columns_of(std::string_view line) {
    std::vector<std::string> columns;
    for (const std::string_view word : words_of(line)) {
        if (word == "time" && !columns.empty() && columns.back() == "%")
            columns.back() = "% time";
        else
            columns.emplace_back(word);
    }
    return columns;
}

bool is_rule_line(std::string_view line) {
    const auto words = words_of(line);
    return !words.empty() && std::all_of(words.begin(), words.end(), [](std::string_view w) {
        return w.size() >= 3 && w.find_first_not_of('-') == std::string_view::npos;
    });
}

struct Layout {
    std::size_t columns = 0, call = 0, calls = 0;
    std::optional<std::size_t> errors;
};

/// `column` of a row of `words`: the blank errors column has no word.
std::string_view cell(const std::vector<std::string_view>& words, const Layout& layout, std::size_t column) {
    const bool blank = words.size() + 1 == layout.columns && layout.errors;
    if (blank && column > *layout.errors) --column;
    return words[column];
}

}  // namespace

std::optional<MeasuredWorkload> read_strace(const Sources& sources, FileId file, Machine machine,
                                            Diagnostics& diagnostics) {
    const auto lines = text_lines(sources.text(file));
    CallCounter counter(file, machine, diagnostics);
    constexpr std::string_view heading = "System call usage summary for ";
    bool any_table = false, left_out = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with(heading)) {
            const std::string_view mode = lines[i].substr(heading.size());
            left_out = mode.starts_with("x32");
            counter.use(mode.starts_with("32 bit") ? machine_companion(machine) : machine);
            if (left_out)
                counter.warn(ids::workload_call_unknown, i + 1,
                             "x32 calls are in no rule's mask; this table is left out");
            continue;
        }
        // A table begins with its column names above a rule of dashes.
        if (i + 1 >= lines.size() || !is_rule_line(lines[i + 1])) continue;
        const auto columns = columns_of(lines[i]);
        const auto call = std::find(columns.begin(), columns.end(), "syscall");
        const auto calls = std::find(columns.begin(), columns.end(), "calls");
        if (call == columns.end()) continue;
        if (calls == columns.end()) {
            counter.error(ids::workload_no_counts, i + 1, "the table has no column calls",
                          "let strace print it: -U name,calls,errors");
            return std::nullopt;
        }
        any_table = true;
        Layout layout{columns.size(), static_cast<std::size_t>(call - columns.begin()),
                      static_cast<std::size_t>(calls - columns.begin()), std::nullopt};
        if (const auto errors = std::find(columns.begin(), columns.end(), "errors"); errors != columns.end())
            layout.errors = static_cast<std::size_t>(errors - columns.begin());
        double sum = 0;
        bool ended = false;
        for (i += 2; i < lines.size(); ++i) {
            if (is_rule_line(lines[i])) continue;
            const auto words = words_of(lines[i]);
            const bool whole = words.size() == layout.columns || (layout.errors && words.size() + 1 == layout.columns);
            const auto count = whole ? count_of(cell(words, layout, layout.calls)) : std::nullopt;
            if (!count) {
                counter.warn(ids::workload_line_unreadable, i + 1, "not a line of strace's table; left out");
                continue;
            }
            const std::string_view name = cell(words, layout, layout.call);
            if (name == "total") {
                if (*count != sum)
                    counter.warn(
                        ids::workload_incomplete, i + 1,
                        fmt::format("the total is {:.0f} calls, the lines above add up to {:.0f}", *count, sum));
                ended = true;
                break;
            }
            std::optional<double> failed;
            if (layout.errors) {
                failed = 0;
                if (words.size() == layout.columns) failed = count_of(words[*layout.errors]);
                if (!failed) {
                    counter.warn(ids::workload_line_unreadable, i + 1, "errors is no number; left out");
                    continue;
                }
            }
            sum += *count;
            if (!left_out) counter.add(name, *count, failed, i + 1);
        }
        if (!ended) counter.warn(ids::workload_incomplete, lines.size(), "the table has no total line");
    }
    if (!any_table) {
        counter.error(ids::workload_format_unknown, 0, "no table with a column syscall, as strace -c prints");
        return std::nullopt;
    }
    auto calls = counter.finish();
    if (!calls) return std::nullopt;
    MeasuredWorkload workload;
    workload.name = sources.name(file);
    workload.format = WorkloadFormat::strace;
    workload.calls = std::move(*calls);
    workload.cpu_seconds = cpu_seconds_of(lines);
    return workload;
}

}  // namespace auopt
