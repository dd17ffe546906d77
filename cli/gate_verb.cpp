// auopt gate: one command for CI. No line of the new rules may be lost when they are loaded, lint must find no errors,
// nothing may differ from the baseline, and the cost budgets must be kept. Every part is listed, also the ones that
// nobody asked for. One exit code: 3 would not load whole, 4 refuted, 5 unknown, 1 lint errors, 6 over budget only.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/budget.hpp"
#include "cli/exit_codes.hpp"
#include "cli/lint_rules.hpp"
#include "cli/options.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"
#include "report/diagnostics.hpp"
#include "report/printable.hpp"
#include "report/verdict.hpp"
#include "verify/settings.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "gate";

/// The new rules compared with the baseline.
struct Comparison {
    std::string not_made;  // why there is no verdict
    std::optional<Verdict> verdict;
    std::vector<Difference> settings;
};

struct Findings {
    bool all_lines_load = true;
    std::vector<std::string> lost;  // lines, with what for
    std::size_t rules_behind_stop = 0;
    std::string outside_model;  // reason
    std::size_t lint_errors = 0, lint_warnings = 0, suppressed = 0;
    std::optional<Comparison> comparison;  // nothing: not asked
    bool budgets_asked = false;
    VerdictSources sources;  // of the comparison
    std::vector<Overrun> over;
    std::string budgets_unknown;  // why they cannot be judged
};

/// One line of the answer (cli reference, "Coverage and diff in JSON").
struct Part {
    std::string_view name, status;
    std::string detail;
};
constexpr std::string_view passed = "passed", failed = "failed", not_asked = "not asked";

std::string_view passed_if(bool condition) { return condition ? passed : failed; }

int exit_code(const Findings& f) {
    if (!f.all_lines_load) return exit_input;
    const auto* verdict = f.comparison && f.comparison->verdict ? &*f.comparison->verdict : nullptr;
    if (verdict != nullptr && std::holds_alternative<Refuted>(*verdict)) return exit_refuted;
    if (!f.outside_model.empty() || !f.budgets_unknown.empty() ||
        (verdict != nullptr && std::holds_alternative<Unknown>(*verdict)))
        return exit_unknown;
    if (f.lint_errors != 0) return exit_findings;
    return f.over.empty() ? exit_clean : exit_budget;
}

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

Part load_part(const Findings& f) {
    if (!f.all_lines_load) {
        std::string detail = f.lost.empty()
                                 ? std::string("loading stops before the last line")
                                 : fmt::format("{} lost: {}", counted(f.lost.size(), "line"), fmt::join(f.lost, "; "));
        if (f.rules_behind_stop != 0)
            detail += fmt::format("; loading stops there, and {} behind it never load{}",
                                  counted(f.rules_behind_stop, "rule"), f.rules_behind_stop == 1 ? "s" : "");
        return {"load", failed, std::move(detail)};
    }
    if (!f.outside_model.empty()) return {"load", failed, "cannot be judged: " + f.outside_model};
    return {"load", passed, "no line is lost"};
}

Part lint_part(const Findings& f) {
    std::string detail = f.lint_errors == 0 ? std::string("no errors") : counted(f.lint_errors, "error");
    if (f.lint_warnings != 0) detail += ", " + counted(f.lint_warnings, "warning");
    if (f.suppressed != 0) detail += fmt::format(", {} suppressed", f.suppressed);
    return {"lint", passed_if(f.lint_errors == 0), std::move(detail)};
}

Part equal_part(const Findings& f, const GateVerb& verb) {
    if (!f.comparison) return {"equal", not_asked, {}};
    if (!f.comparison->verdict) return {"equal", failed, "not compared: " + f.comparison->not_made};
    std::string text = verdict_to_text(*f.comparison->verdict, preserve_level(verb.preserve),
                                       assumption_names(verb.common.assume), f.sources);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return {"equal", passed_if(std::holds_alternative<Proven>(*f.comparison->verdict)), std::move(text)};
}

Part settings_part(const Findings& f) {
    if (!f.comparison) return {"settings", not_asked, {}};
    if (!f.comparison->verdict) return {"settings", failed, "not compared: " + f.comparison->not_made};
    std::vector<std::string> differences;
    for (const Difference& d : f.comparison->settings)
        differences.push_back(fmt::format("{}: {} -> {}: {}", d.what, d.before, d.after, d.meaning));
    return {"settings", passed_if(differences.empty()),
            differences.empty() ? std::string("the same") : fmt::format("{}", fmt::join(differences, "; "))};
}

Part budget_part(const Findings& f) {
    if (!f.budgets_asked) return {"budget", not_asked, {}};
    if (!f.budgets_unknown.empty()) return {"budget", failed, f.budgets_unknown};
    if (!f.all_lines_load) return {"budget", failed, "not judged: lines are lost"};
    if (f.over.empty()) return {"budget", passed, "kept"};
    std::vector<std::string> over;
    std::transform(f.over.begin(), f.over.end(), std::back_inserter(over),
                   [](const Overrun& o) { return to_string(o); });
    return {"budget", failed, fmt::format("{}", fmt::join(over, "\n"))};
}

std::vector<Part> parts_of(const Findings& f, const GateVerb& verb) {
    return {load_part(f), lint_part(f), equal_part(f, verb), settings_part(f), budget_part(f)};
}

std::string text_report(const Findings& f, const GateVerb& verb, const Sources& sources,
                        const std::vector<SuppressedFinding>& suppressed) {
    constexpr std::size_t width = 8;
    std::string out;
    for (const Part& part : parts_of(f, verb)) {
        out += fmt::format("{:<{}} {}", fmt::format("{}:", part.name), width, part.status);
        if (!part.detail.empty()) out += ": ";
        for (const char c : part.detail) {
            out += c;
            if (c == '\n') out += std::string(width + 1, ' ');
        }
        out += '\n';
    }
    for (const SuppressedFinding& s : suppressed)
        out += fmt::format("{:<{}} {}\n", "ignored:", width, suppression_text(sources, s));
    out += fmt::format("{:<{}} {}\n", "gate:", width, exit_code(f) == 0 ? "pass" : "FAIL");
    return out;
}

std::string json_report(const Findings& f, const GateVerb& verb, const Target& target, const Sources& sources,
                        const LintOutcome& lint) {
    using nlohmann::ordered_json;
    ordered_json parts = ordered_json::array();
    for (const Part& part : parts_of(f, verb))
        parts.push_back({{"part", part.name}, {"status", part.status}, {"detail", part.detail}});
    ordered_json over = ordered_json::array();
    for (const Overrun& o : f.over) {
        over.push_back({{"name", o.budget.call.name},
                        {"arch", arch_name(o.budget.call.arch)},
                        {"target", o.kernel},
                        {"limit", o.budget.limit},
                        {"filter_instructions", o.cost}});
    }
    ordered_json report{{"verdict", exit_code(f) == 0 ? "pass" : "fail"},
                        {"parts", parts},
                        {"suppressed", f.suppressed},
                        {"exit_code", exit_code(f)},
                        {"target", asked_name(target)},
                        {"lost_lines", f.lost},
                        {"verify", nullptr},
                        {"over_budget", over},
                        {"findings", ordered_json::parse(render_json(sources, lint.diagnostics, lint.suppressed))}};
    if (f.comparison && f.comparison->verdict)
        report["verify"] = verdict_to_json(*f.comparison->verdict, preserve_level(verb.preserve),
                                           assumption_names(verb.common.assume), f.sources);
    return report.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void judge_lint(const LintOutcome& lint, const Sources& sources, Findings& findings) {
    findings.all_lines_load = !lint.some_refused && !lint.would_stop;
    findings.rules_behind_stop = lint.rules_behind_stop;
    for (const RefusedLine& line : lint.lost)
        findings.lost.push_back(fmt::format("{}:{} ({})", printable_text(sources.name(line.at.file)), line.at.line,
                                            printable_text(line.reason)));
    findings.lint_errors = lint.diagnostics.count(Level::error);
    findings.lint_warnings = lint.diagnostics.count(Level::warning);
    findings.suppressed = lint.suppressed.size();
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
    findings.budgets_asked = !budgets->empty();
    findings.budgets_unknown = budgets_unknown(*budgets, setting.target);

    tell_target(verb.common, setting.target);
    LintOutcome lint = lint_rules(inputs, setting, !verb.no_suppressions);
    sort_diagnostics(lint.diagnostics);
    judge_lint(lint, inputs.sources, findings);
    Diagnostics repeated;  // what lint has told already
    LoadedRules loaded = load_rules(inputs, setting, true, repeated);
    findings.all_lines_load = findings.all_lines_load && loaded.would_load();
    if (loaded.load.outside_model) findings.outside_model = *loaded.load.outside_model;
    if (findings.all_lines_load && findings.budgets_unknown.empty()) {
        findings.over = overruns(*budgets, loaded.load.state, setting.target, setting.target.cost_kernels());
        if (findings.over.empty())
            findings.budgets_unknown =
                budget_doubt(*budgets, loaded.load.state, setting.target, setting.target.cost_kernels());
    }

    Inputs old_inputs;
    if (!verb.against.empty()) {
        Comparison comparison;
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
        if (old_loaded.load.outside_model && findings.outside_model.empty())
            findings.outside_model = fmt::format("the baseline: {}", *old_loaded.load.outside_model);
        if (!findings.all_lines_load) {
            comparison.not_made = "lines are lost";
        } else if (!findings.outside_model.empty()) {
            comparison.not_made = findings.outside_model;
        } else {
            compare_as_held(old_loaded.load.state, old_inputs, loaded.load.state, inputs);
            findings.sources = {&old_inputs.sources, &inputs.sources};
            comparison.settings = proof::compare_settings(old_loaded.load.state, loaded.load.state);
            comparison.verdict = verify(old_loaded.load.state, loaded.load.state,
                                        proof_options(setting, verb.preserve, verb.common.assume));
        }
        findings.comparison = std::move(comparison);
    }

    std::string out;
    if (verb.common.format == Format::json) {
        out = json_report(findings, verb, setting.target, inputs.sources, lint);
    } else {
        out = text_report(findings, verb, inputs.sources, lint.suppressed);
        // Errors decide, and lines that auditctl skips are shown; the rest is lint's business unless asked for.
        if (!verb.common.verbose) {
            std::erase_if(lint.diagnostics.items(), [](const Diagnostic& d) {
                return d.level != Level::error && !(d.id.starts_with("AU0") && d.level == Level::warning);
            });
        }
        report_to_stderr(verb.common, inputs.sources, lint.diagnostics);
    }
    if (!put_out(out)) return fail(verb_name, exit_usage, "standard output cannot be written");
    return exit_code(findings);
}

}  // namespace auopt
