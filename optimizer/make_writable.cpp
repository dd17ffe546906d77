// The emission rule's order of fields (architecture, section 6), for rules that order_fields left alone.
#include <algorithm>

#include "optimizer/passes.hpp"

namespace auopt {
namespace {

// perm= moves to just before the first arch=; the key moves to the end.
std::vector<FieldTest> writable_order(const std::vector<FieldTest>& tests) {
    std::vector<FieldTest> out = tests;
    std::stable_partition(out.begin(), out.end(), [](const FieldTest& t) { return t.field != Field::key; });
    const auto first_arch = std::find_if(out.begin(), out.end(), [](const FieldTest& t) { return t.field == Field::arch; });
    std::stable_partition(first_arch, out.end(), [](const FieldTest& t) { return t.field == Field::perm; });
    return out;
}

}  // namespace

void make_writable(Rules& rules) {
    for (Entry& e : rules.entries) {
        if (e.where != Placement::exit_list && e.where != Placement::inode_hash) continue;
        std::vector<FieldTest> order = writable_order(e.rule.tests);
        if (order == e.rule.tests) continue;
        KernelRule rule = e.rule;
        rule.tests = std::move(order);
        e = rules.make(std::move(rule));
    }
}

}  // namespace auopt
