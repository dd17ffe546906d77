#include "kernel_model/layout.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace auopt {
namespace {

/// The object that a test reads besides struct audit_field, by its name in layouts.toml; nullptr: none.
const char* operand_name(Field field) {
    switch (field) {
        case Field::exe:
            return "exe";
        case Field::dir:
            return "dir";
        case Field::path:
            return "path";
        default:
            return nullptr;  // numbers; what they are compared with is among the lines every call touches
    }
}

unsigned operand_pointer(Field field, const Layout& layout) {
    if (field == Field::exe) return layout.exe;
    return field == Field::dir ? layout.tree : layout.watch;
}

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

struct Objects {
    std::uint32_t entry = nothing, fields = nothing;
    std::vector<std::uint32_t> operands;  // by test
};

}  // namespace

std::vector<RuleObject> rule_objects(const KernelState& state, const Layout& layout) {
    std::vector<RuleObject> objects;
    for (std::size_t r = 0; r < state.filter.size(); ++r) {
        const KernelRule& rule = state.filter[r];
        objects.push_back({RuleObject::Kind::entry, r, 0, layout.entry_size});
        if (!rule.tests.empty()) {
            const auto tests = static_cast<unsigned>(rule.tests.size());
            objects.push_back({RuleObject::Kind::fields, r, 0, tests * layout.field_size});
        }
        for (std::size_t t = 0; t < rule.tests.size(); ++t) {
            const char* name = operand_name(rule.tests[t].field);
            if (name == nullptr) continue;
            const auto it = layout.operands.find(name);
            if (it != layout.operands.end()) objects.push_back({RuleObject::Kind::operand, r, t, it->second.size});
        }
    }
    return objects;
}

Walk walk_of(const KernelState& state, const KernelTables& kernel, const Layout& layout,
             const std::vector<RuleObject>& objects, const Event& event) {
    std::vector<Objects> of(state.filter.size());
    for (std::uint32_t i = 0; i < objects.size(); ++i) {
        Objects& o = of[objects[i].rule];
        if (objects[i].kind == RuleObject::Kind::entry) o.entry = i;
        if (objects[i].kind == RuleObject::Kind::fields) o.fields = i;
        if (objects[i].kind == RuleObject::Kind::operand) {
            o.operands.resize(state.filter[objects[i].rule].tests.size(), nothing);
            o.operands[objects[i].operand] = i;
        }
    }
    Walk walk;
    for (const RuleCost& cost : call_cost(state, kernel, event, true).by_rule) {
        const KernelRule& rule = state.filter[cost.rule];
        const Objects& o = of[cost.rule];
        WalkStep step{cost.rule, cost.instructions, static_cast<std::uint32_t>(walk.touches.size()), 0, cost.in_mask};
        const auto touch = [&](std::uint32_t object, unsigned offset) { walk.touches.push_back({object, offset}); };
        touch(o.entry, layout.list_next);
        if (event.nr >= 0) touch(o.entry, layout.mask + 4 * (static_cast<unsigned>(event.nr) / 32));
        if (cost.in_mask) {
            touch(o.entry, layout.prio);
            touch(o.entry, layout.field_count);
            for (std::size_t t = 0; t < rule.tests.size(); ++t) {
                walk.exe_tests += rule.tests[t].field == Field::exe ? 1 : 0;
                const auto base = static_cast<unsigned>(t) * layout.field_size;
                touch(o.entry, layout.fields);
                touch(o.fields, base + layout.field_type);
                touch(o.fields, base + layout.field_op);
                if (t < o.operands.size() && o.operands[t] != nothing) {
                    touch(o.entry, operand_pointer(rule.tests[t].field, layout));
                    const Layout::Operand& operand = layout.operands.at(operand_name(rule.tests[t].field));
                    for (const unsigned offset : operand.reads) touch(o.operands[t], offset);
                }
                if (!test_holds(kernel, rule.tests[t], event, nullptr)) break;
            }
        }
        step.count = static_cast<std::uint32_t>(walk.touches.size()) - step.first;
        walk.steps.push_back(step);
    }
    return walk;
}

std::vector<unsigned> entry_lines(const Walk& walk, const WalkStep& step, const std::vector<RuleObject>& objects,
                                  unsigned line_bytes) {
    std::set<unsigned> lines;
    for (std::uint32_t i = step.first; i < step.first + step.count; ++i) {
        const Touch& touch = walk.touches[i];
        if (objects[touch.object].kind == RuleObject::Kind::entry) lines.insert(touch.offset / line_bytes);
    }
    return {lines.begin(), lines.end()};
}

}  // namespace auopt
