#include "optimizer/rules.hpp"

#include <algorithm>
#include <tuple>

namespace auopt {
namespace {

constexpr double same_cost = 1e-9;  // instructions; sums of the same terms in another order

constexpr std::size_t builds = 2;
constexpr bool runs_32bit(std::size_t build) { return build == 0; }

PerBuild<bool> counts_in_signals(const KernelRule& rule, const MachineModel& machine) {
    KernelState alone;
    alone.machine = machine.machine;
    alone.filter.push_back(rule);
    return {alone.n_signals(runs_32bit(0)) != 0, alone.n_signals(runs_32bit(1)) != 0};
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
    KernelState others = state;
    others.filter.clear();
    for (std::size_t b = 0; b < builds; ++b) {
        other_signals_[b] = others.n_signals(runs_32bit(b));
        signals_nonzero_[b] = state.n_signals(runs_32bit(b)) != 0;
    }
    rules_nonzero_ = !state.filter.empty();
    Entries entries;
    for (const KernelRule& rule : state.filter) entries.push_back(make(rule));
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
    e->rule = std::move(rule);
    return e;
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
    for (std::size_t b = 0; b < builds; ++b) {
        const bool any =
            std::any_of(candidate.begin(), candidate.end(), [&](const EntryPtr& e) { return e->signals[b]; });
        if ((any || other_signals_[b] != 0) != signals_nonzero_[b]) return false;
    }
    return true;
}

bool Rules::kernel_takes(const Entries& candidate, const Edit& edit) const {
    std::unordered_map<std::size_t, int> change;
    PerBuild<std::size_t> signals = signals_;
    for (const EntryPtr& e : edit.removed) {
        --change[e->identity];
        for (std::size_t b = 0; b < builds; ++b) signals[b] -= e->signals[b] ? 1 : 0;
    }
    for (const EntryPtr& e : edit.added) {
        ++change[e->identity];
        for (std::size_t b = 0; b < builds; ++b) signals[b] += e->signals[b] ? 1 : 0;
    }
    for (const auto& [identity, difference] : change) {
        const auto it = identities_.find(identity);
        const int now = (it == identities_.end() ? 0 : static_cast<int>(it->second)) + difference;
        if (difference > 0 && now > 1) return false;
    }
    for (std::size_t b = 0; b < builds; ++b)
        if ((signals[b] + other_signals_[b] != 0) != signals_nonzero_[b]) return false;
    return (!candidate.empty()) == rules_nonzero_ && (!edit.touches_watches || watch_order(candidate) == watch_order_);
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
        for (std::size_t b = 0; b < builds; ++b) signals_[b] -= e->signals[b] ? 1 : 0;
        totals_.remove(e->costs);
    }
    for (const EntryPtr& e : edit.added) {
        ++identities_[e->identity];
        for (std::size_t b = 0; b < builds; ++b) signals_[b] += e->signals[b] ? 1 : 0;
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

std::vector<Span> merged_sources(const KernelRule& a, const KernelRule& b) {
    std::vector<Span> all = a.sources;
    all.insert(all.end(), b.sources.begin(), b.sources.end());
    const auto place = [](const Span& s) { return std::tuple(s.file.value, s.line, s.column); };
    std::sort(all.begin(), all.end(), [&](const Span& x, const Span& y) { return place(x) < place(y); });
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

}  // namespace auopt
