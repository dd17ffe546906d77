// Every format as its tracers write it, in the variants that versions and options make; all samples made up here.
#include "workload/workload.hpp"

#include <gtest/gtest.h>

#include <map>

#include <fmt/format.h>

#include "compiler/ir.hpp"

namespace auopt {
namespace {

struct Read {
    std::optional<MeasuredWorkload> workload;
    Diagnostics diagnostics;
    std::vector<std::string> ids() const {
        std::vector<std::string> out;
        for (const Diagnostic& d : diagnostics.items()) out.push_back(d.id + ":" + std::to_string(d.span.line));
        return out;
    }
    /// Calls by (arch, number).
    std::map<std::pair<std::uint32_t, unsigned>, double> calls() const {
        std::map<std::pair<std::uint32_t, unsigned>, double> out;
        if (workload)
            for (const CallWeight& call : workload->calls) out[{call.arch, call.nr}] = call.weight;
        return out;
    }
    std::optional<double> failed(unsigned nr) const {
        for (const CallWeight& call : workload->calls)
            if (call.nr == nr) return call.failed;
        return std::nullopt;
    }
};

Read read(std::string text, std::optional<WorkloadFormat> format = std::nullopt, Machine machine = Machine::x86_64) {
    Read result;
    Sources sources;
    const FileId file = sources.add("w", std::move(text));
    result.workload = read_workload(sources, file, format, machine, result.diagnostics);
    return result;
}

using Calls = std::map<std::pair<std::uint32_t, unsigned>, double>;
constexpr auto b64 = arch_x86_64;
constexpr auto b32 = arch_i386;
using Ids = std::vector<std::string>;

// ---- strace -c ---------------------------------------------------------------------------------------------------

constexpr const char* strace_head =
    "% time     seconds  usecs/call     calls    errors syscall\n"
    "------ ----------- ----------- --------- --------- ----------------\n";

TEST(WorkloadStrace, BlankAndFilledErrors) {
    const Read r = read(std::string(strace_head) +
                        " 70.00    0.000700          10        70           read\n"
                        " 30.00    0.000300          10        30        12 openat\n"
                        "------ ----------- ----------- --------- --------- ----------------\n"
                        "100.00    0.001000          10       100        12 total\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 70}, {{b64, 257}, 30}}));
    EXPECT_EQ(r.failed(0), 0.0);
    EXPECT_EQ(r.failed(257), 0.4);
    EXPECT_EQ(r.workload->format, WorkloadFormat::strace);
}

TEST(WorkloadStrace, TraceBeforeTheTableOfMinusC) {
    const Read r =
        read(std::string("read(3, \"# syscall\", 9) = 9\nwrite(1, \"-----\", 5) = 5\n+++ exited with 0 +++\n") +
             strace_head +
             "  0.00    0.000000           0         2           write\n"
             "------ ----------- ----------- --------- --------- ----------------\n"
             "100.00    0.000000           0         2           total\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 1}, 2}}));
}

TEST(WorkloadStrace, OneTableForEachPersonality) {
    const std::string end = "------ ----------- ----------- --------- --------- ----------------\n";
    const Read r = read("System call usage summary for 64 bit mode:\n" + std::string(strace_head) +
                        "  0.00    0.000000           0         3           read\n" + end +
                        "100.00    0.000000           0         3           total\n"
                        "System call usage summary for 32 bit mode:\n" +
                        strace_head + "  0.00    0.000000           0         4           read\n" + end +
                        "100.00    0.000000           0         4           total\n"
                        "System call usage summary for x32 mode:\n" +
                        strace_head + "  0.00    0.000000           0         5           read\n" + end +
                        "100.00    0.000000           0         5           total\n");
    EXPECT_EQ(r.ids(), Ids{"AU072:13"});  // x32
    EXPECT_EQ(r.calls(), (Calls{{{b32, 3}, 4}, {{b64, 0}, 3}}));
}

TEST(WorkloadStrace, ColumnsInAnyOrder) {
    const Read names = read(
        "syscall              calls\n---------------- ---------\nread                     7\n"
        "---------------- ---------\ntotal                    7\n");
    EXPECT_EQ(names.ids(), Ids{});
    EXPECT_EQ(names.calls(), (Calls{{{b64, 0}, 7}}));
    EXPECT_EQ(names.failed(0), std::nullopt);

    const Read mixed = read(
        "   errors syscall              calls     seconds    shortest     longest % time\n"
        "--------- ---------------- --------- ----------- ----------- ----------- ------\n"
        "        2 openat                   8    0.000100    0.000001    0.000009  50.00\n"
        "          read                     9    0.000100    0.000001    0.000009  50.00\n"
        "--------- ---------------- --------- ----------- ----------- ----------- ------\n"
        "        2 total                   17    0.000200    0.000001    0.000009 100.00\n");
    EXPECT_EQ(mixed.ids(), Ids{});
    EXPECT_EQ(mixed.calls(), (Calls{{{b64, 0}, 9}, {{b64, 257}, 8}}));
    EXPECT_EQ(mixed.failed(257), 0.25);
}

TEST(WorkloadStrace, UnknownNamesAreReportedAndLeftOut) {
    const Read r = read(std::string(strace_head) +
                        "  0.00    0.000000           0         3           frobnicate\n"
                        "  0.00    0.000000           0         3           syscall_0x1c3\n"
                        "  0.00    0.000000           0         3           syscall_0x8000\n"
                        "  0.00    0.000000           0         3           pread64\n"
                        "------ ----------- ----------- --------- --------- ----------------\n"
                        "100.00    0.000000           0        12           total\n");
    EXPECT_EQ(r.ids(), (Ids{"AU072:3", "AU072:5"}));
    EXPECT_EQ(r.calls(), (Calls{{{b64, 17}, 3}, {{b64, 0x1c3}, 3}}));
}

TEST(WorkloadStrace, CutOffAndCorrupt) {
    const Read cut = read(std::string(strace_head) +
                          "  0.00    0.000000           0         3           read\n"
                          "  0.00    0.000000           0         3           wri");
    EXPECT_EQ(cut.ids(), (Ids{"AU072:4", "AU075:4"}));
    const Read wrong_total = read(std::string(strace_head) +
                                  "  0.00    0.000000           0         3           read\n"
                                  "  0.00    0.000000           0         4           total\n");
    EXPECT_EQ(wrong_total.ids(), Ids{"AU075:4"});
    const Read bad = read(std::string(strace_head) +
                          "  0.00    0.000000           0        -3           read\n"
                          "  0.00    0.000000           0 99999999999999999999        read\n"
                          "  0.00    0.000000           0         2         5 read\n"
                          "  0.00    0.000000           0         7           read\n"
                          "  0.00    0.000000           0         9           total\n");
    EXPECT_EQ(bad.ids(), (Ids{"AU073:3", "AU073:4", "AU073:5"}));
    EXPECT_EQ(bad.calls(), (Calls{{{b64, 0}, 7}}));
}

TEST(WorkloadStrace, NothingCounted) {
    EXPECT_EQ(read(strace_head + std::string("  0.00 0.0 0 0 read\n  0.00 0.0 0 0 total\n")).ids(), Ids{"AU071:0"});
    EXPECT_EQ(read("% time     seconds syscall\n------ ----------- ---------\n1 2 read\n").ids(), Ids{"AU076:1"});
}

TEST(WorkloadStrace, TimesBesideTheTable) {
    const std::string table = std::string(strace_head) + "  0.00 0.0 0 4 read\n  0.00 0.0 0 4 total\n";
    EXPECT_EQ(read(table).workload->cpu_seconds, std::nullopt);
    EXPECT_DOUBLE_EQ(*read(table + "\nreal\t0m9.1s\nuser\t1m0.500s\nsys\t0m0.250s\n").workload->cpu_seconds, 60.75);
    EXPECT_DOUBLE_EQ(*read(table + "real 9\nuser 1.5\nsys 0.25\n").workload->cpu_seconds, 1.75);
    EXPECT_DOUBLE_EQ(
        *read(table + "\tUser time (seconds): 2.00\n\tSystem time (seconds): 1.00\n").workload->cpu_seconds, 3);
    EXPECT_DOUBLE_EQ(*read(table + "  2.000 seconds user\n  0.500 seconds sys\n").workload->cpu_seconds, 2.5);
    EXPECT_EQ(read(table + "user 1.5\n").workload->cpu_seconds, std::nullopt);  // half of it is no CPU time
}

TEST(WorkloadStrace, OtherMachinesHaveOtherNumbers) {
    const std::string table = std::string(strace_head) + "  0.00 0.0 0 4 openat\n  0.00 0.0 0 4 total\n";
    EXPECT_EQ(read(table, {}, Machine::aarch64).calls(), (Calls{{{machine_elf(Machine::aarch64), 56}, 4}}));
    EXPECT_EQ(read(table, {}, Machine::s390x).calls(), (Calls{{{machine_elf(Machine::s390x), 288}, 4}}));
}

// ---- perf trace -s -----------------------------------------------------------------------------------------------

TEST(WorkloadPerfTrace, SectionsAreAddedUp) {
    const Read r = read(
        "\n Summary of events:\n\n nginx (41), 20 events, 50.0%\n\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
        "   read                   6      0     0.600     0.100     0.100     0.100      0.00%\n"
        "   openat                 4      2     0.400     0.100     0.100     0.100      1.25%\n"
        "\t\t\t\tENOENT: 2\n\n\n"
        " my prog (x) (42), 20 events, 50.0%\n\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "                                     (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- --------  ------ -------- --------- --------- ---------     ------\n"
        "   read                  10      0     0.600     0.100     0.100     0.100      0.00%\n\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 16}, {{b64, 257}, 4}}));
    EXPECT_EQ(r.failed(257), 0.5);
    EXPECT_EQ(r.workload->format, WorkloadFormat::perf_trace);
}

TEST(WorkloadPerfTrace, BeforeErrorsWereCounted) {
    const Read r = read(
        " Summary of events:\n\n a (1), 2 events, 100.0%\n\n"
        "   syscall            calls    total       min       avg       max      stddev\n"
        "                               (msec)    (msec)    (msec)    (msec)        (%)\n"
        "   --------------- -------- --------- --------- --------- ---------     ------\n"
        "   close                  3     0.600     0.100     0.100     0.100      0.00%\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 3}, 3}}));
    EXPECT_EQ(r.failed(3), std::nullopt);
}

TEST(WorkloadPerfTrace, LostEventsUnknownCallsAndBadLines) {
    const Read r = read(
        "LOST 12 events!\n a (1), 2 events, 100.0%\n"
        "   syscall            calls  errors  total       min       avg       max       stddev\n"
        "   close                  3      0     0.600     0.100     0.100     0.100      0.00%\n"
        "   frob                   3      0     0.600     0.100     0.100     0.100      0.00%\n"
        "   read                   x      0     0.600     0.100     0.100     0.100      0.00%\n"
        "   write                  3      0     0.600     0.1\n");
    EXPECT_EQ(r.ids(), (Ids{"AU075:1", "AU072:5", "AU073:6", "AU073:7"}));
    EXPECT_EQ(r.calls(), (Calls{{{b64, 3}, 3}}));
}

// ---- bpftrace ----------------------------------------------------------------------------------------------------

TEST(WorkloadBpftrace, NumbersNamesAndProbes) {
    const Read r = read(
        "Attaching 1 probe...\n^C\n\n@[59]: 3\n@[read]: 5\n@[tracepoint:syscalls:sys_enter_openat]: 7\n"
        "@[sys_enter_close]: 11\n@[kprobe:__x64_sys_write]: 13\n@[__ia32_sys_read]: 17\n@[0]: 2\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(),
              (Calls{{{b32, 3}, 17}, {{b64, 0}, 7}, {{b64, 1}, 13}, {{b64, 3}, 11}, {{b64, 59}, 3}, {{b64, 257}, 7}}));
}

TEST(WorkloadBpftrace, KeysOfSeveralValues) {
    const Read r = read("@counts[nginx, 0]: 3\n@counts[my [odd], prog, 1]: 4\n@counts[3, nginx]: 5\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 3}, {{b64, 1}, 4}, {{b64, 3}, 5}}));
}

TEST(WorkloadBpftrace, SeveralMaps) {
    EXPECT_EQ(read("@calls[0]: 3\n@bytes[0]: 4096\n").calls(), (Calls{{{b64, 0}, 3}}));
    const Read r = read("@a[0]: 3\n@b[0]: 4096\n");
    EXPECT_EQ(r.ids(), Ids{"AU077:1"});
    EXPECT_FALSE(r.workload);
}

TEST(WorkloadBpftrace, StatsHistogramsAndOtherVariables) {
    const Read r = read("@start: 12\n@[0]: count 5, average 3, total 15\n@[1]:\n[0, 1)  4 |@@@|\n@[3]: -4\n");
    EXPECT_EQ(r.ids(), (Ids{"AU073:3", "AU073:5"}));
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 5}}));
}

TEST(WorkloadBpftrace, JsonLines) {
    const Read r = read(
        "WARNING: x\n{\"type\": \"attached_probes\", \"data\": {\"probes\": 1}}\n"
        "{\"type\": \"map\", \"data\": {\"@\": {\"sh,0\": 2, \"1\": 3, \"nope\": 4}}}\n{\"type\": \"map\",");
    EXPECT_EQ(r.ids(), (Ids{"AU073:4", "AU072:3"}));
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 2}, {{b64, 1}, 3}}));
}

// ---- perf report -------------------------------------------------------------------------------------------------

TEST(WorkloadPerfReport, SharesOfAuditFunctions) {
    const Read r = read(
        "# Samples: 2K of event 'cycles'\n#\n# Overhead  Command  Shared Object      Symbol\n# ........  .......  "
        ".....\n#\n"
        "    27.62%  getpid   [kernel.kallsyms]  [k] __audit_filter_op\n"
        "     4.00%  getpid   [kernel.kallsyms]  [k] audit_filter_rules.constprop.0\n"
        "     3.00%  my prog  [kernel.kallsyms]  [k] __audit_syscall_exit\n"
        "     2.00%  getpid   [kernel.vmlinux]   [k] entry_SYSCALL_64\n"
        "    30.00%  getpid   libc.so.6          [.] audit_filter_rules\n");
    EXPECT_EQ(r.ids(), Ids{});
    ASSERT_TRUE(r.workload && r.workload->measured);
    EXPECT_DOUBLE_EQ(r.workload->measured->filter, 31.62);
    EXPECT_DOUBLE_EQ(r.workload->measured->other_audit, 3.0);
    EXPECT_DOUBLE_EQ(r.workload->measured->entry, 2.0);
    EXPECT_TRUE(r.workload->calls.empty());
}

TEST(WorkloadPerfReport, SelfColumnAndCallChains) {
    const Read r = read(
        "# Children      Self  Symbol                       IPC   [IPC Coverage]\n"
        "    90.00%    10.00%  [k] do_syscall_64            -      -\n            |\n            ---do_syscall_64\n"
        "               |--50.00%--__audit_syscall_exit\n               |          audit_filter_rules\n\n"
        "    50.00%    40.00%  [k] audit_filter_syscall     -      -\n");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_DOUBLE_EQ(r.workload->measured->filter, 40.0);
    EXPECT_DOUBLE_EQ(r.workload->measured->entry, 10.0);
}

TEST(WorkloadPerfReport, OtherReports) {
    EXPECT_EQ(read("# Overhead  Command\n    50.00%  sh\n").ids(), Ids{"AU076:1"});
    EXPECT_EQ(read("# Overhead  Symbol\n").ids(), Ids{"AU070:0"});
    EXPECT_EQ(read("# Overhead  Symbol\n    50.00%  [k] a\n# Overhead  Symbol\n    50.00%  [k] a\n").ids(),
              Ids{"AU077:3"});
    EXPECT_EQ(read("# Overhead  Symbol\n    80.00%  [k] a\n    80.00%  [k] b\n").ids(), Ids{"AU077:0"});
}

// ---- JSON --------------------------------------------------------------------------------------------------------

TEST(WorkloadJson, ObjectAndList) {
    const Read object = read(R"({"calls": {"read": 3, "openat": 0, "futex": 2.5}, "cpu_seconds": 2})");
    EXPECT_EQ(object.ids(), Ids{});
    EXPECT_EQ(object.calls(), (Calls{{{b64, 0}, 3}, {{b64, 202}, 2.5}}));
    EXPECT_EQ(object.workload->cpu_seconds, 2.0);
    EXPECT_TRUE(object.workload->audited);
    const Read list = read(
        R"({"calls": [{"name": "read", "calls": 4, "failed": 1}, {"nr": 5, "arch": "b32", "calls": 2},
            {"name": "read", "calls": 4, "failed": 1}], "ns_per_instruction": 0.25, "source": "me", "audited": false})");
    EXPECT_EQ(list.ids(), Ids{});
    EXPECT_EQ(list.calls(), (Calls{{{b32, 5}, 2}, {{b64, 0}, 8}}));
    EXPECT_EQ(list.failed(0), 0.25);
    EXPECT_EQ(list.workload->ns_per_instruction, 0.25);
    EXPECT_EQ(list.workload->source, "me");
    EXPECT_FALSE(list.workload->audited);
}

TEST(WorkloadJson, CpusThatRunOneProgram) {
    EXPECT_EQ(read("{\"calls\": {\"read\": 1}}").workload->cpus, std::nullopt);
    EXPECT_EQ(read("{\"calls\": {\"read\": 1}, \"cpus\": 64}").workload->cpus, 64U);
    for (const char* wrong : {"0", "-1", "1.5", "8193", "\"many\"", "true"})
        EXPECT_FALSE(read(fmt::format("{{\"calls\": {{\"read\": 1}}, \"cpus\": {}}}", wrong)).workload) << wrong;
}

TEST(WorkloadJson, PartsAreWeighedByTheirCpuTime) {
    // Three quarters of the CPU time at 100 reads a second, a quarter at 1000 writes a second.
    const Read r = read(R"({"parts": [{"share": 3, "cpu_seconds": 2, "calls": {"read": 200}},
                                      {"share": 1, "cpu_seconds": 0.5, "calls": {"write": 500}}]})");
    EXPECT_EQ(r.ids(), Ids{});
    EXPECT_EQ(r.calls(), (Calls{{{b64, 0}, 75}, {{b64, 1}, 250}}));
    EXPECT_DOUBLE_EQ(*r.workload->cpu_seconds, 1.0);
}

TEST(WorkloadJson, Mistakes) {
    for (const char* text :
         {"{", "{}", "{\"calls\": 3}", "{\"calls\": [3]}", "{\"calls\": [{\"name\": \"read\"}]}",
          "{\"calls\": [{\"calls\": 1}]}", "{\"calls\": {\"read\": -1}}", "{\"calls\": {\"read\": \"x\"}}",
          "{\"calls\": {\"read\": 1e300}}", "{\"calls\": {\"read\": 1e999}}", "{\"parts\": []}",
          "{\"calls\": [{\"name\": \"read\", \"arch\": \"vax\", \"calls\": 1}]}",
          "{\"calls\": [{\"name\": \"read\", \"arch\": \"s390x\", \"calls\": 1}]}",
          "{\"parts\": [{\"calls\": {\"read\": 1}}]}", "{\"calls\": {\"read\": 1}, \"cpu_seconds\": 0}",
          "{\"calls\": {\"read\": 1}, \"audited\": 1}", "{\"calls\": {\"read\": 1}, \"source\": 1}",
          "{\"parts\": [{\"share\": 0, \"cpu_seconds\": 1, \"calls\": {\"read\": 1}}]}"}) {
        const Read r = read(text);
        EXPECT_FALSE(r.workload) << text;
        ASSERT_EQ(r.diagnostics.items().size(), 1U) << text;
        EXPECT_EQ(r.diagnostics.items().front().id, "AU074") << text;
    }
    EXPECT_EQ(read("{\n\"calls\": {\n\"read\": 1,\n\"nope\": 2}}").ids(), Ids{"AU072:4"});
    EXPECT_EQ(read("{\n\"calls\": {\n\"read\": }}").ids(), Ids{"AU074:3"});
}

// ---- which format ------------------------------------------------------------------------------------------------

TEST(WorkloadFormats, UnknownContentSaysWhatWasTried) {
    const Read r = read("hello\nworld\n");
    EXPECT_EQ(r.ids(), Ids{"AU070:0"});
    for (const char* word : {"JSON", "bpftrace", "perf report", "perf trace", "strace"})
        EXPECT_NE(r.diagnostics.items().front().message.find(word), std::string::npos) << word;
    EXPECT_EQ(read("").ids(), Ids{"AU070:0"});
}

TEST(WorkloadFormats, ForcedFormatsSayWhatTheyMiss) {
    for (const WorkloadFormat format : all_workload_formats) {
        const Read r = read("hello\nworld\n", format);
        EXPECT_FALSE(r.workload);
        EXPECT_EQ(r.diagnostics.items().size(), 1U) << workload_format_name(format);
    }
}

TEST(WorkloadFormats, NamesRoundTrip) {
    for (const WorkloadFormat format : all_workload_formats)
        EXPECT_EQ(workload_format_named(workload_format_name(format)), format);
    EXPECT_EQ(workload_format_named("dtrace"), std::nullopt);
}

TEST(Workloads, JoinAddsCountsAndTakesTheProfile) {
    const auto a = read(R"({"calls": {"read": 3}, "cpu_seconds": 1})").workload;
    const auto b = read(R"({"calls": {"read": 1, "write": 2}, "cpu_seconds": 2})").workload;
    const auto p = read("# Overhead  Symbol\n    50.00%  [k] audit_filter_rules\n").workload;
    const MeasuredWorkload joined = join_workloads(join_workloads(*p, *a), *b);
    ASSERT_EQ(joined.calls.size(), 2U);
    EXPECT_EQ(joined.calls[0].weight, 4);
    EXPECT_EQ(joined.cpu_seconds, 3.0);
    EXPECT_DOUBLE_EQ(joined.measured->filter, 50);
}

TEST(Workloads, TheShippedOneSaysWhereItComesFrom) {
    ASSERT_NE(shipped_workload("server"), nullptr);
    EXPECT_EQ(shipped_workload("laptop"), nullptr);
    const MeasuredWorkload& server = default_measured_workload();
    EXPECT_NE(server.source.find("measure-workload"), std::string::npos);
    EXPECT_TRUE(server.cpu_seconds);
    EXPECT_GT(server.calls.size(), 50U);
    // Rules for 32-bit programs must not look free.
    EXPECT_TRUE(std::any_of(server.calls.begin(), server.calls.end(),
                            [](const CallWeight& call) { return call.arch == arch_i386; }));
}

TEST(Workloads, OtherMachinesMakeTheirOwnCalls) {
    const auto here = read(R"({"calls": {"open": 3, "openat": 2, "read": 1, "arch_prctl": 9, "pread64": 5}})").workload;
    const MeasuredWorkload there = workload_on(*here, Machine::aarch64);
    std::map<std::string, double> names;
    for (const CallWeight& call : there.calls) {
        EXPECT_EQ(call.arch, machine_elf(Machine::aarch64));
        names[syscall_name(call.nr, Machine::aarch64)] = call.weight;
    }
    EXPECT_EQ(names, (std::map<std::string, double>{{"openat", 5}, {"read", 1}, {"pread", 5}}));
    for (const Machine machine : {Machine::aarch64, Machine::ppc64le, Machine::s390x})
        EXPECT_GT(default_workload(machine).size(), 40U) << machine_name(machine);
}

}  // namespace
}  // namespace auopt
