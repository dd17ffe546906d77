// Any text as what a tracer printed: whatever comes out is a workload, and what does not has a reason. The first byte
// chooses the format (or none, to be told from the text) and the machine.
#include "workload/workload.hpp"

#include <cmath>
#include <tuple>

#include "fuzz/check.hpp"

namespace {

using namespace auopt;
using fuzz::check;

bool positive(double number) { return std::isfinite(number) && number > 0; }

void check_workload(const MeasuredWorkload& workload, const std::string& text) {
    const CallWeight* before = nullptr;
    for (const CallWeight& call : workload.calls) {
        check(positive(call.weight), "a call weighs something", text);
        check(!call.failed || (*call.failed >= 0 && *call.failed <= 1), "a share of calls fails", text);
        check(before == nullptr || std::tie(before->arch, before->nr) < std::tie(call.arch, call.nr),
              "each call once, ascending", text);
        before = &call;
    }
    check(!workload.cpu_seconds || positive(*workload.cpu_seconds), "CPU time is more than none", text);
    check(!workload.ns_per_instruction || positive(*workload.ns_per_instruction), "instructions take time", text);
    check(!workload.cpus || (*workload.cpus > 0 && *workload.cpus <= most_cpus), "there are CPUs", text);
    if (!workload.measured) return;
    const SymbolShares& shares = *workload.measured;
    for (const double share : {shares.filter, shares.other_audit, shares.entry})
        check(share >= 0 && share <= 101, "percent, give or take the rounding", text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::optional<WorkloadFormat> format;
    const std::size_t chosen = data[0] % 8;
    if (chosen < std::size(all_workload_formats)) format = all_workload_formats[chosen];
    const Machine machine = (data[0] & 0x80) != 0 ? Machine::aarch64 : Machine::x86_64;
    const std::string text(data + 1, data + size);
    Sources sources;
    const FileId file = sources.add("workload", text);
    Diagnostics diagnostics;
    const auto workload = read_workload(sources, file, format, machine, diagnostics);
    if (!workload) {
        check(!diagnostics.items().empty(), "a file of no use has a reason", text);
        return 0;
    }
    check_workload(*workload, text);
    check_workload(join_workloads(*workload, default_measured_workload(machine)), text);
    check_workload(workload_on(*workload, Machine::s390x), text);
    return 0;
}
