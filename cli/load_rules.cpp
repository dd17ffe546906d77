#include "cli/load_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"

namespace auopt {

Setting make_setting(const CommonOptions& common, const std::vector<InputLine>& lines, bool host_by_default) {
    Setting setting;
    if (!common.facts_file.empty()) {
        auto facts = read_facts(common.facts_file);
        if (!facts) {
            setting.exit_code = exit_input;
            setting.error = facts.error();
            return setting;
        }
        setting.facts = std::move(*facts);
    } else if (common.target == "host" || host_by_default) {
        const NeededFacts needed = needed_facts(lines);
        setting.facts = host_facts(needed.users, needed.groups, needed.paths);
    }
    for (const std::string& name : common.assume) {
        if (name == "watch-kinds") setting.facts.assume_watch_kinds = true;
    }
    auto target = find_target(common.target, setting.facts);
    if (!target) {
        setting.exit_code = exit_usage;
        setting.error = target.error();
        return setting;
    }
    setting.target = std::move(*target);
    setting.compile.version = setting.target.reading;
    setting.compile.machine = setting.facts.machine.value_or("x86_64");
    setting.compile.facts = setting.facts;
    setting.compile.continue_on_error = common.continue_on_error;
    return setting;
}

std::string outside_tables(const Setting& setting) {
    const std::string& machine = setting.compile.machine;
    if (machine == "x86_64") return {};
    return fmt::format("the kernel tables know x86_64 only, and the facts say {}", machine);
}

LoadedRules load_rules(const Sources& sources, const std::vector<InputLine>& lines, const CompileOptions& options,
                       bool drop_duplicates, Diagnostics& diagnostics) {
    LoadedRules result;
    result.program = compile(sources, lines, options, diagnostics);
    LoadOptions load_options;
    load_options.ignore_errors = options.continue_on_error;
    load_options.drop_duplicates = drop_duplicates;
    load_options.facts = &options.facts;
    result.load = load(result.program.messages, load_options, diagnostics);
    return result;
}

}  // namespace auopt
