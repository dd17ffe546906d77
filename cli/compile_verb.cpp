// auopt compile: rules to the kernel messages auditctl would send.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "compiler/listing.hpp"
#include "compiler/version.hpp"
#include "compiler/wire.hpp"
#include "report/rule_json.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "compile";

std::string wire_text(const Program& program) {
    std::string out;
    for (const Message& message : program.messages) {
        const std::string line = message_to_wire_line(message);
        if (!line.empty()) out += line + "\n";
    }
    return out;
}

/// One line per rule, as auditctl -l should print it; where a rule has none, and for other messages, the wire form as
/// a comment. A rule to delete is a comment too.
std::string rules_text(const Program& program, const std::string& machine, const KnownNames& known) {
    std::string out;
    for (const Message& message : program.messages) {
        if (const auto* add = std::get_if<AddRule>(&message.body)) {
            const auto line = rule_to_listing(add->rule, {.machine = machine, .names = known});
            out += line ? *line : fmt::format("# {}: {}", line.error(), message_to_wire_line(message));
            out += "\n";
            continue;
        }
        if (const auto* del = std::get_if<DeleteRule>(&message.body)) {
            if (const auto line =
                    rule_to_listing(del->rule, {.machine = machine, .names = known, .watch_form = false})) {
                out += "# -d" + line->substr(2) + "\n";
                continue;
            }
        }
        if (const std::string line = message_to_wire_line(message); !line.empty()) out += "# " + line + "\n";
    }
    return out;
}

std::string json_text(const Sources& sources, const Program& program, const std::string& machine) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Message& message : program.messages) array.push_back(message_to_json(sources, message, machine));
    return array.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int run(const CompileVerb& verb) {
    Inputs inputs;
    Diagnostics diagnostics;
    Augenrules script = merging_script(verb.common);
    const auto version = auditctl_version_named(verb.auditctl);  // nothing: the target's
    if (version) script = augenrules_of(*version, script.knows_blanks);
    if (!read_inputs(inputs, verb.inputs, script, diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    Setting setting = make_setting(verb.common, inputs);
    if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);
    if (version) setting.compile.version = *version;
    if (const std::string error = unknown_machine(setting.compile); !error.empty())
        return fail(verb_name, exit_usage, error);
    if (!version) note_readings(verb_name, verb.common, inputs, setting);
    // What auditctl sends, not what the kernel would answer: a duplicate is sent all the same.
    const Program program = read_program(inputs, setting.compile, setting.assume_listed_watches, diagnostics);
    const bool written = put_rules(verb.format == "json"   ? json_text(inputs.sources, program, setting.compile.machine)
                                   : verb.format == "text" ? rules_text(program, setting.compile.machine,
                                                                        features_of(setting.compile.version).names)
                                                           : wire_text(program));
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    if (!written) return fail(verb_name, exit_usage, "standard output cannot be written");
    return program.stopped ? exit_input : exit_clean;
}

}  // namespace auopt
