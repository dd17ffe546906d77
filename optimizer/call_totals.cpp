#include "optimizer/call_totals.hpp"

namespace auopt {

constexpr std::size_t calls = 2 * ledger_calls;

CallTotals::CallTotals(const std::vector<const KernelTables*>& kernels) {
    for (const KernelTables* k : kernels)
        kernels_.push_back(
            {k->cost.first_entry, std::vector<std::uint32_t>(calls, 0), std::vector<std::uint32_t>(calls, 0)});
}

void CallTotals::add(const RuleCosts& rule) {
    if (rule.kernels.front().reference.empty()) return;  // not on the exit list
    ++rules_;
    for (std::size_t k = 0; k < kernels_.size(); ++k)
        for (std::size_t c = 0; c < calls; ++c) {
            kernels_[k].sum[c] += rule.kernels[k].reference[c];
            kernels_[k].enders[c] += rule.kernels[k].ends_walk[c];
        }
}

void CallTotals::remove(const RuleCosts& rule) {
    if (rule.kernels.front().reference.empty()) return;
    --rules_;
    for (std::size_t k = 0; k < kernels_.size(); ++k)
        for (std::size_t c = 0; c < calls; ++c) {
            kernels_[k].sum[c] -= rule.kernels[k].reference[c];
            kernels_[k].enders[c] -= rule.kernels[k].ends_walk[c];
        }
}

std::uint32_t CallTotals::cost(std::size_t kernel, std::size_t call, const Walk& walk) const {
    const OnKernel& on = kernels_[kernel];
    std::uint32_t total = rules_ == 0 ? 0 : on.first_entry;
    if (on.enders[call] == 0) return total + on.sum[call];
    walk([&](const RuleCosts& rule) {
        total += rule.kernels[kernel].reference[call];
        return rule.kernels[kernel].ends_walk[call] == 0;
    });
    return total;
}

CallTotals::CallTable CallTotals::costs(const Walk& walk) const {
    CallTable table(kernels_.size());
    for (std::size_t k = 0; k < kernels_.size(); ++k)
        for (std::size_t c = 0; c < calls; ++c) table[k].push_back(cost(k, c, walk));
    return table;
}

bool CallTotals::within(const CallTable& limit, const Walk& walk) const {
    for (std::size_t k = 0; k < kernels_.size(); ++k)
        for (std::size_t c = 0; c < calls; ++c)
            if (cost(k, c, walk) > limit[k][c]) return false;
    return true;
}

}  // namespace auopt
