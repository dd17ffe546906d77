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

/// Not a choice: brings the tests of every rule that the passes may touch into an order that auditctl's text can carry
/// in every version (perm= before arch=, the key last), with as little change as that takes. Exact by lemma L2.
void make_writable(Rules& rules);

}  // namespace auopt
