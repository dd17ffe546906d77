// Ids that belong to no other folder's table: inputs that cannot be read (AU08x), and what the kernel model says of
// rules at load time (AU09x), for `auopt explain`.
#pragma once

#include <vector>

#include "grammar/ids.hpp"

namespace auopt {

const std::vector<IdRow>& input_ids();

}  // namespace auopt
