// Equal rules that -A loaded twice: the earlier in the walk stays, on every list.
#include <gtest/gtest.h>

#include "optimizer/pipeline.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

TEST(DropEqual, TheEarlierInTheWalkStaysAndKnowsBothLines) {
    struct Case {
        const char* rules;
        std::vector<KernelRule> KernelState::*list;
    };
    const Case cases[] = {
        {"-A never,exclude\n-A never,exclude\n", &KernelState::exclude},
        {"-A never,user -F uid=3\n-A never,user -F uid=3\n", &KernelState::user},
        {"-A never,task -F uid=3\n-A never,task -F uid=3\n", &KernelState::task},
        {"-A never,filesystem -F fstype=tracefs\n-A never,filesystem -F fstype=tracefs\n", &KernelState::filesystem},
        {"-A never,exit -F arch=b64 -S getpid\n-A never,exit -F arch=b64 -S getpid\n", &KernelState::filter},
        {"-A always,exit -F path=/etc/passwd -F perm=w\n-A always,exit -F path=/etc/passwd -F perm=w\n",
         &KernelState::filter}};
    for (const Case& c : cases) {
        KernelState state = test::state_of(c.rules);
        ASSERT_EQ((state.*c.list).size(), 2U) << c.rules;
        drop_equal(state);
        ASSERT_EQ((state.*c.list).size(), 1U) << c.rules;
        EXPECT_EQ((state.*c.list).front().sources.size(), 2U) << c.rules;
        EXPECT_EQ((state.*c.list).front().added, 0U) << c.rules;
    }
}

TEST(DropEqual, OrderAndWhatDiffersInAnythingStay) {
    KernelState state = test::state_of(
        "-a always,exit -F arch=b64 -S getpid -F key=a\n-A never,exit -F arch=b64 -S getpid\n"
        "-A always,exit -F arch=b64 -S getpid -F key=a\n-a always,exit -F arch=b64 -S getpid -F key=b\n");
    ASSERT_EQ(state.filter.size(), 4U);
    const std::vector<KernelRule> before = state.filter;
    drop_equal(state);
    ASSERT_EQ(state.filter.size(), 3U);
    EXPECT_TRUE(state.filter[0].same_as(before[0]));
    EXPECT_TRUE(state.filter[1].same_as(before[1]));
    EXPECT_TRUE(state.filter[2].same_as(before[3]));
}

}  // namespace
}  // namespace auopt
