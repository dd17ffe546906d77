// auopt facts: this host's facts that the rules depend on, for --facts on another machine.
#include "compiler/facts.hpp"

#include "cli/exit_codes.hpp"
#include "cli/host_versions.hpp"
#include "cli/inputs.hpp"
#include "cli/install_file.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/streams.hpp"

namespace auopt {

int run(const FactsVerb& verb) {
    if (const std::string error = unwise_output(verb.output, verb.inputs); !error.empty())
        return fail("facts", exit_usage, error);
    Inputs inputs;
    Diagnostics diagnostics;
    if (!read_inputs(inputs, verb.inputs, merging_script(verb.common, true), diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const NeededFacts needed = needed_facts(inputs.all_lines());
    Facts facts = host_facts(needed.users, needed.groups, needed.paths);
    facts.audit_version = host_versions().auditctl;
    if (!facts.audit_version && !verb.common.quiet)
        put_err(
            "auopt facts: no auditctl here tells its version (some tell root only); every version will be asked how it "
            "reads the rules\n");
    std::string json = facts_to_json(facts);
    if (json.empty() || json.back() != '\n') json += '\n';
    if (!verb.output.empty()) {
        const auto written = install_file(verb.output, json);
        return written ? exit_clean : fail("facts", exit_usage, written.error());
    }
    return put_rules(json) ? exit_clean : fail("facts", exit_usage, "standard output cannot be written");
}

}  // namespace auopt
