// The lists besides exit and io_uring as questions for the solver (list_encoding.cpp). No Z3 type crosses it.
#pragma once

#include <optional>

#include "kernel_model/record_lists.hpp"
#include "verify/smt.hpp"

namespace auopt::proof {

/// How far an event may be from a usual one.
enum class Likelihood {
    usual,     // no rule removed, no security module that errs or lacks a label, ids and types that are in use
    possible,  // security modules answer consistently
    any        // every answer by itself: what a proof has to exclude
};

struct ListSearch {
    Answer differs = Answer::undecided;
    std::optional<ListEvent> event;  // where the answer is yes
};

/// Is there an event that the two files' lists decide differently? To be confirmed by kernel_model::evaluate_list.
ListSearch find_differing_list_event(const KernelState& before, const KernelState& after, List list, bool ignore_keys,
                                     Likelihood likelihood, std::uint32_t rlimit);

/// For tests: what the encoding says about a concrete event. The rule that ended the walk is not in it.
std::optional<ListDecision> decide_list_by_encoding(const KernelState& state, const ListEvent& event);

}  // namespace auopt::proof
