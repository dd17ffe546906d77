// No input makes a reader crash, and one that yields no workload, or less than it seems to hold, always says why.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "workload/workload.hpp"

namespace auopt {
namespace {

const std::vector<std::string>& samples() {
    static const std::vector<std::string> texts{
        "% time     seconds  usecs/call     calls    errors syscall\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        " 70.00    0.000700          10        70           read\n"
        " 30.00    0.000300          10        30        12 openat\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        "100.00    0.001000          10       100        12 total\n"
        "System call usage summary for 32 bit mode:\n"
        "% time     seconds  usecs/call     calls    errors syscall\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        "  0.00    0.000000           0         5           getpid\n"
        "------ ----------- ----------- --------- --------- ----------------\n"
        "100.00    0.000000           0         5           total\n",
        " Summary of events:\n\n sh (1), 4 events, 9.0%\n\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
        "   read                   6      0     0.600     0.100     0.100     0.100      0.00%\n"
        "   openat                 4      2     0.400     0.100     0.100     0.100      1.25%\n\t\tENOENT: 2\n",
        "Attaching 1 probe...\n\n@[0]: 3\n@[tracepoint:syscalls:sys_enter_read]: 5\n@[sh, 1]: 2\n",
        "{\"type\": \"map\", \"data\": {\"@\": {\"0\": 3, \"sh,1\": 5}}}\n",
        "# Overhead  Command  Shared Object      Symbol\n"
        "    27.62%  getpid   [kernel.kallsyms]  [k] __audit_filter_op\n"
        "     3.00%  getpid   [kernel.kallsyms]  [k] __audit_syscall_exit\n",
        "{\"calls\": [{\"name\": \"read\", \"arch\": \"b64\", \"calls\": 4, \"failed\": 1}], \"cpu_seconds\": 2,\n"
        " \"parts\": [{\"share\": 1, \"cpu_seconds\": 2, \"calls\": {\"read\": 3}}]}\n"};
    return texts;
}

void check(const std::string& text, std::optional<WorkloadFormat> format) {
    Sources sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("w", text);
    const auto workload = read_workload(sources, file, format, Machine::x86_64, diagnostics);
    RC_ASSERT(workload.has_value() == !diagnostics.has_errors());
    for (const Diagnostic& d : diagnostics.items()) {
        RC_ASSERT(d.id.starts_with("AU07"));
        RC_ASSERT(!d.message.empty());
        RC_ASSERT(d.span.line == 0 ||
                  d.span.line <= 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')));
    }
    if (!workload) return;
    RC_ASSERT(!workload->calls.empty() || workload->measured);
    for (const CallWeight& call : workload->calls) {
        RC_ASSERT(std::isfinite(call.weight) && call.weight > 0);
        RC_ASSERT(call.nr < 2032);
        const double failed = call.failed.value_or(0);
        RC_ASSERT(failed >= 0 && failed <= 1);
    }
}

std::optional<WorkloadFormat> any_format() {
    const int which = *rc::gen::inRange(0, 10);
    if (which >= 5) return std::nullopt;
    return all_workload_formats[which];
}

RC_GTEST_PROP(WorkloadGarbage, RandomBytes, (const std::string& text)) { check(text, any_format()); }

RC_GTEST_PROP(WorkloadGarbage, Truncated, ()) {
    const std::string text = *rc::gen::elementOf(samples());
    check(text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size() + 1)), any_format());
}

RC_GTEST_PROP(WorkloadGarbage, DamagedSamples, ()) {
    std::string text = *rc::gen::elementOf(samples());
    const int edits = *rc::gen::inRange(1, 8);
    static const std::vector<std::string> pieces{"",
                                                 "-",
                                                 "99999999999999999999",
                                                 "9007199254740993",
                                                 "0",
                                                 " ",
                                                 "\n",
                                                 "\t",
                                                 "[",
                                                 "]:",
                                                 "@",
                                                 "%",
                                                 "[k]",
                                                 "#",
                                                 "calls",
                                                 "syscall",
                                                 "total",
                                                 "errors",
                                                 "events,",
                                                 "\"",
                                                 "{",
                                                 "}",
                                                 ",",
                                                 "NaN",
                                                 "1e999",
                                                 std::string(1, '\0'),
                                                 "\xff",
                                                 "---",
                                                 "user 1\nsys 2\n",
                                                 "System call usage summary for 32 bit mode:\n"};
    for (int i = 0; i < edits; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
        const auto length = *rc::gen::inRange<std::size_t>(0, 12);
        text.replace(at, length, *rc::gen::elementOf(pieces));
    }
    check(text, any_format());
}

RC_GTEST_PROP(WorkloadGarbage, LinesOfTwoSamplesMixed, ()) {
    std::string text = *rc::gen::elementOf(samples());
    const std::string other = *rc::gen::elementOf(samples());
    const auto from = *rc::gen::inRange<std::size_t>(0, other.size());
    text.insert(*rc::gen::inRange<std::size_t>(0, text.size() + 1), other.substr(from));
    check(text, any_format());
}

// A truncated table never passes for a whole one: what is missing is said, or nothing is.
RC_GTEST_PROP(WorkloadGarbage, StraceCutsAreNoticed, ()) {
    const std::string& text = samples().front();
    const std::size_t first_total = text.find(" total\n") + 6;
    const auto cut = *rc::gen::inRange<std::size_t>(0, first_total);
    Sources sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("w", text.substr(0, cut));
    read_workload(sources, file, std::nullopt, Machine::x86_64, diagnostics);
    RC_ASSERT(!diagnostics.items().empty());
}

}  // namespace
}  // namespace auopt
