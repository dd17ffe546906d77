// What --cpu adds to a cost sheet: cycles, nanoseconds and L1D misses of each call.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "kernel_model/misses.hpp"

namespace auopt {

struct CallRow;
struct CostSheet;

/// A CPU, a kernel as it allocates rules, and how often to draw.
struct HardwareChoice {
    const Cpu* cpu = nullptr;
    const KernelVariant* variant = nullptr;
    PlacementOptions options;
};

/// Prices every row of the sheet; nothing where the kernel's layout or its costs are unknown.
void add_hardware_cost(CostSheet& sheet, const KernelState& state, const HardwareChoice& choice);

/// The members cycles, ns and l1d_misses of one call's JSON: null without a CPU.
void put_hardware_cost(nlohmann::ordered_json& call, const CallRow& row);
/// The member `hardware` of a sheet's JSON: the CPU's parameters and the time of getpid without rules.
nlohmann::ordered_json hardware_to_json(const CostSheet& sheet);

/// The columns of the text table, right-aligned; `old` is the row before the change, or nullptr.
std::vector<std::string> hardware_header(bool compare);
std::vector<std::string> hardware_cells(const CallRow& row, const CallRow* old);
/// The lines below the table.
std::string hardware_legend(const CostSheet& sheet);

}  // namespace auopt
