#include "cli/optimize_summary.hpp"

#include <fmt/format.h>

#include "cli/audit_rules_text.hpp"
#include "cli/proof_options.hpp"
#include "compiler/emit.hpp"
#include "kernel_model/unknown_watches.hpp"
#include "report/cost_report.hpp"
#include "report/table.hpp"
#include "report/verdict.hpp"
#include "report/workload_report.hpp"

namespace auopt {
namespace {

std::string rewrite_counts(const PassReport& pass) {
    std::string text = fmt::format("{} rewrites", pass.rewrites);
    if (pass.rules_before != pass.rules_after)
        text += fmt::format(", {} -> {} rules", pass.rules_before, pass.rules_after);
    if (pass.refused != 0) text += fmt::format(", {} refused by the cost model", pass.refused);
    return text;
}

}  // namespace

std::string optimize_summary(const OptimizeOutcome& outcome, const OptimizeRequest& request,
                             const SummaryOptions& options) {
    const std::size_t unknown = count_unknown_watches(outcome.before);
    const KernelState most_before = with_unknown_watches_as_directories(outcome.before);
    const KernelState most_after = with_unknown_watches_as_directories(outcome.after);
    std::string out = fmt::format("target {}\n", asked_name(request.setting.target)) +
                      fmt::format("rules {} -> {}, walked by every call {} -> {}\n", outcome.before.rule_count(),
                                  outcome.after.rule_count(),
                                  range_text(exit_list_length(outcome.before), exit_list_length(most_before)),
                                  range_text(exit_list_length(outcome.after), exit_list_length(most_after)));
    Table passes;
    for (const PassReport& pass : outcome.passes) {
        if (pass.rewrites == 0 && !options.verbose) continue;
        passes.rows.push_back({"  " + pass.name, rewrite_counts(pass)});
    }
    out += render_table(passes);

    Table calls;
    const auto kernels = request.setting.target.cost_kernels();
    const Machine machine = request.setting.target.machine;
    const std::uint32_t arch = arch_of(request.setting);
    if (machine == Machine::x86_64) {
        calls.header = {"instructions per call"};
        calls.right = {false};
        for (const KernelTables* kernel : kernels) {
            calls.header.push_back(figures_name(request.setting.target, *kernel));
            calls.right.push_back(true);
        }
        for (const CallName& call : hot_calls(arch)) {
            std::vector<std::string> row{"  " + call.name};
            for (const KernelTables* kernel : kernels) {
                const Event event = reference_event(call.arch, call.nr);
                const auto cost = [&](const KernelState& files, const KernelState& directories) {
                    return range_text(call_cost(files, *kernel, event).filter_instructions,
                                      call_cost(directories, *kernel, event).filter_instructions);
                };
                row.push_back(
                    fmt::format("{} -> {}", cost(outcome.before, most_before), cost(outcome.after, most_after)));
            }
            calls.rows.push_back(std::move(row));
        }
    } else {
        calls.header = {"rules per call", "walked", "in mask"};
        calls.right = {false, true, true};
        for (const CallName& call : hot_calls(arch)) {
            const Event event = reference_event(call.arch, call.nr);
            const CallCost before = call_cost(outcome.before, *kernels.front(), event);
            const CallCost after = call_cost(outcome.after, *kernels.front(), event);
            calls.rows.push_back({"  " + call.name, fmt::format("{} -> {}", before.entries, after.entries),
                                  fmt::format("{} -> {}", before.mask_hits, after.mask_hits)});
        }
    }
    out += render_table(calls);
    if (unknown != 0) out += unknown_watches_text(unknown) + "\n";
    if (const std::string note = not_measured(request.setting.target); !note.empty()) out += note + "\n";
    if (machine != Machine::x86_64) {
        out += fmt::format("instructions were not measured on {}; those of x86_64 chose between rewrites\n",
                           machine_name(machine));
    } else {
        std::vector<WorkloadCost> before, after;
        for (const KernelTables* kernel : kernels) {
            before.push_back(price_workload(outcome.before, *kernel, request.workload.calls));
            after.push_back(price_workload(outcome.after, *kernel, request.workload.calls));
            before.back().name = after.back().name = figures_name(request.setting.target, *kernel);
            if (unknown == 0) continue;
            // The same once more, at the other end of the range.
            before.push_back(price_workload(most_before, *kernel, request.workload.calls));
            after.push_back(price_workload(most_after, *kernel, request.workload.calls));
            before.back().name = after.back().name =
                figures_name(request.setting.target, *kernel) + ", unknown kinds as directories";
        }
        out += workload_change(request.workload, before, after);
    }
    if (outcome.verdict) {
        out += verdict_to_text(*outcome.verdict, preserve_level(request.preserve), assumption_names(request.assume),
                               {&request.inputs.sources, &outcome.unproven_sources});
    }
    if (options.stats) {
        const StageTimes& t = outcome.times;
        out += fmt::format("read {:.1f} ms, rewrite {:.1f} ms, write {:.1f} ms, proof {:.1f} ms\n", t.read_ms,
                           t.rewrite_ms, t.write_ms, t.proof_ms);
    }
    return out;
}

std::string optimize_report_json(const OptimizeOutcome& outcome, const OptimizeRequest& request) {
    using nlohmann::ordered_json;
    ordered_json inputs = ordered_json::array();
    for (const InputFile& input : request.inputs.files)
        inputs.push_back({{"name", input.name}, {"sha256", input.sha256}});
    ordered_json passes = ordered_json::array();
    for (const PassReport& pass : outcome.passes) {
        passes.push_back({{"name", pass.name},
                          {"rules_before", pass.rules_before},
                          {"rules_after", pass.rules_after},
                          {"rewrites", pass.rewrites},
                          {"refused", pass.refused}});
    }
    ordered_json before = ordered_json::array(), after = ordered_json::array();
    for (const KernelTables* kernel : request.setting.target.cost_kernels()) {
        for (auto [state, sheets] : {std::pair{&outcome.before, &before}, {&outcome.after, &after}}) {
            CostSheet sheet = price(*state, *kernel, all_calls(arch_of(request.setting)));
            sheet.of = figures_of(request.setting.target, *kernel);
            sheets->push_back(cost_to_json(sheet));
        }
    }
    ordered_json workload = ordered_json::array();  // empty where instructions were not measured
    for (const KernelTables* kernel : request.setting.target.cost_kernels()) {
        if (!kernel->costs_measured()) break;
        const WorkloadCost was = price_workload(outcome.before, *kernel, request.workload.calls);
        ordered_json one =
            workload_to_json(request.workload, price_workload(outcome.after, *kernel, request.workload.calls), &was);
        if (count_unknown_watches(outcome.before) != 0) {
            const auto most = [&](const KernelState& state) {
                return price_workload(with_unknown_watches_as_directories(state), *kernel, request.workload.calls)
                    .per_call();
            };
            one["instructions_per_call_if_directories"] = most(outcome.after);
            one["before"]["instructions_per_call_if_directories"] = most(outcome.before);
        }
        one["target"] = figures_name(request.setting.target, *kernel);
        workload.push_back(std::move(one));
    }
    ordered_json report{
        {"target", full_name(request.setting.target)},
        {"asked", asked_name(request.setting.target)},
        {"evidence", evidence_text(request.setting.target)},
        {"inputs", inputs},
        {"rules", {{"before", outcome.before.rule_count()}, {"after", outcome.after.rule_count()}}},
        {"exit_list", {{"before", exit_list_length(outcome.before)}, {"after", exit_list_length(outcome.after)}}},
        {"unknown_watches", count_unknown_watches(outcome.before)},
        {"passes", passes},
        {"proof", nullptr},
        {"cost", {{"before", before}, {"after", after}}},
        {"workload", std::move(workload)}};
    if (outcome.verdict) {
        report["proof"] =
            verdict_to_json(*outcome.verdict, preserve_level(request.preserve), assumption_names(request.assume),
                            {&request.inputs.sources, &outcome.unproven_sources});
    }
    return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string dump_state(const std::string& pass, const KernelState& state, const Target& target) {
    std::string out = fmt::format("# after {}: {} rules, {} walked by every call\n", pass, state.rule_count(),
                                  exit_list_length(state));
    const MachineModel& machine = machine_model(target.machine);
    const std::uint32_t arch = machine.abi_arch(Abi::native);
    const bool measured = target.machine == Machine::x86_64;
    for (const KernelTables* kernel : target.cost_kernels()) {
        if (!measured) break;
        out += fmt::format("# {}:", figures_name(target, *kernel));
        for (const CallName& call : hot_calls(arch)) {
            out += fmt::format(" {} {}", call.name,
                               call_cost(state, *kernel, reference_event(call.arch, call.nr)).filter_instructions);
        }
        out += "\n";
    }
    const auto add = [&](const KernelRule& rule, const std::string& cost) {
        const auto line = rule_to_line(expressible(rule), machine_name(target.machine));
        out += fmt::format("{:>9}  {}\n", cost, line ? *line : "# " + line.error());
    };
    for (const auto* rules : {&state.exclude, &state.user, &state.task, &state.filesystem}) {
        for (const KernelRule& rule : *rules) add(rule, "-");
    }
    // In front of each rule what it costs a getpid, kernel by kernel.
    const auto getpid = find_call("getpid", arch);
    std::vector<std::string> costs(state.filter.size());
    for (const KernelTables* kernel : target.cost_kernels()) {
        if (!getpid || !measured) break;
        for (const RuleCost& cost :
             call_cost(state, *kernel, reference_event(getpid->arch, getpid->nr), true).by_rule) {
            if (!costs[cost.rule].empty()) costs[cost.rule] += "/";
            costs[cost.rule] += fmt::format("{}", cost.instructions);
        }
    }
    for (std::size_t i = 0; i < state.filter.size(); ++i)
        add(state.filter[i], !measured ? "-" : costs[i].empty() ? "0" : costs[i]);
    return out;
}

}  // namespace auopt
