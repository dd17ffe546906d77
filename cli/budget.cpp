#include "cli/budget.hpp"

#include <charconv>

#include <fmt/format.h>

#include "kernel_model/cost.hpp"
#include "kernel_model/unknown_watches.hpp"

namespace auopt {

tl::expected<std::vector<Budget>, std::string> parse_budgets(const std::vector<std::string>& texts,
                                                             std::uint32_t arch) {
    std::vector<Budget> budgets;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos) return tl::unexpected(fmt::format("--budget {}: expected NAME=N", text));
        const auto call = find_call(text.substr(0, equals), arch);
        if (!call) return tl::unexpected(fmt::format("--budget {}: unknown system call", text));
        const std::string number = text.substr(equals + 1);
        std::uint64_t limit = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
        if (error != std::errc{} || end != number.data() + number.size()) {
            return tl::unexpected(fmt::format("--budget {}: N is a number of instructions", text));
        }
        budgets.push_back({*call, limit});
    }
    return budgets;
}

std::vector<Overrun> overruns(const std::vector<Budget>& budgets, const KernelState& state, const Target& target,
                              const std::vector<const KernelTables*>& kernels) {
    std::vector<Overrun> result;
    for (const Budget& budget : budgets) {
        for (const KernelTables* kernel : kernels) {
            const auto cost =
                call_cost(state, *kernel, reference_event(budget.call.arch, budget.call.nr)).filter_instructions;
            if (cost > budget.limit) result.push_back({budget, figures_name(target, *kernel), cost});
        }
    }
    return result;
}

std::string budget_doubt(const std::vector<Budget>& budgets, const KernelState& state, const Target& target,
                         const std::vector<const KernelTables*>& kernels) {
    const std::size_t unknown = count_unknown_watches(state);
    if (unknown == 0) return {};
    const auto over = overruns(budgets, with_unknown_watches_as_directories(state), target, kernels);
    if (over.empty()) return {};
    return fmt::format("{} if {} of unknown kind {}; give --facts", to_string(over.front()),
                       unknown == 1 ? "1 watch" : fmt::format("{} watches", unknown),
                       unknown == 1 ? "is of a directory" : "are of directories");
}

std::string budgets_unknown(const std::vector<Budget>& budgets, const Target& target) {
    const auto kernels = target.cost_kernels();
    if (budgets.empty() || (!kernels.empty() && kernels.front()->costs_measured())) return {};
    return fmt::format("budgets are in instructions, which were not measured on {}", machine_name(target.machine));
}

std::string to_string(const Overrun& overrun) {
    return fmt::format("over budget: {} costs {} instructions on {}, {} allowed", overrun.budget.call.name,
                       overrun.cost, overrun.kernel, overrun.budget.limit);
}

}  // namespace auopt
