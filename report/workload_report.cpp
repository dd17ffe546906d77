#include "report/workload_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/printable.hpp"
#include "report/table.hpp"

namespace auopt {
namespace {

// An upstream test of the change that unified the filters (6.2) on a Skylake-X: getpid with auditing takes 1654
// instructions in 207.86 ns.
constexpr double published_ns_per_instruction = 207.86 / 1654.11;
constexpr const char* published_source = "published for getpid on Skylake-X";

std::string percent(double value) { return fmt::format("{:.{}f} %", value, value < 0.095 ? 2 : 1); }

std::string reduction(double before, double after) {
    if (before <= 0) return after <= 0 ? "unchanged" : "new";
    return fmt::format("{:+.0f} %", 100.0 * (after - before) / before);
}

std::string name_of(const MeasuredWorkload& workload) {
    return fmt::format("{} ({})", printable_text(workload.name), workload_format_name(workload.format));
}

std::string measured_text(const SymbolShares& shares) {
    return fmt::format(
        "measured: {} of all samples in the filters, {} in other audit functions, {} in system call "
        "entry and exit\n",
        percent(shares.filter), percent(shares.other_audit), percent(shares.entry));
}

nlohmann::ordered_json or_null(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

constexpr const char* share_unknown = "share of CPU time: unknown; give --workload-cpu-seconds";

}  // namespace

WorkloadCost price_workload(const KernelState& state, const KernelTables& kernel, const Workload& calls) {
    WorkloadCost cost;
    cost.kernel = &kernel;
    cost.name = kernel.name;
    for (const CallWeight& call : calls) {
        WorkloadRow row;
        row.call = find_call(fmt::format("{}", call.nr), call.arch).value_or(CallName{call.arch, call.nr, ""});
        row.calls = call.weight;
        row.cost = call_cost(state, kernel, reference_event(call.arch, call.nr));
        row.instructions = row.calls * static_cast<double>(row.cost.filter_instructions);
        cost.calls += row.calls;
        cost.instructions += row.instructions;
        cost.rows.push_back(std::move(row));
    }
    std::stable_sort(cost.rows.begin(), cost.rows.end(),
                     [](const WorkloadRow& a, const WorkloadRow& b) { return a.instructions > b.instructions; });
    return cost;
}

void add_cpu_time(WorkloadCost& cost, const KernelState& state, const HardwareChoice& choice) {
    const Layout* layout = find_layout(cost.kernel->name);
    if (layout == nullptr || !cost.kernel->costs_measured()) return;
    PlacedCalls placed(state, *cost.kernel, *layout, *choice.cpu, *choice.variant, choice.options);
    cost.ns = 0;
    cost.cpu = choice.cpu->name;
    for (const WorkloadRow& row : cost.rows)
        *cost.ns += row.calls * placed.price(reference_event(row.call.arch, row.call.nr)).ns.mean;
}

Pace pace_of(const MeasuredWorkload& workload, const WorkloadCost& cost) {
    if (cost.ns && cost.instructions > 0)
        return {*cost.ns / cost.instructions, fmt::format("of {}, L1D misses included", cost.cpu)};
    if (workload.ns_per_instruction && *workload.ns_per_instruction > 0)
        return {*workload.ns_per_instruction, "from the workload"};
    return {published_ns_per_instruction, published_source};
}

namespace {

double filter_seconds(const WorkloadCost& cost, const MeasuredWorkload& workload) {
    constexpr double ns = 1e-9;
    return ns * (cost.ns ? *cost.ns : cost.instructions * pace_of(workload, cost).ns_per_instruction);
}

}  // namespace

std::optional<double> cpu_share(const WorkloadCost& cost, const MeasuredWorkload& workload,
                                const WorkloadCost* before) {
    if (!workload.cpu_seconds) return std::nullopt;
    const double filtering = filter_seconds(cost, workload);
    double seconds = *workload.cpu_seconds;
    if (!workload.audited)
        seconds += filtering;
    else if (before != nullptr)
        seconds += filtering - filter_seconds(*before, workload);
    if (!(seconds > 0) || filtering > seconds) return std::nullopt;
    return 100.0 * filtering / seconds;
}

double scaled_share(double measured_percent, const WorkloadCost& before, const WorkloadCost& after) {
    if (before.instructions <= 0) return measured_percent;
    const double filter = measured_percent * after.instructions / before.instructions;
    const double whole = 100.0 - measured_percent + filter;
    return whole > 0 ? 100.0 * filter / whole : 0;
}

std::string workload_to_text(const MeasuredWorkload& workload, const WorkloadCost& cost, const WorkloadCost* old,
                             std::size_t top) {
    std::string out = fmt::format(
        "\nworkload {}: {} kinds of calls; filtering takes {:.0f} instructions per average "
        "call on {}",
        name_of(workload), cost.rows.size(), cost.per_call(), cost.name);
    if (old != nullptr)
        out += fmt::format(" (before {:.0f}, {})", old->per_call(), reduction(old->per_call(), cost.per_call()));
    out += "\n";
    Table table;
    table.header = {"call", "% of calls", "in mask", "instructions", "% of filtering"};
    table.right = {false, true, true, true, true};
    const auto part = [](double value, double whole) {
        return fmt::format("{:.1f}", whole > 0 ? 100.0 * value / whole : 0.0);
    };
    for (std::size_t i = 0; i < cost.rows.size() && i < top; ++i) {
        const WorkloadRow& row = cost.rows[i];
        table.rows.push_back({fmt::format("{}{}", row.call.name, arch_name(row.call.arch) == "b32" ? " (b32)" : ""),
                              part(row.calls, cost.calls), fmt::format("{}", row.cost.mask_hits),
                              fmt::format("{}", row.cost.filter_instructions),
                              part(row.instructions, cost.instructions)});
    }
    out += render_table(table);
    if (cost.rows.size() > top) out += fmt::format("and {} more\n", cost.rows.size() - top);

    const Pace pace = pace_of(workload, cost);
    if (workload.cpu_seconds) {
        const auto share = cpu_share(cost, workload, old);
        out += fmt::format(
            "filtering: {:.3g} million instructions per CPU second; share of CPU time {} ({:.3f} ns per "
            "instruction, {})\n",
            cost.instructions / *workload.cpu_seconds / 1e6,
            share ? percent(*share) : std::string("above what the CPU time allows"), pace.ns_per_instruction,
            pace.source);
        if (old != nullptr)
            if (const auto was = cpu_share(*old, workload))
                out += fmt::format("before: {} of CPU time\n", percent(*was));
    } else
        out += fmt::format("{}\n", share_unknown);
    if (workload.measured) {
        out += measured_text(*workload.measured);
        if (old != nullptr)
            out += fmt::format("predicted from it: {} in the filters after the change\n",
                               percent(scaled_share(workload.measured->filter, *old, cost)));
    }
    return out;
}

nlohmann::ordered_json workload_to_json(const MeasuredWorkload& workload, const WorkloadCost& cost,
                                        const WorkloadCost* old) {
    using nlohmann::ordered_json;
    const Pace pace = pace_of(workload, cost);
    ordered_json calls = ordered_json::array();
    for (const WorkloadRow& row : cost.rows)
        calls.push_back({{"arch", arch_name(row.call.arch)},
                         {"name", row.call.name},
                         {"nr", row.call.nr},
                         {"calls", row.calls},
                         {"filter_instructions", row.cost.filter_instructions}});
    ordered_json out{{"name", printable_text(workload.name)},
                     {"format", workload_format_name(workload.format)},
                     {"source", workload.source.empty() ? ordered_json(nullptr) : ordered_json(workload.source)},
                     {"instructions_per_call", cost.per_call()},
                     {"cpu_seconds", or_null(workload.cpu_seconds)},
                     {"ns_per_instruction", pace.ns_per_instruction},
                     {"ns_per_instruction_source", pace.source},
                     {"cpu_share_percent", or_null(cpu_share(cost, workload, old))},
                     {"before", nullptr},
                     {"measured", nullptr},
                     {"calls", std::move(calls)}};
    if (old != nullptr)
        out["before"] = {{"instructions_per_call", old->per_call()},
                         {"cpu_share_percent", or_null(cpu_share(*old, workload))}};
    if (workload.measured) {
        out["measured"] = {{"filter_percent", workload.measured->filter},
                           {"other_audit_percent", workload.measured->other_audit},
                           {"entry_percent", workload.measured->entry},
                           {"predicted_filter_percent",
                            old == nullptr ? ordered_json(nullptr)
                                           : ordered_json(scaled_share(workload.measured->filter, *old, cost))}};
    }
    return out;
}

std::string workload_change(const MeasuredWorkload& workload, const std::vector<WorkloadCost>& before,
                            const std::vector<WorkloadCost>& after) {
    std::string out =
        fmt::format("workload {}, filtering per average call and share of CPU time:\n", name_of(workload));
    Table table;
    for (std::size_t i = 0; i < before.size(); ++i) {
        std::vector<std::string> row{
            "  " + before[i].name,
            fmt::format("{:.0f} -> {:.0f} instructions", before[i].per_call(), after[i].per_call()),
            reduction(before[i].per_call(), after[i].per_call())};
        const auto was = cpu_share(before[i], workload);
        const auto is = cpu_share(after[i], workload, &before[i]);
        if (was && is) row.push_back(fmt::format("{} -> {}", percent(*was), percent(*is)));
        table.rows.push_back(std::move(row));
    }
    out += render_table(table);
    if (!workload.cpu_seconds) out += fmt::format("  {}\n", share_unknown);
    if (workload.measured) {
        out += "  " + measured_text(*workload.measured);
        double worst = 0;
        for (std::size_t i = 0; i < before.size(); ++i)
            worst = std::max(worst, scaled_share(workload.measured->filter, before[i], after[i]));
        out += fmt::format("  predicted from it: {} in the filters after the change\n", percent(worst));
    }
    return out;
}

}  // namespace auopt
