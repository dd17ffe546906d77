// auopt verify A B: are two rule sets the same?
#include <algorithm>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "kernel_model/unknown_watches.hpp"
#include "report/verdict.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "verify";

}  // namespace

int run(const VerifyVerb& verb) {
    KernelState states[2];
    Inputs inputs[2];
    Setting setting;
    // Both sides are read before any verdict on either, so that one run reports everything.
    int code = exit_clean;
    for (int side = 0; side < 2; ++side) {
        Diagnostics diagnostics;
        if (!read_inputs(inputs[side], {side == 0 ? verb.before : verb.after}, merging_script(verb.common),
                         diagnostics)) {
            report_to_stderr(verb.common, inputs[side].sources, diagnostics);
            code = exit_input;
            continue;
        }
        setting = make_setting(verb.common, inputs[side]);
        if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
        if (const int refused = refuse_readings(verb_name, verb.common, inputs[side], setting); refused != 0) {
            code = refused;
            continue;
        }
        if (const std::string reason = outside_tables(setting); !reason.empty())
            return fail(verb_name, exit_unknown, reason);
        // A rule that is loaded already ends loading: what is judged is what the kernel holds then.
        const LoadedRules loaded = load_rules(inputs[side], setting, false, diagnostics);
        report_to_stderr(verb.common, inputs[side].sources, diagnostics);
        if (!loaded.would_load() && !loaded.load.duplicate)
            code = exit_input;
        else if (loaded.load.duplicate)
            put_err(fmt::format("auopt verify: loading {} stops at {}:{}; judged by what is loaded until there\n",
                                shown_input(side == 0 ? verb.before : verb.after),
                                inputs[side].sources.name(loaded.load.duplicate->file), loaded.load.duplicate->line));
        if (code == exit_clean && loaded.load.outside_model)
            code = fail(verb_name, exit_unknown, *loaded.load.outside_model);
        states[side] = loaded.load.state;
    }
    if (code != exit_clean) return code;

    compare_as_held(states[0], inputs[0], states[1], inputs[1]);
    const VerifyOptions options = proof_options(setting, verb.preserve, verb.common.assume);
    const auto assumptions = assumption_names(verb.common.assume);
    tell_target(verb.common, setting.target);
    const Verdict verdict = verify(states[0], states[1], options);
    const VerdictSources sources{&inputs[0].sources, &inputs[1].sources};
    nlohmann::ordered_json json = verdict_to_json(verdict, options.preserve, assumptions, sources);
    json["target"] = asked_name(setting.target);
    const bool written = put_out(verb.common.format == Format::json
                                     ? json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"
                                     : verdict_to_text(verdict, options.preserve, assumptions, sources));
    if (!written) return fail(verb_name, exit_usage, "standard output cannot be written");
    const std::size_t unknown = std::max(count_unknown_watches(states[0]), count_unknown_watches(states[1]));
    if (unknown != 0 && !verb.common.quiet)
        put_err(
            fmt::format("{} may be of {}: Proven is for either, what else is said may rest on which; give --facts\n",
                        unknown == 1 ? "1 watch" : fmt::format("{} watches", unknown),
                        unknown == 1 ? "a file or of a directory" : "files or of directories"));
    if (std::holds_alternative<Refuted>(verdict)) return exit_refuted;
    if (std::holds_alternative<Unknown>(verdict)) return exit_unknown;
    return exit_clean;
}

}  // namespace auopt
