// The user, exclude, task and filesystem lists: what is the same, and what is refuted by which event.
#include <gtest/gtest.h>

#include "tests/support/list_table.hpp"
#include "tests/unit/verify_support.hpp"
#include "verify/other_lists.hpp"

namespace auopt {
namespace {

using proof::compare_other_lists;
using proof::OtherLists;

/// Rules as list_table.hpp spells them, separated by "; ".
KernelState lists(const std::string& text) {
    KernelState state;
    std::string rest = text;
    while (!rest.empty()) {
        const auto end = rest.find("; ");
        test::list_detail::add_rule(state, rest.substr(0, end), text);
        rest = end == std::string::npos ? "" : rest.substr(end + 2);
    }
    return state;
}

OtherLists compare(const std::string& before, const std::string& after, Preserve preserve = Preserve::exact) {
    return compare_other_lists(lists(before), lists(after), preserve, VerifyOptions{}.solver_rlimit);
}

struct Pair {
    const char* name;
    const char* before;
    const char* after;
};
void PrintTo(const Pair& p, std::ostream* out) { *out << p.name; }

class SameLists : public ::testing::TestWithParam<Pair> {};
TEST_P(SameLists, AreProvenBothWays) {
    for (const bool forward : {true, false}) {
        const OtherLists found =
            forward ? compare(GetParam().before, GetParam().after) : compare(GetParam().after, GetParam().before);
        for (const Difference& d : found.differences)
            ADD_FAILURE() << d.what << ": " << d.before << " -> " << d.after << ": " << d.meaning;
        EXPECT_FALSE(found.unknown.has_value()) << *found.unknown;
    }
}
INSTANTIATE_TEST_SUITE_P(
    Obligation11, SameLists,
    ::testing::Values(
        Pair{"exclude_action", "exclude always msgtype=1307", "exclude never msgtype=1307"},
        Pair{"exclude_order", "exclude always msgtype=1307; exclude always msgtype=1302",
             "exclude always msgtype=1302; exclude always msgtype=1307"},
        Pair{"exclude_redundant", "exclude always msgtype=1307; exclude always msgtype=1307 uid=0",
             "exclude always msgtype=1307"},
        Pair{"exclude_twice", "exclude always msgtype=1307; exclude always msgtype=1307",
             "exclude always msgtype=1307"},
        Pair{"exclude_split", "exclude always msgtype>=1302 msgtype<=1303",
             "exclude never msgtype=1303; exclude always msgtype=1302"},
        Pair{"exclude_programs_cover_all", "exclude always msgtype=1307 exe=/x; exclude never msgtype=1307",
             "exclude never msgtype=1307"},
        Pair{"exclude_key_in_front_hides_the_rest", "exclude always key=k msgtype=1307; exclude always msgtype=1302",
             "exclude never key=other"},
        Pair{"exclude_key_behind_records_what_nothing_later_drops", "exclude always msgtype=1307 key=k",
             "exclude always uid=3 key=k"},
        Pair{"exclude_impossible_rule", "exclude always uid=1 uid=2 euid=3; exclude always gid=1",
             "exclude always gid=1"},
        Pair{"exclude_login_uid_spelled_twice", "exclude always auid=unset", "exclude always loginuid_set=0"},
        Pair{"exclude_no_tests", "exclude never", ""},
        Pair{"user_no_tests", "user never; user never uid=1", "user never uid=1"},
        Pair{"user_always_alone_does_nothing", "user always uid=1", ""},
        Pair{"user_type_that_is_never_asked", "user never msgtype=1300", ""},
        Pair{"user_disjoint_order", "user never uid=1; user always uid=2; user never gid=3",
             "user always uid=2; user never uid=1; user never gid=3"},
        Pair{"user_unknown_test_ends_it", "user never euid=1; user never uid=1", "user always"},
        Pair{"task_context_tests_are_false", "task never arch=0xC000003E; task always uid=1 key=k",
             "task always uid=1 key=k"},
        Pair{"task_perm_is_negated", "task never perm!=4", "task never"},
        Pair{"task_twice", "task never uid=1; task always gid=1 key=k; task never uid=1",
             "task never uid=1; task always gid=1 key=k"},
        Pair{"task_key_of_never", "task never uid=1 key=a", "task never uid=1"},
        Pair{"filesystem_always", "filesystem always fstype=5; filesystem never fstype=6", "filesystem never fstype=6"},
        Pair{"filesystem_any_test", "filesystem never fstype=5 fstype=6",
             "filesystem never fstype=6; filesystem never fstype=5"},
        Pair{"filesystem_no_fstype", "filesystem never key=k", ""}),
    [](const auto& param) { return std::string(param.param.name); });

class DifferentLists : public ::testing::TestWithParam<Pair> {};
TEST_P(DifferentLists, AreRefutedByAnEventThatReplays) {
    for (const bool forward : {true, false}) {
        const char *b = forward ? GetParam().before : GetParam().after,
                   *a = forward ? GetParam().after : GetParam().before;
        const OtherLists found = compare(b, a);
        EXPECT_FALSE(found.unknown.has_value()) << *found.unknown;
        ASSERT_EQ(found.differences.size(), 1U);
        const Difference& d = found.differences.front();
        ASSERT_TRUE(d.example.has_value());
        EXPECT_EQ(evaluate_list(lists(b), d.example->event), d.example->before);
        EXPECT_EQ(evaluate_list(lists(a), d.example->event), d.example->after);
        EXPECT_FALSE(d.example->before.same_as(d.example->after)) << d.meaning;
        EXPECT_EQ(d.meaning, describe(d.example->event));
    }
}
INSTANTIATE_TEST_SUITE_P(
    Obligation11, DifferentLists,
    ::testing::Values(Pair{"exclude_type", "exclude always msgtype=1307", "exclude always msgtype=1302"},
                      Pair{"exclude_fewer", "exclude always msgtype=1307; exclude always msgtype=1302",
                           "exclude always msgtype=1307"},
                      Pair{"exclude_key", "exclude always msgtype=1307 key=x", "exclude always msgtype=1307"},
                      Pair{"exclude_key_in_front", "exclude always key=x msgtype=1307; exclude always msgtype=1302",
                           "exclude always msgtype=1302; exclude always key=x msgtype=1307"},
                      Pair{"exclude_order_with_a_key", "exclude always uid=0 key=x; exclude always msgtype=1307",
                           "exclude always msgtype=1307; exclude always uid=0 key=x"},
                      Pair{"exclude_order_of_tests", "exclude always msgtype=1307 euid=0; exclude always uid=5",
                           "exclude always euid=0 msgtype=1307; exclude always uid=5"},
                      Pair{"exclude_label_order", "exclude always uid=5 subj_type=t",
                           "exclude always subj_type=t uid=5"},
                      Pair{"exclude_program", "exclude always exe=/x", "exclude always exe=/y"},
                      Pair{"exclude_gone_program_takes_its_rule", "exclude always exe=/x; exclude always exe!=/x",
                           "exclude always uid>=0"},
                      Pair{"user_action", "user never uid=7", "user always uid=7"},
                      Pair{"user_order", "user never uid=1; user always pid=7", "user always pid=7; user never uid=1"},
                      Pair{"task_never_in_one_file", "", "task never"},
                      Pair{"task_key", "task always uid=1 key=a", "task always uid=1 key=b"},
                      Pair{"task_key_lost", "task always uid=1 key=a", "task always uid=1"},
                      Pair{"task_order", "task never uid=1; task always gid=1", "task always gid=1; task never uid=1"},
                      Pair{"task_groups", "task never gid=1; task always gid=2", "task always gid=2; task never gid=1"},
                      Pair{"filesystem", "filesystem never fstype=5", "filesystem never fstype=6"},
                      Pair{"filesystem_negated", "filesystem never fstype!=5", "filesystem never fstype!=5 fstype=5"}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(OtherLists, KeysOfTheTaskListDoNotCountWhereOnlyDecisionsDo) {
    const char *a = "task always uid=1 key=a", *b = "task always uid=1 key=b";
    EXPECT_TRUE(compare(a, b, Preserve::decision).differences.empty());
    EXPECT_EQ(compare(a, b, Preserve::recorded).differences.size(), 1U);
    // No context is more than no match at every level.
    EXPECT_EQ(compare("task never", "", Preserve::decision).differences.size(), 1U);
}

// = and != of one label that the module knows are never both true; each by itself could be.
TEST(OtherLists, WhatOnlyAnInconsistentSecurityModuleTellsApartIsUnknown) {
    const OtherLists found = compare("user never subj_sen=s subj_sen!=s", "user always");
    EXPECT_TRUE(found.differences.empty());
    EXPECT_TRUE(found.unknown.has_value());
}

TEST(OtherLists, FieldsAndOperatorsThatNobodyKnowsLeaveItOpen) {
    KernelState before, after;
    before.exclude.push_back({});
    before.exclude.back().list = List::exclude;
    before.exclude.back().tests = {{static_cast<Field>(77), Op::equal, 1, ""}};
    const OtherLists found = compare_other_lists(before, after, Preserve::exact, 1000000);
    EXPECT_TRUE(found.differences.empty());
    ASSERT_TRUE(found.unknown.has_value());
    EXPECT_NE(found.unknown->find("field 77"), std::string::npos);
}

TEST(OtherLists, TheEventSaysWhatDecidesAndWhichRule) {
    const KernelState before = test::load_text("-a always,exclude -F msgtype=CWD\n-a never,exit -F uid=3\n"),
                      after = test::load_text("-a never,exit -F uid=3\n\n-a always,exclude -F msgtype=CWD -F uid=5\n");
    const Verdict verdict = verify(before, after, {});
    const auto* refuted = std::get_if<Refuted>(&verdict);
    ASSERT_NE(refuted, nullptr) << test::words(verdict);
    ASSERT_EQ(refuted->differences.size(), 1U);
    const Difference& d = refuted->differences.front();
    EXPECT_EQ(d.what, "exclude list");
    EXPECT_EQ(d.before, "dropped (line 1)");
    EXPECT_EQ(d.after, "recorded (no rule matches)");
    EXPECT_EQ(d.meaning, "a record msgtype=CWD(1307) by pid=1000 uid=0 gid=0 auid=unset");
}

}  // namespace
}  // namespace auopt
