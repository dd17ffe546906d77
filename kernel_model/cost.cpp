// Instructions of the exit-list walk (6.12: __audit_filter_op), from the tables of one kernel. A rule in mask costs the
// marginal costs of the tests that pass and the whole cost of the first that fails; the tables' units add up exactly.
#include "kernel_model/cost.hpp"

#include <algorithm>

namespace auopt {
namespace {

bool is_lsm(Field field) {
    return is_text_field(field) && field != Field::path && field != Field::dir && field != Field::exe &&
           field != Field::key;
}

FieldCost plus(FieldCost cost, std::uint32_t extra) { return {cost.fail_first + extra, cost.pass + extra}; }

}  // namespace

FieldCost test_cost(const FieldTest& test, const KernelTables& kernel, const Event& event) {
    const CostTable& c = kernel.cost;
    if (is_lsm(test.field)) return c.lsm;
    // The kernel stores auid=unset and auid!=unset as loginuid_set.
    if (test.field == Field::loginuid && test.value == id_unset && (test.op == Op::equal || test.op == Op::not_equal))
        return c.loginuid_set;
    if (test.field == Field::loginuid_set) return c.loginuid_set;
    const auto it = c.fields.find(test.field);
    if (it == c.fields.end()) return {c.mask_miss, 0};  // msgtype, fstype: audit_filter_rules' switch falls through
    const FieldCost cost = it->second;
    const auto names = static_cast<std::uint32_t>(event.names.size());
    switch (test.field) {
        case Field::perm: {
            const SyscallKind kind = kernel.classes_of_arch(event.arch).kind(static_cast<unsigned>(event.nr));
            return kind == SyscallKind::native ? cost : c.perm_open;
        }
        case Field::gid:
        case Field::egid:
            return event.groups.empty() || (test.op != Op::equal && test.op != Op::not_equal)
                       ? cost
                       : plus(cost, c.gid_supplementary);
        case Field::filetype:
            return plus(cost, c.per_name_filetype * names);
        case Field::obj_uid:
        case Field::obj_gid:
            return plus(cost, c.per_name_obj * names);
        case Field::dir:
            return plus(cost, c.per_dir_ref * static_cast<std::uint32_t>(event.dirs.size()));
        default:
            return cost;
    }
}

EntryCost entry_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event) {
    const CostTable& c = kernel.cost;
    if (event.nr < 0 || !rule.mask.test(static_cast<unsigned>(event.nr))) return {c.mask_miss, false, false};
    EntryCost cost{0, true, false};
    for (const FieldTest& test : rule.tests) {
        const FieldCost f = test_cost(test, kernel, event);
        if (!test_holds(kernel, test, event, nullptr)) {
            cost.instructions += f.fail_first;
            return cost;
        }
        cost.instructions += f.pass;
    }
    cost.instructions += c.match_never_no_fields + (rule_key(rule) ? c.match_key : 0);
    cost.matched = true;
    return cost;
}

Event reference_event(std::uint32_t arch, unsigned nr) {
    Event e;  // uid 0, auid unset, success, exit 0, no names, arguments 0: open read-only
    e.arch = arch;
    e.nr = static_cast<std::int32_t>(nr);
    return e;
}

CallCost call_cost(const KernelState& state, const KernelTables& kernel, const Event& event, bool with_rules) {
    CallCost total;
    bool ppid_seen = false;
    for (std::size_t i = 0; i < state.filter.size(); ++i) {
        const KernelRule& rule = state.filter[i];
        if (placement(rule) != Placement::exit_list) continue;
        EntryCost cost = entry_cost(rule, kernel, event);
        // The parent is looked up once per call and then kept in the context.
        if (cost.in_mask && !ppid_seen && find_test(rule, Field::ppid) != nullptr) {
            ppid_seen = true;
            cost.instructions += kernel.cost.ppid_once;
        }
        ++total.entries;
        total.mask_hits += cost.in_mask ? 1 : 0;
        total.filter_instructions += cost.instructions + (total.entries == 1 ? kernel.cost.first_entry : 0);
        if (with_rules) total.by_rule.push_back({i, cost.instructions, cost.in_mask});
        if (cost.matched) {
            total.matched = true;
            break;
        }
    }
    return total;
}

unsigned exit_list_length(const KernelState& state) {
    return static_cast<unsigned>(std::count_if(state.filter.begin(), state.filter.end(), [](const KernelRule& r) {
        return placement(r) == Placement::exit_list;
    }));
}

std::uint32_t fixed_instructions(const KernelState& state, const KernelTables& kernel) {
    return state.n_rules() == 0 ? 0 : kernel.cost.armed_instructions - kernel.cost.unarmed_instructions;
}

}  // namespace auopt
