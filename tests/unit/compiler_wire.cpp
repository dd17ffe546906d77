// Wire bytes to rules: what rule_to_wire wrote comes back, anything else is refused; never a crash, never a guess.
#include <gtest/gtest.h>

#include <random>

#include "compiler/compile.hpp"
#include "compiler/wire.hpp"

namespace auopt {
namespace {

KernelRule some_rule() {
    KernelRule rule;
    rule.mask.set(2);
    rule.mask.set(257);
    rule.tests = {{Field::arch, Op::equal, arch_x86_64, ""},
                  {Field::path, Op::equal, 0, "/etc/passwd"},
                  {Field::loginuid, Op::not_equal, id_unset, ""},
                  {Field::key, Op::equal, 0,
                   "a\x01"
                   "b"}};
    return rule;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

TEST(Wire, ComesBack) {
    KernelRule rule = some_rule();
    EXPECT_TRUE(rule_from_wire(rule_to_wire(rule))->same_as(rule));
    rule.list = List::exclude;
    rule.action = Action::never;
    rule.prepend = true;
    rule.mask = SyscallMask::all();
    rule.tests.assign(max_fields, {Field::loginuid_set, Op::bit_mask, 7, ""});
    EXPECT_TRUE(rule_from_wire(rule_to_wire(rule))->same_as(rule));
    rule.tests.clear();
    EXPECT_TRUE(rule_from_wire(rule_to_wire(rule))->same_as(rule));
}

// Offsets: rule language, section 0.
TEST(Wire, EveryWrongFieldIsRefused) {
    const auto good = rule_to_wire(some_rule());
    struct Case {
        std::size_t at;
        std::uint32_t value;
        const char* says;
    };
    for (const Case& c : std::vector<Case>{{0, 2, "no filter list"},
                                           {0, 3, "no filter list"},
                                           {0, 8, "no filter list"},
                                           {0, 0xFFFFFFFF, "no filter list"},
                                           {0, 0x24, "no filter list"},
                                           {4, 1, "action 1"},
                                           {4, 3, "action 3"},
                                           {8, 65, "65 fields"},
                                           {8, 0xFFFFFFFF, "fields"},
                                           {8, 3, "belong to no field"},
                                           {268, 2000, "field 2000"},
                                           {268, 27, "field 27"},
                                           {268, 105, "bytes long"},       // a number's field as a text
                                           {272, 0, "the text of field"},  // a text's field as a number: texts shift
                                           {524 + 4, 12, "belong"},
                                           {524 + 4, 0xFFFFFFFF, "bytes long"},
                                           {524 + 12, 4, "bytes long"},
                                           {780, 0, "operator"},
                                           {780, 0x70000000, "operator"},
                                           {1036, 0, "announced"},
                                           {1036, 0xFFFFFFFF, "announced"}}) {
        auto bytes = good;
        put(bytes, c.at, c.value);
        const auto rule = rule_from_wire(bytes);
        if (c.at == 272 || (c.at == 524 + 4 && c.value == 12)) {
            // The key's length no longer fits what is left.
            EXPECT_FALSE(rule) << c.at;
            continue;
        }
        ASSERT_FALSE(rule) << c.at << " = " << c.value;
        EXPECT_NE(rule.error().find(c.says), std::string::npos) << rule.error();
    }
    auto nul = good;
    nul[1040] = 0;
    EXPECT_FALSE(rule_from_wire(nul));
}

TEST(Wire, EveryLengthIsRefusedButOne) {
    const auto good = rule_to_wire(some_rule());
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_FALSE(rule_from_wire(std::span(good).first(size))) << size;
    auto longer = good;
    longer.push_back(0);
    EXPECT_FALSE(rule_from_wire(longer));
}

TEST(Wire, AnyBytesAreReadOrRefused) {
    std::mt19937 random(20261130);
    const auto good = rule_to_wire(some_rule());
    std::size_t read = 0;
    for (int round = 0; round < 20000; ++round) {
        auto bytes = good;
        for (unsigned n = random() % 4 + 1; n > 0; --n)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        const auto rule = rule_from_wire(bytes);
        if (!rule) continue;
        ++read;
        EXPECT_TRUE(rule_from_wire(rule_to_wire(*rule))->same_as(*rule));
    }
    EXPECT_GT(read, 0U);
}

}  // namespace
}  // namespace auopt
