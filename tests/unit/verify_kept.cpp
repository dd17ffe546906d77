// What the compared state must not leave out besides the decisions: watches, trees and marks, the counters, what is loaded where
// loading stops, messages that are no rules, spellings of a directory. Pairs that were Proven once, and their families.
#include <gtest/gtest.h>

#include "tests/unit/verify_support.hpp"

namespace auopt {
namespace {

using test::load_text;
using test::words;

#define PIN "-a always,exit -F arch=b64 -S kill -F uid=4242 -k pin\n"

struct Pair {
    const char* name;
    const char* before;
    const char* after;
    bool same = false;
    bool same_backwards = false;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class VerifyKept : public ::testing::TestWithParam<Pair> {};

TEST_P(VerifyKept, BothWays) {
    const Pair& pair = GetParam();
    const KernelState before = load_text(pair.before), after = load_text(pair.after);
    EXPECT_EQ(test::proven(verify(before, after, {})), pair.same) << words(verify(before, after, {}));
    EXPECT_EQ(test::proven(verify(after, before, {})), pair.same_backwards) << words(verify(after, before, {}));
}

#define TREE "-a always,exit -F arch=b64 -S mount -F dir=/opt/b -k t\n"
#define CHMOD "-a always,exit -F arch=b64 -S chmod -k p\n"

const Pair pairs[] = {
    // Names.
    {"dead_watch_dropped", PIN "-a always,exit -F arch=b64 -S stat -F path=/t/n -F perm=wa -k d\n", PIN},
    {"shadowed_tree_dropped", PIN CHMOD "-a always,exit -F arch=b64 -S chmod -F dir=/t/d -k d\n", PIN CHMOD},
    {"dead_mark_dropped", PIN "-a always,exit -F arch=b64 -S acct -F exe=/t/n -F uid=1 -F uid=2 -k d\n", PIN},
    {"dead_mark_of_another_list_dropped", PIN "-a never,user -F exe=/t/n -F uid=1 -F uid=2\n", PIN},
    {"one_of_two_rules_of_a_watch",
     PIN
     "-a always,exit -F path=/t/n -F perm=wa -k w\n-a always,exit -F arch=b64 -S stat -F path=/t/n -F perm=r -k d\n",
     PIN "-a always,exit -F path=/t/n -F perm=wa -k w\n", true, true},
    {"dead_rule_made_cheaper", PIN "-a always,exit -F arch=b64 -S stat,chmod -F path=/t/n -F uid=1 -F uid=2 -k d\n",
     PIN "-a always,exit -F arch=b64 -S stat -F path=/t/n -F uid=1 -F uid=2 -k d\n", true, true},
    {"another_rule_keeps_the_mark_longer",
     PIN
     "-a always,exit -F arch=b64 -S acct -F dir=/d -F exe=/x/p -k a\n-a always,exit -F arch=b64 -S acct -F exe=/x/p -F "
     "uid=1 -F uid=2 -k d\n",
     PIN "-a always,exit -F arch=b64 -S acct -F dir=/d -F exe=/x/p -k a\n"},
    // Where /unknown/x is a file, its watch went with /x in one of them.
    {"a_watch_of_unknown_kind_keeps_the_file_longer",
     PIN "-a always,exit -S all -F perm=wa -k all\n-w /unknown/x -p wa -k w\n-a always,exit -F arch=b64 -S stat -F "
         "path=/unknown/x -F exe=/x/p -k d\n",
     PIN
     "-a always,exit -S all -F perm=wa -k all\n-a always,exit -F arch=b64 -S stat -F path=/unknown/x -F exe=/x/p -k "
     "d\n"},
    // Counters.
    {"only_programs_arm",
     "-a always,exit -F arch=b64 -S acct -F exe=/t/p -k a\n-a always,exit -F arch=b64 -S acct -F uid=1 -F uid=2 -k d\n",
     "-a always,exit -F arch=b64 -S acct -F exe=/t/p -k a\n"},
    {"only_a_program_counts_signals",
     CHMOD "-a always,exit -S kill -F exe=/t/p -k a\n-a always,exit -S kill -F uid=1 -F uid=2 -k d\n",
     CHMOD "-a always,exit -S kill -F exe=/t/p -k a\n"},
    // Loading that stops.
    {"down_over_a_tree", PIN CHMOD TREE, PIN TREE CHMOD, false, true},
    {"down_over_a_program", PIN CHMOD "-a never,exit -F arch=b64 -S mount -F exe=/opt/b/x\n",
     PIN "-a never,exit -F arch=b64 -S mount -F exe=/opt/b/x\n" CHMOD, false, true},
    {"down_over_a_watch", PIN CHMOD "-a always,exit -F arch=b64 -S mount -F path=/opt/b/x -k w\n",
     PIN "-a always,exit -F arch=b64 -S mount -F path=/opt/b/x -k w\n" CHMOD, false, true},
    {"down_over_a_label", PIN CHMOD "-a always,exit -F arch=b64 -S mount -F subj_type=x_t -k w\n",
     PIN "-a always,exit -F arch=b64 -S mount -F subj_type=x_t -k w\n" CHMOD, false, true},
    {"a_watch_in_the_root_never_fails", PIN CHMOD "-a always,exit -F arch=b64 -S mount -F path=/f -k w\n",
     PIN "-a always,exit -F arch=b64 -S mount -F path=/f -k w\n" CHMOD, true, true},
    {"down_over_a_tree_where_errors_are_ignored", "-c\n" PIN CHMOD TREE, "-c\n" PIN TREE CHMOD, true, true},
    {"errors_no_longer_ignored", "-c\n" PIN TREE CHMOD, PIN TREE CHMOD, false, true},
    {"two_trees_swapped", PIN TREE "-a always,exit -F arch=b64 -S acct -F dir=/opt/c -k c\n",
     PIN "-a always,exit -F arch=b64 -S acct -F dir=/opt/c -k c\n" TREE},
    {"merged_at_the_first_part", PIN CHMOD TREE "-a always,exit -F arch=b64 -S chown -k p\n",
     PIN "-a always,exit -F arch=b64 -S chmod,chown -k p\n" TREE, true, false},
    {"exclude_moved_up", PIN TREE "-a always,exclude -F msgtype=CWD\n", "-a always,exclude -F msgtype=CWD\n" PIN TREE},
    {"enabled_too_late", "-e 1\n" PIN TREE, PIN TREE "-e 1\n", false, true},
    // Messages that are no rules.
    {"subtree_lost", PIN TREE "-q /opt/b,/mnt\n", PIN TREE},
    {"trim_lost", PIN TREE "-t\n", PIN TREE},
    {"trim_of_nothing", "-D\n-t\n" PIN TREE, "-D\n" PIN TREE, true, true},
    {"failure_mode", "-f 2\n" PIN, "-f 1\n" PIN},
    {"rate_limit", "-r 100\n" PIN, PIN},
    {"backlog_wait_time", "--backlog_wait_time 60000\n" PIN, PIN},
    {"loginuid_immutable", "--loginuid-immutable\n" PIN, PIN},
};

INSTANTIATE_TEST_SUITE_P(Obligations, VerifyKept, ::testing::ValuesIn(pairs),
                         [](const auto& pair) { return std::string(pair.param.name); });

TEST(VerifyKeptWords, ARefutationByLoadingNamesTheEventAndTheMissingName) {
    const Verdict v = verify(load_text(PIN CHMOD TREE), load_text(PIN TREE CHMOD), {});
    ASSERT_TRUE(test::refuted(v)) << words(v);
    const Refuted& r = std::get<Refuted>(v);
    ASSERT_TRUE(r.example);
    EXPECT_EQ(r.example->where_missing, "dir=/opt/b");
    EXPECT_EQ(r.example->event.nr, 90);
    EXPECT_EQ(r.example->before.key, std::optional<std::string>("p"));
    EXPECT_EQ(r.example->after.outcome, Outcome::no_match);
}

TEST(VerifyKeptWords, SettingsDoNotHideTheRules) {
    const Verdict v = verify(load_text("-e 2\n"), load_text("-e 1\n"), {});
    ASSERT_TRUE(test::refuted(v)) << words(v);
    ASSERT_EQ(std::get<Refuted>(v).differences.size(), 1U);
    EXPECT_EQ(std::get<Refuted>(v).differences.front().before, "2");
    EXPECT_EQ(std::get<Refuted>(v).differences.front().after, "1");
    const Verdict both = verify(load_text("-b 1\n" PIN), load_text("-b 2\n" CHMOD PIN), {});
    ASSERT_TRUE(test::refuted(both)) << words(both);
    EXPECT_TRUE(std::get<Refuted>(both).example);
    EXPECT_EQ(std::get<Refuted>(both).differences.size(), 1U);
}

TEST(VerifyKeptWords, SpellingsOfADirectory) {
    const KernelState plain = load_text(PIN "-a always,exit -F arch=b64 -S chmod -F dir=/d -k a\n");
    const KernelState slash = load_text(PIN "-a always,exit -F arch=b64 -S chmod -F dir=/d/ -k a\n");
    Facts facts;
    VerifyOptions options;
    options.facts = &facts;
    const Verdict open = verify(plain, slash, options);
    ASSERT_TRUE(test::unknown(open)) << words(open);
    EXPECT_NE(std::get<Unknown>(open).reason.find("--facts"), std::string::npos);
    facts.directories = {"/d"};
    EXPECT_TRUE(test::proven(verify(plain, slash, options))) << words(verify(plain, slash, options));
    EXPECT_FALSE(test::proven(verify(plain, load_text(PIN), options)));
}

}  // namespace
}  // namespace auopt
