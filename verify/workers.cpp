#include "verify/workers.hpp"

#include <set>
#include <utility>

#include "verify/meaning.hpp"

namespace auopt::proof {
namespace {

/// The rule as a worker sees it: its list takes the place of the exit list. Nothing where an arch or perm test never
/// holds in a worker.
std::optional<ItemId> seen_by_worker(const Item& item, Vocabulary& vocabulary) {
    Condition condition = vocabulary.condition(item.condition);
    std::vector<TestId> left;
    for (const TestId id : condition.tests) {
        const FieldTest& t = vocabulary.test(id);
        if (t.field == Field::arch) {
            if (!compare_numbers(0, t.op, t.value)) return std::nullopt;
        } else if (t.field == Field::perm) {  // call 0 of arch 0 is in no class
            if (t.op != Op::not_equal) return std::nullopt;
        } else if (never_true(t)) {
            return std::nullopt;
        } else {
            left.push_back(id);
        }
    }
    condition.tests = std::move(left);
    Item out = item;
    out.walk = Walk::exit_list;
    out.mask = 0;
    out.condition = vocabulary.intern(std::move(condition));
    return vocabulary.intern(out);
}

Sequence of_operation(const Sequence& all, unsigned operation, Vocabulary& vocabulary) {
    Sequence out;
    for (std::size_t i = 0; i < all.items.size(); ++i) {
        const Item item = vocabulary.item(all.items[i]);  // a copy: interning moves items
        std::optional<ItemId> seen = all.items[i];
        if (item.walk == Walk::io_uring_list) {
            if (!vocabulary.mask(item.mask).test(operation)) continue;
            seen = seen_by_worker(item, vocabulary);
        }
        if (!seen) continue;
        out.items.push_back(*seen);
        out.rules.push_back(all.rules[i]);
    }
    return out;
}

}  // namespace

std::optional<WorkerGap> decide_workers(const Obligations& all, bool recorded, Vocabulary& vocabulary, Solver& solver) {
    // Most operations see the same pair of lists.
    std::set<std::pair<std::vector<ItemId>, std::vector<ItemId>>> shown;
    for (unsigned operation = 0; operation < mask_syscalls; ++operation) {
        Group group;
        group.calls.push_back({Abi::native, 0});
        group.before = of_operation(all.worker_before, operation, vocabulary);
        group.after = of_operation(all.worker_after, operation, vocabulary);
        if (group.before.items == group.after.items) continue;
        if (!shown.emplace(group.before.items, group.after.items).second) continue;
        if (auto gap = decide(group, recorded, vocabulary, solver)) return WorkerGap{operation, *std::move(gap)};
    }
    return std::nullopt;
}

}  // namespace auopt::proof
