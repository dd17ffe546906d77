// --budget NAME=N: what one call may pay for the rules, in instructions.
#pragma once

#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "cli/target.hpp"
#include "kernel_model/state.hpp"
#include "report/calls.hpp"

namespace auopt {

struct Budget {
    CallName call;
    std::uint64_t limit = 0;
};

/// Error: the message for a usage error.
tl::expected<std::vector<Budget>, std::string> parse_budgets(const std::vector<std::string>& texts, std::uint32_t arch);

struct Overrun {
    Budget budget;
    std::string kernel;
    std::uint64_t cost = 0;
};
/// Every budget on every kernel that is exceeded; the kernels are the target's, or variants of them.
std::vector<Overrun> overruns(const std::vector<Budget>& budgets, const KernelState& state, const Target& target,
                              const std::vector<const KernelTables*>& kernels);

std::string to_string(const Overrun& overrun);

/// "" or why budgets that overruns() finds kept cannot be called so (exit code 5): watches of unknown kind, counted as
/// files, exceed one if they are directories.
std::string budget_doubt(const std::vector<Budget>& budgets, const KernelState& state, const Target& target,
                         const std::vector<const KernelTables*>& kernels);

/// "" or why budgets cannot be judged on this target (exit code 5).
std::string budgets_unknown(const std::vector<Budget>& budgets, const Target& target);

}  // namespace auopt
