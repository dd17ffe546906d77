// Implication and contradiction against brute force over small values.
#include <gtest/gtest.h>

#include <random>

#include "lint/implied.hpp"

namespace auopt {
namespace {

bool holds(std::uint32_t value, const FieldTest& test) {
    switch (test.op) {
        case Op::equal:
            return value == test.value;
        case Op::not_equal:
            return value != test.value;
        case Op::less:
            return value < test.value;
        case Op::greater:
            return value > test.value;
        case Op::less_equal:
            return value <= test.value;
        case Op::greater_equal:
            return value >= test.value;
        case Op::bit_mask:
            return (value & test.value) != 0;
        case Op::bit_test:
            return (value & test.value) == test.value;
    }
    return false;
}

bool all_hold(std::uint32_t value, const std::vector<FieldTest>& tests) {
    for (const FieldTest& test : tests) {
        if (!holds(value, test)) return false;
    }
    return true;
}

const std::vector<std::uint32_t> every_value{0, 1, 2,   3,          4,          5,          6,          7,
                                             8, 9, 100, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFE, 0xFFFFFFFF};

TEST(Implied, NeverClaimsMoreThanBruteForce) {
    std::mt19937 random(3);
    constexpr Op ops[] = {Op::equal,      Op::not_equal,     Op::less,     Op::greater,
                          Op::less_equal, Op::greater_equal, Op::bit_mask, Op::bit_test};
    const auto some_tests = [&](unsigned most) {
        std::vector<FieldTest> tests(1 + random() % most);
        for (FieldTest& test : tests)
            test = {Field::arg0, ops[random() % 8], every_value[random() % every_value.size()], ""};
        return tests;
    };
    int implied = 0, impossible = 0;
    for (int round = 0; round < 50000; ++round) {
        const auto wide = some_tests(2), narrow = some_tests(3);
        if (implied_by(wide, narrow)) {
            ++implied;
            for (const std::uint32_t value : every_value) {
                EXPECT_TRUE(!all_hold(value, narrow) || all_hold(value, wide));
            }
        }
        if (contradiction(narrow) != nullptr) {
            ++impossible;
            for (const std::uint32_t value : every_value) EXPECT_FALSE(all_hold(value, narrow));
        }
    }
    EXPECT_GT(implied, 1000);
    EXPECT_GT(impossible, 1000);
}

TEST(Implied, AnAbsentResultSatisfiesNoTest) {
    // exit>=0 is true of every number, but not of a call without a result.
    const FieldTest always{Field::exit, Op::greater_equal, 0, ""};
    EXPECT_FALSE(implied_by({always}, {}));
    EXPECT_TRUE(implied_by({always}, {{Field::exit, Op::equal, 5, ""}}));
}

TEST(Implied, PermIsAUnion) {
    const FieldTest w{Field::perm, Op::equal, perm_write, ""}, wa{Field::perm, Op::equal, perm_write | perm_attr, ""};
    EXPECT_TRUE(implied_by({wa}, {w}));
    EXPECT_FALSE(implied_by({w}, {wa}));
}

TEST(Implied, SupplementaryGroupsAreNoSingleValue) {
    const FieldTest ten{Field::gid, Op::equal, 10, ""}, least{Field::gid, Op::greater_equal, 10, ""},
        eleven{Field::gid, Op::equal, 11, ""};
    EXPECT_FALSE(implied_by({least}, {ten}));
    EXPECT_EQ(contradiction({ten, eleven}), nullptr);
}

TEST(Implied, UnsetAuidHasTwoSpellings) {
    const FieldTest a{Field::loginuid, Op::not_equal, id_unset, ""}, b{Field::loginuid_set, Op::not_equal, 0, ""};
    EXPECT_TRUE(implied_by({a}, {b}));
    EXPECT_TRUE(implied_by({b}, {a}));
    EXPECT_NE(contradiction({b, {Field::loginuid, Op::equal, id_unset, ""}}), nullptr);
}

TEST(Implied, DecidesEveryConjunctionOfSmallNumbers) {
    // Exact, not only sound: over tests whose constants are below 8 the values below 16 (and the largest) are enough.
    std::mt19937 random(5);
    constexpr Op ops[] = {Op::equal,      Op::not_equal,     Op::less,     Op::greater,
                          Op::less_equal, Op::greater_equal, Op::bit_mask, Op::bit_test};
    for (int round = 0; round < 50000; ++round) {
        std::vector<FieldTest> tests(1 + random() % 4);
        for (FieldTest& test : tests)
            test = {Field::arg1, ops[random() % 8], static_cast<std::uint32_t>(random() % 8), ""};
        bool possible = all_hold(0xFFFFFFFF, tests);
        for (std::uint32_t value = 0; value < 32; ++value) possible = possible || all_hold(value, tests);
        EXPECT_EQ(contradiction(tests) == nullptr, possible);
    }
}

TEST(Implied, BitTestsAreComparedWithRanges) {
    const auto a1 = [](Op op, std::uint32_t value) { return FieldTest{Field::arg1, op, value, ""}; };
    EXPECT_NE(contradiction({a1(Op::bit_mask, 2), a1(Op::equal, 1)}), nullptr);
    EXPECT_NE(contradiction({a1(Op::bit_test, 6), a1(Op::less, 6)}), nullptr);
    EXPECT_EQ(contradiction({a1(Op::bit_test, 6), a1(Op::less_equal, 6)}), nullptr);
    EXPECT_TRUE(implied_by({a1(Op::bit_mask, 3)}, {a1(Op::bit_test, 2)}));
    EXPECT_TRUE(implied_by({a1(Op::greater_equal, 4)}, {a1(Op::bit_test, 4)}));
    EXPECT_FALSE(implied_by({a1(Op::bit_test, 3)}, {a1(Op::bit_mask, 3)}));
}

TEST(Implied, AFailureIsAnErrorNumber) {
    const auto exit = [](Op op, int value) {
        return FieldTest{Field::exit, op, static_cast<std::uint32_t>(value), ""};
    };
    const FieldTest success{Field::success, Op::equal, 1, ""}, failure{Field::success, Op::equal, 0, ""};
    EXPECT_NE(contradiction({exit(Op::equal, -13), exit(Op::equal, -1)}), nullptr);
    EXPECT_NE(contradiction({exit(Op::equal, 0), failure}), nullptr);
    EXPECT_EQ(contradiction({exit(Op::equal, -13), failure}), nullptr);
    // lseek can return 0x1fffffff3, so that this is no contradiction, though no failing call satisfies it.
    EXPECT_EQ(contradiction({exit(Op::equal, -13), success}), nullptr);
    EXPECT_TRUE(only_errors({exit(Op::equal, -13), success}));
    EXPECT_TRUE(only_success({exit(Op::equal, -13), success}));
    EXPECT_FALSE(only_errors({exit(Op::greater_equal, 0)}));
    EXPECT_FALSE(only_errors({success}));
    EXPECT_FALSE(only_success({exit(Op::equal, 3)}));
}

TEST(Implied, KeysAreNoTests) { EXPECT_TRUE(implied_by({{Field::key, Op::equal, 0, "x"}}, {})); }

}  // namespace
}  // namespace auopt
