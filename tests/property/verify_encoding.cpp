// The solver's encoding and kernel_model::evaluate decide every event alike: two evaluators, written apart.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/property/verify_generators.hpp"
#include "tests/support/other_machines.hpp"
#include "verify/smt.hpp"
#include "verify/verify.hpp"

namespace auopt {
namespace {

RC_GTEST_PROP(VerifyEncoding, AgreesWithEvaluate, ()) {
    const KernelState state = test::random_state(6);
    const Event event = test::random_event();
    const bool is_dir = test::one_in(2);
    for (const KernelTables& kernel : kernel_tables()) {
        const auto encoded = proof::decide_by_encoding(state, kernel, event, is_dir);
        RC_ASSERT(encoded.has_value());
        const Decision decided = evaluate(state, kernel, event, is_dir);
        RC_LOG() << describe(event) << ": " << to_string(*encoded) << " / " << to_string(decided) << "\n";
        RC_ASSERT(*encoded == decided);
    }
}

RC_GTEST_PROP(VerifyEncoding, AgreesWithEvaluateOnOtherMachines, ()) {
    const Machine machine = test::pick(test::other_machines());
    const KernelState state = test::moved(test::random_state(6), machine);
    const Event event = test::moved(test::random_event(), machine);
    const bool is_dir = test::one_in(2);
    for (const KernelTables& kernel : kernel_tables(machine)) {
        const auto encoded = proof::decide_by_encoding(state, kernel, event, is_dir);
        RC_ASSERT(encoded.has_value());
        RC_LOG() << machine_name(machine) << " " << describe(event) << "\n";
        RC_ASSERT(*encoded == evaluate(state, kernel, event, is_dir));
    }
}

// A verdict on rules of another machine holds for that machine's events.
RC_GTEST_PROP(VerifyEncoding, VerdictsHoldOnOtherMachines, ()) {
    const Machine machine = test::pick(test::other_machines());
    const KernelState before = test::moved(test::random_state(4), machine);
    KernelState after = before;
    if (after.filter.empty()) return;
    KernelRule& rule = after.filter[test::below(static_cast<unsigned>(after.filter.size()))];
    const unsigned nr = test::moved_call(test::pick(test::world_calls()), machine);
    if (rule.mask.test(nr))
        rule.mask.clear(nr);
    else
        rule.mask.set(nr);
    const Verdict verdict = verify(before, after, {});
    if (const auto* found = std::get_if<Refuted>(&verdict);
        found != nullptr && found->example && found->example->where_missing.empty()) {
        const Counterexample* refuted = &*found->example;
        const KernelTables* kernel = find_kernel(refuted->kernel, machine);
        RC_ASSERT(kernel != nullptr);
        RC_ASSERT(evaluate(before, *kernel, refuted->event, refuted->unknown_watch_is_dir) == refuted->before);
        RC_ASSERT(evaluate(after, *kernel, refuted->event, refuted->unknown_watch_is_dir) == refuted->after);
        RC_ASSERT(!(refuted->before == refuted->after));
    }
    if (!std::holds_alternative<Proven>(verdict)) return;
    for (int i = 0; i < 60; ++i) {
        const Event event = test::moved(test::random_event(), machine);
        for (const KernelTables& kernel : kernel_tables(machine))
            RC_ASSERT(evaluate(before, kernel, event) == evaluate(after, kernel, event));
    }
}

}  // namespace
}  // namespace auopt
