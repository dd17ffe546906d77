// Each pass on the example of its header, and on what it must leave alone. "=" compares kernel rules, not text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "optimizer/pipeline.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

KernelState run(const std::string& pass, std::string_view text) {
    KernelState state = test::state_of(text);
    OptimizeOptions options;
    for (const KernelTables& k : kernel_tables()) options.kernels.push_back(&k);
    options.workload = default_workload();
    options.passes = {pass};
    optimize(state, options);
    return state;
}

std::string text_of(const KernelRule& r) {
    std::string s = fmt::format("{} calls={}", r.action == Action::always ? "always" : "never", r.mask.count());
    for (const FieldTest& t : r.tests)
        s += fmt::format(" {}:{}", static_cast<unsigned>(t.field),
                         is_text_field(t.field) ? t.text : std::to_string(t.value));
    return s;
}

void expect_rules(const KernelState& got, std::string_view expected_text) {
    const KernelState expected = test::state_of(expected_text);
    ASSERT_EQ(got.filter.size(), expected.filter.size());
    for (std::size_t i = 0; i < got.filter.size(); ++i)
        EXPECT_TRUE(got.filter[i].same_as(expected.filter[i]))
            << "rule " << i << "\n got " << text_of(got.filter[i]) << "\nwant " << text_of(expected.filter[i]);
}

void expect_unchanged(const std::string& pass, std::string_view text) { expect_rules(run(pass, text), text); }

constexpr const char* new_calls =
    ",452,453,454,455,456,457,458,459,460,461,462,463,464,465,466,467,468,469,470,471,472,473,474,475,476,477,478,479,"
    "480,481,482,"
    "483,484,485,486,487,488,489,490,491,492,493,494,495,496,497,498,499,500,501,502,503,504,505,506,507,508,509,510,"
    "511";

// ---- drop_dead ----

TEST(DropDead, drops_a_covered_rule_whatever_its_key) {
    expect_rules(run("drop_dead",
                     "-a always,exit -F arch=b64 -S chmod,fchmod -F key=perm\n"
                     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=user\n"),
                 "-a always,exit -F arch=b64 -S chmod,fchmod -F key=perm\n");
}
TEST(DropDead, drops_contradictions) {
    expect_rules(
        run("drop_dead",
            "-a always,exit -F arch=b64 -S chmod -F uid=0 -F uid=1 -k a\n-a always,exit -F arch=b64 -S chown -k b\n"),
        "-a always,exit -F arch=b64 -S chown -k b\n");
}
TEST(DropDead, keeps_the_later_wider_rule) {
    expect_unchanged("drop_dead",
                     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=user\n-a always,exit -F arch=b64 -S "
                     "chmod,fchmod -F key=perm\n");
}
TEST(DropDead, keeps_rules_of_io_uring_enter) {
    expect_unchanged("drop_dead",
                     "-a always,exit -S all -F uid=7 -k a\n-a always,exit -S all -F uid=7 -F gid=7 -k b\n");
}
TEST(DropDead, keeps_watches_of_the_same_file_with_other_keys) {
    expect_unchanged("drop_dead", "-w /etc/passwd -p wa -k a\n-w /etc/passwd -p wa -k b\n");
}
TEST(DropDead, drops_a_watch_covered_by_one_of_the_same_file_and_key) {
    expect_rules(run("drop_dead",
                     "-w /etc/passwd -p wa -k a\n-a always,exit -F path=/etc/passwd -F perm=wa -F arch=b64 -F key=a\n"),
                 "-w /etc/passwd -p wa -k a\n");
}
TEST(DropDead, an_exit_list_rule_between_keeps_the_second_watch) {
    expect_unchanged("drop_dead",
                     "-w /etc/passwd -p wa -k a\n-a never,exit -F arch=b64 -S openat -F uid=7\n"
                     "-a always,exit -F path=/etc/passwd -F perm=wa -F arch=b64 -F key=a\n");
}
TEST(DropDead, another_key_for_the_same_file_between_keeps_the_second_watch) {  // their order turns round when the file
                                                                                // is replaced
    expect_unchanged(
        "drop_dead",
        "-w /f -p w -k a\n-w /f -p w -k b\n-a always,exit -F path=/f -F perm=w -S unlink,openat -F key=a\n");
}
TEST(DropDead, a_watch_never_covers_an_exit_list_rule_nor_the_other_way) {
    expect_unchanged("drop_dead", "-a always,exit -S openat -k o\n-a always,exit -F path=/etc/passwd -S openat -k p\n");
}
TEST(DropDead, gid_equality_is_not_a_range) {  // supplementary groups
    expect_unchanged(
        "drop_dead",
        "-a always,exit -F arch=b64 -S chmod -F gid>=5 -k a\n-a always,exit -F arch=b64 -S chmod -F gid=7 -k b\n");
}
TEST(DropDead, keeps_rules_for_other_machines) {
    expect_unchanged("drop_dead",
                     "-a always,exit -F arch=aarch64 -S 5 -k a\n-a always,exit -F arch=b64 -S chmod -k b\n");
}
TEST(DropDead, the_last_counted_rule_stays) {  // audit_n_rules
    expect_unchanged("drop_dead", "-a always,exit -F arch=b64 -S acct -F uid=0 -F uid=1\n");
}

// ---- narrow_masks ----

TEST(NarrowMasks, a_directory_watch_keeps_the_calls_of_its_permissions) {
    const std::string keep_signals = "-a always,exit -S kill -F uid=7 -k s\n";
    expect_rules(
        run("narrow_masks", keep_signals + "-a always,exit -F dir=/etc/sudoers.d -F perm=x -F key=k\n"),
        keep_signals + "-a always,exit -F dir=/etc/sudoers.d -F perm=x -S 11,59,322,358" + new_calls + " -F key=k\n");
}
TEST(NarrowMasks, only_the_abi_of_its_arch) {
    const std::string keep_signals = "-a always,exit -S kill -F uid=7 -k s\n";
    expect_rules(run("narrow_masks", keep_signals + "-a always,exit -F dir=/d -F perm=x -F arch=b64 -F key=k\n"),
                 keep_signals + "-a always,exit -F dir=/d -F perm=x -F arch=b64 -S 59,322" + new_calls + " -F key=k\n");
}
TEST(NarrowMasks, audit_signals_stays_nonzero) {
    const KernelState s =
        run("narrow_masks", "-a always,exit -F dir=/d -F perm=x -F key=k\n-w /etc/passwd -p wa -k f\n");
    EXPECT_NE(s.n_signals(), 0U);
    // Where one of the two names is missing, the rule of the other one must go on counting.
    EXPECT_TRUE(s.filter[0].mask.test(62));
    EXPECT_TRUE(s.filter[1].mask.test(62));
    EXPECT_FALSE(s.filter[0].mask.test(63));
}
TEST(NarrowMasks, of_rules_with_the_same_names_the_watch_of_a_file_keeps_kill) {
    const KernelState s =
        run("narrow_masks",
            "-a always,exit -F path=/etc/passwd -F perm=r -F key=a\n-w /etc/passwd -p wa -k f\n"
            "-a always,exit -F perm=x -F dir=/d -F key=k\n-a always,exit -F perm=x -F uid=1 -F key=k\n");
    // The rule that names nothing counts for as long as it is loaded: no other one needs to.
    for (std::size_t i = 0; i < 3; ++i) EXPECT_FALSE(s.filter[i].mask.test(62)) << i;
    EXPECT_TRUE(s.filter[3].mask.test(62));
}

// ---- what every pass keeps: names, and what is loaded where loading stops ----

TEST(Names, the_last_rule_of_a_watch_a_tree_and_a_mark_stays) {
    for (const char* name : {"path=/t/n", "dir=/t/n", "exe=/t/n"}) {
        const std::string dead =
            std::string("-a always,exit -F arch=b64 -S acct -F ") + name + " -F uid=1 -F uid=2 -k d\n";
        const std::string alive = std::string("-a always,exit -F arch=b64 -S acct -F ") + name + " -F uid=1 -k a\n";
        const std::string other = "-a always,exit -F arch=b64 -S mount -k x\n";
        EXPECT_EQ(run("drop_dead", other + dead).filter.size(), 2U) << name;
        // Hash rules are dropped only behind one that takes all their events.
        const std::string again = std::string(name) == "path=/t/n" ? alive : dead;
        const std::string narrow = again.substr(0, again.find(" -k")) + " -F auid=5 -k a\n";
        EXPECT_EQ(run("drop_dead", other + alive + narrow).filter.size(), 2U) << name;
    }
}
TEST(Names, a_mark_does_not_outlive_its_rules_by_another_one) {
    // The dead rule would keep the mark when /d goes.
    EXPECT_EQ(
        run("drop_dead",
            "-a always,exit -F arch=b64 -S acct -F dir=/d -F exe=/x/p -k a\n-a always,exit -F arch=b64 -S acct -F "
            "exe=/x/p -F uid=1 -F uid=2 -k d\n-a always,exit -F arch=b64 -S mount -k x\n")
            .filter.size(),
        3U);
}
TEST(Names, a_dead_rule_that_alone_is_always_loaded_stays) {
    EXPECT_EQ(run("drop_dead",
                  "-a always,exit -F arch=b64 -S acct -F exe=/x/p -k a\n-a always,exit -F arch=b64 -S acct -F uid=1 -F "
                  "uid=2 -k d\n")
                  .filter.size(),
              2U);
}
TEST(LoadingStops, a_hot_rule_that_can_fail_does_not_pass_one_that_cannot) {
    const std::string rules =
        "-a always,exit -F arch=b64 -S acct -F auid!=unset -F key=a\n-a never,exit -F arch=b64 -S read -F dir=/opt/b\n";
    expect_unchanged("order_rules", rules);
    expect_rules(
        run("order_rules", "-c\n" + rules),
        "-a never,exit -F arch=b64 -S read -F dir=/opt/b\n-a always,exit -F arch=b64 -S acct -F auid!=unset -F "
        "key=a\n");
}
TEST(LoadingStops, a_merge_takes_the_place_of_its_first_part) {
    const std::string tree = "-a always,exit -F arch=b64 -S mount -F dir=/opt/b -F key=t\n";
    const std::string chmod = "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=p\n";
    const std::string chown = "-a always,exit -F arch=b64 -S chown -F auid>=1000 -F key=p\n";
    expect_rules(run("merge_syscalls", chmod + tree + chown),
                 "-a always,exit -F arch=b64 -S chmod,chown -F auid>=1000 -F key=p\n" + tree);
}
TEST(LoadingStops, no_hash_rule_comes_to_stand_before_one) {
    // One more hash rule could end the walk over the names of a call.
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -F inode=7 -F key=p\n-a always,exit -F arch=b64 -S mount -F "
                     "dir=/opt/b -F key=t\n-a always,exit -F arch=b64 -S chown -F inode=7 -F key=p\n");
}
TEST(NarrowMasks, audit_signals_stays_nonzero_on_a_kernel_without_32_bit_programs) {
    const KernelState s = run("narrow_masks", "-a always,exit -F path=/f -F perm=x -F arch=b32 -F key=k\n");
    EXPECT_TRUE(s.filter[0].mask.test(37));  // kill of i386, as a kernel with 32-bit programs counts the rule
    EXPECT_TRUE(s.filter[0].mask.test(62));  // kill of x86_64, as one without them does
    EXPECT_FALSE(s.filter[0].mask.test(38));
}
TEST(NarrowMasks, audit_signals_stays_zero) {
    const KernelState s = run("narrow_masks", "-a always,exit -F dir=/d -F perm=x -S execve,read -F key=k\n");
    EXPECT_EQ(s.n_signals(), 0U);
}
TEST(NarrowMasks, rules_without_perm_keep_their_mask) {
    expect_unchanged("narrow_masks", "-a always,exit -F dir=/d -F key=k\n-a never,exit -S all -F uid=7\n");
}

// ---- fold_arches ----

TEST(FoldArches, a_pair_of_file_watches) {
    expect_rules(run("fold_arches",
                     "-a always,exit -F arch=b32 -F path=/etc/passwd -F perm=wa -F key=id\n"
                     "-a always,exit -F arch=b64 -F path=/etc/passwd -F perm=wa -F key=id\n"),
                 "-a always,exit -F path=/etc/passwd -F perm=wa -F key=id\n");
}
TEST(FoldArches, equal_masks) {
    expect_rules(
        run("fold_arches", "-a never,exit -F arch=b64 -S all -F uid=7\n-a never,exit -F arch=b32 -S all -F uid=7\n"),
        "-a never,exit -S all -F uid=7\n");
}
TEST(FoldArches, different_masks_without_perm_stay) {
    expect_unchanged("fold_arches",
                     "-a always,exit -F arch=b64 -S chmod -k a\n-a always,exit -F arch=b32 -S chmod -k a\n");
}
TEST(FoldArches, a_hash_rule_without_perm_that_admits_call_0_stays) {  // io_uring workers
    expect_unchanged(
        "fold_arches",
        "-a always,exit -F arch=b64 -F path=/f -S all -k a\n-a always,exit -F arch=b32 -F path=/f -S all -k a\n");
}
TEST(FoldArches, another_watch_between_that_meets_the_same_call_keeps_the_pair_apart) {
    expect_unchanged("fold_arches",
                     "-a always,exit -F path=/f -F perm=w -F arch=b32 -F key=f\n-w /g -p w -k g\n"
                     "-a always,exit -F path=/f -F perm=w -F arch=b64 -F key=f\n");
}

// ---- merge_syscalls ----

TEST(MergeSyscalls, same_tests_and_key) {
    expect_rules(run("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F key=perm\n"
                     "-a always,exit -F arch=b64 -S chown -F auid>=1000 -F key=perm\n"),
                 "-a always,exit -F arch=b64 -S 90,92 -F auid>=1000 -F key=perm\n");
}
TEST(MergeSyscalls, other_keys_and_actions_stay) {
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -k a\n-a always,exit -F arch=b64 -S chown -k b\n"
                     "-a never,exit -F arch=b64 -S fchown\n");
}
TEST(MergeSyscalls, not_across_a_rule_that_takes_some_of_its_events) {
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -k p\n-a never,exit -F arch=b64 -S chown -F uid=7\n"
                     "-a always,exit -F arch=b64 -S chown -k p\n");
}
TEST(MergeSyscalls, across_a_rule_with_other_results) {
    expect_rules(run("merge_syscalls",
                     "-a always,exit -F arch=b64 -S openat -F exit=-13 -k p\n-a always,exit -F arch=b64 -S openat,open "
                     "-F exit=-1 -k q\n"
                     "-a always,exit -F arch=b64 -S open -F exit=-13 -k p\n"),
                 "-a always,exit -F arch=b64 -S 2,257 -F exit=-13 -k p\n-a always,exit -F arch=b64 -S openat,open -F "
                 "exit=-1 -k q\n");
}
TEST(MergeSyscalls, not_across_a_watch_that_meets_its_calls) {
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -k p\n-w /etc/passwd -p wa -k id\n-a always,exit -F arch=b64 "
                     "-S chown -k p\n");
}
TEST(MergeSyscalls, across_a_watch_of_other_calls) {
    expect_rules(run("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -k p\n-w /usr/bin/su -p x -k su\n-a always,exit -F arch=b64 "
                     "-S chown -k p\n"),
                 "-a always,exit -F arch=b64 -S 90,92 -k p\n-w /usr/bin/su -p x -k su\n");
}
TEST(MergeSyscalls, the_earlier_rule_may_move_down) {
    expect_rules(
        run("merge_syscalls",
            "-a always,exit -F arch=b64 -S chmod -F auid=7 -k p\n-a never,exit -F arch=b64 -S chown -F uid=7\n"
            "-a always,exit -F arch=b64 -S chown,fchown -F auid=7 -k p\n"),
        "-a never,exit -F arch=b64 -S chown -F uid=7\n-a always,exit -F arch=b64 -S 90,92,93 -F auid=7 -k p\n");
}
TEST(MergeSyscalls, not_where_a_call_would_walk_further) {  // chmod ends its walk at the first rule
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S chmod -k p\n-a never,exit -F arch=b64 -S chown -F uid=7\n"
                     "-a always,exit -F arch=b64 -S chown,fchown -k p\n");
}
TEST(MergeSyscalls, credentials_do_not_keep_a_rule_from_meeting_a_deleted_watch) {
    expect_unchanged(
        "merge_syscalls",
        "-a always,exit -F arch=b64 -S rename -F uid=7 -k p\n-a always,exit -F path=/u -F perm=w -F uid=0 -F key=id\n"
        "-a always,exit -F arch=b64 -S unlink -F uid=7 -k p\n");
}
TEST(MergeSyscalls, nor_does_the_program) {  // which may be the file that is deleted
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S rename -F exe=/p -k p\n-a always,exit -F path=/u -F perm=w -F "
                     "exe!=/p -F key=id\n"
                     "-a always,exit -F arch=b64 -S unlink -F exe=/p -k p\n");
}
TEST(MergeSyscalls, permissions_where_the_masks_hold_whole_classes) {
    const KernelState full = run(
        "merge_syscalls", "-a always,exit -F dir=/d -F perm=x -F key=k\n-a always,exit -F dir=/d -F perm=a -F key=k\n");
    ASSERT_EQ(full.filter.size(), 1U);
    EXPECT_EQ(find_test(full.filter[0], Field::perm)->value, perm_exec | perm_attr);
    // The first rule does not take chmod (90); with both letters it would.
    expect_unchanged(
        "merge_syscalls",
        "-a always,exit -F dir=/d -F perm=x -S 59,90 -F key=k\n-a always,exit -F dir=/d -F perm=a -S 92 -F key=k\n");
}
TEST(MergeSyscalls, two_rules_that_both_admit_io_uring_enter_stay) {
    expect_unchanged("merge_syscalls",
                     "-a always,exit -F arch=b64 -S io_uring_enter,read -k p\n-a always,exit -F arch=b64 -S "
                     "io_uring_enter,write -k p\n");
}

// ---- order_fields, order_rules ----

TEST(OrderFields, cheap_and_selective_first_the_key_last) {
    expect_rules(run("order_fields", "-a always,exit -F arch=b64 -S openat -F exit=-13 -F auid!=unset -F key=access\n"),
                 "-a always,exit -F auid!=unset -F exit=-13 -F arch=b64 -S openat -F key=access\n");
}
TEST(OrderFields,
     not_where_the_number_means_another_call_that_would_pay) {  // i386 257: exit= costs two more than arch=
    expect_unchanged("order_fields", "-a always,exit -F arch=b64 -S openat -F exit=-13 -F key=access\n");
}
TEST(OrderFields, perm_comes_before_arch_even_when_the_pass_is_off) {
    for (const char* pass : {"order_fields", "order_rules"}) {
        const KernelState s = run(pass, "-a always,exit -F arch=b64 -F path=/f -F perm=wa -F key=k\n");
        std::vector<Field> order;
        for (const FieldTest& t : s.filter[0].tests) order.push_back(t.field);
        EXPECT_LT(std::find(order.begin(), order.end(), Field::perm),
                  std::find(order.begin(), order.end(), Field::arch))
            << pass;
        EXPECT_EQ(order.back(), Field::key);
    }
}
TEST(OrderRules, a_never_rule_for_hot_calls_moves_up) {
    expect_rules(run("order_rules",
                     "-a always,exit -F arch=b64 -S acct -F auid!=unset -F key=a\n-a never,exit -F arch=b64 -S read -F "
                     "ppid=1\n"),
                 "-a never,exit -F arch=b64 -S read -F ppid=1\n-a always,exit -F arch=b64 -S acct -F "
                 "auid!=unset -F key=a\n");
}
TEST(OrderRules, not_across_a_rule_that_takes_some_of_its_events) {
    expect_unchanged("order_rules",
                     "-a always,exit -F arch=b64 -S read -F uid=7 -F key=a\n-a never,exit -F arch=b64 -S read -F "
                     "ppid=1\n");
}

// ---- the pipeline ----

TEST(Pipeline, leaves_unknown_watches_and_other_lists_as_they_are) {
    CompileOptions compile_options = test::test_compile_options();
    compile_options.facts.assume_watch_kinds = false;
    const KernelState before = test::state_of(
        "-w /srv/x -p wa -k k\n-a always,user -F uid=0\n-a never,task -F uid=7\n-a always,exclude -F msgtype=CWD\n"
        "-a never,filesystem -F fstype=tracefs\n",
        compile_options);
    KernelState after = before;
    OptimizeOptions options;
    for (const KernelTables& k : kernel_tables()) options.kernels.push_back(&k);
    options.workload = default_workload();
    optimize(after, options);
    const auto same = [](const std::vector<KernelRule>& a, const std::vector<KernelRule>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const KernelRule& x, const KernelRule& y) { return x.same_as(y); });
    };
    EXPECT_TRUE(same(before.filter, after.filter));
    EXPECT_TRUE(same(before.user, after.user) && same(before.task, after.task));
    EXPECT_TRUE(same(before.exclude, after.exclude) && same(before.filesystem, after.filesystem));
}
TEST(Pipeline, watches_of_one_name_keep_the_order_in_which_they_are_created) {
    const KernelState s =
        run("merge_syscalls",
            "-a always,exit -F path=/bin/x -S chmod -k a\n-a always,exit -F path=/usr/bin/x -S chown -k b\n"
            "-a always,exit -F path=/bin/x -S chown -k a\n");
    ASSERT_GE(s.filter.size(), 2U);
    EXPECT_EQ(find_test(s.filter[0], Field::path)->text, "/bin/x");
}
TEST(Pipeline, is_deterministic_and_names_every_source) {
    const char* text =
        "-a always,exit -F arch=b64 -S chmod -k p\n-a always,exit -F arch=b64 -S fchmod -k p\n-a always,exit -F "
        "arch=b64 -S chown -k p\n";
    const KernelState a = run("merge_syscalls", text), b = run("merge_syscalls", text);
    ASSERT_EQ(a.filter.size(), 1U);
    EXPECT_TRUE(a.filter[0].same_as(b.filter[0]));
    ASSERT_EQ(a.filter[0].sources.size(), 3U);
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(a.filter[0].sources[i].line, i + 1);
}

}  // namespace
}  // namespace auopt
