// Watches as names come and go: what lab/live saw on real kernels, and the spec's sections 1.2, 1.3, 3.4.
#include "kernel_model/watches.hpp"

#include <map>

#include <gtest/gtest.h>

#include "kernel_model/evaluate.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

constexpr std::int32_t nr_open = 2, nr_rename = 82, nr_unlink = 87;
const Inode folder{0, 2, 10};
Inode file(std::uint64_t ino) { return {0, 2, ino}; }

EventName name(const std::optional<Inode>& id) {
    EventName n;
    if (!id) return n;
    n.resolved = true;
    n.dev_major = id->dev_major;
    n.dev_minor = id->dev_minor;
    n.ino = id->ino;
    return n;
}

// A host with one directory, /d, whose files the rules watch.
struct Host {
    KernelState state;
    std::map<std::string, Inode> files;
    WatchTable watches;

    // The newest reading, since older ones have no io_uring list.
    static CompileOptions reading() {
        CompileOptions options = test::test_compile_options();
        options.version = AuditctlVersion::v4_2_1;
        return options;
    }
    Host(std::string_view rules, std::map<std::string, Inode> there)
        : state(test::state_of(rules, reading())),
          files(std::move(there)),
          watches(state, [&](const std::string& path) {
              const auto it = files.find(path.substr(path.rfind('/') + 1));
              return std::optional(WatchPlace{folder, it == files.end() ? std::nullopt : std::optional(it->second)});
          }) {}

    std::string call(std::int32_t nr, std::vector<std::optional<Inode>> names,
                     const std::vector<NameChange>& changes = {}, std::uint64_t a1 = 1) {
        Event e;
        e.nr = nr;
        e.args[1] = a1;
        for (const auto& n : names) e.names.push_back(name(n));
        return to_string(evaluate(state, *find_kernel("linux-6.1"), e, watches, changes).decision);
    }
    std::string open(const std::optional<Inode>& id) { return call(nr_open, {id}); }
};

constexpr auto never_then_always = "-a never,exit -F path=/d/f -F uid=0\n-a always,exit -F path=/d/f -F key=k\n";

TEST(Watches, follow_the_name) {
    Host h("-w /d/f -p wa -k k\n", {});
    EXPECT_EQ(h.open(std::nullopt), "no rule matched") << "an unresolved name matches no missing watch";
    h.watches.update(folder, "f", file(20));
    EXPECT_EQ(h.open(file(20)), "recorded, key \"k\"");
    h.watches.update(folder, "f", file(21));  // another file renamed over it
    EXPECT_EQ(h.open(file(20)), "no rule matched");
    EXPECT_EQ(h.open(file(21)), "recorded, key \"k\"");
    h.watches.update(folder, "f", std::nullopt);
    EXPECT_EQ(h.open(file(21)), "no rule matched");
    h.watches.update(folder, "g", file(22));
    EXPECT_EQ(h.open(file(22)), "no rule matched");
    h.watches.update(file(99), "f", file(22));  // the same name elsewhere
    EXPECT_EQ(h.open(file(22)), "no rule matched");
}

TEST(Watches, the_creating_call_is_recorded) {
    Host h("-w /d/f -p wa -k k\n", {});
    EXPECT_EQ(h.call(nr_open, {folder, file(20)}, {{folder, "f", file(20), 2}}), "recorded, key \"k\"");
}

// Rules of one path stand in adding order at first and after an odd number of changes, else reversed.
TEST(Watches, rules_of_one_path_turn_round_with_every_change) {
    Host h(never_then_always, {{"f", file(20)}});
    EXPECT_EQ(h.open(file(20)), "never, no key");
    h.watches.update(folder, "f", file(21));
    EXPECT_EQ(h.open(file(21)), "never, no key");
    h.watches.update(folder, "f", file(22));
    EXPECT_EQ(h.open(file(22)), "recorded, key \"k\"");
    h.watches.update(folder, "f", file(23));
    EXPECT_EQ(h.open(file(23)), "never, no key");
}

TEST(Watches, a_changed_watch_goes_before_an_inode_rule) {
    Host h("-a always,exit -F inode=20 -S open -F key=inode\n-w /d/f -p wa -k watch\n", {{"f", file(20)}});
    EXPECT_EQ(h.open(file(20)), "recorded, key \"inode\"");
    h.watches.update(folder, "f", std::nullopt);
    h.watches.update(folder, "f", file(20));
    EXPECT_EQ(h.open(file(20)), "recorded, key \"watch\"");
}

TEST(Watches, of_two_spellings_the_later_follows) {
    Host h("-w /d/f -p wa -k first\n-w /d/./f -p wa -k second\n", {{"f", file(20)}});
    EXPECT_EQ(h.open(file(20)), "recorded, key \"first\"");
    h.watches.update(folder, "f", file(21));
    EXPECT_EQ(h.open(file(21)), "recorded, key \"second\"");
    EXPECT_EQ(h.open(file(20)), "recorded, key \"first\"") << "the other one is stale";
}

TEST(Watches, a_deletion_is_judged_before_its_result) {
    Host h("-a always,exit -F path=/d/f -F success=1 -F key=worked\n-a always,exit -F path=/d/f -F perm=w -F key=any\n",
           {{"f", file(20)}});
    EXPECT_EQ(h.call(nr_unlink, {folder, file(20)}, {{folder, "f", std::nullopt, 2}}), "recorded, key \"any\"");
    EXPECT_EQ(h.open(file(20)), "no rule matched");
}

// The names that a rename has collected are all looked at when the first one goes: the victim's watch is still bound.
TEST(Watches, a_rename_away_also_finds_the_victim) {
    Host h(
        "-w /d/old -p x -k old\n-a always,exit -F path=/d/new -F perm=w -F success!=1 -F key=new-unfinished\n"
        "-a always,exit -F path=/d/new -F perm=w -F key=new\n",
        {{"old", file(20)}, {"new", file(21)}});
    const std::vector<NameChange> moved{{folder, "old", std::nullopt, 4}, {folder, "new", file(20), 4}};
    EXPECT_EQ(h.call(nr_rename, {folder, folder, file(20), file(21), file(20)}, moved), "recorded, key \"new\"");
    EXPECT_EQ(h.open(file(20)), "recorded, key \"new\"");
}

TEST(Watches, a_rename_onto_a_watch_is_judged_with_its_result) {
    Host h("-a always,exit -F path=/d/new -F success=1 -F key=worked\n", {{"new", file(21)}});
    const std::vector<NameChange> moved{{folder, "old", std::nullopt, 4}, {folder, "new", file(20), 4}};
    EXPECT_EQ(h.call(nr_rename, {folder, folder, file(20), file(21), file(20)}, moved), "recorded, key \"worked\"");
}

// An io_uring operation and the call it runs in are two runs: the first one's match lasts.
TEST(Watches, runs_of_one_call_share_priority_and_key) {
    Host h("-a always,io_uring -S openat -F key=ring\n-a always,exit -S io_uring_enter -F key=enter\n", {});
    Event e;
    e.nr = 426;
    e.uring_op = 18;
    e.return_valid = ReturnValid::failure;
    const KernelTables& kernel = *find_kernel("linux-6.1");
    const RunResult first = evaluate(h.state, kernel, e, h.watches, {});
    EXPECT_EQ(to_string(first.decision), "recorded, key \"enter\"");
    e.uring_op.reset();
    EXPECT_EQ(to_string(evaluate(h.state, kernel, e, h.watches, {}, first.state).decision), "recorded, key \"enter\"");
}

// ---- what goes with a directory ----

const Inode tree{0, 2, 30}, programs{0, 2, 40};

/// A host with a tree /e and a program /p/x besides.
struct WholeHost {
    KernelState state;
    std::optional<Inode> program = Inode{0, 2, 41};
    WatchTable watches;

    explicit WholeHost(std::string_view rules)
        : state(test::state_of(rules)),
          watches(state, HostPlaces{[](const std::string&) {
                                        return std::optional(WatchPlace{folder, file(20)});
                                    },
                                    [](const std::string&) { return std::optional(tree); },
                                    [this](const std::string&) {
                                        return program ? std::optional(WatchPlace{programs, program}) : std::nullopt;
                                    }}) {}

    std::string call(std::int32_t nr, const std::vector<NameChange>& changes = {}) {
        Event e;
        e.nr = nr;
        e.dirs = {"/e"};
        e.program = Inode{0, 2, 41};
        return to_string(evaluate(state, *find_kernel("linux-6.1"), e, watches, changes).decision);
    }
    static NameChange removed(const Inode& directory) {
        return {directory, "", std::nullopt, 0, NameChange::Kind::inode_removed};
    }
};

constexpr std::int32_t nr_rmdir = 84, nr_acct = 163;

TEST(Watches, a_directory_takes_its_watches_and_the_call_is_recorded) {
    WholeHost h("-w /d/f -p wa -k k\n-a always,exit -S acct -F key=other\n");
    EXPECT_EQ(h.call(nr_rmdir, {WholeHost::removed(tree)}), "no rule matched") << "no tree there";
    EXPECT_EQ(h.call(nr_rmdir, {WholeHost::removed(folder)}), "recorded, no key");
    EXPECT_EQ(h.watches.counted(), 2U) << "rules of watches stay counted";
    EXPECT_TRUE(h.watches.gone(0));
    EXPECT_FALSE(h.watches.gone(1));
    EXPECT_EQ(h.call(nr_rmdir, {WholeHost::removed(folder)}), "no rule matched");
}

TEST(Watches, a_tree_goes_before_the_exit_of_the_call) {
    const std::string rules = "-a always,exit -S rmdir -F dir=/e -F key=k\n";
    EXPECT_EQ(WholeHost(rules).call(nr_rmdir), "recorded, key \"k\"");
    EXPECT_EQ(WholeHost(rules).call(nr_rmdir, {WholeHost::removed(tree)}), "recorded, no key");
    EXPECT_EQ(WholeHost(rules).call(nr_rmdir, {{tree, "", std::nullopt, 0, NameChange::Kind::directory_moved}}),
              "recorded, key \"k\"");
}

TEST(Watches, a_program_takes_its_rules_out_of_the_count) {
    WholeHost h("-a always,exit -S acct -F exe=/p/x -F key=k\n");
    EXPECT_EQ(h.call(nr_acct), "recorded, key \"k\"");
    EXPECT_EQ(h.call(nr_rmdir, {WholeHost::removed(programs)}), "recorded, no key");
    EXPECT_EQ(h.watches.counted(), 0U);
    EXPECT_EQ(h.call(nr_acct), "no rule matched");
}

TEST(Watches, a_program_is_another_one_once_its_name_is_made_anew) {
    WholeHost h("-a always,exit -S acct -F exe=/p/x -F key=is\n-a always,exit -S acct -F exe!=/p/x -F key=is-not\n");
    h.watches.update(programs, "x", std::nullopt);
    EXPECT_EQ(h.call(nr_acct), "recorded, key \"is\"") << "what was deleted still runs";
    h.watches.update(programs, "x", file(42));
    EXPECT_EQ(h.call(nr_acct), "recorded, key \"is-not\"");
}

TEST(Watches, rules_that_were_refused_are_not_there) {
    KernelState state = test::state_of("-a always,exit -S acct -F exe=/p/x\n-a always,exit -S acct -F dir=/e\n");
    const WatchTable none(state, HostPlaces{[](const std::string&) { return std::optional<WatchPlace>(); },
                                            [](const std::string&) { return std::optional<Inode>(); },
                                            [](const std::string&) { return std::optional<WatchPlace>(); }});
    EXPECT_TRUE(none.gone(0));
    EXPECT_TRUE(none.gone(1));
    EXPECT_EQ(none.counted(), 0U);
}

TEST(Watches, a_record_in_the_call_gives_way_to_rules) {
    const NameChange record{{}, "", std::nullopt, 0, NameChange::Kind::record};
    EXPECT_EQ(WholeHost("-a always,exit -S rmdir -F key=k\n").call(nr_acct, {record}), "recorded, no key");
    EXPECT_EQ(WholeHost("-a never,exit -S acct\n").call(nr_acct, {record}), "never, no key");
    EXPECT_EQ(WholeHost("-a always,exit -S acct -F key=k\n").call(nr_acct, {record}), "recorded, key \"k\"");
}

}  // namespace
}  // namespace auopt
