// What the reference event of every call pays for a whole exit list, kept up to date as rules come and go.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optimizer/ledger.hpp"

namespace auopt {

/// The exit-list rules in order; the callback returns false when it has seen enough.
using Walk = std::function<void(const std::function<bool(const RuleCosts&)>&)>;

class CallTotals {
public:
    explicit CallTotals(const std::vector<const KernelTables*>& kernels);
    void add(const RuleCosts& rule);
    void remove(const RuleCosts& rule);

    /// [kernel][abi * ledger_calls + nr], instructions. `walk` is asked only about calls whose reference event matches
    /// a rule, which ends the walk there.
    using CallTable = std::vector<std::vector<std::uint32_t>>;
    CallTable costs(const Walk& walk) const;
    bool within(const CallTable& limit, const Walk& walk) const;

private:
    struct OnKernel {
        std::uint32_t first_entry = 0;
        std::vector<std::uint32_t> sum;     // of all rules, as if no walk ended early
        std::vector<std::uint32_t> enders;  // rules that end the walk
    };
    std::uint32_t cost(std::size_t kernel, std::size_t call, const Walk& walk) const;

    std::vector<OnKernel> kernels_;
    std::size_t rules_ = 0;
};

}  // namespace auopt
