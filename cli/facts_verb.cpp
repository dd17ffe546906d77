// auopt facts: this host's facts that the rules depend on, for --facts on another machine.
#include "compiler/facts.hpp"

#include "cli/exit_codes.hpp"
#include "cli/inputs.hpp"
#include "cli/install_file.hpp"
#include "cli/options.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"

namespace auopt {

int run(const FactsVerb& verb) {
    Inputs inputs;
    Diagnostics diagnostics;
    if (!read_inputs(inputs, verb.inputs, target_augenrules(verb.common.target), diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const NeededFacts needed = needed_facts(inputs.all_lines());
    std::string json = facts_to_json(host_facts(needed.users, needed.groups, needed.paths));
    if (json.empty() || json.back() != '\n') json += '\n';
    if (!verb.output.empty()) {
        const auto written = install_file(verb.output, json);
        return written ? exit_clean : fail("facts", exit_usage, written.error());
    }
    return put_out(json) ? exit_clean : fail("facts", exit_usage, "standard output cannot be written");
}

}  // namespace auopt
