// What the passes work on: the rules of one file in priority order, each with what is worth computing once, and the one
// gate that every rewrite passes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernel_model/state.hpp"
#include "optimizer/admission.hpp"
#include "optimizer/call_totals.hpp"
#include "optimizer/ledger.hpp"

namespace auopt {

/// One value for a kernel that runs 32-bit programs, one for a kernel built without: they count audit_signals apart.
template <typename T>
using PerBuild = std::array<T, 2>;

struct Entry {
    KernelRule rule;
    const MachineModel* machine = nullptr;
    Placement where = Placement::exit_list;
    Admission admission;
    RuleCosts costs;
    std::size_t identity =
        0;  // of all that the kernel compares (audit_compare_rule): equal rules have equal identities
    PerBuild<bool> signals{};  // counts in audit_signals
};

/// Shared and never changed, so that a candidate list is cheap and an edit is found by comparing pointers.
using EntryPtr = std::shared_ptr<const Entry>;
using Entries = std::vector<EntryPtr>;

class Rules {
public:
    Rules(const KernelState& state, const Ledger& ledger);

    const Entries& entries() const { return entries_; }
    const Ledger& ledger() const { return ledger_; }
    std::vector<KernelRule> plain() const;

    EntryPtr make(KernelRule rule) const;

    /// Takes `candidate` if audit_n_rules and audit_signals stay zero or nonzero, no two rules are equal (EEXIST), the
    /// watches of one name keep their order, no call costs more than in the input, and the workload costs less (on no
    /// kernel more, on one less). `take_equal`: also if the workload costs the same.
    bool propose(Entries candidate, bool take_equal = false);
    /// Takes it whatever it costs, if the kernel takes it: for what is not a choice.
    bool require(Entries candidate);

    /// Would audit_signals stay zero, or nonzero?
    bool signals_kept(const Entries& candidate) const;

private:
    struct Edit {
        Entries removed, added;
        bool touches_watches = false;
    };
    Edit edit_to(const Entries& candidate) const;
    bool kernel_takes(const Entries& candidate, const Edit& edit) const;
    bool within_limit(const Entries& candidate, const Edit& edit) const;
    void take(Entries candidate, const Edit& edit);

    /// Last component -> the paths that end in it, in the order in which their watches are created. Of several watches
    /// of one name below one parent the kernel updates only the newest when the file is replaced (audit_update_watch),
    /// and which spellings share a parent is not known here: so the order is kept wherever several paths end alike.
    using WatchOrder = std::map<std::string, std::vector<std::string>, std::less<>>;
    static WatchOrder watch_order(const Entries& entries);

    const MachineModel& machine_;
    Entries entries_;  // highest priority first
    const Ledger& ledger_;
    WatchOrder watch_order_;                   // of the input
    PerBuild<std::uint32_t> other_signals_{};  // counted by the other lists
    PerBuild<bool> signals_nonzero_{};         // of the input
    bool rules_nonzero_ = false;               // of the input
    // Of entries_: sums over the rules, kept as rules come and go.
    std::unordered_map<std::size_t, unsigned> identities_;
    PerBuild<std::size_t> signals_{};
    CallTotals totals_;
    CallTotals::CallTable limit_;  // of the input
};

/// Provenance of a rule made of two, in file order.
std::vector<Span> merged_sources(const KernelRule& a, const KernelRule& b);

}  // namespace auopt
