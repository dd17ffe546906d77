// What io_uring workers decide (auditsc.c:__audit_uring_exit in a context of its own): each operation runs the io_uring
// list and then the hash as call 0 of arch 0, once. So two files are the same there if every operation sees lists
// that decide alike, by the argument of decide.hpp with the io_uring list in the place of the exit list.
#pragma once

#include <optional>

#include "verify/decide.hpp"

namespace auopt::proof {

struct WorkerGap {
    unsigned operation = 0;
    Gap gap;
};

/// Nothing when the worker's sequences of `all` are shown to decide every operation alike.
std::optional<WorkerGap> decide_workers(const Obligations& all, bool recorded, Vocabulary& vocabulary, Solver& solver);

}  // namespace auopt::proof
