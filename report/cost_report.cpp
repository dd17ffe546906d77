#include "report/cost_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "kernel_model/unknown_watches.hpp"
#include "report/printable.hpp"
#include "report/table.hpp"

namespace auopt {
namespace {

constexpr const char* reference_text = "uid 0, auid unset, success, exit 0, no watched path, open read-only";

std::uint64_t sum(const CostSheet& sheet) {
    std::uint64_t total = 0;
    for (const CallRow& row : sheet.rows) total += row.cost.filter_instructions;
    return total;
}

std::string change(std::uint64_t before, std::uint64_t after) {
    const auto difference = static_cast<std::int64_t>(after) - static_cast<std::int64_t>(before);
    if (before == 0) return difference == 0 ? "0" : fmt::format("{:+}", difference);
    return fmt::format("{:+} ({:+.0f} %)", difference,
                       100.0 * static_cast<double>(difference) / static_cast<double>(before));
}

std::string rule_place(const KernelRule& rule, const Sources& sources) {
    if (rule.sources.empty()) return "?";
    const Span& at = rule.sources.front();
    return fmt::format("{}:{}", sources.name(at.file), at.line);
}

std::string rule_text(const KernelRule& rule, const Sources& sources) {
    if (rule.sources.empty()) return {};
    return std::string(sources.line(rule.sources.front().file, rule.sources.front().line)).substr(0, 100);
}

std::string by_rule(const CallRow& row, const KernelState& state, const Sources& sources) {
    Table table;
    table.right = {true, false, false};
    std::uint64_t missed = 0;
    unsigned misses = 0;
    for (const RuleCost& cost : row.cost.by_rule) {
        if (!cost.in_mask) {
            missed += cost.instructions;
            ++misses;
            continue;
        }
        const KernelRule& rule = state.filter[cost.rule];
        table.rows.push_back(
            {fmt::format("{}", cost.instructions), rule_place(rule, sources), rule_text(rule, sources)});
    }
    table.rows.push_back({fmt::format("{}", missed), fmt::format("{} rules whose mask lacks the call", misses), ""});
    return fmt::format("\n{} ({} {}):\n", row.call.name, arch_name(row.call.arch), row.call.nr) + render_table(table);
}

/// The lists beside exit that hold rules; all when `verbose`.
std::string lists_to_text(const CostSheet& sheet, const CostSheet* old, bool verbose) {
    Table table;
    table.header = {"list", "pays once a", "rules", "instructions"};
    table.right = {false, false, true, true};
    if (old != nullptr) {
        table.header.insert(table.header.end() - 1, "before");
        table.right.push_back(true);
    }
    bool any_match = false;
    for (std::size_t i = 0; i < sheet.lists.size(); ++i) {
        const ListCost& list = sheet.lists[i];
        if (!verbose && list.rules == 0 && (old == nullptr || old->lists[i].rules == 0)) continue;
        any_match = any_match || list.matched;
        std::vector<std::string> row{fmt::format("{}{}", list_word(list.list).value_or(""), list.matched ? " *" : ""),
                                     std::string(list.unit), fmt::format("{}", list.rules),
                                     fmt::format("{}", list.instructions)};
        if (old != nullptr) row.insert(row.end() - 1, fmt::format("{}", old->lists[i].instructions));
        table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) return {};
    std::string out = "\n" + render_table(table);
    if (any_match) out += "* the reference message, record or task matches a rule, which ends the walk\n";
    return out;
}

}  // namespace

std::string range_text(std::uint64_t as_files, std::uint64_t as_directories) {
    if (as_files == as_directories) return fmt::format("{}", as_files);
    return fmt::format("{} to {}", as_files, as_directories);
}

std::string unknown_watches_text(std::size_t unknown) {
    if (unknown == 0) return {};
    if (unknown == 1)
        return "1 watch may be of a file or of a directory; figures go from the one to the other: give --facts";
    return fmt::format(
        "{} watches may be of files or of directories; figures go from all files to all directories: give --facts",
        unknown);
}

CostSheet price(const KernelState& state, const KernelTables& kernel, const std::vector<CallName>& calls,
                bool with_rules) {
    CostSheet sheet;
    sheet.kernel = &kernel;
    sheet.rules = state.rule_count();
    sheet.unknown_watches = count_unknown_watches(state);
    const KernelState directories =
        sheet.unknown_watches == 0 ? KernelState{} : with_unknown_watches_as_directories(state);
    sheet.exit_list = exit_list_length(state);
    sheet.most_exit_list = sheet.unknown_watches == 0 ? sheet.exit_list : exit_list_length(directories);
    sheet.fixed_instructions = fixed_instructions(state, kernel);
    if (kernel.costs_measured()) sheet.lists = list_costs(state, kernel);
    for (const CallName& call : calls) {
        const Event event = reference_event(call.arch, call.nr);
        CallRow& row = sheet.rows.emplace_back();
        row.call = call;
        row.cost = call_cost(state, kernel, event, with_rules);
        row.most_instructions = sheet.unknown_watches == 0 ? row.cost.filter_instructions
                                                           : call_cost(directories, kernel, event).filter_instructions;
    }
    return sheet;
}

std::size_t worst_sheet(const std::vector<CostSheet>& sheets) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < sheets.size(); ++i) {
        if (sum(sheets[i]) > sum(sheets[worst])) worst = i;
    }
    return worst;
}

nlohmann::ordered_json cost_to_json(const CostSheet& sheet) {
    nlohmann::ordered_json calls = nlohmann::ordered_json::array();
    for (const CallRow& row : sheet.rows) {
        nlohmann::ordered_json call{{"arch", arch_name(row.call.arch)},
                                    {"name", row.call.name},
                                    {"nr", row.call.nr},
                                    {"entries", row.cost.entries},
                                    {"mask_hits", row.cost.mask_hits},
                                    {"filter_instructions", row.cost.filter_instructions}};
        if (sheet.unknown_watches != 0) call["filter_instructions_if_directories"] = row.most_instructions;
        if (!sheet.kernel->costs_measured()) {
            call["filter_instructions"] = nullptr;
            call.erase("filter_instructions_if_directories");
        }
        put_hardware_cost(call, row);
        calls.push_back(std::move(call));
    }
    nlohmann::ordered_json result{{"target", sheet.name()},
                                  {"reference", reference_text},
                                  {"rules", sheet.rules},
                                  {"exit_list", sheet.exit_list},
                                  {"unknown_watches", sheet.unknown_watches},
                                  {"fixed_instructions", sheet.fixed_instructions},
                                  {"syscalls", calls}};
    if (sheet.of) {
        result["asked"] = sheet.of->asked;
        result["kernel"] = sheet.of->kernel;
        result["table"] = sheet.kernel->name;
        result["evidence"] = sheet.of->evidence;
    }
    if (!sheet.kernel->costs_measured()) {
        result["machine"] = machine_name(sheet.kernel->machine->machine);
        result["fixed_instructions"] = nullptr;
    }
    nlohmann::ordered_json lists = nlohmann::ordered_json::array();
    for (const ListCost& list : sheet.lists)
        lists.push_back({{"list", list_word(list.list).value_or("")},
                         {"unit", list.unit},
                         {"rules", list.rules},
                         {"instructions", list.instructions},
                         {"matched", list.matched}});
    result["lists"] = std::move(lists);
    if (sheet.hardware) result["hardware"] = hardware_to_json(sheet);
    return result;
}

/// Where instructions were not counted: the entries and mask hits, which are exact on every machine.
std::string walk_to_text(const CostSheet& sheet, const CostSheet* old, const KernelState& state, const Sources& sources,
                         bool verbose) {
    const std::string_view machine = machine_name(sheet.kernel->machine->machine);
    std::string out = fmt::format("{} on {}: {} rules, {} of them walked by every system call\n", sheet.name(), machine,
                                  sheet.rules, sheet.exit_list);
    Table table;
    table.header = {"call", "nr", "walked", "in mask"};
    table.right = {false, true, true, true};
    if (old != nullptr) {
        table.header.insert(table.header.end() - 2, {"walked before", "in mask before"});
        table.right.insert(table.right.end(), {true, true});
    }
    bool any_match = false;
    for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
        const CallRow& row = sheet.rows[i];
        any_match = any_match || row.cost.matched;
        std::vector<std::string> cells{row.call.name + (row.cost.matched ? " *" : ""), fmt::format("{}", row.call.nr)};
        if (old != nullptr) {
            cells.push_back(fmt::format("{}", old->rows[i].cost.entries));
            cells.push_back(fmt::format("{}", old->rows[i].cost.mask_hits));
        }
        cells.push_back(fmt::format("{}", row.cost.entries));
        cells.push_back(fmt::format("{}", row.cost.mask_hits));
        table.rows.push_back(std::move(cells));
    }
    out += render_table(table);
    if (any_match) out += "* the reference call matches a rule, which ends the walk\n";
    if (sheet.unknown_watches != 0)
        out += fmt::format("walked, in mask: {} watches of unknown kind are counted as files; give --facts\n",
                           sheet.unknown_watches);
    out += fmt::format("instructions: not measured on {}\n", machine);
    if (!verbose) return out;
    for (const CallRow& row : sheet.rows) {
        Table rules;
        for (const RuleCost& cost : row.cost.by_rule) {
            if (!cost.in_mask) continue;
            const KernelRule& rule = state.filter[cost.rule];
            rules.rows.push_back({rule_place(rule, sources), rule_text(rule, sources)});
        }
        out += fmt::format("\n{} ({} {}), in mask:\n", row.call.name, arch_name(row.call.arch), row.call.nr) +
               render_table(rules);
    }
    return out;
}

std::string cost_to_text(const CostSheet& sheet, const CostSheet* old, const KernelState& state, const Sources& sources,
                         bool verbose) {
    if (!sheet.kernel->costs_measured()) return walk_to_text(sheet, old, state, sources, verbose);
    std::string out = fmt::format(
        "{}: {} rules, {} of them walked by every system call; being armed costs {} instructions per call\n",
        sheet.name(), sheet.rules, range_text(sheet.exit_list, sheet.most_exit_list), sheet.fixed_instructions);
    Table table;
    if (old == nullptr) {
        table.header = {"call", "nr", "walked", "in mask", "instructions"};
        table.right = {false, true, true, true, true};
    } else {
        table.header = {"call", "nr", "walked", "in mask", "before", "instructions", "change"};
        table.right = {false, true, true, true, true, true, true};
    }
    if (sheet.hardware) {
        for (std::string& title : hardware_header(old != nullptr)) {
            table.header.push_back(std::move(title));
            table.right.push_back(true);
        }
    }
    bool any_match = false;
    for (std::size_t i = 0; i < sheet.rows.size(); ++i) {
        const CallRow& row = sheet.rows[i];
        any_match = any_match || row.cost.matched;
        std::vector<std::string> cells{row.call.name + (row.cost.matched ? " *" : ""), fmt::format("{}", row.call.nr),
                                       fmt::format("{}", row.cost.entries), fmt::format("{}", row.cost.mask_hits)};
        if (old != nullptr)
            cells.push_back(range_text(old->rows[i].cost.filter_instructions, old->rows[i].most_instructions));
        cells.push_back(range_text(row.cost.filter_instructions, row.most_instructions));
        if (old != nullptr) {
            const std::string files = change(old->rows[i].cost.filter_instructions, row.cost.filter_instructions);
            const std::string directories = change(old->rows[i].most_instructions, row.most_instructions);
            cells.push_back(files == directories ? files : fmt::format("{} to {}", files, directories));
        }
        for (std::string& cell : hardware_cells(row, old == nullptr ? nullptr : &old->rows[i]))
            cells.push_back(std::move(cell));
        table.rows.push_back(std::move(cells));
    }
    out += render_table(table);
    if (any_match) out += "* the reference call matches a rule, which ends the walk\n";
    out += fmt::format("instructions: what the rules add to one call ({})\n", reference_text);
    if (const std::string note =
            unknown_watches_text(std::max(sheet.unknown_watches, old == nullptr ? 0 : old->unknown_watches));
        !note.empty())
        out += note + "\n";
    out += hardware_legend(sheet);
    out += lists_to_text(sheet, old, verbose);
    if (verbose) {
        for (const CallRow& row : sheet.rows) out += by_rule(row, state, sources);
    }
    return out;
}

}  // namespace auopt
