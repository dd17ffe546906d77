// AU301: rules that every system call of the machine pays for.
#include <algorithm>

#include <fmt/format.h>

#include "kernel_model/cost.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"

namespace auopt {
namespace {

constexpr std::string_view probe = "getpid";  // touches nothing: what it pays, every call pays

}  // namespace

void check_cost(const LintContext& context, Diagnostics& diagnostics) {
    const std::vector<KernelRule>& rules = context.state.filter;
    std::vector<std::uint32_t> worst(rules.size(), 0);
    std::vector<std::string> kernel_of(rules.size());
    for (const KernelTables* kernel : context.kernels) {
        const MachineModel& machine = *kernel->machine;
        const auto nr = syscall_number(probe, machine.names_of(Abi::native));
        const Event event = reference_event(machine.abi_arch(Abi::native), nr.value_or(0));
        const CallCost cost = call_cost(context.state, *kernel, event, true);
        for (const RuleCost& rule : cost.by_rule) {
            if (rule.instructions <= worst[rule.rule]) continue;
            worst[rule.rule] = rule.instructions;
            kernel_of[rule.rule] = kernel->name;
        }
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
        const KernelRule& rule = rules[i];
        if (placement(rule) != Placement::exit_list || !rule.mask.full() || worst[i] == 0) continue;
        const FieldTest* dir = find_test(rule, Field::dir);
        const std::string price = context.kernels.front()->costs_measured()
                                      ? fmt::format(": {} instructions each ({})", worst[i], kernel_of[i])
                                      : std::string();
        diagnostics.add({std::string(ids::every_call),
                         Level::info,
                         line_of(rule),
                         fmt::format("{} is tested in every system call{}",
                                     dir != nullptr ? "this directory watch" : "this rule", price),
                         {},
                         find_test(rule, Field::perm) != nullptr
                             ? "auopt optimize narrows it to the calls that perm= can match; auopt explain AU301"
                             : "name the calls with -S if not every one is meant; auopt explain AU301",
                         std::nullopt});
    }
}

}  // namespace auopt
