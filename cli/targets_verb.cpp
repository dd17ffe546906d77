// auopt targets: what is known about each target, and on what evidence.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/exit_codes.hpp"
#include "cli/options.hpp"
#include "cli/streams.hpp"
#include "cli/target.hpp"
#include "report/table.hpp"

namespace auopt {

int run(const TargetsVerb& verb) {
    std::string out;
    std::vector<std::string> machines;
    for (const Machine m : modelled_machines()) machines.emplace_back(machine_name(m));
    if (verb.common.format == Format::json) {
        nlohmann::ordered_json array = nlohmann::ordered_json::array();
        for (const Target& target : targets()) {
            nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
            for (const TargetKernel& kernel : target.kernels) {
                kernels.push_back(
                    {{"version", kernel.version}, {"table", kernel.tables->name}, {"measured", kernel.measured}});
            }
            array.push_back({{"name", target.name},
                             {"auditctl", target.auditctl},
                             {"reading", auditctl_version_name(target.reading)},
                             {"kernels", kernels},
                             {"machines", machines},
                             {"evidence", target.evidence}});
        }
        out = array.dump(2) + "\n";
    } else {
        Table table;
        table.header = {"target", "auditctl", "kernels", "evidence"};
        for (const Target& target : targets()) {
            std::vector<std::string> kernels;
            for (const TargetKernel& kernel : target.kernels) {
                kernels.push_back(kernel.measured
                                      ? kernel.version
                                      : fmt::format("{} (as {}, not measured)", kernel.version, kernel.tables->name));
            }
            table.rows.push_back(
                {target.name, target.auditctl, fmt::format("{}", fmt::join(kernels, ", ")), target.evidence});
        }
        table.rows.push_back({"host", "this host's", "this host's", "auditctl and kernel found here"});
        out = render_table(table);
        out += fmt::format("machines: {} (--machine NAME or TARGET/NAME; instructions were measured on {} only)\n",
                           fmt::join(machines, ", "), machines.front());
    }
    return put_out(out) ? exit_clean : fail("targets", exit_usage, "standard output cannot be written");
}

}  // namespace auopt
