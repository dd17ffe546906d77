// Random rule sets through the whole pipeline: proven by verify, and the same on events by the model, each passes or
// not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel_model/cost.hpp"
#include "kernel_model/evaluate.hpp"
#include "kernel_model/named_objects.hpp"
#include "optimizer/pipeline.hpp"
#include "tests/support/other_machines.hpp"
#include "tests/support/random_rules.hpp"
#include "verify/verify.hpp"

namespace auopt {
namespace {

OptimizeOptions all_kernels(std::set<std::string> passes = {}, Machine machine = Machine::x86_64) {
    OptimizeOptions options;
    for (const KernelTables& k : kernel_tables(machine)) options.kernels.push_back(&k);
    options.workload = default_workload(machine);
    options.passes = std::move(passes);
    return options;
}

std::string words(const Verdict& v) {
    if (const auto* r = std::get_if<Refuted>(&v)) {
        std::string text = "refuted:";
        for (const Difference& d : r->differences) text += fmt::format(" {}: {} -> {};", d.what, d.before, d.after);
        if (r->example)
            text += fmt::format(" {}; before {}, after {}", describe(r->example->event), to_string(r->example->before),
                                to_string(r->example->after));
        return text;
    }
    if (const auto* u = std::get_if<Unknown>(&v)) return fmt::format("unknown: {}", u->reason);
    return "proven";
}

RC_GTEST_PROP(PipelineProperty, every_output_is_proven, ()) {
    const KernelState before = *test::any_state();
    std::set<std::string> passes;
    if (*rc::gen::inRange(0, 3) == 0) passes = {*rc::gen::elementOf(pass_names())};
    KernelState after = before;
    optimize(after, all_kernels(passes));
    VerifyOptions options;
    for (const KernelTables& k : kernel_tables()) options.kernels.push_back(&k);
    const Verdict v = verify(before, after, options);
    for (const KernelRule& r : before.filter) RC_LOG() << test::words(r) << std::endl;
    RC_LOG() << words(v) << std::endl;
    RC_ASSERT(std::holds_alternative<Proven>(v));
}

RC_GTEST_PROP(PipelineProperty, the_model_decides_alike_before_and_after, ()) {
    const KernelState before = *test::any_state();
    KernelState after = before;
    optimize(after, all_kernels());
    for (int i = 0; i < 40; ++i) {
        const Event event = *test::any_event();
        for (const KernelTables& kernel : kernel_tables())
            RC_ASSERT(to_string(evaluate(before, kernel, event)) == to_string(evaluate(after, kernel, event)));
    }
}

// What the kernel holds where some names are missing: loading ends at the first rule that names one.
KernelState loaded_where_missing(const KernelState& state, const std::set<NamedObject>& missing) {
    std::uint32_t end = ~std::uint32_t{0};
    for (const KernelRule* rule : in_loading_order(state))
        for (const NamedObject& object : fallible_objects(*rule))
            if (missing.contains(object)) end = std::min(end, rule->added);
    KernelState loaded = state;
    std::erase_if(loaded.filter, [&](const KernelRule& rule) { return rule.added >= end; });
    return loaded;
}

RC_GTEST_PROP(PipelineProperty, whatever_is_missing_no_recorded_event_is_lost, ()) {
    KernelState before = *test::any_state();
    for (std::size_t i = 0; i < before.filter.size(); ++i) before.filter[i].added = static_cast<std::uint32_t>(i);
    KernelState after = before;
    optimize(after, all_kernels());
    std::set<NamedObject> names;
    for (const KernelRule& rule : before.filter)
        for (const NamedObject& object : fallible_objects(rule)) names.insert(object);
    std::set<NamedObject> missing;
    for (const NamedObject& object : names)
        if (*rc::gen::inRange(0, 2) == 0) missing.insert(object);
    const KernelState b = loaded_where_missing(before, missing), a = loaded_where_missing(after, missing);
    for (int i = 0; i < 40; ++i) {
        const Event event = *test::any_event();
        for (const KernelTables& kernel : kernel_tables()) {
            const Decision wanted = evaluate(b, kernel, event);
            if (wanted.outcome == Outcome::always)
                RC_ASSERT(to_string(wanted) == to_string(evaluate(a, kernel, event)));
        }
    }
}

RC_GTEST_PROP(PipelineProperty, on_other_machines_too, ()) {
    const Machine machine = *rc::gen::elementOf(test::other_machines());
    const KernelState before = test::moved(*test::any_state(), machine);
    KernelState after = before;
    optimize(after, all_kernels({}, machine));
    const Verdict v = verify(before, after, {});
    RC_LOG() << machine_name(machine) << "\n";
    for (const KernelRule& r : before.filter) RC_LOG() << test::words(r) << "\n";
    RC_LOG() << words(v) << std::endl;
    RC_ASSERT(std::holds_alternative<Proven>(v));
    for (int i = 0; i < 40; ++i) {
        const Event event = test::moved(*test::any_event(), machine);
        for (const KernelTables& kernel : kernel_tables(machine))
            RC_ASSERT(to_string(evaluate(before, kernel, event)) == to_string(evaluate(after, kernel, event)));
    }
}

RC_GTEST_PROP(PipelineProperty, no_call_costs_more_unless_text_forces_it, ()) {
    KernelState before = *test::any_state();
    for (KernelRule& r : before.filter)  // perm= after arch= has to change, whatever it costs
        if (find_test(r, Field::perm) != nullptr)
            std::erase_if(r.tests, [](const FieldTest& t) { return t.field == Field::arch; });
    KernelState after = before;
    optimize(after, all_kernels());
    for (const KernelTables& kernel : kernel_tables())
        for (std::uint32_t arch : {arch_x86_64, arch_i386})
            for (unsigned nr = 0; nr < 512; ++nr)
                RC_ASSERT(call_cost(after, kernel, reference_event(arch, nr)).filter_instructions <=
                          call_cost(before, kernel, reference_event(arch, nr)).filter_instructions);
}

}  // namespace
}  // namespace auopt
