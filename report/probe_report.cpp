#include "report/probe_report.hpp"

#include <fmt/format.h>

#include "report/table.hpp"

namespace auopt {

nlohmann::ordered_json probes_to_json(const std::vector<ProbeCost>& costs) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const ProbeCost& c : costs) {
        rows.push_back({{"name", c.probe->name},
                        {"base", c.base},
                        {"marks", c.marks},
                        {"exit_list", c.exit_list},
                        {"names", c.names},
                        {"instructions", c.total()},
                        {"matched", c.matched}});
    }
    return rows;
}

std::string probes_to_text(const std::string& name, const std::vector<ProbeCost>& costs) {
    if (costs.empty()) return fmt::format("{}: whole calls were not measured\n", name);
    Table table;
    table.header = {"call", "itself", "marks", "exit list", "names", "instructions"};
    table.right = {false, true, true, true, true, true};
    bool any_match = false;
    for (const ProbeCost& c : costs) {
        any_match = any_match || c.matched;
        table.rows.push_back({c.probe->name + (c.matched ? "*" : ""), fmt::format("{:.0f}", c.base),
                              fmt::format("{:.0f}", c.marks), fmt::format("{:.0f}", c.exit_list),
                              fmt::format("{:.0f}", c.names), fmt::format("{:.0f}", c.total())});
    }
    return fmt::format("{}: whole calls of the lab's probe (lab/README.md), as root, auid unset\n", name) +
           render_table(table) + (any_match ? "* a rule matches: the record that it writes is not counted\n" : "");
}

}  // namespace auopt
