#include "report/hardware_cost.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/cost_report.hpp"

namespace auopt {
namespace {

double rounded(double value) { return std::round(value * 1000) / 1000 + 0.0; }

nlohmann::ordered_json spread_json(const Spread& s) {
    return {{"min", rounded(s.min)}, {"mean", rounded(s.mean)}, {"max", rounded(s.max)}};
}

/// getpid of a task that pays for `instructions`, no rules walked.
double call_cycles(const Cpu& cpu, std::uint32_t instructions) {
    return cpu.transition_cycles + instructions * cpu.cycles_per_instruction;
}

}  // namespace

void add_hardware_cost(CostSheet& sheet, const KernelState& state, const HardwareChoice& choice) {
    const Layout* layout = find_layout(sheet.kernel->name);
    if (layout == nullptr || !sheet.kernel->costs_measured()) return;
    sheet.hardware = choice;
    PlacedCalls hardware(state, *sheet.kernel, *layout, *choice.cpu, *choice.variant, choice.options);
    for (CallRow& row : sheet.rows) row.hardware = hardware.price(reference_event(row.call.arch, row.call.nr));
}

void put_hardware_cost(nlohmann::ordered_json& call, const CallRow& row) {
    call["cycles"] = nullptr;
    call["ns"] = nullptr;
    call["l1d_misses"] = nullptr;
    if (!row.hardware) return;
    call["cycles"] = rounded(row.hardware->cycles.mean);
    call["ns"] = rounded(row.hardware->ns.mean);
    call["l1d_misses"] = spread_json(row.hardware->l1d_misses);
    call["ns_range"] = {{"min", rounded(row.hardware->ns.min)}, {"max", rounded(row.hardware->ns.max)}};
    call["stall_cycles"] = rounded(row.hardware->stall.mean);
    call["exe_count_cycles"] = rounded(row.hardware->exe_count);
}

nlohmann::ordered_json hardware_to_json(const CostSheet& sheet) {
    if (!sheet.hardware) return nullptr;
    const Cpu& cpu = *sheet.hardware->cpu;
    const PlacementOptions& options = sheet.hardware->options;
    const auto getpid = [&](std::uint32_t instructions) {
        const double cycles = call_cycles(cpu, instructions);
        return nlohmann::ordered_json{
            {"instructions", instructions}, {"cycles", rounded(cycles)}, {"ns", rounded(cycles / cpu.clock_ghz)}};
    };
    return {{"cpu", cpu.name},
            {"kernel_variant", sheet.hardware->variant->name},
            {"boots", options.boots},
            {"runs", options.runs},
            {"seed", options.seed},
            {"cpus", options.cpus},
            {"clock_ghz", cpu.clock_ghz},
            {"transition_cycles", cpu.transition_cycles},
            {"cycles_per_instruction", cpu.cycles_per_instruction},
            {"fit", cpu.fit},
            {"getpid",
             {{"no_context", getpid(find_layout(sheet.kernel->name)->no_context_instructions)},
              {"no_rules", getpid(sheet.kernel->cost.unarmed_instructions)},
              {"armed", getpid(sheet.kernel->cost.armed_instructions)}}}};
}

std::vector<std::string> hardware_header(bool compare) {
    if (compare) return {"cycles", "ns before", "ns", "L1D misses"};
    return {"cycles", "ns", "L1D misses"};
}

std::vector<std::string> hardware_cells(const CallRow& row, const CallRow* old) {
    if (!row.hardware) return {};
    std::vector<std::string> cells{fmt::format("{:.0f}", row.hardware->cycles.mean)};
    if (old != nullptr) cells.push_back(old->hardware ? fmt::format("{:.0f}", old->hardware->ns.mean) : "?");
    cells.push_back(fmt::format("{:.0f}", row.hardware->ns.mean));
    const Spread& m = row.hardware->l1d_misses;
    cells.push_back(fmt::format("{:.1f} ({:.1f} to {:.1f})", m.mean, m.min, m.max));
    return cells;
}

std::string hardware_legend(const CostSheet& sheet) {
    if (!sheet.hardware) return {};
    const Cpu& cpu = *sheet.hardware->cpu;
    const PlacementOptions& options = sheet.hardware->options;
    std::string text = fmt::format("cycles, ns: the same on {} at {} GHz; rules placed at random, mean of {} boots\n",
                                   cpu.title, cpu.clock_ghz, options.boots);
    text += fmt::format("L1D misses: of the whole call, mean (least to most of a boot); kernel variant {}\n",
                        sheet.hardware->variant->name);
    text += fmt::format("{}\n", cpu.fit);
    if (options.cpus != 0) {
        double worst = 0;
        for (const CallRow& row : sheet.rows)
            if (row.hardware) worst = std::max(worst, row.hardware->exe_count);
        text += worst == 0 ? fmt::format("exe=: none of these calls gets to a test of it\n")
                           : fmt::format(
                                 "exe=: up to {:.0f} of the cycles are the reference count, {} CPU{} in one program "
                                 "(an estimate)\n",
                                 worst, options.cpus, options.cpus == 1 ? "" : "s");
    }
    return text;
}

}  // namespace auopt
