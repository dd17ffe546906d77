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

#include "kernel_model/named_objects.hpp"
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
    NameSet names;
    /// Where the input's loading can stop (LoadingOrder): the stops that this rule names, and the one that must not come before
    /// it, because it stood behind the rule in the input.
    std::vector<std::size_t> stops;
    std::size_t next_stop = 0;
    bool keeps_stops = false;  // nor may it come before a stop that stood before it
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

    /// Takes `candidate` if audit_n_rules and audit_signals stay zero or nonzero, no two rules are equal (EEXIST), every
    /// watch, tree and mark keeps a rule, the watches of one name keep their order, loading stops nowhere with less loaded,
    /// no call costs more than in the input, and the workload costs less (on no kernel more, on one less). `take_equal`:
    /// also if the workload costs the same.
    bool propose(Entries candidate, bool take_equal = false);
    /// Takes it whatever it costs, if the kernel takes it: for what is not a choice.
    bool require(Entries candidate);

    /// Some rule with the names of this one must touch signal calls, so that audit_signals is zero when it is in the input.
    PerBuild<bool> must_touch_signals(const Entry& entry) const;
    /// May one rule load in the place of both, as far as loading that stops is concerned?
    bool may_load_as_one(const Entry& a, const Entry& b) const;
    /// May `moved` come to stand in front of `passed`, as far as loading that stops is concerned?
    bool may_load_before(const Entry& moved, const Entry& passed) const;

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
    bool loads_as_much(const Entries& candidate) const;

    /// The sets of names in each group of rules that must not run empty at another time than in the input, whatever is missing
    /// or goes: those that arm auditing, those that touch signal calls, and all.
    struct Names {
        NameSets all, arming;
        PerBuild<NameSets> signals;
        void add(const NameSet& names, bool arms, const PerBuild<bool>& counts_as_signal, int count);
    };
    bool names_kept(const Edit& edit) const;

    const MachineModel& machine_;
    Entries entries_;  // highest priority first
    const Ledger& ledger_;
    WatchOrder watch_order_;  // of the input
    // Of the input, by stop: the number of the rule that names it first, and whether that is a rule of another list, which
    // stays between the same stops.
    std::vector<std::uint32_t> stop_added_;
    std::vector<bool> stop_elsewhere_;
    bool keys_pass_ = false;  // a recording hash rule without key takes the key of whichever exit-list rule matches
    std::map<NamedObject, std::size_t> stop_numbers_;
    // Of entries_: sums over the rules, kept as rules come and go.
    std::unordered_map<std::size_t, unsigned> identities_;
    Names names_;  // other lists' rules among them
    CallTotals totals_;
    CallTotals::CallTable limit_;  // of the input
};

/// What a rule made of two takes from them: their sources, in file order, and the earlier one's place in the order of loading.
void stand_for(KernelRule& united, const KernelRule& a, const KernelRule& b);

}  // namespace auopt
