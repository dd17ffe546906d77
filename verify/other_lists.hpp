// Are the user, exclude, task and filesystem lists of both files the same, each by its own semantics (architecture,
// obligation 11)? On the first two and the last an event is dropped or not, whatever rule says so; on the task list
// a new task is never audited, always recorded under a key, or judged call by call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"
#include "verify/verify.hpp"

namespace auopt::proof {

struct OtherLists {
    std::vector<Difference> differences;  // each with an event that kernel_model::evaluate_list confirms
    std::optional<std::string> unknown;   // the first list that is neither shown nor refuted
    std::size_t queries = 0;              // that needed the solver
};

OtherLists compare_other_lists(const KernelState& before, const KernelState& after, Preserve preserve,
                               std::uint32_t rlimit);

}  // namespace auopt::proof
