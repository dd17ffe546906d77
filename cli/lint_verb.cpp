// auopt lint: every check, as text, or for compilers' log readers, JSON, SARIF and GitHub jobs.
#include <algorithm>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/lint_rules.hpp"
#include "cli/options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "lint";

bool named(const std::vector<std::string>& prefixes, const std::string& id) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string& prefix) { return !prefix.empty() && id.starts_with(prefix); });
}

bool fails(const Diagnostics& diagnostics, const std::string& fail_on) {
    if (fail_on == "never") return false;
    const Level threshold = fail_on == "error" ? Level::error : fail_on == "info" ? Level::info : Level::warning;
    return std::any_of(diagnostics.items().begin(), diagnostics.items().end(),
                       [&](const Diagnostic& d) { return d.level >= threshold; });
}

DiagnosticFormat diagnostic_format(Format format) {
    switch (format) {
        case Format::text:
            return DiagnosticFormat::text;
        case Format::gcc:
            return DiagnosticFormat::gcc;
        case Format::json:
            return DiagnosticFormat::json;
        case Format::sarif:
            return DiagnosticFormat::sarif;
        case Format::github:
            return DiagnosticFormat::github;
    }
    return DiagnosticFormat::text;
}

}  // namespace

int run(const LintVerb& verb) {
    Inputs inputs;
    Diagnostics diagnostics;
    int code = exit_clean;
    std::size_t unknown_watches = 0;
    std::vector<SuppressedFinding> suppressed;
    if (!read_inputs(inputs, verb.inputs, merging_script(verb.common), diagnostics)) {
        code = exit_input;
    } else {
        const Setting setting = make_setting(verb.common, inputs);
        if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
        note_readings(verb_name, verb.common, inputs, setting);
        LintOutcome outcome = lint_rules(inputs, setting, !verb.no_suppressions);
        if (outcome.some_refused) code = exit_input;
        unknown_watches = outcome.unknown_watches;
        diagnostics = std::move(outcome.diagnostics);
        suppressed = std::move(outcome.suppressed);
        const auto left_out = [&](const Diagnostic& d) {
            return (!verb.select.empty() && !named(verb.select, d.id)) || named(verb.ignore, d.id) ||
                   (verb.common.quiet && d.level != Level::error);
        };
        std::erase_if(diagnostics.items(), left_out);
        std::erase_if(suppressed, [&](const SuppressedFinding& s) { return left_out(s.finding); });
    }
    sort_diagnostics(diagnostics);
    RenderOptions options;
    options.format = diagnostic_format(verb.common.format);
    options.color = use_color(verb.common.color, 1);
    options.max_shown = verb.common.verbose ? 0 : 100;
    if (!put_out(render_diagnostics(inputs.sources, diagnostics, options, suppressed))) {
        return fail(verb_name, exit_usage, "standard output cannot be written");
    }
    if (verb.common.format == Format::text && !verb.common.quiet) {
        const std::string counts = count_line(diagnostics);
        put_err((counts.empty() ? "no findings" : counts) +
                (suppressed.empty() ? std::string() : fmt::format(", {} suppressed", suppressed.size())) + "\n");
        for (const SuppressedFinding& s : suppressed)
            put_err(fmt::format("suppressed: {}\n", suppression_text(inputs.sources, s)));
        if (unknown_watches != 0) {
            put_err(fmt::format("{}, so what {} is not judged: give --facts\n",
                                unknown_watches == 1
                                    ? "1 watch may be of a file or of a directory"
                                    : fmt::format("{} watches may be of files or of directories", unknown_watches),
                                unknown_watches == 1 ? "it costs and hides" : "they cost and hide"));
        }
    }
    if (code == exit_clean && fails(diagnostics, verb.fail_on)) code = exit_findings;
    return code;
}

}  // namespace auopt
