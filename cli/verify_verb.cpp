// auopt verify A B: are two rule sets the same?
#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/proof_options.hpp"
#include "cli/streams.hpp"
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
        if (!read_inputs(inputs[side], {side == 0 ? verb.before : verb.after}, target_augenrules(verb.common.target),
                         diagnostics)) {
            report_to_stderr(verb.common, inputs[side].sources, diagnostics);
            code = exit_input;
            continue;
        }
        setting = make_setting(verb.common, inputs[side]);
        if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
        if (const std::string reason = outside_tables(setting); !reason.empty())
            return fail(verb_name, exit_unknown, reason);
        const LoadedRules loaded = load_rules(inputs[side], setting, true, diagnostics);
        report_to_stderr(verb.common, inputs[side].sources, diagnostics);
        if (!loaded.would_load())
            code = exit_input;
        else if (loaded.load.outside_model && code == exit_clean)
            code = fail(verb_name, exit_unknown, *loaded.load.outside_model);
        states[side] = loaded.load.state;
    }
    if (code != exit_clean) return code;

    compare_as_held(states[0], inputs[0], states[1], inputs[1]);
    const VerifyOptions options = proof_options(setting.target, verb.preserve, verb.common.assume);
    const auto assumptions = assumption_names(verb.common.assume);
    const Verdict verdict = verify(states[0], states[1], options);
    const bool written = put_out(verb.common.format == Format::json
                                     ? verdict_to_json(verdict, options.preserve, assumptions)
                                               .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                                           "\n"
                                     : verdict_to_text(verdict, options.preserve, assumptions));
    if (!written) return fail(verb_name, exit_usage, "standard output cannot be written");
    if (std::holds_alternative<Refuted>(verdict)) return exit_refuted;
    if (std::holds_alternative<Unknown>(verdict)) return exit_unknown;
    return exit_clean;
}

}  // namespace auopt
