// The solver's encoding and kernel_model::evaluate decide every event alike: two evaluators, written apart.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/property/verify_generators.hpp"
#include "verify/smt.hpp"

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

}  // namespace
}  // namespace auopt
