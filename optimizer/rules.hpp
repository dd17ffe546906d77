// What the passes work on: the rules of one file in priority order, each with what is worth computing once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"
#include "optimizer/admission.hpp"
#include "optimizer/ledger.hpp"

namespace auopt {

struct Entry {
    KernelRule rule;
    Placement where = Placement::exit_list;
    Admission admission;
    RuleCosts costs;
    std::size_t identity = 0;  // of all that the kernel compares (audit_compare_rule): equal rules have equal identities
};

/// Last component -> the paths that end in it, in the order in which their watches are created. Of several watches of one
/// name below one parent the kernel updates only the newest when the file is replaced (audit_update_watch), and which
/// spellings share a parent is not known here: so that order is kept for every last component with several paths.
using WatchOrder = std::map<std::string, std::vector<std::string>, std::less<>>;
WatchOrder watch_order(const std::vector<Entry>& entries);

struct Rules {
    std::vector<Entry> entries;  // highest priority first
    const Ledger& ledger;
    std::uint32_t other_signals = 0;  // audit_signals counted by the other lists
    bool signals_nonzero = false;     // what every pass keeps
    bool rules_nonzero = false;
    WatchOrder watch_order;           // of the input

    Entry make(KernelRule rule) const;
    /// audit_n_rules and audit_signals are zero, or not, as they were in the input.
    bool counters_kept(const std::vector<Entry>& candidate) const;
    /// No two rules of `candidate` are equal: the kernel would refuse the second (EEXIST).
    static bool all_distinct(const std::vector<Entry>& candidate);
    /// Takes `candidate` if it keeps the counters and the order of watches, no two rules are equal, no call costs more than in the input, and the workload costs less
    /// (on no kernel more, on one less). `where_equal`: also take it when the workload costs the same.
    bool propose(std::vector<Entry> candidate, bool take_equal = false);
};

/// Provenance of a rule made of two, in file order.
std::vector<Span> merged_sources(const KernelRule& a, const KernelRule& b);

}  // namespace auopt
