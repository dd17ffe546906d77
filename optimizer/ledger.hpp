// What rewrites cost and save: the reference event of every call on every kernel, and the weighted workload.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_model/cost.hpp"
#include "optimizer/pipeline.hpp"

namespace auopt {

constexpr unsigned ledger_calls = 512;  // numbers 0..511 of each ABI; no kernel of the tables has more

/// One rule's share, instructions. Indexed [kernel].
struct RuleCosts {
    struct OnKernel {
        std::vector<std::uint16_t> reference;  // [abi * ledger_calls + nr], exit-list rules only
        std::vector<std::uint8_t> ends_walk;   // the reference event of that call matches
        double weighted = 0;                   // expected instructions per average call of the workload
    };
    std::vector<OnKernel> kernels;
};

/// Prices rules for a set of kernels and a workload; never changes.
class Ledger {
public:
    Ledger(std::vector<const KernelTables*> kernels, Workload workload);

    RuleCosts costs_of(const KernelRule& rule) const;
    const std::vector<const KernelTables*>& kernels() const { return kernels_; }

    /// Events that stand for the workload: each weighted call as a daemon and as a user session, as success and
    /// failure.
    struct Sample {
        Event event;
        double weight = 0;  // weights add up to one
        double names = 0;   // names the call looks up, on average
    };
    const std::vector<Sample>& samples() const { return samples_; }

private:
    std::vector<const KernelTables*> kernels_;
    std::vector<Sample> samples_;
};

}  // namespace auopt
