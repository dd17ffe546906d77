// The command line itself (CLI11): verbs, flags, help texts. The only file that knows CLI11.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <sstream>

#include "cli/exit_codes.hpp"
#include "cli/input_ids.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "compiler/compile.hpp"
#include "kernel_model/hardware.hpp"
#include "optimizer/pipeline.hpp"

namespace auopt {
namespace {

constexpr const char* about =
    "Reads Linux audit rules, models what the kernel does with them, rewrites them so that the kernel does less\n"
    "work, and proves that the result records the same events under the same keys.\n";

constexpr const char* epilogue = R"(
Start here:
  auopt cost rules.d                      what every system call pays for these rules
  auopt optimize rules.d -o audit.rules   rewrite and prove; nothing is written unless the proof succeeds
  auopt verify old.rules new.rules        are two files the same? if not, an event that tells them apart
  auopt lint rules.d                      what would not load, never fires, or costs too much
  auopt gate --against old.rules new.rules --budget getpid=600       one command for CI
  auopt fmt --diff rules.d                what canonical spelling would change; the kernel is told the same

RULES is a rules file, a directory (read as augenrules reads rules.d), - for standard input, or --loaded for what the
running kernel holds (root), also as A or B, or after --against and --compare; several are concatenated, the kernel's
first; none means /etc/audit/rules.d. With --from listing, or listing: before its name, a file is what auditctl -l
printed (auopt explain plain-listing). Users, groups and which watched paths are directories come from --facts FILE
(written by `auopt facts`) or --target host, never silently from this machine. So does the machine type;
which auditctl and kernel are meant comes from --target, else from the facts, else it is any: all of them;
--machine aarch64 or --target NAME/aarch64 checks rules for machines other than x86_64 (auopt targets lists them).

Exit codes: 0 clean, equivalent, within budget; 1 findings; 2 usage; 3 an input cannot be read or would not
load; 4 refuted; 5 unknown; 6 over budget; 70 internal error. `auopt explain ID` documents every finding.
)";

constexpr const char* fmt_epilogue = R"(
A line's new text is taken only where it compiles to the same messages, in every auditctl version of the target; else
the line stays as it was written. So does a line that would not load; its error is shown and the exit code is 3.
A directory means its *.rules files, each by itself; what augenrules merges of them must stay the same too, else
nothing is written.

  auopt fmt --diff rules.d          what would change
  auopt fmt -i rules.d/*.rules      rewrite the files
  auopt fmt --check rules.d         for CI and commit hooks: 1 if a file is not in canonical form
)";

constexpr const char* compile_epilogue = R"(
  auopt compile rules.d                   every message in sending order, byte for byte what auditctl sends
  auopt compile --format json FILE        one array: list, action, calls with their names in each ABI, tests, keys,
                                          the line it came from
  auopt compile --format text FILE        one rule a line, with the operators and the action that the kernel got
)";

const std::vector<std::string> assumptions{"no-32bit", "no-foreign-records", "watch-kinds", "listed-watches"};

/// An empty name is a variable that nobody set, not a wish for standard output.
CLI::Validator named() {
    return CLI::Validator([](const std::string& name) { return name.empty() ? "the name is empty" : ""; }, "");
}

void add_common(CLI::App& app, CommonOptions& common, const std::vector<std::string>& formats) {
    app.add_option(
        "--target", common.target,
        "How the text is read and which kernels evaluate it (auopt targets); NAME/MACHINE, as deb12/aarch64, "
        "for another machine (default: what the facts say, else any)");
    app.add_option(
        "--machine", common.machine,
        "The machine that the rules are for, as uname -m prints it (default: the facts' machine, else x86_64)");
    app.add_option("--facts", common.facts_file, "Host facts: users, groups, directories (JSON; see auopt facts)");
    if (!formats.empty()) {
        static const std::map<std::string, Format> all{{"text", Format::text},
                                                       {"gcc", Format::gcc},
                                                       {"json", Format::json},
                                                       {"sarif", Format::sarif},
                                                       {"github", Format::github}};
        app.add_option_function<std::string>(
               "--format", [&common](const std::string& name) { common.format = all.at(name); }, "Output format")
            ->check(CLI::IsMember(formats));
    }
    static const std::map<std::string, ColorMode> modes{
        {"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}};
    app.add_option_function<std::string>(
           "--color", [&common](const std::string& name) { common.color = modes.at(name); }, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    app.add_flag("-q,--quiet", common.quiet, "Errors only");
    app.add_flag("-v,--verbose", common.verbose, "Show everything");
    app.add_flag("--stats", common.stats, "Show times");
    app.add_flag("--continue", common.continue_on_error,
                 "Read the input as if its first line were -c: bad lines are warned about and skipped");
    app.add_option("--assume", common.assume,
                   "Assumptions the result may rest on: no-32bit, no-foreign-records, watch-kinds, listed-watches")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(assumptions));
}

void add_from(CLI::App& app, CommonOptions& common) {
    app.add_option("--from", common.from,
                   "What the inputs are: rules, or a listing (what auditctl -l printed; default -)")
        ->check(CLI::IsMember({"rules", "listing"}))
        ->capture_default_str();
}

void add_inputs(CLI::App& app, CommonOptions& common, std::vector<std::string>& inputs) {
    app.add_option("RULES", inputs, "Rules files, rules.d directories, - or --loaded (default /etc/audit/rules.d)");
    add_from(app, common);
}

/// Verbs that read rules; in their place --loaded is an input like any other, also as the value of an option.
void replace_loaded(std::vector<std::string>& arguments) {
    static const std::vector<std::string> readers{"optimize", "cost",    "verify", "lint",
                                                  "gate",     "compile", "fmt",    "facts"};
    if (arguments.empty() || std::find(readers.begin(), readers.end(), arguments[0]) == readers.end()) return;
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    std::replace(arguments.begin(), end, std::string("--loaded"), loaded_input);
}

/// --from marks every input that says nothing itself; a listing among them is an assumption.
void settle_inputs(CommonOptions& common, const std::vector<std::string*>& inputs) {
    bool any = false;
    for (std::string* input : inputs) {
        const bool says = *input == loaded_input || is_listing(*input) || input->starts_with(rules_prefix);
        if (common.from == "listing" && !says && !input->empty()) input->insert(0, listing_prefix);
        any = any || is_listing(*input);
        common.reads_kernel = common.reads_kernel || *input == loaded_input;
    }
    if (any) common.assume.emplace_back("plain-listing");
}

template <class Verb>
void settle_inputs(Verb& verb, const std::vector<std::string*>& more) {
    if (verb.common.from == "listing" && verb.inputs.empty()) verb.inputs.emplace_back("-");
    std::vector<std::string*> all = more;
    for (std::string& input : verb.inputs) all.push_back(&input);
    settle_inputs(verb.common, all);
}

void add_passes(CLI::App& app, std::vector<std::string>& passes) {
    app.add_option("--passes", passes, "Run only these passes (comma list; auopt explain NAME)")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(pass_names()));
}

std::vector<std::string> names_of(const auto& rows) {
    std::vector<std::string> names;
    for (const auto& row : rows) names.push_back(row.name);
    return names;
}

constexpr const char* cpus_help =
    "N CPUs run one program: price the reference count that its exe= tests share (an estimate)";

void add_hardware(CLI::App& app, HardwareFlags& hardware) {
    app.add_option("--cpu", hardware.cpu, "Add cycles, nanoseconds and L1D misses on this CPU (docs/PLACEMENT.md)")
        ->check(CLI::IsMember(names_of(cpus())));
    app.add_option("--kernel-variant", hardware.kernel_variant, "How the kernel allocates and walks rules")
        ->check(CLI::IsMember(names_of(kernel_variants())))
        ->capture_default_str();
    app.add_option("--cpus", hardware.cpus, cpus_help)->check(CLI::Range(1U, most_cpus));
    app.add_option("--boots", hardware.boots, "Random placements of the rules, 10 runs each")
        ->check(CLI::Range(1U, 100000U))
        ->capture_default_str();
    app.add_option("--seed", hardware.seed, "Which placements are drawn")->capture_default_str();
}

void add_workload(CLI::App& app, WorkloadOptions& workload) {
    app.add_option("--workload", workload.workloads,
                   "How often calls are made: the output of strace -c, perf trace -s, bpftrace counts or perf report, "
                   "JSON, or the name server (FILE or FORMAT:FILE; repeatable)")
        ->allow_extra_args(false);
    app.add_option("--workload-cpu-seconds", workload.cpu_seconds, "CPU time in which the workload's calls were made")
        ->check(CLI::PositiveNumber);
}

constexpr const char* no_suppressions_help = "Comments that suppress findings (# auopt: ignore) count for nothing";

/// An option that was given and says nothing: a variable of a script that was not set, most likely, so that leaving the
/// option out of account would pass what was to be judged.
std::string empty_option(const CLI::App& app) {
    for (const CLI::App* verb : app.get_subcommands()) {
        for (const CLI::Option* option : verb->get_options()) {
            if (option->get_positional() || option->count() == 0) continue;
            for (const std::string& value : option->results()) {
                if (value.find_first_not_of(' ') == std::string::npos) return option->get_name();
            }
        }
    }
    return {};
}

const CLI::IsMember preserve_levels({"exact", "recorded"});

/// Verbs and flags that the design has and this version has not: said plainly instead of "unknown".
const std::map<std::string, std::string> not_in_this_version{{"diff", "verb"},
                                                             {"why", "verb"},
                                                             {"coverage", "verb"},
                                                             {"profiles", "verb"},
                                                             {"--require", "option"},
                                                             {"--allow-lost", "option"},
                                                             {"--cert", "option"},
                                                             {"--check-cert", "option"},
                                                             {"--scanner", "option"},
                                                             {"--fix", "option"},
                                                             {"--unsafe-fixes", "option"},
                                                             {"--baseline", "option"},
                                                             {"--write-baseline", "option"},
                                                             {"--emit-repro", "option"},
                                                             {"--config", "option"}};

std::string later_feature(const std::vector<std::string>& arguments) {
    if (!arguments.empty() && not_in_this_version.contains(arguments[0]) && arguments[0][0] != '-') return arguments[0];
    for (const std::string& argument : arguments) {
        if (argument == "--") break;
        const std::string name = argument.substr(0, argument.find('='));
        if (name.size() > 2 && name[0] == '-' && not_in_this_version.contains(name)) return name;
    }
    return {};
}

}  // namespace

CommandLine parse_command_line(const std::string& program_name, std::vector<std::string> arguments) {
    const std::string base = program_name.substr(program_name.rfind('/') + 1);
    if (base == "aulint") arguments.insert(arguments.begin(), "lint");

    CLI::App app{about, "auopt"};
    app.footer(epilogue);
    app.require_subcommand(1);
    app.set_version_flag("--version", "auopt " AUOPT_VERSION, "Print the version and leave");
    app.set_help_flag("-h,--help", "Print this help and leave");
    app.get_formatter()->column_width(34);

    OptimizeVerb optimize;
    CLI::App* optimize_app = app.add_subcommand("optimize", "Rewrite, prove and print audit.rules");
    add_inputs(*optimize_app, optimize.common, optimize.inputs);
    add_common(*optimize_app, optimize.common, {"text", "gcc", "github"});
    optimize_app
        ->add_option("-o,--output", optimize.output,
                     "Write here (atomically) instead of to standard output (-); neither an input nor a file in one")
        ->check(named());
    optimize_app->add_flag("-i,--in-place", optimize.in_place,
                           "Write to the input file itself; the original stays beside it as FILE.orig");
    optimize_app->add_flag("--check", optimize.check, "Write nothing; exit 1 if the output would differ");
    optimize_app->add_flag("--diff", optimize.diff, "Print a unified diff instead of the rules");
    optimize_app
        ->add_option("--preserve", optimize.preserve,
                     "exact: the same decision and key for every event; recorded: no match and never may change places")
        ->check(preserve_levels)
        ->capture_default_str();
    add_passes(*optimize_app, optimize.passes);
    optimize_app
        ->add_option("--dump-after", optimize.dump_after,
                     "Print the rules after this pass to standard error, with their cost")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(pass_names()));
    optimize_app->add_option("--cpus", optimize.cpus, cpus_help)->check(CLI::Range(1U, most_cpus));
    optimize_app->add_option("--report", optimize.report_file, "Write a report (FILE.json)")->check(named());

    add_workload(*optimize_app, optimize.workload);

    CostVerb cost;
    CLI::App* cost_app = app.add_subcommand("cost", "What the rules cost per system call");
    add_inputs(*cost_app, cost.common, cost.inputs);
    add_common(*cost_app, cost.common, {"text", "json"});
    cost_app->add_option("--syscall", cost.syscalls, "This call (name or number; repeatable)")
        ->delimiter(',')
        ->allow_extra_args(false);
    cost_app->add_option("--arch", cost.arch, "b64 or b32 (default: b64)")->check(CLI::IsMember({"b64", "b32"}));
    cost_app->add_option("--top", cost.top, "The N most expensive calls");
    cost_app
        ->add_option("--budget", cost.budgets, "NAME=N: exit 6 if the call pays more than N instructions (repeatable)")
        ->allow_extra_args(false);
    cost_app->add_option("--compare", cost.compare, "Show the change from this rules file or directory");

    add_hardware(*cost_app, cost.hardware);
    add_workload(*cost_app, cost.workload);

    VerifyVerb verify;
    CLI::App* verify_app = app.add_subcommand("verify", "Do two rule sets record the same events under the same keys?");
    verify_app->add_option("A", verify.before, "Rules before")->required();
    verify_app->add_option("B", verify.after, "Rules after")->required();
    add_from(*verify_app, verify.common);
    add_common(*verify_app, verify.common, {"text", "json"});
    verify_app->add_option("--preserve", verify.preserve, "exact, recorded, or decision (keys ignored)")
        ->check(CLI::IsMember({"exact", "recorded", "decision"}))
        ->capture_default_str();

    LintVerb lint;
    CLI::App* lint_app = app.add_subcommand("lint", "Find what would not load, never fires, or costs too much");
    add_inputs(*lint_app, lint.common, lint.inputs);
    add_common(*lint_app, lint.common, {"text", "gcc", "json", "sarif", "github"});
    lint_app->add_option("--select", lint.select, "Only these ids or id prefixes (AU1, AU301)")
        ->delimiter(',')
        ->allow_extra_args(false);
    lint_app->add_option("--ignore", lint.ignore, "Not these ids or id prefixes")
        ->delimiter(',')
        ->allow_extra_args(false);
    lint_app->add_option("--fail-on", lint.fail_on, "Exit 1 on findings of this level or above")
        ->check(CLI::IsMember({"error", "warning", "info", "never"}))
        ->capture_default_str();
    lint_app->add_flag("--no-suppressions", lint.no_suppressions, no_suppressions_help);

    GateVerb gate;
    CLI::App* gate_app =
        app.add_subcommand("gate", "One command for CI: load, lint errors, equivalence to a baseline, cost budgets");
    add_inputs(*gate_app, gate.common, gate.inputs);
    add_common(*gate_app, gate.common, {"text", "json"});
    gate_app->add_option("--against", gate.against, "The rules that were accepted before: nothing may differ");
    gate_app->add_flag("--equal", gate.equal, "What --against asks in this version: the same events, the same keys");
    gate_app->add_flag("--no-suppressions", gate.no_suppressions, no_suppressions_help);
    gate_app->add_option("--budget", gate.budgets, "NAME=N instructions per call (repeatable)")
        ->allow_extra_args(false);
    gate_app->add_option("--preserve", gate.preserve, "exact, recorded, or decision")
        ->check(CLI::IsMember({"exact", "recorded", "decision"}))
        ->capture_default_str();

    AugenrulesVerb augenrules;
    CLI::App* augenrules_app = app.add_subcommand(
        "augenrules", "Merge rules.d, optimize, prove and install, before or in place of augenrules");
    add_common(*augenrules_app, augenrules.common, {"text"});
    augenrules_app->add_option("--rules-dir", augenrules.rules_dir, "Directory to merge")
        ->check(named())
        ->capture_default_str();
    augenrules_app->add_option("--output", augenrules.output, "File to install")->check(named())->capture_default_str();
    augenrules_app->add_flag("--check", augenrules.check,
                             "Say whether the installed file is out of date (exit 1); change nothing");
    augenrules_app->add_flag("--load", augenrules.load, "Afterwards run auditctl -R on the installed file");
    augenrules_app
        ->add_option("--fallback", augenrules.fallback,
                     "passthrough: if anything fails, install what augenrules would, and exit with the reason's code; "
                     "fail: install nothing")
        ->check(CLI::IsMember({"passthrough", "fail"}))
        ->capture_default_str();
    augenrules_app->add_flag("--accept-lost", augenrules.accept_lost,
                             "Install the merge even if lines of it would not load and the installed file loads whole");
    augenrules_app
        ->add_option("--memory-limit", augenrules.memory_limit_mib,
                     "MiB of address space that the optimizer may take, which works in a process of its own")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30U))
        ->capture_default_str();
    augenrules_app->add_option("--time-limit", augenrules.time_limit_seconds, "Seconds that it may take")
        ->check(CLI::Range(0.001, 86400.0))
        ->capture_default_str();
    augenrules_app->add_option("--auditctl", augenrules.auditctl, "Program that --load runs")
        ->envname("AUOPT_AUDITCTL")
        ->capture_default_str();
    add_passes(*augenrules_app, augenrules.passes);

    CompileVerb compile;
    CLI::App* compile_app = app.add_subcommand("compile", "The kernel messages auditctl would send");
    add_inputs(*compile_app, compile.common, compile.inputs);
    add_common(*compile_app, compile.common, {});
    compile_app
        ->add_option("--format", compile.format,
                     "wire: hex payloads; json: the messages decoded; text: the rules as auditctl -l should print them")
        ->check(CLI::IsMember({"wire", "json", "text"}))
        ->capture_default_str();

    std::vector<std::string> versions;
    for (const AuditctlVersion version : all_auditctl_versions()) versions.emplace_back(auditctl_version_name(version));
    compile_app
        ->add_option("--auditctl", compile.auditctl,
                     "Read the rules as this auditctl version does (default: the target's version)")
        ->check(CLI::IsMember(versions));

    compile_app->footer(compile_epilogue);

    FmtVerb format;
    CLI::App* format_app = app.add_subcommand("fmt", "Rules in their canonical spelling; order and comments kept");
    add_inputs(*format_app, format.common, format.inputs);
    add_common(*format_app, format.common, {"text", "gcc", "github"});
    format_app->add_flag("--check", format.check, "Write nothing; exit 1 if a file would change");
    format_app->add_flag("--diff", format.diff, "Print a unified diff instead of the rules");
    format_app->add_flag("-i,--in-place", format.in_place, "Rewrite the files themselves (each one atomically)");
    format_app
        ->add_option("--style", format.style,
                     "source: as an author writes (names, unset, -k); listing: as auditctl -l prints")
        ->check(CLI::IsMember({"source", "listing"}))
        ->capture_default_str();
    format_app->footer(fmt_epilogue);

    TargetsVerb targets;
    CLI::App* targets_app = app.add_subcommand("targets", "Targets that are known, and on what evidence");
    add_common(*targets_app, targets.common, {"text", "json"});

    ExplainVerb explain;
    CLI::App* explain_app = app.add_subcommand("explain", "Document a check (AU201), a pass, a field or an assumption");
    explain_app->add_option("ID", explain.id, "What to explain; without it, a list");
    add_common(*explain_app, explain.common, {});

    FactsVerb facts;
    CLI::App* facts_app =
        app.add_subcommand("facts", "Collect this host's facts that the rules depend on, for --facts elsewhere");
    add_inputs(*facts_app, facts.common, facts.inputs);
    std::vector<std::string> facts_dirs;
    facts_app->add_option("--rules-dir", facts_dirs, "A rules.d directory, as RULES")->allow_extra_args(false);
    facts_app->add_option("-o,--output", facts.output, "Write here instead of to standard output (-)")->check(named());
    add_common(*facts_app, facts.common, {});

    replace_loaded(arguments);
    CommandLine result;
    if (const std::string later = later_feature(arguments); !later.empty()) {
        result.exit_code = exit_usage;
        result.err = fmt::format("auopt: this version does not have the {} {}\n", not_in_this_version.at(later), later);
        return result;
    }
    for (const std::string& argument : arguments) {
        if (argument == "--") break;
        // CLI11 would take the next word for the value.
        if (argument.starts_with("--") && argument.find('=') + 1 == argument.size()) {
            result.exit_code = exit_usage;
            result.err = fmt::format("auopt: {} is given an empty value\n", argument.substr(0, argument.size() - 1));
            return result;
        }
    }
    try {
        std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
        app.parse(reversed);
    } catch (const CLI::ParseError& error) {
        std::ostringstream out, err;
        const int code = app.exit(error, out, err);
        result.out = out.str();
        result.err = err.str().empty() ? std::string() : "auopt: " + err.str();
        result.exit_code = code == 0 ? static_cast<int>(exit_clean) : static_cast<int>(exit_usage);
        return result;
    }
    if (const std::string empty = empty_option(app); !empty.empty()) {
        result.exit_code = exit_usage;
        result.err = fmt::format("auopt: {} is given an empty value\n", empty);
        return result;
    }
    facts.inputs.insert(facts.inputs.end(), facts_dirs.begin(), facts_dirs.end());
    settle_inputs(optimize, {});
    settle_inputs(cost, {&cost.compare});
    settle_inputs(verify.common, {&verify.before, &verify.after});
    settle_inputs(lint, {});
    settle_inputs(gate, {&gate.against});
    settle_inputs(compile, {});
    settle_inputs(format, {});
    settle_inputs(facts, {});
    optimize.passes_given = optimize_app->count("--passes") != 0;
    augenrules.passes_given = augenrules_app->count("--passes") != 0;
    const auto usage = [&](std::string message) {
        result.exit_code = exit_usage;
        result.err = "auopt: " + message + "\n";
        return result;
    };
    for (std::string* output : {&optimize.output, &facts.output})
        if (*output == "-") output->clear();
    if (optimize_app->parsed()) {
        if (optimize.in_place && optimize_app->count("--output") != 0)
            return usage("--in-place writes to the input file, so it does not go with --output");
        if (!optimize.report_file.empty() && !optimize.report_file.ends_with(".json"))
            return usage("--report writes FILE.json; this version has no other report");
        result.verb = optimize;
    } else if (cost_app->parsed())
        result.verb = cost;
    else if (verify_app->parsed()) {
        const auto standard_input = [](const std::string& input) { return input == "-" || input.ends_with(":-"); };
        if (standard_input(verify.before) && standard_input(verify.after))
            return usage("only one of A and B can be standard input");
        result.verb = verify;
    } else if (lint_app->parsed()) {
        for (const auto* ids : {&lint.select, &lint.ignore}) {
            for (const std::string& id : *ids) {
                if (std::string error = unknown_id(id); !error.empty()) return usage(std::move(error));
            }
        }
        result.verb = lint;
    } else if (gate_app->parsed()) {
        if (gate.equal && gate.against.empty()) return usage("--equal needs --against OLD");
        result.verb = gate;
    } else if (augenrules_app->parsed())
        result.verb = augenrules;
    else if (compile_app->parsed())
        result.verb = compile;
    else if (format_app->parsed()) {
        const bool standard_input = std::find(format.inputs.begin(), format.inputs.end(), "-") != format.inputs.end();
        if (format.in_place && standard_input) return usage("standard input cannot be rewritten in place");
        if (format.in_place && format.check) return usage("--check writes nothing, so it does not go with --in-place");
        result.verb = format;
    } else if (targets_app->parsed())
        result.verb = targets;
    else if (explain_app->parsed())
        result.verb = explain;
    else if (facts_app->parsed())
        result.verb = facts;
    return result;
}

}  // namespace auopt
