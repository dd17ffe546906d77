// The cost model against figures measured on booted 6.1 and 6.12 kernels (instructions per getpid above the floor).
#include <gtest/gtest.h>

#include "kernel_model/cost.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

std::uint64_t getpid_cost(const KernelState& state, const char* kernel) {
    return call_cost(state, *find_kernel(kernel), reference_event(arch_x86_64, 39)).filter_instructions;
}

TEST(Cost, every_kernel_of_the_tables_is_there) {
    ASSERT_NE(find_kernel("linux-6.1"), nullptr);
    ASSERT_NE(find_kernel("linux-6.12"), nullptr);
    EXPECT_EQ(find_kernel("linux-2.4"), nullptr);
    for (const KernelTables& k : kernel_tables()) {
        EXPECT_TRUE(k.measured) << k.name;
        EXPECT_TRUE(k.native.signal.test(62) && k.compat.signal.test(37)) << k.name;
    }
}

TEST(Cost, rules_whose_mask_lacks_the_call) {
    const KernelState s =
        test::state_of("-a always,exit -F arch=b64 -S chmod -k a\n-a always,exit -F arch=b64 -S chown -k a\n");
    EXPECT_EQ(getpid_cost(s, "linux-6.1"), 2 * 19U);
    EXPECT_EQ(getpid_cost(s, "linux-6.12"), 18U + 2 * 8U);  // the first entry costs 18 more, once
}

TEST(Cost, a_directory_watch_is_walked_by_every_call) {
    const KernelState s = test::state_of("-w /etc/ -p wa -k a\n");
    EXPECT_EQ(getpid_cost(s, "linux-6.1"), 104U);
    EXPECT_EQ(getpid_cost(s, "linux-6.12"), 18U + 91U);
}

TEST(Cost, a_file_watch_costs_other_calls_nothing) {
    const KernelState s = test::state_of("-w /etc/passwd -p wa -k a\n");
    EXPECT_EQ(exit_list_length(s), 0U);
    EXPECT_EQ(getpid_cost(s, "linux-6.1"), 0U);
    EXPECT_EQ(getpid_cost(s, "linux-6.12"), 0U);
    EXPECT_EQ(fixed_instructions(s, *find_kernel("linux-6.1")), 813U - 475U);
    EXPECT_EQ(fixed_instructions(s, *find_kernel("linux-6.12")), 870U - 475U);
    EXPECT_EQ(fixed_instructions(KernelState{}, *find_kernel("linux-6.1")), 0U);
}

TEST(Cost, the_mask_holds_numbers_so_i386_mkdir_is_a_hit_for_getpid) {
    const KernelState s = test::state_of("-a always,exit -F arch=b32 -S mkdir -F auid>=1000 -k a\n");
    const CallCost c = call_cost(s, *find_kernel("linux-6.1"), reference_event(arch_x86_64, 39), true);
    EXPECT_EQ(c.mask_hits, 1U);
    EXPECT_EQ(c.filter_instructions, 115U);  // arch fails first
    ASSERT_EQ(c.by_rule.size(), 1U);
    EXPECT_TRUE(c.by_rule[0].in_mask);
}

TEST(Cost, tests_that_pass_add_up_to_the_one_that_fails) {
    const KernelState s = test::state_of("-a always,exit -F arch=b64 -S getpid -F exit=-13 -F auid>=1000 -k a\n");
    EXPECT_EQ(getpid_cost(s, "linux-6.1"), 48U + 117U);
    EXPECT_EQ(getpid_cost(s, "linux-6.12"), 18U + 49U + 105U);
}

TEST(Cost, the_walk_ends_at_a_match) {
    const KernelState s =
        test::state_of("-a never,exit -F arch=b64 -S getpid\n-a always,exit -F arch=b64 -S getpid -k a\n");
    const CallCost c = call_cost(s, *find_kernel("linux-6.1"), reference_event(arch_x86_64, 39));
    EXPECT_TRUE(c.matched);
    EXPECT_EQ(c.entries, 1U);
    EXPECT_EQ(c.filter_instructions, 48U + 79U);
}

TEST(Cost, by_rule_sums_to_the_whole) {
    const KernelState s = test::state_of(
        "-w /etc/ -p wa\n-a always,exit -F arch=b32 -S mkdir -k a\n-a always,exit -F arch=b64 -S chmod -k b\n"
        "-w /etc/passwd -p wa\n");
    for (const KernelTables& k : kernel_tables()) {
        const CallCost c = call_cost(s, k, reference_event(arch_x86_64, 39), true);
        std::uint64_t sum = k.cost.first_entry;
        for (const RuleCost& r : c.by_rule) sum += r.instructions;
        EXPECT_EQ(sum, c.filter_instructions);
        EXPECT_EQ(c.entries, 3U);
        EXPECT_EQ(c.by_rule.size(), 3U);
    }
}

}  // namespace
}  // namespace auopt
