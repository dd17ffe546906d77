// auopt gate: one command for CI. New rules must load, have no lint errors, be the same as the baseline, and keep
// their cost budgets. One exit code: 3 would not load, 4 refuted, 5 unknown, 1 lint errors, 6 over budget only.
#include <fmt/format.h>

#include "cli/budget.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lint_rules.hpp"
#include "cli/options.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"
#include "report/diagnostics.hpp"
#include "report/verdict.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "gate";

struct Findings {
    bool would_not_load = false;
    std::string outside_model;  // reason
    std::size_t lint_errors = 0;
    std::optional<Verdict> verdict;  // when there is a baseline and both sides load
    std::vector<Overrun> over;
    std::string budgets_unknown;  // why they cannot be judged
};

int exit_code(const Findings& f) {
    if (f.would_not_load) return exit_input;
    if (f.verdict && std::holds_alternative<Refuted>(*f.verdict)) return exit_refuted;
    if (!f.outside_model.empty() || !f.budgets_unknown.empty() ||
        (f.verdict && std::holds_alternative<Unknown>(*f.verdict)))
        return exit_unknown;
    if (f.lint_errors != 0) return exit_findings;
    return f.over.empty() ? exit_clean : exit_budget;
}

std::string text_report(const Findings& f, const GateVerb& verb) {
    std::string out;
    out += fmt::format("load:    {}\n", f.would_not_load ? "would not load" : "ok");
    out += fmt::format("lint:    {}\n",
                       f.lint_errors == 0 ? std::string("no errors") : fmt::format("{} errors", f.lint_errors));
    if (!f.outside_model.empty()) out += fmt::format("model:   {}\n", f.outside_model);
    if (f.verdict)
        out += "verify:  " +
               verdict_to_text(*f.verdict, preserve_level(verb.preserve), assumption_names(verb.common.assume));
    else if (!verb.against.empty())
        out += "verify:  not run\n";
    if (!verb.budgets.empty()) {
        out += fmt::format("budget:  {}\n", !f.budgets_unknown.empty() ? f.budgets_unknown
                                            : f.over.empty()           ? "kept"
                                                                       : "exceeded");
        for (const Overrun& overrun : f.over) out += fmt::format("         {}\n", to_string(overrun));
    }
    out += exit_code(f) == 0 ? "gate:    pass\n" : "gate:    FAIL\n";
    return out;
}

std::string json_report(const Findings& f, const GateVerb& verb, const Target& target, const Sources& sources,
                        const Diagnostics& diagnostics) {
    using nlohmann::ordered_json;
    ordered_json over = ordered_json::array();
    for (const Overrun& o : f.over) {
        over.push_back({{"name", o.budget.call.name},
                        {"arch", arch_name(o.budget.call.arch)},
                        {"target", o.kernel},
                        {"limit", o.budget.limit},
                        {"filter_instructions", o.cost}});
    }
    ordered_json report{{"verdict", exit_code(f) == 0 ? "pass" : "fail"},
                        {"exit_code", exit_code(f)},
                        {"target", asked_name(target)},
                        {"loads", !f.would_not_load},
                        {"outside_model", nullptr},
                        {"lint_errors", f.lint_errors},
                        {"verify", nullptr},
                        {"over_budget", over},
                        {"findings", ordered_json::parse(render_json(sources, diagnostics))}};
    if (!f.budgets_unknown.empty()) report["budgets_unknown"] = f.budgets_unknown;
    if (!f.outside_model.empty()) report["outside_model"] = f.outside_model;
    if (f.verdict)
        report["verify"] =
            verdict_to_json(*f.verdict, preserve_level(verb.preserve), assumption_names(verb.common.assume));
    return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int run(const GateVerb& verb) {
    Findings findings;
    Inputs inputs;
    Diagnostics diagnostics;
    if (!read_inputs(inputs, verb.inputs, merging_script(verb.common), diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const Setting setting = make_setting(verb.common, inputs);
    if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
    if (const int code = refuse_readings(verb_name, verb.common, inputs, setting); code != 0) return code;
    if (const std::string reason = outside_tables(setting); !reason.empty())
        return fail(verb_name, exit_unknown, reason);
    const auto budgets = parse_budgets(verb.budgets, arch_of(setting));
    if (!budgets) return fail(verb_name, exit_usage, budgets.error());
    findings.budgets_unknown = budgets_unknown(*budgets, setting.target);

    tell_target(verb.common, setting.target);
    LintOutcome lint = lint_rules(inputs, setting);
    sort_diagnostics(lint.diagnostics);
    for (const Diagnostic& d : lint.diagnostics.items()) findings.lint_errors += d.level == Level::error ? 1 : 0;
    Diagnostics repeated;  // what lint has told already
    LoadedRules loaded = load_rules(inputs, setting, true, repeated);
    findings.would_not_load = lint.would_stop || !loaded.would_load();
    if (loaded.load.outside_model) findings.outside_model = *loaded.load.outside_model;
    if (!findings.would_not_load && findings.budgets_unknown.empty())
        findings.over = overruns(*budgets, loaded.load.state, setting.target, setting.target.cost_kernels());

    if (!verb.against.empty()) {
        Inputs old_inputs;
        Diagnostics old_diagnostics;
        if (!read_inputs(old_inputs, {verb.against}, merging_script(verb.common), old_diagnostics)) {
            report_to_stderr(verb.common, old_inputs.sources, old_diagnostics);
            return exit_input;
        }
        const Setting old_setting = make_setting(verb.common, old_inputs);
        if (old_setting.exit_code != 0) return fail(verb_name, old_setting.exit_code, old_setting.error);
        if (const int code = refuse_readings(verb_name, verb.common, old_inputs, old_setting); code != 0) return code;
        LoadedRules old_loaded = load_rules(old_inputs, old_setting, true, old_diagnostics);
        report_to_stderr(verb.common, old_inputs.sources, old_diagnostics);
        if (!old_loaded.would_load())
            return fail(verb_name, exit_input,
                        fmt::format("the baseline {} would not load", shown_input(verb.against)));
        if (old_loaded.load.outside_model && findings.outside_model.empty()) {
            findings.outside_model = fmt::format("the baseline: {}", *old_loaded.load.outside_model);
        }
        if (!findings.would_not_load && findings.outside_model.empty()) {
            compare_as_held(old_loaded.load.state, old_inputs, loaded.load.state, inputs);
            findings.verdict = verify(old_loaded.load.state, loaded.load.state,
                                      proof_options(setting, verb.preserve, verb.common.assume));
        }
    }

    std::string out;
    if (verb.common.format == Format::json) {
        out = json_report(findings, verb, setting.target, inputs.sources, lint.diagnostics);
    } else {
        // Errors decide, and lines that auditctl skips are shown; the rest is lint's business unless asked for.
        if (!verb.common.verbose) {
            std::erase_if(lint.diagnostics.items(), [](const Diagnostic& d) {
                return d.level != Level::error && !(d.id.starts_with("AU0") && d.level == Level::warning);
            });
        }
        report_to_stderr(verb.common, inputs.sources, lint.diagnostics);
        out = text_report(findings, verb);
    }
    if (!put_out(out)) return fail(verb_name, exit_usage, "standard output cannot be written");
    return exit_code(findings);
}

}  // namespace auopt
