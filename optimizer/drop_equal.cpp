// Does:    drops the later of two equal rules of one list, which only -A can load (the kernel never finds a prepended
//          rule's equal). The output appends its rules, and there the second of them would stop the loading (EEXIST).
// Needs:   lemma L4. On the user, exclude, task and exit lists the earlier one matches whenever the later one does; on
//          the filesystem list one is enough. In the inode hash both have one path or inode, action and key.
// Keeps:   the place of the earlier one in the walk, audit_n_rules and audit_signals zero or not.
// Example: -A never,exclude -F msgtype=CWD
//          -A never,exclude -F msgtype=CWD
//          -> -a never,exclude -F msgtype=CWD
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "optimizer/pipeline.hpp"
#include "optimizer/rules.hpp"

namespace auopt {
namespace {

void drop_equal_of(std::vector<KernelRule>& rules) {
    std::vector<KernelRule> kept;
    std::unordered_map<std::size_t, std::vector<std::size_t>> by_identity;
    for (KernelRule& rule : rules) {
        std::vector<std::size_t>& alike = by_identity[rule_identity(rule)];
        const auto first =
            std::find_if(alike.begin(), alike.end(), [&](std::size_t k) { return kept[k].same_as(rule); });
        if (first == alike.end()) {
            alike.push_back(kept.size());
            kept.push_back(std::move(rule));
            continue;
        }
        // It is there since the first of the two was added.
        stand_for(kept[*first], kept[*first], rule);
    }
    rules = std::move(kept);
}

}  // namespace

void drop_equal(KernelState& state) {
    for (std::vector<KernelRule>* rules : {&state.filter, &state.user, &state.task, &state.exclude, &state.filesystem})
        drop_equal_of(*rules);
}

}  // namespace auopt
