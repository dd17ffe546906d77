// What lint calls deletable can be deleted: verify proves it, for every such rule of random sets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "kernel_model/tables.hpp"
#include "lint/taken.hpp"
#include "tests/property/verify_generators.hpp"
#include "verify/verify.hpp"

namespace auopt {
namespace {

VerifyOptions every_kernel() {
    VerifyOptions options;
    for (const KernelTables& kernel : kernel_tables()) options.kernels.push_back(&kernel);
    return options;
}

/// The kernel refuses the second of two equal rules, so that no state holds them.
void drop_equal(KernelState& state) {
    std::vector<KernelRule> kept;
    for (const KernelRule& rule : state.filter) {
        if (std::none_of(kept.begin(), kept.end(), [&](const KernelRule& k) { return k.same_as(rule); }))
            kept.push_back(rule);
    }
    state.filter = std::move(kept);
}

/// Random rules seldom take each other's events: some are narrowed copies of an earlier one.
void add_narrower_copies(KernelState& state) {
    for (unsigned i = 0, n = 1 + test::below(3); i < n; ++i) {
        KernelRule copy = test::pick(state.filter);
        const bool keyed = rule_key(copy).has_value();
        const auto at = copy.tests.end() - (keyed ? 1 : 0);
        if (test::one_in(2)) copy.tests.insert(at, test::random_test());
        if (test::one_in(3)) copy.action = copy.action == Action::always ? Action::never : Action::always;
        if (test::one_in(3) && keyed) copy.tests.back().text = "z";
        const auto place = test::below(static_cast<unsigned>(state.filter.size()) + 1);
        state.filter.insert(state.filter.begin() + static_cast<std::ptrdiff_t>(place), std::move(copy));
    }
}

/// How many rules lint calls deletable; each of them is proven to be.
std::size_t proven_deletable(KernelState state) {
    add_narrower_copies(state);
    drop_equal(state);
    std::size_t count = 0;
    for (const TakenRule& taken : taken_rules(state)) {
        if (!taken.deletable) continue;
        ++count;
        KernelState without = state;
        without.filter.erase(without.filter.begin() + static_cast<std::ptrdiff_t>(taken.rule));
        RC_ASSERT(std::holds_alternative<Proven>(verify(state, without, every_kernel())));
    }
    return count;
}

RC_GTEST_PROP(Deletable, IsProven, ()) { proven_deletable(test::random_state(4)); }
RC_GTEST_PROP(Deletable, IsProvenWhereRulesMeet, ()) { proven_deletable(test::dense_state(5)); }

TEST(Deletable, IsSaidOften) {
    const test::PlainDice dice(7);
    std::size_t said = 0;
    for (int round = 0; round < 300; ++round) said += proven_deletable(test::dense_state(5));
    EXPECT_GT(said, 30U);
}

}  // namespace
}  // namespace auopt
