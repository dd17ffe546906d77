// The walk simulator on what real kernels were seen to do (spec sections 1.2 to 3.5, the traps of section 7): a judge must
// itself be judged.
#include <gtest/gtest.h>

#include "tests/simulator/compare.hpp"
#include "tests/simulator/read_rules.hpp"

namespace auopt {
namespace {

using namespace simulator;

/// Loads `rules` in the world numbered `world` and does what is named, one after the other. Result: the last outcome.
std::string play(std::string_view rules, const std::vector<std::string>& calls, std::size_t which = 0) {
    static std::vector<World> worlds = whole_worlds();
    World& world = worlds.at(which);
    const RuleFile file = rules_of(rules);
    Audit audit(file, world.files(0));
    std::size_t situation = 0;
    std::string last;
    for (const std::string& words : calls) {
        const auto& all = world.operations(situation);
        const auto done = std::find_if(all.begin(), all.end(), [&](const Done& d) { return d.call.words == words; });
        if (done == all.end()) return "cannot be done: " + words;
        last = to_string(audit.run(done->call, world.files(done->next)));
        situation = done->next;
    }
    return last;
}

constexpr auto open_a = "root: open /t/a to read";

TEST(SmallWorlds, the_lower_numbered_rule_wins_between_list_and_hash) {
    EXPECT_EQ(
        play("-a always,exit -F arch=b64 -S open -F uid=0 -F key=e\n-a never,exit -F path=/t/a -F perm=r\n", {open_a}),
        "always, recorded key=e");
    EXPECT_EQ(
        play("-a never,exit -F path=/t/a -F perm=r\n-a always,exit -F arch=b64 -S open -F uid=0 -F key=e\n", {open_a}),
        "never, not recorded");
}

TEST(SmallWorlds, the_first_name_that_matches_ends_the_walk_of_the_hash) {
    // /t/b goes before /t/a in the names of a rename from one to the other.
    const std::string rename = "root: rename /t/b to /t/a, which exists";
    EXPECT_EQ(play("-a never,exit -S rename -F inode=20\n-a always,exit -S rename -F inode=52 -F key=b\n", {rename}),
              "always, recorded key=b");
    EXPECT_EQ(play("-a never,exit -S rename -F inode=52\n-a always,exit -S rename -F inode=20 -F key=a\n", {rename}),
              "never, not recorded");
}

TEST(SmallWorlds, a_winner_without_a_key_keeps_the_losers) {
    EXPECT_EQ(play("-a always,exit -S all -F path=/t/a\n-a always,exit -S open -F key=x\n", {open_a}),
              "always, recorded key=x");
    EXPECT_EQ(play("-a always,exit -S all -F path=/t/a\n-a never,exit -S open -F key=x\n", {open_a}),
              "always, recorded key=x");
}

TEST(SmallWorlds, rules_of_one_watch_turn_round_with_every_change) {
    const std::string rules =
        "-a never,exit -F path=/t/a -F uid=0 -F perm=r\n-a always,exit -F path=/t/a -F perm=r -k k\n";
    const std::string unlink = "root: unlink /t/a", create = "root: create /t/a";
    EXPECT_EQ(play(rules, {open_a}), "never, not recorded");
    EXPECT_EQ(play(rules, {unlink, create, open_a}), "always, recorded key=k");
    EXPECT_EQ(play(rules, {"root: rename /t/b to /t/a, which exists", open_a}), "never, not recorded");
}

TEST(SmallWorlds, a_deletion_is_judged_before_its_result) {
    EXPECT_EQ(play("-a always,exit -F path=/t/a -F success=1 -F perm=w -k k\n", {"root: unlink /t/a"}),
              "no rule, not recorded");
    EXPECT_EQ(play("-a always,exit -F path=/t/a -F perm=w -k k\n", {"root: unlink /t/a"}), "always, recorded key=k");
    // Trap 80: a keyless winner carries the key of the run in mid-call.
    EXPECT_EQ(
        play("-a always,exit -S unlink,open\n-a always,exit -F path=/t/a -F perm=rw -k K\n", {"root: unlink /t/a"}),
        "always, recorded key=K");
    EXPECT_EQ(play("-a always,exit -S unlink,open\n-a always,exit -F path=/t/a -F perm=rw -k K\n", {open_a}),
              "always, recorded without key");
}

TEST(SmallWorlds, the_creating_call_matches_a_watch_on_a_missing_name) {
    EXPECT_EQ(play("-w /t/n -p w -k k\n", {"root: create /t/n"}), "always, recorded key=k");
    EXPECT_EQ(play("-w /t/n -p r -k k\n", {"root: open /t/n to read"}), "no rule, not recorded");
}

TEST(SmallWorlds, of_two_spellings_the_later_follows) {
    const std::string rules = "-w /t/a -p r -k first\n-w /t/./a -p r -k second\n";
    EXPECT_EQ(play(rules, {open_a}), "always, recorded key=first");
    EXPECT_EQ(play(rules, {"root: rename /t/b to /t/a, which exists", open_a}), "always, recorded key=second");
}

TEST(SmallWorlds, a_tree_follows_its_inode_and_dies_with_it) {
    EXPECT_EQ(play("-w /d/ -p r -k k\n", {"root: open /d/s/g to read"}), "always, recorded key=k");
    EXPECT_EQ(play("-w /d/ -p r -k k\n", {"root: rename /d/s to /t/n", "root: open /d/f to read"}),
              "always, recorded key=k");
    const std::string acct = "-a always,exit -S acct -F dir=/d -k k\n";
    EXPECT_EQ(play(acct, {"root: rmdir /d"}, 2), "no rule, recorded without key") << "CONFIG_CHANGE in the call";
    EXPECT_EQ(play(acct, {"root: rmdir /d", "root: mkdir /d", "root: rmdir /d"}, 2), "no rule, not recorded");
    EXPECT_EQ(play("-a never,exit -S rmdir\n" + acct, {"root: rmdir /d"}, 2), "never, not recorded");
    EXPECT_EQ(play("-a always,exit -S rmdir -F dir=/d -k k\n", {"root: rmdir /d"}, 2), "no rule, recorded without key")
        << "the rule is gone before the exit of the call";
}

TEST(SmallWorlds, the_spelling_of_a_tree_does_not_matter) {
    std::vector<World> worlds = whole_worlds();
    Tally tally;
    const RuleFile plain = rules_of("-a always,exit -S all -F dir=/d -F perm=rwa -k k\n"),
                   slash = rules_of("-a always,exit -S all -F dir=/d/ -F perm=rwa -k k\n");
    for (World& world : worlds) EXPECT_EQ(find_difference(plain, slash, world, 2, tally), std::nullopt);
}

TEST(SmallWorlds, a_watched_directory_takes_its_rules_along) {
    const std::string rules = "-w /t/a -p w -k k\n";
    EXPECT_EQ(play(rules, {"root: rmdir /t"}, 2), "no rule, recorded without key");
    EXPECT_EQ(play(rules, {"root: rename /t to /t2"}), "no rule, recorded without key");
    EXPECT_EQ(play(rules, {"root: rename /t to /t2", "root: getpid"}), "no rule, not recorded");
    // The counter stays: contexts are not dummies although no rule is left.
    EXPECT_EQ(play("-w /d/f -p w -k k\n",
                   {"root: rename /d to /d2", "uid 1000: open /t/a to read and write, denied with an AVC record"}),
              "no rule, recorded without key");
}

TEST(SmallWorlds, a_program_whose_directory_goes_takes_its_rules_out_of_the_count) {
    const std::string rules = "-a always,exit -S acct -F exe=/x/p -k k\n";
    const std::string denied = "uid 1000: open /t/a to read and write, denied with an AVC record";
    EXPECT_EQ(play(rules, {"root: acct, to switch it off"}), "always, recorded key=k");
    EXPECT_EQ(play(rules, {denied}), "no rule, recorded without key");
    EXPECT_EQ(play(rules, {"root: rename /x to /x2"}), "no rule, recorded without key");
    EXPECT_EQ(play(rules, {"root: rename /x to /x2", denied}), "no rule, recorded without key, without PATH");
}

TEST(SmallWorlds, a_record_of_another_subsystem_tells_never_from_no_match) {
    const std::string denied = "root: open /t/a to read and write, denied with an AVC record";
    EXPECT_EQ(play("-a always,exit -S acct -k k\n", {denied}), "no rule, recorded without key");
    EXPECT_EQ(play("-a never,exit -S open\n", {denied}), "never, not recorded");
    EXPECT_EQ(play("", {denied}), "no rule, recorded without key, without PATH");
}

TEST(SmallWorlds, signals_name_their_targets_while_a_rule_counts) {
    EXPECT_EQ(play("-a always,exit -F arch=b64 -S kill -k k\n", {"root: kill"}),
              "always, recorded key=k, with OBJ_PID");
    EXPECT_EQ(play("-a always,exit -F arch=b64 -S rt_sigqueueinfo,acct -k k\n", {"root: acct, to switch it off"}),
              "always, recorded key=k");
}

TEST(SmallWorlds, a_worker_walks_its_own_list_and_the_hash_as_call_0) {
    const std::string unlink = "root: unlink /t/a in an io_uring worker";
    EXPECT_EQ(play("-a always,io_uring -S unlinkat -k k\n", {unlink}), "always, recorded key=k");
    EXPECT_EQ(play("-a always,exit -S all -F path=/t/a -k k\n", {unlink}), "always, recorded key=k");
    EXPECT_EQ(play("-w /t/a -p wa -k k\n", {unlink}), "no rule, not recorded");
}

TEST(SmallWorlds, prepended_rules_go_first_and_are_never_found_again) {
    EXPECT_EQ(play("-a always,exit -S getpid -k a\n-A never,exit -S getpid\n", {"root: getpid"}),
              "never, not recorded");
    EXPECT_EQ(play("-A always,exit -S getpid -k a\n-A always,exit -S getpid -k a\n-a always,exit -S acct -k b\n",
                   {"root: acct, to switch it off"}),
              "always, recorded key=b");
}

TEST(SmallWorlds, loading_stops_where_the_kernel_refuses) {
    std::vector<World> missing = worlds_with_missing_names();
    World& no_x = missing.at(3);
    ASSERT_EQ(no_x.words(), "missing: /x");
    const auto loads = [&](std::string_view rules) {
        const RuleFile file = rules_of(rules);
        return !Audit(file, no_x.files(0)).stopped();
    };
    EXPECT_TRUE(loads("-w /t/n -p w\n-w /d/ -p w\n"));
    EXPECT_FALSE(loads("-a always,exit -S acct -F dir=/x\n"));
    EXPECT_FALSE(loads("-a always,exit -S acct -F exe=/x/p\n"));
    EXPECT_FALSE(loads("-w /x/p -p w\n"));
    EXPECT_FALSE(loads("-a always,exit -S acct\n-a always,exit -S acct\n"));
    EXPECT_TRUE(loads("-c\n-a always,exit -S acct\n-a always,exit -S acct\n-w /x/p -p w\n"));
}

// The pairs that were once Proven; what each one changes is in docs/LEMMAS.md.
struct Pair {
    const char *name, *before, *after;
};
constexpr Pair once_proven[] = {
    {"the last rule of a watch",
     "-a always,exit -F path=/t/a -F obj_uid=0 -F perm=w -k a\n-a always,exit -F arch=b64 -S stat -F path=/t/b -F "
     "perm=wa\n",
     "-a always,exit -F path=/t/a -F obj_uid=0 -F perm=w -k a\n"},
    {"the last rule of a tree",
     "-a always,exit -F arch=b64 -S acct -k x\n-a always,exit -F arch=b64 -S acct -F dir=/d -F uid=0 -k y\n",
     "-a always,exit -F arch=b64 -S acct -k x\n"},
    {"a rule that can be refused moved up",
     "-a always,exit -F arch=b64 -S acct -k a\n-a never,exit -F arch=b64 -S read -F dir=/x\n",
     "-a never,exit -F arch=b64 -S read -F dir=/x\n-a always,exit -F arch=b64 -S acct -k a\n"},
    {"a rule twice", "-a always,exit -S open -k d\n-a always,exit -S chmod -k p\n",
     "-a always,exit -S open -k d\n-a always,exit -S open -k d\n-a always,exit -S chmod -k p\n"},
    {"-q", "-a always,exit -F dir=/d -F perm=wa -k d\n-q /d,/q\n", "-a always,exit -F dir=/d -F perm=wa -k d\n"},
    {"the last rule of a program",
     "-a always,exit -F arch=b64 -S acct -F exe=/x/p -k a\n-a always,exit -F arch=b64 -S stat -F dir=/d -F perm=wa\n",
     "-a always,exit -F arch=b64 -S acct -F exe=/x/p -k a\n"},
};

TEST(SmallWorlds, tell_the_pairs_apart_that_were_once_proven) {
    std::vector<World> worlds = whole_worlds();
    for (World& w : worlds_with_missing_names()) worlds.push_back(std::move(w));
    for (const Pair& pair : once_proven) {
        const RuleFile before = rules_of(pair.before), after = rules_of(pair.after);
        Tally tally;
        bool differ = false;
        for (World& world : worlds) {
            EXPECT_EQ(find_difference(before, before, world, 2, tally), std::nullopt) << pair.name;
            if (find_difference(before, after, world, 2, tally)) differ = true;
        }
        EXPECT_TRUE(differ) << pair.name;
    }
}

}  // namespace
}  // namespace auopt
