// The passes. Each is a free function in the file named after it; each returns how many rewrites it kept and refused.
#pragma once

#include <cstddef>

#include "optimizer/rules.hpp"

namespace auopt {

struct PassCounts {
    std::size_t kept = 0;
    std::size_t refused = 0;  // possible, but the model says that it does not pay
};

PassCounts drop_dead(Rules& rules);
PassCounts narrow_masks(Rules& rules);
PassCounts fold_arches(Rules& rules);
PassCounts merge_syscalls(Rules& rules);
PassCounts order_fields(Rules& rules);
PassCounts order_rules(Rules& rules);

}  // namespace auopt
