#include "optimizer/rules.hpp"

#include <algorithm>
#include <tuple>

namespace auopt {
namespace {

constexpr double same_cost = 1e-9;  // instructions; sums of the same terms in another order

constexpr std::size_t builds = 2;
constexpr bool runs_32bit(std::size_t build) { return build == 0; }

PerBuild<bool> counts_in_signals(const KernelRule& rule, const MachineModel& machine) {
    return {counts_as_signal(rule, machine.machine, runs_32bit(0)),
            counts_as_signal(rule, machine.machine, runs_32bit(1))};
}

Walk exit_list_walk(const Entries& entries) {
    return [&entries](const std::function<bool(const RuleCosts&)>& visit) {
        for (const EntryPtr& e : entries)
            if (e->where == Placement::exit_list && !visit(e->costs)) return;
    };
}

}  // namespace

Rules::Rules(const KernelState& state, const Ledger& ledger)
    : machine_(machine_model(state.machine)), ledger_(ledger), totals_(ledger.kernels()) {
    const std::vector<const KernelRule*> order = in_loading_order(state);
    std::map<const KernelRule*, std::uint32_t> numbers;
    for (const KernelRule* rule : order) numbers.emplace(rule, static_cast<std::uint32_t>(numbers.size()));
    // Once errors are ignored (-i and -c come first in the output) nothing stops.
    if (!state.errors_ignored_from)
        for (const LoadingStop& stop : loading_stops(state, order)) {
            stop_numbers_.emplace(stop.object, stop_added_.size());
            stop_added_.push_back(static_cast<std::uint32_t>(stop.position));
            const List list = order[stop.position]->list;
            stop_elsewhere_.push_back(list != List::exit && list != List::io_uring);
        }
    for (const std::vector<KernelRule>* list : {&state.user, &state.task, &state.exclude, &state.filesystem})
        for (const KernelRule& rule : *list)
            names_.add(name_set(rule), list == &state.task, counts_in_signals(rule, machine_), 1);
    keys_pass_ = std::any_of(state.filter.begin(), state.filter.end(), [](const KernelRule& r) {
        return placement(r) != Placement::exit_list && r.action == Action::always && !rule_key(r);
    });
    Entries entries;
    for (const KernelRule& rule : state.filter) {
        KernelRule numbered = rule;
        numbered.added = numbers.at(&rule);
        entries.push_back(make(std::move(numbered)));
    }
    watch_order_ = watch_order(entries);
    take(entries, {{}, entries, false});
    limit_ = totals_.costs(exit_list_walk(entries_));
}

EntryPtr Rules::make(KernelRule rule) const {
    auto e = std::make_shared<Entry>();
    e->machine = &machine_;
    e->where = placement(rule);
    e->admission = admission(rule, machine_);
    e->costs = ledger_.costs_of(rule);
    e->identity = rule_identity(rule);
    e->signals = counts_in_signals(rule, machine_);
    e->names = name_set(rule);
    for (const NamedObject& object : e->names)
        if (const auto it = stop_numbers_.find(object); it != stop_numbers_.end()) e->stops.push_back(it->second);
    std::sort(e->stops.begin(), e->stops.end());
    e->next_stop = static_cast<std::size_t>(std::upper_bound(stop_added_.begin(), stop_added_.end(), rule.added) -
                                            stop_added_.begin());
    // A hash rule too many could end the walk over the names of a call.
    e->keeps_stops = e->where != Placement::exit_list || (keys_pass_ && rule_key(rule));
    e->rule = std::move(rule);
    return e;
}

void Rules::Names::add(const NameSet& names, bool arms, const PerBuild<bool>& counts_as_signal, int count) {
    all.add(names, count);
    if (arms) arming.add(names, count);
    for (std::size_t b = 0; b < builds; ++b)
        if (counts_as_signal[b]) signals[b].add(names, count);
}

PerBuild<bool> Rules::must_touch_signals(const Entry& entry) const {
    PerBuild<bool> out{};
    for (std::size_t b = 0; b < builds; ++b) out[b] = entry.signals[b] && !names_.signals[b].has_smaller(entry.names);
    return out;
}

// A set that is gone must have had a smaller one that stays; a new one needs a smaller one that was there. And for each name, one
// that holds it: a watch lives as long as the rules that name it.
bool Rules::names_kept(const Edit& edit) const {
    // Most edits leave each set where it is.
    struct Change {
        int all = 0;
        PerBuild<int> signals{};
    };
    std::map<NameSet, Change> changes;
    const auto note = [&](const Entries& entries, int by) {
        for (const EntryPtr& e : entries) {
            Change& change = changes[e->names];
            change.all += by;
            for (std::size_t b = 0; b < builds; ++b) change.signals[b] += e->signals[b] ? by : 0;
        }
    };
    note(edit.removed, -1);
    note(edit.added, 1);
    const auto comes_or_goes = [](const NameSets& sets, const NameSet& names, int by) {
        const int count = sets.count(names);
        return (count != 0) != (count + by != 0);
    };
    const bool any = std::any_of(changes.begin(), changes.end(), [&](const auto& entry) {
        const auto& [names, change] = entry;
        bool found = comes_or_goes(names_.all, names, change.all) || comes_or_goes(names_.arming, names, change.all);
        for (std::size_t b = 0; b < builds; ++b) found |= comes_or_goes(names_.signals[b], names, change.signals[b]);
        return found;
    });
    if (!any) return true;
    Names after = names_;
    for (const EntryPtr& e : edit.removed) after.add(e->names, true, e->signals, -1);
    for (const EntryPtr& e : edit.added) after.add(e->names, true, e->signals, 1);
    const auto same_role = [](const NameSets& before, const NameSets& now, const NameSet& names,
                              const NamedObject* kept) {
        return before.contains(names) == now.contains(names) ||
               (before.has_smaller(names, kept) && now.has_smaller(names, kept));
    };
    for (const Entries* side : {&edit.removed, &edit.added})
        for (const EntryPtr& e : *side) {
            if (!same_role(names_.arming, after.arming, e->names, nullptr)) return false;
            for (std::size_t b = 0; b < builds; ++b)
                if (!same_role(names_.signals[b], after.signals[b], e->names, nullptr)) return false;
            for (const NamedObject& object : e->names)
                if (!same_role(names_.all, after.all, e->names, &object)) return false;
        }
    return true;
}

std::vector<KernelRule> Rules::plain() const {
    std::vector<KernelRule> out;
    for (const EntryPtr& e : entries_) out.push_back(e->rule);
    return out;
}

Rules::WatchOrder Rules::watch_order(const Entries& entries) {
    WatchOrder order;
    for (const EntryPtr& e : entries) {
        const FieldTest* path = find_test(e->rule, Field::path);
        if (path == nullptr) continue;
        std::vector<std::string>& paths = order[path->text.substr(path->text.rfind('/') + 1)];
        if (std::find(paths.begin(), paths.end(), path->text) == paths.end()) paths.push_back(path->text);
    }
    std::erase_if(order, [](const auto& same_name) { return same_name.second.size() < 2; });
    return order;
}

// What comes and goes between the first and the last place where the lists differ; rules that only move do neither.
Rules::Edit Rules::edit_to(const Entries& candidate) const {
    const auto [from, candidate_from] =
        std::mismatch(entries_.begin(), entries_.end(), candidate.begin(), candidate.end());
    auto to = entries_.end();
    auto candidate_to = candidate.end();
    while (to != from && candidate_to != candidate_from && *(to - 1) == *(candidate_to - 1)) --to, --candidate_to;
    Entries before(from, to), after(candidate_from, candidate_to);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    Edit edit;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(edit.removed));
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(edit.added));
    // Passes move exit-list rules across hash rules, never hash rules among themselves unless they make new ones.
    for (const Entries* side : {&edit.removed, &edit.added})
        for (const EntryPtr& e : *side) edit.touches_watches |= find_test(e->rule, Field::path) != nullptr;
    return edit;
}

// Each rule in front of the stop that it stood in front of in the input, and the stops in their order.
bool Rules::loads_as_much(const Entries& candidate) const {
    if (stop_added_.empty()) return true;
    std::size_t reached = 0;
    for (const EntryPtr& e : candidate) {
        if (e->next_stop < reached) return false;
        for (const std::size_t stop : e->stops) {
            while (reached < stop && stop_elsewhere_[reached]) ++reached;
            if (stop > reached) return false;
            if (stop == reached) ++reached;
        }
        while (e->keeps_stops && reached < e->next_stop && stop_elsewhere_[reached]) ++reached;
        if (e->keeps_stops && reached < e->next_stop) return false;
    }
    return true;
}

bool Rules::may_load_as_one(const Entry& a, const Entry& b) const {
    return (!a.keeps_stops && !b.keeps_stops) || a.next_stop == b.next_stop;
}

bool Rules::may_load_before(const Entry& moved, const Entry& passed) const {
    if (moved.keeps_stops && moved.next_stop != passed.next_stop) return false;
    return moved.stops.empty() || moved.stops.front() < passed.next_stop;
}

bool Rules::kernel_takes(const Entries& candidate, const Edit& edit) const {
    std::unordered_map<std::size_t, int> change;
    for (const EntryPtr& e : edit.removed) --change[e->identity];
    for (const EntryPtr& e : edit.added) ++change[e->identity];
    for (const auto& [identity, difference] : change) {
        const auto it = identities_.find(identity);
        const int now = (it == identities_.end() ? 0 : static_cast<int>(it->second)) + difference;
        if (difference > 0 && now > 1) return false;
    }
    return names_kept(edit) && loads_as_much(candidate) &&
           (!edit.touches_watches || watch_order(candidate) == watch_order_);
}

bool Rules::within_limit(const Entries& candidate, const Edit& edit) const {
    CallTotals totals = totals_;
    for (const EntryPtr& e : edit.removed) totals.remove(e->costs);
    for (const EntryPtr& e : edit.added) totals.add(e->costs);
    return totals.within(limit_, exit_list_walk(candidate));
}

void Rules::take(Entries candidate, const Edit& edit) {
    for (const EntryPtr& e : edit.removed) {
        if (--identities_[e->identity] == 0) identities_.erase(e->identity);
        names_.add(e->names, true, e->signals, -1);
        totals_.remove(e->costs);
    }
    for (const EntryPtr& e : edit.added) {
        ++identities_[e->identity];
        names_.add(e->names, true, e->signals, 1);
        totals_.add(e->costs);
    }
    entries_ = std::move(candidate);
}

bool Rules::propose(Entries candidate, bool take_equal) {
    const Edit edit = edit_to(candidate);
    bool less = take_equal;
    for (std::size_t k = 0; k < ledger_.kernels().size(); ++k) {
        double change = 0;
        for (const EntryPtr& e : edit.removed) change -= e->costs.kernels[k].weighted;
        for (const EntryPtr& e : edit.added) change += e->costs.kernels[k].weighted;
        if (change > same_cost) return false;
        less |= change < -same_cost;
    }
    if (!less || !kernel_takes(candidate, edit) || !within_limit(candidate, edit)) return false;
    take(std::move(candidate), edit);
    return true;
}

bool Rules::require(Entries candidate) {
    const Edit edit = edit_to(candidate);
    if (!kernel_takes(candidate, edit)) return false;
    take(std::move(candidate), edit);
    return true;
}

void stand_for(KernelRule& united, const KernelRule& a, const KernelRule& b) {
    std::vector<Span> all = a.sources;
    all.insert(all.end(), b.sources.begin(), b.sources.end());
    const auto place = [](const Span& s) { return std::tuple(s.file.value, s.line, s.column); };
    std::sort(all.begin(), all.end(), [&](const Span& x, const Span& y) { return place(x) < place(y); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    united.sources = std::move(all);
    united.added = std::min(a.added, b.added);
}

}  // namespace auopt
