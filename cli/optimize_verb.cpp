// auopt optimize: rewrite, prove, emit. Nothing is written unless the proof succeeds.
#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/install_file.hpp"
#include "cli/optimize_proven.hpp"
#include "cli/optimize_summary.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"
#include "cli/workload_option.hpp"
#include "report/printable.hpp"
#include "report/unified_diff.hpp"
#include "report/verdict.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "optimize";

/// What is there now: the output file where one is named, else the input itself.
std::string previous_text(const OptimizeVerb& verb, const Inputs& inputs) {
    if (verb.output.empty()) return inputs.plain_text;
    return read_file(verb.output).value_or("");
}

bool would_change(const OptimizeVerb& verb, const OptimizeOutcome& outcome) {
    // With an output file its bytes count; without one, whether the kernel would be told anything else.
    if (!verb.output.empty()) return read_file(verb.output).value_or("") != outcome.text;
    return outcome.wire_before != outcome.wire_after;
}

int explain_failure(const OptimizeOutcome& outcome, const OptimizeVerb& verb, const Inputs& inputs) {
    switch (outcome.status) {
        case OptimizeOutcome::Status::refuted:
            put_err(verdict_to_text(*outcome.verdict, preserve_level(verb.preserve),
                                    assumption_names(verb.common.assume),
                                    {&inputs.sources, &outcome.unproven_sources}));
            put_err(
                "auopt optimize: the rewritten rules are not the same as the input. This is a bug in auopt; please "
                "report it\n"
                "with the input. Nothing was written.\n");
            if (verb.common.verbose) put_rules_err(outcome.unproven_text);
            break;
        case OptimizeOutcome::Status::would_not_load:
            put_err(
                "auopt optimize: the input would not load; nothing was written (--continue skips bad lines, as "
                "auditctl does under -c)\n");
            break;
        default:
            put_err(
                fmt::format("auopt optimize: not proven, nothing was written: {}\n", printable_text(outcome.reason)));
            if (verb.common.verbose) put_rules_err(outcome.unproven_text);
            break;
    }
    return exit_code_of(outcome.status);
}

}  // namespace

int run(const OptimizeVerb& given) {
    OptimizeVerb verb = given;
    if (verb.in_place) {
        if (const std::string error = unfit_for_in_place(verb.inputs); !error.empty())
            return fail(verb_name, exit_usage, error);
        verb.output = verb.inputs.front();
    } else {
        std::vector<std::string> read = verb.inputs.empty() ? std::vector<std::string>{default_rules_dir} : verb.inputs;
        if (!verb.common.facts_file.empty()) read.push_back(verb.common.facts_file);
        for (const std::string& output : {verb.output, verb.report_file}) {
            if (const std::string error = unwise_output(output, read); !error.empty())
                return fail(verb_name, exit_usage, error);
        }
    }
    Inputs inputs;
    Diagnostics diagnostics;
    if (!read_inputs(inputs, verb.inputs, merging_script(verb.common), diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const Setting setting = make_setting(verb.common, inputs);
    if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
    if (const int code = refuse_readings(verb_name, verb.common, inputs, setting); code != 0) return code;

    ChosenWorkload chosen = choose_workload(verb_name, verb.common, verb.workload, setting.target.machine);
    if (chosen.exit_code != 0) return chosen.exit_code;

    OptimizeRequest request(inputs, setting);
    request.workload = std::move(chosen.workload);
    request.preserve = verb.preserve;
    request.assume = verb.common.assume;
    request.passes = {verb.passes.begin(), verb.passes.end()};
    request.cpus = verb.cpus;
    request.no_passes = verb.passes_given && verb.passes.empty();
    if (!verb.dump_after.empty()) {
        const std::set<std::string> wanted(verb.dump_after.begin(), verb.dump_after.end());
        request.after_pass = [wanted, &setting](const std::string& pass, const KernelState& state) {
            if (wanted.contains(pass)) put_rules_err(dump_state(pass, state, setting.target));
        };
    }
    const OptimizeOutcome outcome = optimize_proven(request, diagnostics);
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    if (outcome.status != OptimizeOutcome::Status::proven) return explain_failure(outcome, verb, inputs);

    if (!verb.common.quiet) put_err(optimize_summary(outcome, request, {verb.common.stats, verb.common.verbose}));
    if (!verb.report_file.empty()) {
        if (const auto written = install_file(verb.report_file, optimize_report_json(outcome, request)); !written) {
            return fail(verb_name, exit_usage, written.error());
        }
    }
    if (verb.diff) {
        const std::string old_name = verb.output.empty() ? inputs.shown_name : verb.output;
        if (!put_rules(unified_diff(previous_text(verb, inputs), outcome.text, old_name,
                                    verb.output.empty() ? "optimized" : verb.output))) {
            return fail(verb_name, exit_usage, "standard output cannot be written");
        }
    }
    if (verb.check) {
        const bool change = would_change(verb, outcome);
        if (!verb.common.quiet) put_err(change ? "would change\n" : "no change\n");
        return change ? exit_findings : exit_clean;
    }
    if (verb.in_place) {
        if (const auto kept = keep_original(verb.output); !kept) return fail(verb_name, exit_usage, kept.error());
    }
    if (!verb.output.empty()) {
        if (const auto written = install_file(verb.output, outcome.text); !written)
            return fail(verb_name, exit_usage, written.error());
    } else if (!verb.diff && !put_rules(outcome.text)) {
        return fail(verb_name, exit_usage, "standard output cannot be written");
    }
    return exit_clean;
}

}  // namespace auopt
