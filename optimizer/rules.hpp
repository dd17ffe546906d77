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
    std::vector<NamedObject> objects;
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

    /// Would audit_signals stay zero, or nonzero, whatever marks of programs go?
    bool signals_kept(const Entries& candidate) const;
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

    /// Rules that a counter counts: those without exe= for as long as they are loaded, the others until a mark goes.
    struct Counter {
        std::size_t without_exe = 0;
        std::map<std::string, std::size_t> exe;
        void count(const KernelRule& rule, int difference);
        bool operator==(const Counter&) const = default;
    };
    /// Both are zero, now and whatever marks go, or neither.
    static bool same_arming(const Counter& a, const Counter& b);
    struct Counters {
        Counter rules;
        PerBuild<Counter> signals;
    };
    void count(const Entry& entry, int difference, Counters& counters) const;
    bool arms_alike(const Counters& counters) const;

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
    std::map<NamedObject, unsigned> objects_;  // how many rules name each
    Counters counters_, wanted_counters_;      // other lists counted in; wanted: of the input
    CallTotals totals_;
    CallTotals::CallTable limit_;  // of the input
};

/// What a rule made of two takes from them: their sources, in file order, and the earlier one's place in the order of loading.
void stand_for(KernelRule& united, const KernelRule& a, const KernelRule& b);

}  // namespace auopt
