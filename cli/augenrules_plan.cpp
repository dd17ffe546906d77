#include "cli/augenrules_plan.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/load_rules.hpp"
#include "cli/lost_lines.hpp"
#include "cli/optimize_proven.hpp"
#include "cli/optimize_summary.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/stale_facts.hpp"
#include "cli/streams.hpp"
#include "report/printable.hpp"
#include "report/verdict.hpp"

namespace auopt {
namespace {

/// The merge waits for the answer, so there is little time for it: reading is fast, and only user names can take long.
/// A signal waits for it too, or the merge would be installed without a look at it.
constexpr ChildLimits limits_of_check{1024, std::chrono::seconds(5), false};

ChildLimits limits_of(const AugenrulesVerb& verb) {
    return {verb.memory_limit_mib,
            std::chrono::milliseconds(static_cast<std::int64_t>(verb.time_limit_seconds * 1000))};
}

/// Rules for another host, as its facts say, are not held against the paths of this one.
bool asks_host(const AugenrulesVerb& verb) { return verb.common.facts_file.empty() || verb.load; }

/// Rules in the place that this host loads at boot. Others may be made here for another host.
bool is_for_this_host(const AugenrulesVerb& verb) { return verb.output == AugenrulesVerb{}.output; }

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

// In the child. First the members of LoadCheck, then the lost lines.
std::vector<std::string> loading_in_child(const AugenrulesVerb& verb, const Inputs& inputs,
                                          const std::optional<std::string>& installed) {
    Sources old_sources;
    std::vector<InputLine> old_lines, all_lines = inputs.lines;
    if (installed) {
        const FileId file = old_sources.add(verb.output, *installed);
        old_lines = split_lines(old_sources, file);
        all_lines.insert(all_lines.end(), old_lines.begin(), old_lines.end());
    }
    Setting setting = make_setting(verb.common, all_lines, true, verb.auditctl);
    if (setting.exit_code != 0) {
        // Facts that cannot be read, or the like, which make_plan reports: then this host is asked.
        setting = make_setting(CommonOptions{}, all_lines, true, verb.auditctl);
        if (setting.exit_code != 0) return {};
    }
    const bool ask_host = asks_host(verb);
    const auto lost = lost_lines(inputs.sources, inputs.lines, setting.compile, ask_host, false);
    const auto lost_to_optimize = lost_lines(inputs.sources, inputs.lines, setting.compile, ask_host, true);
    const bool whole = installed && lost_lines(old_sources, old_lines, setting.compile, ask_host, false).empty();

    Diagnostics diagnostics, of_lost;
    static_cast<void>(load_rules(inputs, setting, false, diagnostics));
    for (const Diagnostic& d : diagnostics.items()) {
        const bool is_lost = std::any_of(lost.begin(), lost.end(), [&](const LostLine& l) {
            return l.at.file == d.span.file && l.at.line == d.span.line;
        });
        if (is_lost || d.level == Level::error) of_lost.add(d);
    }
    std::vector<std::string> answer{yes_or_no(lost_to_optimize.empty()), yes_or_no(whole),
                                    lost.empty() ? std::string() : render_diagnostics(inputs.sources, of_lost, {})};
    for (const LostLine& line : lost)
        answer.push_back(fmt::format("{}:{}: {} ({})", inputs.sources.name(line.at.file), line.at.line,
                                     inputs.sources.line(line.at.file, line.at.line), line.why));
    return answer;
}

struct Failure {
    int exit_code;
    std::string reason;
};

/// In the child: the text and what was gained.
tl::expected<std::pair<std::string, std::string>, Failure> optimized(const AugenrulesVerb& verb, const Inputs& inputs) {
    const Setting setting = make_setting(verb.common, inputs.lines, true, verb.auditctl);
    if (setting.exit_code != 0) return tl::unexpected(Failure{setting.exit_code, setting.error});
    if (!verb.common.facts_file.empty() && is_for_this_host(verb)) {
        if (const auto wrong = contradictions_with_host(setting.facts); !wrong.empty())
            return tl::unexpected(Failure{
                exit_input, fmt::format("{} is older than this host, or another's ({}{}); take the facts again",
                                        verb.common.facts_file, wrong.front(),
                                        wrong.size() > 1 ? fmt::format(", and {} more", wrong.size() - 1) : "")});
    }
    if (const auto groups = reading_groups(inputs, setting))
        return tl::unexpected(Failure{exit_usage, fmt::format("{} is {}", inputs.shown_name, to_string(*groups))});
    OptimizeRequest request(inputs, setting);
    request.assume = verb.common.assume;
    request.passes = {verb.passes.begin(), verb.passes.end()};
    request.no_passes = verb.passes_given && verb.passes.empty();
    Diagnostics diagnostics;
    OptimizeOutcome outcome = optimize_proven(request, diagnostics);
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    if (outcome.status != OptimizeOutcome::Status::proven) {
        std::string reason = outcome.reason;
        if (outcome.status == OptimizeOutcome::Status::refuted) {
            put_err(verdict_to_text(*outcome.verdict, Preserve::exact, assumption_names(verb.common.assume),
                                    {&inputs.sources, &outcome.unproven_sources}));
            reason = "the optimized rules are not the same as the merge; this is a bug in auopt, please report it";
        }
        return tl::unexpected(Failure{exit_code_of(outcome.status), std::move(reason)});
    }
    // The proof says what the output does where the merge loads whole, and where it stops. This host is known to be one
    // where it stops: then the file is the one whose lines the administrator wrote.
    Diagnostics repeated;
    const bool errors_ignored = compile(inputs.sources, inputs.lines, setting.compile, repeated).errors_ignored;
    if (asks_host(verb) && !errors_ignored) {
        for (const KernelRule& rule : outcome.before.filter) {
            if (const std::string path = missing_path(rule); !path.empty())
                return tl::unexpected(Failure{
                    exit_input,
                    fmt::format("{} is missing on this host: the kernel will refuse a rule, and loading stops there",
                                path)});
        }
    }
    if (verb.common.verbose || verb.common.stats)
        put_err(optimize_summary(outcome, request, {verb.common.stats, verb.common.verbose}));
    return std::pair(std::move(outcome.text), fmt::format("{} -> {} rules, proven the same",
                                                          outcome.before.rule_count(), outcome.after.rule_count()));
}

}  // namespace

tl::expected<LoadCheck, ChildFailure> check_loading(const AugenrulesVerb& verb, const Inputs& inputs,
                                                    const std::optional<std::string>& installed,
                                                    const StopSignals& signals) {
    const auto answer =
        run_in_child(limits_of_check, signals, [&] { return loading_in_child(verb, inputs, installed); });
    if (!answer) return tl::unexpected(answer.error());
    constexpr std::size_t members = 3;
    if (answer->size() < members)  // the setting is at fault; make_plan says so
        return tl::unexpected(ChildFailure{exit_input, "what would load cannot be told", false});
    LoadCheck check;
    check.repeats_only = (*answer)[0] == "yes";
    check.installed_is_whole = (*answer)[1] == "yes";
    check.diagnostics = (*answer)[2];
    check.lost = {answer->begin() + members, answer->end()};
    return check;
}

Plan make_plan(const AugenrulesVerb& verb, const Inputs& inputs, const StopSignals& signals) {
    // The child's answer: the text, the reason, and the exit code of a failure.
    const auto answer = run_in_child(limits_of(verb), signals, [&]() -> std::vector<std::string> {
        auto result = optimized(verb, inputs);
        if (!result) return {"", result.error().reason, std::to_string(result.error().exit_code)};
        return {std::move(result->first), std::move(result->second), "0"};
    });
    if (!answer) return {"", answer.error().reason, answer.error().exit_code, answer.error().interrupted};
    Plan plan;
    if (answer->size() != 3) return {"", "the optimizer's answer has another shape", exit_internal, false};
    plan.text = (*answer)[0];
    plan.reason = (*answer)[1];
    const std::string& code = (*answer)[2];
    if (std::from_chars(code.data(), code.data() + code.size(), plan.exit_code).ec != std::errc())
        plan.exit_code = exit_internal;
    if (plan.text.empty() && plan.exit_code == exit_clean) plan.exit_code = exit_internal;
    return plan;
}

}  // namespace auopt
