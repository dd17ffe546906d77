#include "cli/optimize_summary.hpp"

#include <fmt/format.h>

#include "cli/audit_rules_text.hpp"
#include "cli/proof_options.hpp"
#include "compiler/emit.hpp"
#include "report/cost_report.hpp"
#include "report/table.hpp"
#include "report/verdict.hpp"

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
    std::string out =
        fmt::format("rules {} -> {}, walked by every call {} -> {}\n", outcome.before.rule_count(),
                    outcome.after.rule_count(), exit_list_length(outcome.before), exit_list_length(outcome.after));
    Table passes;
    for (const PassReport& pass : outcome.passes) {
        if (pass.rewrites == 0 && !options.verbose) continue;
        passes.rows.push_back({"  " + pass.name, rewrite_counts(pass)});
    }
    out += render_table(passes);

    Table calls;
    const auto kernels = request.setting.target.cost_kernels();
    calls.header = {"instructions per call"};
    calls.right = {false};
    for (const KernelTables* kernel : kernels) {
        calls.header.push_back(kernel->name);
        calls.right.push_back(true);
    }
    for (const CallName& call : hot_calls(arch_x86_64)) {
        std::vector<std::string> row{"  " + call.name};
        for (const KernelTables* kernel : kernels) {
            const Event event = reference_event(call.arch, call.nr);
            row.push_back(fmt::format("{} -> {}", call_cost(outcome.before, *kernel, event).filter_instructions,
                                      call_cost(outcome.after, *kernel, event).filter_instructions));
        }
        calls.rows.push_back(std::move(row));
    }
    out += render_table(calls);
    if (outcome.verdict) {
        out += verdict_to_text(*outcome.verdict, preserve_level(request.preserve), assumption_names(request.assume));
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
        before.push_back(cost_to_json(price(outcome.before, *kernel, all_calls(arch_x86_64))));
        after.push_back(cost_to_json(price(outcome.after, *kernel, all_calls(arch_x86_64))));
    }
    ordered_json report{
        {"target", request.setting.target.name},
        {"inputs", inputs},
        {"rules", {{"before", outcome.before.rule_count()}, {"after", outcome.after.rule_count()}}},
        {"exit_list", {{"before", exit_list_length(outcome.before)}, {"after", exit_list_length(outcome.after)}}},
        {"passes", passes},
        {"proof", nullptr},
        {"cost", {{"before", before}, {"after", after}}}};
    if (outcome.verdict) {
        report["proof"] =
            verdict_to_json(*outcome.verdict, preserve_level(request.preserve), assumption_names(request.assume));
    }
    return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string dump_state(const std::string& pass, const KernelState& state, const Target& target) {
    std::string out = fmt::format("# after {}: {} rules, {} walked by every call\n", pass, state.rule_count(),
                                  exit_list_length(state));
    for (const KernelTables* kernel : target.cost_kernels()) {
        out += fmt::format("# {}:", kernel->name);
        for (const CallName& call : hot_calls(arch_x86_64)) {
            out += fmt::format(" {} {}", call.name,
                               call_cost(state, *kernel, reference_event(call.arch, call.nr)).filter_instructions);
        }
        out += "\n";
    }
    const auto add = [&](const KernelRule& rule, const std::string& cost) {
        const auto line = rule_to_line(expressible(rule));
        out += fmt::format("{:>9}  {}\n", cost, line ? *line : "# " + line.error());
    };
    for (const auto* rules : {&state.exclude, &state.user, &state.task, &state.filesystem}) {
        for (const KernelRule& rule : *rules) add(rule, "-");
    }
    // In front of each rule what it costs a getpid, kernel by kernel.
    const auto getpid = find_call("getpid", arch_x86_64);
    std::vector<std::string> costs(state.filter.size());
    for (const KernelTables* kernel : target.cost_kernels()) {
        if (!getpid) break;
        for (const RuleCost& cost :
             call_cost(state, *kernel, reference_event(getpid->arch, getpid->nr), true).by_rule) {
            if (!costs[cost.rule].empty()) costs[cost.rule] += "/";
            costs[cost.rule] += fmt::format("{}", cost.instructions);
        }
    }
    for (std::size_t i = 0; i < state.filter.size(); ++i) add(state.filter[i], costs[i].empty() ? "0" : costs[i]);
    return out;
}

}  // namespace auopt
