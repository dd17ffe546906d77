// The predicted cost of system calls as a table or as JSON (cli reference, "PlacedCalls formats").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel_model/cost.hpp"
#include "kernel_model/list_cost.hpp"
#include "report/calls.hpp"
#include "report/hardware_cost.hpp"

namespace auopt {

struct CallRow {
    CallName call;
    CallCost cost;                             // watches of unknown kind taken as files
    std::uint64_t most_instructions = 0;       // ... and as directories; the same where no kind is unknown
    std::optional<CallHardwareCost> hardware;  // see add_hardware_cost
};

/// "104", or "0 to 208" where it depends on what watches of unknown kind are.
std::string range_text(std::uint64_t as_files, std::uint64_t as_directories);
/// "" or what the ranges are: "0 to 208: 2 watches of unknown kind, all files to all directories; ...".
std::string unknown_watches_text(std::size_t unknown);

/// Whose figures they are, where that is more than the kernel table they were made with.
struct FiguresOf {
    std::string name;      // what was asked for: "el9"; the kernel's where a target holds several
    std::string asked;     // the whole target: "el9, from the facts"
    std::string kernel;    // "5.14"
    std::string evidence;  // "measured", or what stands in for it
};

/// Costs of one rule set on one kernel.
struct CostSheet {
    const KernelTables* kernel = nullptr;
    std::optional<FiguresOf> of;  // nothing: of that kernel itself
    const std::string& name() const { return of ? of->name : kernel->name; }
    std::size_t rules = 0;
    std::size_t unknown_watches = 0;
    unsigned exit_list = 0, most_exit_list = 0;
    std::uint32_t fixed_instructions = 0;
    std::vector<CallRow> rows;
    std::vector<ListCost> lists;  // beside exit; empty where costs were not measured
    std::optional<HardwareChoice> hardware;
};

CostSheet price(const KernelState& state, const KernelTables& kernel, const std::vector<CallName>& calls,
                bool with_rules = false);

nlohmann::ordered_json cost_to_json(const CostSheet& sheet);

/// The table; `old` (same calls) adds the columns before and change. `verbose` lists, by call, what each rule
/// in whose mask it is costs.
std::string cost_to_text(const CostSheet& sheet, const CostSheet* old, const KernelState& state, const Sources& sources,
                         bool verbose);

/// The sheet whose rows cost most in sum: what `--target any` prints.
std::size_t worst_sheet(const std::vector<CostSheet>& sheets);

}  // namespace auopt
