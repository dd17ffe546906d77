#include "cli/load_rules.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/exit_codes.hpp"

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

Setting make_setting(const CommonOptions& common, const std::vector<InputLine>& lines, bool host_by_default) {
    Setting setting;
    const auto stop = [&](int code, std::string error) {
        setting.exit_code = code;
        setting.error = std::move(error);
        return setting;
    };
    const AskedMachine asked = asked_machine(common);
    if (!asked.error.empty()) return stop(exit_usage, asked.error);
    if (!common.facts_file.empty()) {
        auto facts = read_facts(common.facts_file);
        if (!facts) return stop(exit_input, facts.error());
        setting.facts = std::move(*facts);
    } else if (asked.target == "host" || host_by_default) {
        const NeededFacts needed = needed_facts(lines);
        setting.facts = host_facts(needed.users, needed.groups, needed.paths);
    }
    for (const std::string& name : common.assume) {
        if (name == "watch-kinds") setting.facts.assume_watch_kinds = true;
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
    auto target = find_target(asked.target, setting.facts, *machine);
    if (!target) return stop(exit_usage, target.error());
    setting.target = std::move(*target);
    setting.compile.version = setting.target.reading;
    setting.compile.machine = name;
    setting.compile.facts = setting.facts;
    setting.compile.continue_on_error = common.continue_on_error;
    return setting;
}

std::uint32_t arch_of(const Setting& setting, Abi abi) { return machine_model(setting.target.machine).abi_arch(abi); }

std::string outside_tables(const Setting& setting) {
    if (find_machine_model(setting.target.machine) != nullptr) return {};
    return fmt::format("there are no kernel tables for {}, only for {}", setting.compile.machine, known_machines());
}

LoadedRules load_rules(const Sources& sources, const std::vector<InputLine>& lines, const CompileOptions& options,
                       bool drop_duplicates, Diagnostics& diagnostics) {
    LoadedRules result;
    result.program = compile(sources, lines, options, diagnostics);
    LoadOptions load_options;
    load_options.ignore_errors = options.continue_on_error;
    load_options.drop_duplicates = drop_duplicates;
    load_options.facts = &options.facts;
    // Without tables the rules are read, and nothing is asked of the state that depends on the machine.
    if (const auto machine = machine_by_name(options.facts.machine.value_or(options.machine));
        machine && find_machine_model(*machine) != nullptr)
        load_options.machine = *machine;
    result.load = load(result.program.messages, load_options, diagnostics);
    return result;
}

}  // namespace auopt
