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
        for (const KernelRule& rule : *list) {
            if (list == &state.task) counters_.rules.count(rule, 1);
            const PerBuild<bool> signals = counts_in_signals(rule, machine_);
            for (std::size_t b = 0; b < builds; ++b)
                if (signals[b]) counters_.signals[b].count(rule, 1);
        }
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
    wanted_counters_ = counters_;
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
    e->objects = named_objects(rule);
    for (const NamedObject& object : e->objects)
        if (const auto it = stop_numbers_.find(object); it != stop_numbers_.end()) e->stops.push_back(it->second);
    std::sort(e->stops.begin(), e->stops.end());
    e->next_stop = static_cast<std::size_t>(std::upper_bound(stop_added_.begin(), stop_added_.end(), rule.added) -
                                            stop_added_.begin());
    // A hash rule too many could end the walk over the names of a call.
    e->keeps_stops = e->where != Placement::exit_list || (keys_pass_ && rule_key(rule));
    e->rule = std::move(rule);
    return e;
}

void Rules::Counter::count(const KernelRule& rule, int difference) {
    const FieldTest* program = find_test(rule, Field::exe);
    if (program == nullptr) {
        without_exe += static_cast<std::size_t>(difference);
        return;
    }
    const auto it = exe.try_emplace(program->text, 0).first;
    it->second += static_cast<std::size_t>(difference);
    if (it->second == 0) exe.erase(it);
}

bool Rules::same_arming(const Counter& a, const Counter& b) {
    if ((a.without_exe != 0) != (b.without_exe != 0)) return false;
    return a.without_exe != 0 || std::equal(a.exe.begin(), a.exe.end(), b.exe.begin(), b.exe.end(),
                                            [](const auto& x, const auto& y) { return x.first == y.first; });
}

void Rules::count(const Entry& entry, int difference, Counters& counters) const {
    counters.rules.count(entry.rule, difference);
    for (std::size_t b = 0; b < builds; ++b)
        if (entry.signals[b]) counters.signals[b].count(entry.rule, difference);
}

bool Rules::arms_alike(const Counters& counters) const {
    for (std::size_t b = 0; b < builds; ++b)
        if (!same_arming(counters.signals[b], wanted_counters_.signals[b])) return false;
    return same_arming(counters.rules, wanted_counters_.rules);
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

bool Rules::signals_kept(const Entries& candidate) const {
    const Edit edit = edit_to(candidate);
    Counters counters = counters_;
    for (const EntryPtr& e : edit.removed) count(*e, -1, counters);
    for (const EntryPtr& e : edit.added) count(*e, 1, counters);
    return arms_alike(counters);
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
    std::map<NamedObject, int> objects;
    Counters counters = counters_;
    for (const EntryPtr& e : edit.removed) {
        --change[e->identity];
        for (const NamedObject& object : e->objects) --objects[object];
        count(*e, -1, counters);
    }
    for (const EntryPtr& e : edit.added) {
        ++change[e->identity];
        for (const NamedObject& object : e->objects) ++objects[object];
        count(*e, 1, counters);
    }
    for (const auto& [identity, difference] : change) {
        const auto it = identities_.find(identity);
        const int now = (it == identities_.end() ? 0 : static_cast<int>(it->second)) + difference;
        if (difference > 0 && now > 1) return false;
    }
    // A watch, a tree or a mark does things of its own as long as some rule names it.
    for (const auto& [object, difference] : objects)
        if (difference < 0 && objects_.at(object) == static_cast<unsigned>(-difference)) return false;
    return arms_alike(counters) && loads_as_much(candidate) &&
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
        for (const NamedObject& object : e->objects) --objects_[object];
        count(*e, -1, counters_);
        totals_.remove(e->costs);
    }
    for (const EntryPtr& e : edit.added) {
        ++identities_[e->identity];
        for (const NamedObject& object : e->objects) ++objects_[object];
        count(*e, 1, counters_);
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
