// The working form of a rule list, and the one gate every rewrite passes.
#include "optimizer/rules.hpp"

#include <algorithm>
#include <tuple>

namespace auopt {
namespace {

constexpr double same_cost = 1e-9;  // instructions; sums of the same terms in another order

std::vector<const RuleCosts*> exit_list_costs(const std::vector<Entry>& entries) {
    std::vector<const RuleCosts*> costs;
    for (const Entry& e : entries)
        if (e.where == Placement::exit_list) costs.push_back(&e.costs);
    return costs;
}

double weighted(const std::vector<Entry>& entries, std::size_t kernel) {
    double sum = 0;
    for (const Entry& e : entries) sum += e.costs.kernels[kernel].weighted;
    return sum;
}

std::size_t identity_of(const KernelRule& rule) {
    std::size_t hash = 0;
    const auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29); };
    mix(static_cast<std::size_t>(rule.list));
    mix(static_cast<std::size_t>(rule.action));
    for (std::uint32_t word : rule.mask.words) mix(word);
    for (const FieldTest& t : rule.tests) {
        mix(static_cast<std::size_t>(t.field));
        mix(static_cast<std::size_t>(t.op));
        mix(is_text_field(t.field) ? std::hash<std::string>{}(t.text) : t.value);
    }
    return hash;
}

}  // namespace

Entry Rules::make(KernelRule rule) const {
    Entry e;
    e.where = placement(rule);
    e.admission = admission(rule);
    e.costs = ledger.costs_of(rule);
    e.identity = identity_of(rule);
    e.rule = std::move(rule);
    return e;
}

WatchOrder watch_order(const std::vector<Entry>& entries) {
    WatchOrder order;
    for (const Entry& e : entries) {
        const FieldTest* path = find_test(e.rule, Field::path);
        if (path == nullptr) continue;
        std::vector<std::string>& paths = order[path->text.substr(path->text.rfind('/') + 1)];
        if (std::find(paths.begin(), paths.end(), path->text) == paths.end()) paths.push_back(path->text);
    }
    std::erase_if(order, [](const auto& same_name) { return same_name.second.size() < 2; });
    return order;
}

bool Rules::counters_kept(const std::vector<Entry>& candidate) const {
    KernelState state;
    for (const Entry& e : candidate) state.filter.push_back(e.rule);
    return (state.n_signals() + other_signals != 0) == signals_nonzero && (!candidate.empty()) == rules_nonzero;
}

bool Rules::all_distinct(const std::vector<Entry>& candidate) {
    std::vector<std::size_t> identities;
    for (const Entry& e : candidate) identities.push_back(e.identity);
    std::sort(identities.begin(), identities.end());
    return std::adjacent_find(identities.begin(), identities.end()) == identities.end();
}

bool Rules::propose(std::vector<Entry> candidate, bool take_equal) {
    bool less = take_equal;
    for (std::size_t k = 0; k < ledger.kernels().size(); ++k) {
        const double before = weighted(entries, k), after = weighted(candidate, k);
        if (after > before + same_cost) return false;
        less |= after < before - same_cost;
    }
    if (!less || !all_distinct(candidate) || !counters_kept(candidate) || auopt::watch_order(candidate) != watch_order ||
        !ledger.within_limit(ledger.call_table(exit_list_costs(candidate)))) return false;
    entries = std::move(candidate);
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
