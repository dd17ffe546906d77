// Reads what perf report --stdio prints: how much of the samples each symbol has. It counts no calls; it says how much
// time the audit functions really took. Of the columns Children and Self, Self is taken; call chains are skipped.
#include <algorithm>
#include <array>
#include <set>

#include "workload/text_lines.hpp"

namespace auopt {
namespace {

/// Functions whose work grows with the rules (kernel/auditsc.c, auditfilter.c, audit_watch.c, audit_tree.c, and the
/// perm= classes). Small ones are usually inlined into the first three.
const std::set<std::string_view>& filter_functions() {
    static const std::set<std::string_view> names{
        "__audit_filter_op",       "audit_filter_syscall", "audit_filter_rules",     "audit_filter_inodes",
        "audit_filter_inode_name", "audit_filter_uring",   "audit_filter_task",      "audit_filter",
        "audit_in_mask",           "audit_comparator",     "audit_comparator64",     "audit_uid_comparator",
        "audit_gid_comparator",    "audit_field_compare",  "audit_compare_uid",      "audit_compare_gid",
        "audit_match_perm",        "audit_match_filetype", "audit_match_class_bits", "audit_classify_syscall",
        "audit_classify_arch",     "audit_exe_compare",    "audit_mark_compare",     "audit_watch_compare",
        "match_tree_refs"};
    return names;
}

const std::set<std::string_view>& entry_functions() {
    static const std::set<std::string_view> names{"entry_SYSCALL_64",
                                                  "entry_SYSCALL_64_after_hwframe",
                                                  "entry_SYSCALL_64_safe_stack",
                                                  "entry_SYSRETQ_unsafe_stack",
                                                  "entry_SYSENTER_compat",
                                                  "entry_INT80_compat",
                                                  "syscall_return_via_sysret",
                                                  "do_syscall_64",
                                                  "x64_sys_call",
                                                  "syscall_trace_enter",
                                                  "syscall_enter_from_user_mode",
                                                  "syscall_exit_to_user_mode",
                                                  "syscall_exit_to_user_mode_prepare",
                                                  "syscall_exit_work"};
    return names;
}

/// Without what compilers add to the names of parts and copies: audit_filter_rules.constprop.0.
std::string_view plain_name(std::string_view symbol) { return symbol.substr(0, symbol.find('.')); }

std::optional<double> percent(std::string_view word) {
    if (!word.ends_with('%')) return std::nullopt;
    const auto value = decimal_of(word.substr(0, word.size() - 1));
    return value && *value <= 100 ? value : std::nullopt;
}

}  // namespace

std::optional<MeasuredWorkload> read_perf_report(const Sources& sources, FileId file, Diagnostics& diagnostics) {
    const auto lines = text_lines(sources.text(file));
    CallCounter counter(file, Machine::x86_64, diagnostics);
    bool children = false, any = false;
    SymbolShares shares;
    double sum = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        auto words = words_of(lines[i]);
        if (words.empty()) continue;
        if (words[0] == "#") {
            words.erase(words.begin());
            if (words.empty() || (words[0] != "Overhead" && words[0] != "Children")) continue;
            if (any) {
                counter.error(ids::workload_ambiguous, i + 1, "the file holds more than one report",
                              "keep the report of the event that counts time (cycles or cpu-clock)");
                return std::nullopt;
            }
            children = words[0] == "Children";
            if (std::find(words.begin(), words.end(), "Symbol") == words.end()) {
                counter.error(ids::workload_no_counts, i + 1, "the report has no column Symbol",
                              "use perf report --stdio --sort symbol");
                return std::nullopt;
            }
            continue;
        }
        if (words[0][0] == '#' || words[0][0] == '|' || words[0].starts_with("-")) continue;
        // A line of the table: percentages, then somewhere "[k] symbol". Call chains have percentages behind dashes.
        const std::size_t percents = children ? 2 : 1;
        if (words.size() <= percents || !percent(words[0])) continue;
        const auto own = percent(words[percents - 1]);
        const auto mark = std::find_if(words.begin(), words.end(), [](std::string_view w) {
            return w.size() == 3 && w.front() == '[' && w.back() == ']';
        });
        if (!own || mark == words.end() || mark + 1 == words.end()) {
            counter.warn(ids::workload_line_unreadable, i + 1, "not a line of perf report's table; left out");
            continue;
        }
        any = true;
        sum += *own;
        if (*mark != "[k]") continue;
        const std::string_view symbol = plain_name(*(mark + 1));
        if (filter_functions().contains(symbol))
            shares.filter += *own;
        else if (symbol.starts_with("audit_") || symbol.starts_with("__audit_") || symbol.starts_with("auditd_") ||
                 symbol.starts_with("kauditd_") || symbol.starts_with("auditsc_"))
            shares.other_audit += *own;
        else if (entry_functions().contains(symbol))
            shares.entry += *own;
    }
    if (!any) {
        counter.error(ids::workload_format_unknown, 0,
                      "no line with a percentage and a symbol, as perf report --stdio "
                      "prints");
        return std::nullopt;
    }
    constexpr double rounding = 1.0;
    if (sum > 100 + rounding) {
        counter.error(ids::workload_ambiguous, 0, "the shares add up to more than 100 %: not one report of one event",
                      "keep the report of the event that counts time (cycles or cpu-clock)");
        return std::nullopt;
    }
    MeasuredWorkload workload;
    workload.name = sources.name(file);
    workload.format = WorkloadFormat::perf_report;
    workload.measured = shares;
    return workload;
}

}  // namespace auopt
