#include "cli/load_rules.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/exit_codes.hpp"
#include "cli/host_versions.hpp"
#include "compiler/read_listing.hpp"
#include "compiler/version.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

std::string known_machines() {
    std::vector<std::string_view> names;
    for (const Machine m : modelled_machines()) names.push_back(machine_name(m));
    return fmt::format("{}", fmt::join(names, ", "));
}

/// What the flags say about the machine: nothing, a name, or what is wrong with them.
struct AskedMachine {
    std::string target, machine, error;
};
AskedMachine asked_machine(const CommonOptions& common) {
    AskedMachine asked{common.target, common.machine, {}};
    const std::size_t slash = common.target.find('/');
    if (slash != std::string::npos) {
        asked.target = common.target.substr(0, slash);
        const std::string suffix = common.target.substr(slash + 1);
        if (!common.machine.empty() && machine_by_name(suffix) != machine_by_name(common.machine))
            asked.error =
                fmt::format("--target {} and --machine {} are two different machines", common.target, common.machine);
        asked.machine = suffix;
    }
    const bool given = slash != std::string::npos || !common.machine.empty();
    if (asked.error.empty() && given && !machine_by_name(asked.machine))
        asked.error = fmt::format("unknown machine {}; known: {}", asked.machine, known_machines());
    return asked;
}

}  // namespace

namespace {

/// Both are versions, and they are two: "6.1.0-57-amd64" and "6.1.0-58-amd64" are one kernel series.
bool disagree(const std::optional<std::string>& a, const std::optional<std::string>& b, bool series_only) {
    if (!a || !b) return false;
    const auto part = [&](const std::string& text) {
        const std::size_t dot = text.find('.');
        return series_only && dot != std::string::npos ? text.substr(0, text.find_first_of(".-+", dot + 1)) : text;
    };
    return part(*a) != part(*b);
}

/// Puts this host's versions where `facts` have none. Error: the facts are of another host.
std::string add_host_versions(Facts& facts, const std::string& auditctl) {
    const HostVersions host = host_versions(auditctl);
    if (disagree(facts.audit_version, host.auditctl, false))
        return fmt::format("the facts are of auditctl {}, this host has {}: collect them again (auopt facts)",
                           *facts.audit_version, *host.auditctl);
    if (disagree(facts.kernel, host.kernel, true))
        return fmt::format("the facts are of kernel {}, this host has {}: collect them again (auopt facts)",
                           *facts.kernel, *host.kernel);
    if (host.auditctl) facts.audit_version = host.auditctl;
    if (host.kernel) facts.kernel = host.kernel;
    return {};
}

}  // namespace

Setting make_setting(const CommonOptions& common, const std::vector<InputLine>& lines, bool host_by_default,
                     const std::string& auditctl) {
    Setting setting;
    const auto stop = [&](int code, std::string error) {
        setting.exit_code = code;
        setting.error = std::move(error);
        return setting;
    };
    const AskedMachine asked = asked_machine(common);
    if (!asked.error.empty()) return stop(exit_usage, asked.error);
    if (!common.facts_file.empty()) {
        // A pipe is read once; of a file the same bytes are read and named.
        const auto text = read_file(common.facts_file);
        auto facts = text ? parse_facts(*text, common.facts_file) : read_facts(common.facts_file);
        if (!facts) return stop(exit_input, facts.error());
        setting.facts = std::move(*facts);
        setting.facts_source = common.facts_file.substr(common.facts_file.rfind('/') + 1);
        if (text) setting.facts_source += " sha256 " + sha256_hex(*text);
    } else if (asked.target == "host" || host_by_default) {
        const NeededFacts needed = needed_facts(lines);
        setting.facts = host_facts(needed.users, needed.groups, needed.paths);
        setting.facts_source = "of the host that wrote this file";
    }
    // Facts that say neither auditctl nor kernel leave both to this host, where it is the one to work on.
    const bool facts_say = !common.facts_file.empty() && (setting.facts.audit_version || setting.facts.kernel);
    const bool this_host =
        asked.target == "host" || (asked.target.empty() && (host_by_default || common.reads_kernel) && !facts_say);
    if (this_host) {
        if (std::string error = add_host_versions(setting.facts, auditctl); !error.empty())
            return stop(exit_usage, std::move(error));
    }
    for (const std::string& name : common.assume) {
        if (name == "watch-kinds") setting.facts.assume_watch_kinds = true;
        if (name == "listed-watches") setting.assume_listed_watches = true;
    }
    if (!asked.machine.empty()) {
        // Users, groups and paths may be the same on many machines; what --target host found is this one's.
        const auto wanted = machine_by_name(asked.machine);
        if (asked.target == "host" && setting.facts.machine && machine_by_name(*setting.facts.machine) != wanted)
            return stop(exit_usage,
                        fmt::format("--target host is a {} machine, not {}", *setting.facts.machine, asked.machine));
        setting.facts.machine = asked.machine;
    }
    const std::string name = setting.facts.machine.value_or("x86_64");
    const auto machine = machine_by_name(name);
    if (!machine)
        return stop(exit_input,
                    fmt::format("the facts are of an unknown machine, {}; known: {}", name, known_machines()));
    auto target = find_target(asked.target, setting.facts, *machine, this_host);
    if (!target) return stop(exit_usage, target.error());
    setting.target = std::move(*target);
    setting.compile.version = setting.target.reading;
    setting.compile.machine = name;
    setting.compile.facts = setting.facts;
    setting.compile.continue_on_error = common.continue_on_error;
    if (std::string error = unknown_machine(setting.compile); !error.empty()) return stop(exit_usage, std::move(error));
    return setting;
}

std::string unknown_machine(const CompileOptions& options) {
    const Features& features = features_of(options.version);
    if (machine_by_name(options.machine, features.names)) return {};
    return fmt::format("auditctl {} does not know the machine {}; name a --target whose auditctl does, such as deb13",
                       features.name, options.machine);
}

std::uint32_t arch_of(const Setting& setting, Abi abi) { return machine_model(setting.target.machine).abi_arch(abi); }

Setting make_setting(const CommonOptions& common, const Inputs& inputs) {
    const std::vector<InputLine> lines = inputs.all_lines();
    Setting setting = make_setting(common, lines);
    if (!inputs.from_kernel || setting.exit_code != 0 || setting.facts.machine) return setting;
    CommonOptions here = common;
    here.machine = running_machine();
    return make_setting(here, lines);
}

Augenrules merging_script(const CommonOptions& common, bool host_by_default, const std::string& auditctl) {
    Setting setting = make_setting(common, std::vector<InputLine>{}, host_by_default, auditctl);
    if (setting.exit_code != 0 && !common.facts_file.empty()) {
        // Facts that cannot be read are said elsewhere; the plain merge needs none.
        CommonOptions without_facts = common;
        without_facts.facts_file.clear();
        setting = make_setting(without_facts, std::vector<InputLine>{}, host_by_default, auditctl);
    }
    return setting.exit_code == 0 ? target_augenrules(setting.target) : Augenrules{};
}

std::string outside_tables(const Setting& setting) {
    if (find_machine_model(setting.target.machine) != nullptr) return {};
    return fmt::format("there are no kernel tables for {}, only for {}", setting.compile.machine, known_machines());
}

LoadOptions load_options_for(const CompileOptions& options) {
    LoadOptions load_options;
    load_options.ignore_errors = options.continue_on_error;
    load_options.facts = &options.facts;
    // Without tables the rules are read, and nothing is asked of the state that depends on the machine.
    if (const auto machine = machine_by_name(options.facts.machine.value_or(options.machine));
        machine && find_machine_model(*machine) != nullptr)
        load_options.machine = *machine;
    return load_options;
}

namespace {

LoadedRules load_program(Program program, const CompileOptions& options, bool drop_duplicates,
                         Diagnostics& diagnostics) {
    LoadedRules result;
    result.program = std::move(program);
    LoadOptions load_options = load_options_for(options);
    load_options.drop_duplicates = drop_duplicates;
    result.load = load(result.program.messages, load_options, diagnostics);
    return result;
}

/// Lists 4 and 7 share one order (the kernel's priorities), but are listed one after the other.
void check_shared_order(LoadResult& load, Diagnostics& diagnostics) {
    const auto& rules = load.state.filter;
    const auto uring =
        std::find_if(rules.begin(), rules.end(), [](const KernelRule& r) { return r.list == List::io_uring; });
    const bool exit = std::any_of(rules.begin(), rules.end(), [](const KernelRule& r) { return r.list == List::exit; });
    if (uring == rules.end() || !exit || load.outside_model) return;
    load.outside_model = "a kernel does not tell in which order its exit and its io_uring rules were added";
    diagnostics.add({"AU090",
                     Level::warning,
                     uring->sources.empty() ? Span{} : uring->sources.front(),
                     *load.outside_model,
                     {},
                     "give the rules file that was loaded",
                     std::nullopt});
}

}  // namespace

Program read_program(const Inputs& inputs, const CompileOptions& options, bool assume_listed_watches,
                     Diagnostics& diagnostics) {
    if (!inputs.held()) return compile(inputs.sources, inputs.lines, options, diagnostics);
    Program program;
    if (!inputs.listing_lines.empty())
        program = read_listing(inputs.listing_lines, options, assume_listed_watches, diagnostics);
    program.messages.insert(program.messages.begin(), Message{DeleteAll{}, Span{}});
    program.messages.insert(program.messages.end(), inputs.loaded.begin(), inputs.loaded.end());
    if (inputs.lines.empty()) return program;
    Program files = compile(inputs.sources, inputs.lines, options, diagnostics);
    for (Message& message : files.messages) program.messages.push_back(std::move(message));
    program.stopped = program.stopped || files.stopped;
    program.failed = program.failed || files.failed;
    program.errors_ignored = files.errors_ignored;
    program.auditctl_exit = std::max(program.auditctl_exit, files.auditctl_exit);
    return program;
}

LoadedRules load_rules(const Inputs& inputs, const CompileOptions& options, bool assume_listed_watches,
                       bool drop_duplicates, Diagnostics& diagnostics) {
    LoadedRules result = load_program(read_program(inputs, options, assume_listed_watches, diagnostics), options,
                                      drop_duplicates, diagnostics);
    if (inputs.held()) check_shared_order(result.load, diagnostics);
    return result;
}

LoadedRules load_rules(const Inputs& inputs, const Setting& setting, bool drop_duplicates, Diagnostics& diagnostics) {
    return load_rules(inputs, setting.compile, setting.assume_listed_watches, drop_duplicates, diagnostics);
}

LoadedRules load_rules(const Sources& sources, const std::vector<InputLine>& lines, const CompileOptions& options,
                       bool drop_duplicates, Diagnostics& diagnostics) {
    return load_program(compile(sources, lines, options, diagnostics), options, drop_duplicates, diagnostics);
}

void compare_as_held(KernelState& before, const Inputs& before_inputs, KernelState& after, const Inputs& after_inputs) {
    if (!before_inputs.held() && !after_inputs.held()) return;
    before.cleared_first = after.cleared_first = true;
    // What a kernel holds does not tell how it was loaded.
    for (KernelState* state : {&before, &after}) {
        state->errors_ignored_from = 0;
        state->deleted_own = false;
        state->trees_before_rules.clear();
        state->trees_after_rules.clear();
    }
    Settings &b = before.settings, &a = after.settings;
    const auto fill = [&](std::optional<std::uint32_t> Settings::*setting) {
        if (!(b.*setting)) b.*setting = a.*setting;
        if (!(a.*setting)) a.*setting = b.*setting;
    };
    const bool off = b.enabled.value_or(1) == 0 || a.enabled.value_or(1) == 0;
    if (!off) fill(&Settings::enabled);
    for (const auto setting :
         {&Settings::failure, &Settings::rate_limit, &Settings::backlog_limit, &Settings::backlog_wait_time})
        fill(setting);
    // Counters that were reset are no state.
    b.reset_lost = a.reset_lost = false;
    b.reset_backlog_wait_time_actual = a.reset_backlog_wait_time_actual = false;
    const auto asks = [](const Inputs& inputs, const Settings& s) {
        return !inputs.from_kernel && s.loginuid_immutable;
    };
    const auto lacks = [](const Inputs& inputs, const Settings& s) {
        return inputs.from_kernel && !s.loginuid_immutable;
    };
    const bool missing =
        (asks(before_inputs, b) && lacks(after_inputs, a)) || (asks(after_inputs, a) && lacks(before_inputs, b));
    if (!missing) b.loginuid_immutable = a.loginuid_immutable = false;
}

}  // namespace auopt
