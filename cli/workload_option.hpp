// --workload: FILE, FORMAT:FILE or the name of a workload that ships with the program; several are joined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "tables/names.hpp"
#include "workload/workload.hpp"

namespace auopt {

/// What the flags name; the default (without a measured profile) when they name nothing. Says on standard error what is
/// wrong; on failure `exit_code` is not 0.
struct ChosenWorkload {
    MeasuredWorkload workload;
    int exit_code = 0;
};
ChosenWorkload choose_workload(std::string_view verb, const CommonOptions& common, const WorkloadOptions& options,
                               Machine machine);

}  // namespace auopt
