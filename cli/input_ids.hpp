// Ids that belong to no other folder's table: inputs that cannot be read (AU08x), and what the kernel model says of
// rules at load time (AU09x), for `auopt explain`; and what is an id of any table.
#pragma once

#include <string>
#include <vector>

#include "grammar/ids.hpp"

namespace auopt {

const std::vector<IdRow>& input_ids();

/// "" if `id` is the id of a finding or the beginning of one, else that it is not, with the nearest id.
std::string unknown_id(const std::string& id);

}  // namespace auopt
