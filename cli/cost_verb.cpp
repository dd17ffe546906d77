// auopt cost: what the rules add to each system call.
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/budget.hpp"
#include "cli/exit_codes.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "cli/workload_option.hpp"
#include "report/cost_report.hpp"
#include "report/probe_report.hpp"
#include "report/workload_report.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "cost";
constexpr std::size_t default_top = 5;

/// The `n` calls that pay most on any of the kernels and are not in `calls` yet.
std::vector<CallName> most_expensive(const KernelState& state, const std::vector<const KernelTables*>& kernels,
                                     std::uint32_t arch, const std::vector<CallName>& calls, std::size_t n) {
    const std::vector<CallName>& all = all_calls(arch);
    std::vector<std::uint64_t> cost(all.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const KernelTables* kernel : kernels) {
            cost[i] =
                std::max(cost[i], call_cost(state, *kernel, reference_event(arch, all[i].nr)).filter_instructions);
        }
    }
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost[a] > cost[b]; });
    std::vector<CallName> result;
    for (const std::size_t i : order) {
        if (result.size() == n) break;
        if (std::find(calls.begin(), calls.end(), all[i]) == calls.end()) result.push_back(all[i]);
    }
    return result;
}

/// What --cpu and its companions ask for; --cpus or a kernel variant alone mean the generic CPU.
std::optional<HardwareChoice> hardware_choice(const HardwareFlags& flags) {
    if (!flags.wanted()) return std::nullopt;
    HardwareChoice choice;
    choice.cpu = find_cpu(flags.cpu.empty() ? "generic" : flags.cpu);
    choice.variant = find_kernel_variant(flags.kernel_variant);
    choice.options.boots = flags.boots;
    choice.options.seed = flags.seed;
    choice.options.cpus = flags.cpus;
    return choice;
}

struct Rules {
    Inputs inputs;
    KernelState state;
};

/// Reads and loads; on failure says why on standard error and returns the exit code.
int read_rules(const CommonOptions& common, const std::vector<std::string>& paths, Rules& rules, Setting& setting) {
    Diagnostics diagnostics;
    if (!read_inputs(rules.inputs, paths, merging_script(common), diagnostics)) {
        report_to_stderr(common, rules.inputs.sources, diagnostics);
        return exit_input;
    }
    setting = make_setting(common, rules.inputs);
    if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
    if (const std::string reason = outside_tables(setting); !reason.empty())
        return fail(verb_name, exit_unknown, reason);
    note_readings(verb_name, common, rules.inputs, setting);
    const LoadedRules loaded = load_rules(rules.inputs, setting, true, diagnostics);
    report_to_stderr(common, rules.inputs.sources, diagnostics);
    if (!loaded.would_load()) return exit_input;
    if (loaded.load.outside_model) return fail(verb_name, exit_unknown, *loaded.load.outside_model);
    rules.state = loaded.load.state;
    return exit_clean;
}

}  // namespace

int run(const CostVerb& verb) {
    Rules rules;
    Setting setting;
    if (const int code = read_rules(verb.common, verb.inputs, rules, setting); code != 0) return code;
    const std::uint32_t arch = arch_of(setting, verb.arch == "b32" ? Abi::compat : Abi::native);
    const auto budgets = parse_budgets(verb.budgets, arch);
    if (!budgets) return fail(verb_name, exit_usage, budgets.error());
    if (const std::string reason = budgets_unknown(*budgets, setting.target); !reason.empty())
        return fail(verb_name, exit_unknown, reason);
    std::vector<CallName> calls;
    for (const std::string& name : verb.syscalls) {
        const auto call = find_call(name, arch);
        if (!call)
            return fail(verb_name, exit_usage, fmt::format("unknown system call {} on {}", name, arch_name(arch)));
        calls.push_back(*call);
    }

    const bool weighted = !verb.workload.workloads.empty() || verb.workload.cpu_seconds;
    ChosenWorkload chosen;
    if (weighted) {
        if (setting.target.machine != Machine::x86_64)
            return fail(verb_name, exit_unknown,
                        fmt::format("instructions were not measured on {}; --workload weighs them",
                                    machine_name(setting.target.machine)));
        chosen = choose_workload(verb_name, verb.common, verb.workload, setting.target.machine);
        if (chosen.exit_code != 0) return chosen.exit_code;
    }
    tell_target(verb.common, setting.target);
    Rules old_rules;
    const bool compare = !verb.compare.empty();
    if (compare) {
        Setting old_setting;
        if (const int code = read_rules(verb.common, {verb.compare}, old_rules, old_setting); code != 0) return code;
    }

    std::vector<const KernelTables*> kernels = setting.target.cost_kernels();
    std::optional<HardwareChoice> hardware = hardware_choice(verb.hardware);
    if (hardware && hardware->options.cpus == 0) hardware->options.cpus = chosen.workload.cpus.value_or(0);
    std::deque<KernelTables> varied;  // as the wanted variant walks
    if (hardware) {
        for (const KernelTables*& kernel : kernels)
            kernel = &varied.emplace_back(with_variant(*kernel, *hardware->variant));
    }
    const bool json = verb.common.format == Format::json;
    if (calls.empty()) {
        if (json && verb.top == 0)
            calls = all_calls(arch);
        else {
            if (verb.top == 0) calls = hot_calls(arch);
            const auto top = most_expensive(rules.state, kernels, arch, calls, verb.top == 0 ? default_top : verb.top);
            calls.insert(calls.end(), top.begin(), top.end());
        }
    }
    std::vector<CostSheet> sheets, old_sheets;
    for (const KernelTables* kernel : kernels) {
        sheets.push_back(price(rules.state, *kernel, calls, verb.common.verbose));
        sheets.back().of = figures_of(setting.target, *kernel);
        if (compare) {
            old_sheets.push_back(price(old_rules.state, *kernel, calls));
            old_sheets.back().of = sheets.back().of;
        }
        if (!hardware) continue;
        add_hardware_cost(sheets.back(), rules.state, *hardware);
        if (compare) add_hardware_cost(old_sheets.back(), old_rules.state, *hardware);
    }

    std::vector<WorkloadCost> loads, old_loads;
    if (weighted) {
        for (const KernelTables* kernel : kernels) {
            loads.push_back(price_workload(rules.state, *kernel, chosen.workload.calls));
            loads.back().name = figures_name(setting.target, *kernel);
            if (hardware) add_cpu_time(loads.back(), rules.state, *hardware);
            if (!compare) continue;
            old_loads.push_back(price_workload(old_rules.state, *kernel, chosen.workload.calls));
            if (hardware) add_cpu_time(old_loads.back(), old_rules.state, *hardware);
        }
    }

    std::string out;
    if (json) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < sheets.size(); ++i) {
            nlohmann::ordered_json sheet = cost_to_json(sheets[i]);
            if (verb.common.verbose && kernels[i]->costs_measured())
                sheet["probes"] = probes_to_json(probe_costs(rules.state, *kernels[i], setting.compile.facts));
            if (compare) sheet["before"] = cost_to_json(old_sheets[i]);
            if (weighted)
                sheet["workload"] = workload_to_json(chosen.workload, loads[i], compare ? &old_loads[i] : nullptr);
            array.push_back(std::move(sheet));
        }
        const nlohmann::ordered_json document = array.size() == 1 ? array[0] : array;
        out = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    } else {
        const std::size_t worst = worst_sheet(sheets);
        if (sheets.size() > 1 && kernels.front()->costs_measured()) {
            std::vector<std::string> names;
            for (const CostSheet& sheet : sheets) names.push_back(sheet.name());
            out += fmt::format("the worst of {}: {}\n", fmt::join(names, ", "), sheets[worst].name());
        }
        out += cost_to_text(sheets[worst], compare ? &old_sheets[worst] : nullptr, rules.state, rules.inputs.sources,
                            verb.common.verbose);
        if (weighted) {
            constexpr std::size_t shown = 10;
            out += workload_to_text(chosen.workload, loads[worst], compare ? &old_loads[worst] : nullptr,
                                    verb.common.verbose ? loads[worst].rows.size() : shown);
        }
        if (verb.common.verbose && kernels[worst]->costs_measured()) {
            out += "\n" + probes_to_text(sheets[worst].name(),
                                         probe_costs(rules.state, *kernels[worst], setting.compile.facts));
        }
        if (const std::string note = not_measured(setting.target); !note.empty()) out += note + "\n";
    }
    if (!put_out(out)) return fail(verb_name, exit_usage, "standard output cannot be written");

    const auto over = overruns(*budgets, rules.state, setting.target, kernels);
    for (const Overrun& overrun : over) put_err(fmt::format("auopt cost: {}\n", to_string(overrun)));
    if (!over.empty()) return exit_budget;
    const std::string doubt = budget_doubt(*budgets, rules.state, setting.target, kernels);
    return doubt.empty() ? exit_clean : fail(verb_name, exit_unknown, doubt);
}

}  // namespace auopt
