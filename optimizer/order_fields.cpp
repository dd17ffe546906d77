// Does:    puts the tests of a rule in the order that costs the workload least: cheap and selective first.
// Needs:   lemma L2 (any order is exact on the exit and task lists and in the hash).
// Keeps:   what auditctl's text can say in every version: perm= before arch=, the key last; several arch= in their
//          order.
// Example: -a always,exit -F arch=b64 -S openat -F exit=-13 -F auid!=unset -F key=access
//          -> -a always,exit -F auid!=unset -F exit=-13 -F arch=b64 -S 257 -F key=access
#include <algorithm>
#include <map>
#include <numeric>

#include "optimizer/passes.hpp"

namespace auopt {
namespace {

constexpr std::size_t exhaustive_tests = 6;  // 720 orders at most; beyond, tests are chosen one at a time
constexpr std::size_t orders_tried = 6;      // when the cheapest makes some rare call pay more than in the input
constexpr double same_price = 1e-9;          // instructions

// How the tests of one rule fare on one kind of event: cost and outcome of each, and how often that kind occurs.
struct Pattern {
    std::vector<FieldCost> cost;
    std::vector<bool> holds;
    double weight = 0;
};

using Order = std::vector<std::size_t>;

double price(const std::vector<Pattern>& patterns, const Order& order) {
    double total = 0;
    for (const Pattern& p : patterns) {
        std::uint32_t cost = 0;
        for (std::size_t t : order) {
            if (!p.holds[t]) {
                cost += p.cost[t].fail_first;
                break;
            }
            cost += p.cost[t].pass;
        }
        total += p.weight * cost;
    }
    return total;
}

// Only calls in the mask pay for tests. A hash rule is met by chance: its path= fails.
std::vector<Pattern> patterns_of(const Rules& rules, const Entry& e, const KernelTables& kernel,
                                 const std::vector<FieldTest>& tests) {
    std::map<std::vector<std::uint64_t>, Pattern> distinct;
    const auto count = [&](const Event& event, double weight) {
        if (weight <= 0 || !e.rule.mask.test(static_cast<unsigned>(event.nr))) return;
        Pattern p;
        std::vector<std::uint64_t> signature;
        for (const FieldTest& t : tests) {
            p.cost.push_back(test_cost(t, kernel, event));
            p.holds.push_back(test_holds(kernel, t, event, nullptr));
            signature.push_back(p.cost.back().fail_first * 2ULL + (p.holds.back() ? 1 : 0));
        }
        auto [it, inserted] = distinct.try_emplace(std::move(signature), std::move(p));
        it->second.weight += weight;
    };
    const bool hash = e.where == Placement::inode_hash;
    for (const Ledger::Sample& s : rules.ledger().samples()) count(s.event, hash ? s.weight * s.names : s.weight);
    // Calls outside the workload are rare, not free.
    constexpr double rare = 1e-6;
    for (Abi abi : all_abis)
        for (unsigned nr = 0; nr < ledger_calls; ++nr) count(reference_event(kernel.machine->abi_arch(abi), nr), rare);
    std::vector<Pattern> out;
    for (auto& [signature, p] : distinct) out.push_back(std::move(p));
    return out;
}

bool writable(const std::vector<FieldTest>& tests, const Order& order) {
    bool arch_seen = false;
    std::size_t last_arch = 0;
    for (std::size_t t : order) {
        if (tests[t].field == Field::perm && arch_seen) return false;
        if (tests[t].field != Field::arch) continue;
        if (arch_seen && t < last_arch) return false;
        arch_seen = true;
        last_arch = t;
    }
    return true;
}

// All orders that text can carry, cheapest first; those that cost the same only once.
std::vector<Order> by_price(const std::vector<Pattern>& patterns, const std::vector<FieldTest>& tests, Order order) {
    std::vector<std::pair<double, Order>> priced;
    do {
        if (writable(tests, order)) priced.emplace_back(price(patterns, order), order);
    } while (std::next_permutation(order.begin(), order.end()));
    std::stable_sort(priced.begin(), priced.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first - same_price; });
    std::vector<Order> out;
    double last = -1;
    for (auto& [p, o] : priced) {
        if (!out.empty() && p <= last + same_price) continue;
        last = p;
        out.push_back(std::move(o));
    }
    return out;
}

// Long rules: choose the next test by what it costs the events that are still undecided.
Order best_greedy(const std::vector<Pattern>& patterns, const std::vector<FieldTest>& tests, const Order& all) {
    Order chosen, left = all;
    while (!left.empty()) {
        std::size_t pick = left.size();
        double pick_price = 0;
        for (std::size_t i = 0; i < left.size(); ++i) {
            Order trial = chosen, rest;
            trial.push_back(left[i]);
            for (std::size_t j = 0; j < left.size(); ++j)
                if (j != i) rest.push_back(left[j]);
            Order whole = trial;
            whole.insert(whole.end(), rest.begin(), rest.end());
            // perm= must not be left behind once an arch= is chosen.
            if (tests[left[i]].field == Field::arch && std::any_of(rest.begin(), rest.end(), [&](std::size_t t) {
                    return tests[t].field == Field::perm || (tests[t].field == Field::arch && t < left[i]);
                }))
                continue;
            const double p = price(patterns, whole);
            if (pick == left.size() || p < pick_price - same_price) pick = i, pick_price = p;
        }
        chosen.push_back(left[pick]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(pick));
    }
    return chosen;
}

// The rule with its tests in other orders, cheapest first, as long as they are cheaper than the one it has.
std::vector<KernelRule> cheaper_orders(const Rules& rules, const Entry& e) {
    std::vector<FieldTest> tests, keys;
    for (const FieldTest& t : e.rule.tests) (t.field == Field::key ? keys : tests).push_back(t);
    std::vector<Pattern> patterns;
    for (const KernelTables* kernel : rules.ledger().kernels())
        for (Pattern& p : patterns_of(rules, e, *kernel, tests)) patterns.push_back(std::move(p));
    Order own(tests.size());
    std::iota(own.begin(), own.end(), std::size_t{0});
    const double own_price = price(patterns, own);
    const bool few = tests.size() <= exhaustive_tests;
    std::vector<KernelRule> out;
    for (const Order& order :
         few ? by_price(patterns, tests, own) : std::vector<Order>{best_greedy(patterns, tests, own)}) {
        if (out.size() == orders_tried || price(patterns, order) >= own_price - same_price) break;
        KernelRule rule = e.rule;
        rule.tests.clear();
        for (std::size_t t : order) rule.tests.push_back(tests[t]);
        rule.tests.insert(rule.tests.end(), keys.begin(), keys.end());
        out.push_back(std::move(rule));
    }
    return out;
}

bool reorder(Rules& rules, std::size_t i, std::vector<KernelRule> orders) {
    for (KernelRule& rule : orders) {
        Entries candidate = rules.entries();
        candidate[i] = rules.make(std::move(rule));
        if (rules.propose(std::move(candidate))) return true;
    }
    return false;
}

}  // namespace

PassCounts order_fields(Rules& rules) {
    PassCounts counts;
    for (std::size_t i = 0; i < rules.entries().size(); ++i) {
        const Entry& e = *rules.entries()[i];
        if (e.where != Placement::exit_list && e.where != Placement::inode_hash) continue;
        std::vector<KernelRule> orders = cheaper_orders(rules, e);
        if (orders.empty()) continue;
        ++(reorder(rules, i, std::move(orders)) ? counts.kept : counts.refused);
    }
    return counts;
}

}  // namespace auopt
