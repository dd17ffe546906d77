#include "cli/workload_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/exit_codes.hpp"
#include "cli/inputs.hpp"
#include "cli/streams.hpp"
#include "workload/ids.hpp"

namespace auopt {
namespace {

struct Named {
    std::optional<WorkloadFormat> format;
    std::string path;
};

/// "strace:FILE"; a prefix that is no format belongs to the path.
Named split_format(const std::string& word) {
    if (const std::size_t colon = word.find(':'); colon != std::string::npos)
        if (const auto format = workload_format_named(word.substr(0, colon))) return {format, word.substr(colon + 1)};
    return {std::nullopt, word};
}

}  // namespace

ChosenWorkload choose_workload(std::string_view verb, const CommonOptions& common, const WorkloadOptions& options,
                               Machine machine) {
    ChosenWorkload chosen;
    if (options.workloads.empty()) {
        chosen.workload = default_measured_workload(machine);
    } else {
        Sources sources;
        Diagnostics diagnostics;
        std::optional<MeasuredWorkload> joined;
        for (const std::string& word : options.workloads) {
            std::optional<MeasuredWorkload> one;
            if (const MeasuredWorkload* shipped = shipped_workload(word))
                one = workload_on(*shipped, machine);
            else {
                const Named named = split_format(word);
                auto text = read_file(named.path);
                if (!text) {
                    chosen.exit_code =
                        fail(verb, exit_input,
                             fmt::format("workload {}: {} (workloads that ship with auopt: {})", named.path,
                                         text.error(), fmt::join(shipped_workload_names(), ", ")));
                    return chosen;
                }
                const FileId file = sources.add(named.path, std::move(*text));
                one = read_workload(sources, file, named.format, machine, diagnostics);
            }
            if (!one) continue;
            joined = joined ? join_workloads(std::move(*joined), *one) : std::move(*one);
        }
        const bool errors = diagnostics.has_errors();
        if (joined && joined->calls.empty())
            diagnostics.add({std::string(ids::workload_no_counts),
                             Level::warning,
                             Span{FileId{0}, 0, 0, 0},
                             fmt::format("a profile counts no calls; the weights are those of the workload {}",
                                         default_workload_name),
                             {},
                             "give a second --workload with counts",
                             std::nullopt});
        report_to_stderr(common, sources, diagnostics);
        if (errors || !joined) {
            chosen.exit_code = exit_input;
            return chosen;
        }
        chosen.workload = std::move(*joined);
        if (chosen.workload.calls.empty()) {
            MeasuredWorkload weights = default_measured_workload(machine);
            weights.measured = chosen.workload.measured;
            weights.name = fmt::format("{} + {}", weights.name, chosen.workload.name);
            chosen.workload = std::move(weights);
        }
    }
    if (options.cpu_seconds) chosen.workload.cpu_seconds = options.cpu_seconds;
    return chosen;
}

}  // namespace auopt
