// The emission rule's order of fields (docs/PIPELINE.md), for rules that order_fields left alone.
#include <algorithm>

#include "optimizer/passes.hpp"

namespace auopt {
namespace {

bool writable(const std::vector<FieldTest>& tests) {
    bool arch_seen = false, key_seen = false;
    for (const FieldTest& t : tests) {
        if (key_seen || (t.field == Field::perm && arch_seen)) return false;
        arch_seen |= t.field == Field::arch;
        key_seen |= t.field == Field::key;
    }
    return true;
}

// perm= moves to just before the first arch=; the key moves to the end.
std::vector<FieldTest> writable_order(const std::vector<FieldTest>& tests) {
    std::vector<FieldTest> out = tests;
    std::stable_partition(out.begin(), out.end(), [](const FieldTest& t) { return t.field != Field::key; });
    const auto first_arch =
        std::find_if(out.begin(), out.end(), [](const FieldTest& t) { return t.field == Field::arch; });
    std::stable_partition(first_arch, out.end(), [](const FieldTest& t) { return t.field == Field::perm; });
    return out;
}

// Two rules that differed in the order of their tests alone must go on differing. Moving one test to the front, perm=
// first of all, gives another order as long as there is a test to move; where there is none, the rule stays and can't
// be written.
std::vector<std::vector<FieldTest>> orders_to_try(const std::vector<FieldTest>& tests) {
    std::vector<std::vector<FieldTest>> orders = {writable_order(tests)};
    for (std::size_t i = 1; i < orders.front().size(); ++i) {
        std::vector<FieldTest> order = orders.front();
        std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i),
                    order.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        if (order.front().field != Field::arch && writable(order)) orders.push_back(std::move(order));
    }
    return orders;
}

}  // namespace

void make_writable(Rules& rules) {
    for (std::size_t i = 0; i < rules.entries().size(); ++i) {
        const EntryPtr e = rules.entries()[i];
        if (e->where != Placement::exit_list && e->where != Placement::inode_hash) continue;
        if (writable(e->rule.tests)) continue;
        for (std::vector<FieldTest>& order : orders_to_try(e->rule.tests)) {
            KernelRule rule = e->rule;
            rule.tests = std::move(order);
            Entries candidate = rules.entries();
            candidate[i] = rules.make(std::move(rule));
            if (rules.require(std::move(candidate))) break;
        }
    }
}

}  // namespace auopt
