// Watches whose kind nobody knows (-w without facts): a file costs calls without a path nothing, a directory costs every
// call. The cost model takes one answer, so what is printed for such rules is a range of two.
#pragma once

#include <cstddef>

#include "kernel_model/state.hpp"

namespace auopt {

std::size_t count_unknown_watches(const KernelState& state);

/// Each of them a directory: the dearest answer, where the state as it is gives the cheapest, that all are files.
KernelState with_unknown_watches_as_directories(KernelState state);

}  // namespace auopt
