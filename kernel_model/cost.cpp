// Instructions of the exit-list walk (6.12: __audit_filter_op), from the tables of one kernel. A rule in mask costs the
// marginal costs of the tests that pass and the whole cost of the first that fails; the tables' units add up exactly.
#include "kernel_model/cost_details.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace auopt {
namespace {

bool is_lsm(Field field) {
    return is_text_field(field) && field != Field::path && field != Field::dir && field != Field::exe &&
           field != Field::key;
}

FieldCost plus(FieldCost cost, std::uint32_t extra) { return {cost.fail_first + extra, cost.pass + extra}; }

FieldCost plus_operator(FieldCost cost, const std::map<Op, std::int32_t>& operators, Op op) {
    const auto it = operators.find(op);
    const std::int32_t extra = it == operators.end() ? 0 : it->second;
    const auto add = [&](std::uint32_t n) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + extra); };
    return {add(cost.fail_first), add(cost.pass)};
}

// audit_match_perm looks the call up in the classes that the value names, write, read, chattr, until one has it.
FieldCost perm_cost(const FieldTest& test, const KernelTables& kernel, const Event& event) {
    constexpr std::uint32_t write = 2, read = 4, chattr = 8;  // AUDIT_PERM_WRITE, AUDIT_PERM_READ, AUDIT_PERM_ATTR
    const AbiClasses& classes = kernel.classes_of_arch(event.arch);
    const auto nr = static_cast<unsigned>(event.nr);
    if (classes.kind(nr) != SyscallKind::native) return kernel.cost.perm_open;
    const std::pair<std::uint32_t, const SyscallSet*> all[] = {
        {write, &classes.write}, {read, &classes.read}, {chattr, &classes.chattr}};
    std::uint32_t looked_up = 0;
    for (const auto& [bit, set] : all) {
        if ((test.value & bit) == 0) continue;
        ++looked_up;
        if (set->test(nr)) break;
    }
    return plus(kernel.cost.fields.at(Field::perm), cost_details(kernel).perm_class * looked_up);
}

// field_compare's first nine compare with the owner of a name (auditsc.c:audit_field_compare).
bool compares_with_object(const FieldTest& test) { return test.value >= 1 && test.value <= 9; }

}  // namespace

FieldCost test_cost(const FieldTest& test, const KernelTables& kernel, const Event& event, const TestPlace& place) {
    const CostTable& c = kernel.cost;
    const CostDetails& d = cost_details(kernel);
    if (is_lsm(test.field)) {
        const bool asked = !place.apparmor || test.field == Field::subj_role || test.field == Field::obj_role;
        return asked ? c.lsm : d.lsm_not_asked;
    }
    // The kernel stores auid=unset and auid!=unset as loginuid_set.
    if (test.field == Field::loginuid && test.value == id_unset && (test.op == Op::equal || test.op == Op::not_equal))
        return c.loginuid_set;
    if (test.field == Field::loginuid_set) return c.loginuid_set;
    const auto it = c.fields.find(test.field);
    if (it == c.fields.end()) return {c.mask_miss, 0};  // msgtype, fstype: audit_filter_rules' switch falls through
    const FieldCost cost = it->second;
    const auto names = place.name != nullptr ? 1U : static_cast<std::uint32_t>(event.names.size());
    // Names that do not fit are looked at one after the other; the first that does ends it.
    const auto for_names = [&](FieldCost base, std::uint32_t each) {
        return FieldCost{base.fail_first + each * names, base.pass};
    };
    switch (test.field) {
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::sgid:
        case Field::fsgid:
        case Field::loginuid:
            return plus_operator(cost, d.id_operators, test.op);
        case Field::gid:
        case Field::egid: {
            // = and then != look through the supplementary groups once the id itself says no, or yes.
            FieldCost with_operator = plus_operator(cost, d.id_operators, test.op);
            if (test.op != Op::equal) with_operator.fail_first -= d.gid_search.fail_first;
            if (test.op == Op::not_equal) with_operator.pass += d.gid_search.pass;
            const bool searched = test.op == Op::equal || test.op == Op::not_equal;
            return event.groups.empty() || !searched ? with_operator : plus(with_operator, c.gid_supplementary);
        }
        case Field::pid:
        case Field::ppid:
        case Field::pers:
        case Field::sessionid:
        case Field::arch:
        case Field::exit:
        case Field::success:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
            return plus_operator(cost, d.number_operators, test.op);
        case Field::perm:
            return perm_cost(test, kernel, event);
        case Field::filetype:
            return for_names(cost, c.per_name_filetype);
        case Field::obj_uid:
        case Field::obj_gid:
            return for_names(cost, c.per_name_obj);
        case Field::devmajor:
        case Field::devminor:
            return for_names(cost, d.per_name_dev);
        case Field::field_compare:
            return compares_with_object(test) ? for_names(d.compare_obj, d.per_name_compare) : cost;
        case Field::dir: {
            const auto refs = static_cast<std::uint32_t>(event.dirs.size());
            if (refs == 0) return {cost.fail_first + (place.holds_refs ? d.dir_refs : 0), cost.pass};
            return {cost.fail_first + d.dir_refs + c.per_dir_ref * refs, cost.pass + d.per_dir_ref_pass * (refs - 1)};
        }
        default:
            return cost;
    }
}

EntryCost entry_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event, const TestPlace& place) {
    const CostTable& c = kernel.cost;
    if (event.nr < 0 || !rule.mask.test(static_cast<unsigned>(event.nr))) return {c.mask_miss, false, false};
    EntryCost cost{0, true, false};
    for (const FieldTest& test : rule.tests) {
        const FieldCost f = test_cost(test, kernel, event, place);
        if (!test_holds(kernel, test, event, place.name)) {
            cost.instructions += f.fail_first;
            return cost;
        }
        cost.instructions += f.pass;
    }
    cost.instructions += c.match_never_no_fields + (rule_key(rule) ? c.match_key : 0);
    cost.matched = true;
    return cost;
}

FieldCost test_cost(const FieldTest& test, const KernelTables& kernel, const Event& event) {
    return test_cost(test, kernel, event, TestPlace{});
}

EntryCost entry_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event) {
    return entry_cost(rule, kernel, event, TestPlace{});
}

Event reference_event(std::uint32_t arch, unsigned nr) {
    Event e;  // uid 0, auid unset, success, exit 0, no names, arguments 0: open read-only
    e.arch = arch;
    e.nr = static_cast<std::int32_t>(nr);
    return e;
}

CallCost call_cost(const KernelState& state, const KernelTables& kernel, const Event& event, bool with_rules) {
    return call_cost(state, kernel, event, with_rules, TestPlace{});
}

CallCost call_cost(const KernelState& state, const KernelTables& kernel, const Event& event, bool with_rules,
                   const TestPlace& place) {
    CallCost total;
    bool ppid_seen = false;
    for (std::size_t i = 0; i < state.filter.size(); ++i) {
        const KernelRule& rule = state.filter[i];
        if (placement(rule) != Placement::exit_list) continue;
        EntryCost cost = entry_cost(rule, kernel, event, place);
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
