// Where an output may not go: onto what was read, or where it would be read next time.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

namespace auopt {

/// "", or why nothing should be written to `output`, which is given besides `inputs` (as on the command line; none: the
/// default directory). An empty `output` is standard output.
std::string unwise_output(const std::string& output, const std::vector<std::string>& inputs);

/// "", or why --in-place cannot rewrite these inputs.
std::string unfit_for_in_place(const std::vector<std::string>& inputs);

/// A second name for the file as it is: FILE.orig. Error: that name is taken by another file, or what failed.
tl::expected<void, std::string> keep_original(const std::string& path);

}  // namespace auopt
