// Whole calls of the lab's probe against what lab/run counted on 6.1 and 6.12, one or two rules at a time.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel_model/probes.hpp"
#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

ProbeCost cost_of(const std::string& rules, const char* kernel, const std::string& probe, const Facts& facts = {}) {
    const std::vector<ProbeCost> all = probe_costs(test::state_of(rules), *find_kernel(kernel), facts);
    const auto it = std::find_if(all.begin(), all.end(), [&](const ProbeCost& c) { return c.probe->name == probe; });
    EXPECT_NE(it, all.end()) << probe;
    return it == all.end() ? ProbeCost{} : *it;
}

Facts inodes(std::initializer_list<std::pair<const char*, std::uint64_t>> all) {
    Facts facts;
    for (const auto& [path, ino] : all) facts.inodes[path] = {2, ino};
    return facts;
}

constexpr const char* etc_watch = "-w /etc/x -p wa\n";

TEST(Probes, every_measured_kernel_has_all_of_them) {
    for (const KernelTables& k : kernel_tables())
        EXPECT_EQ(probe_costs(KernelState{}, k, {}).size(), probes().size()) << k.name;
}

TEST(Probes, no_rules_and_an_armed_empty_list) {
    EXPECT_EQ(cost_of("", "linux-6.1", "getpid").total(), 475);
    EXPECT_EQ(cost_of("", "linux-6.12", "stat").total(), 4287);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "getpid").total(), 813);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.12", "getpid").total(), 870);
}

TEST(Probes, a_watch_in_the_bucket_of_the_name_costs_its_failing_test) {
    const Facts other = inodes({{"/usr/bin/probe", 40}, {"/etc/x", 41}});
    const Facts same = inodes({{"/usr/bin/probe", 40}, {"/etc/x", 72}});
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "stat", other).names, 0);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "stat", same).names, 106 + 3);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.12", "stat", same).names, 95 + 17);
    // Not known: each bucket is as likely.
    EXPECT_DOUBLE_EQ(cost_of(etc_watch, "linux-6.12", "stat").names, (95 + 17) / 32.0);
    // A missing file's inode number is -1: bucket 31.
    EXPECT_EQ(cost_of(etc_watch, "linux-6.12", "openat_enoent", inodes({{"/etc/x", 63}})).names, 95 + 17);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.12", "openat_enoent", inodes({{"/etc/x", 64}})).names, 0);
}

TEST(Probes, the_first_test_of_a_bucket_entry_may_fail_before_its_path) {
    const Facts same = inodes({{"/usr/bin/probe", 40}, {"/etc/x", 72}});
    const std::string by_arch = "-a always,exit -F arch=b32 -F path=/etc/x -F perm=wa -k a\n";
    EXPECT_EQ(cost_of(by_arch, "linux-6.12", "stat", same).names, 103 + 17);
    const std::string by_call = "-a always,exit -F arch=b64 -S chown -F path=/etc/x -k a\n";
    EXPECT_EQ(cost_of(by_call, "linux-6.12", "stat", same).names, 8 + 17);
}

TEST(Probes, marks_above_the_file_are_looked_up) {
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "stat").marks, 0);
    EXPECT_EQ(cost_of("-w /usr/bin/x -p wa\n", "linux-6.1", "stat").marks, 16);
    EXPECT_EQ(cost_of("-w /usr/bin/x -p wa\n-w /usr/x -p wa\n-w /usr/bin/y -p wa\n", "linux-6.12", "stat").marks,
              2 * 17);
    // exe= marks the directory too; a missing file's name is not resolved, nothing is above it.
    EXPECT_EQ(cost_of("-a never,exit -S reboot -F exe=/usr/bin/x\n", "linux-6.12", "unlink_enoent").marks, 17);
    EXPECT_EQ(cost_of("-w /usr/bin/x -p wa\n", "linux-6.12", "openat_enoent").marks, 0);
}

TEST(Probes, fsnotify_of_a_marked_file_system) {
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "openat").marks, 155);
    EXPECT_EQ(cost_of(etc_watch, "linux-6.1", "read").marks, 0);  // /dev is another file system
    EXPECT_EQ(cost_of("-w /dev/shm/x -p wa\n", "linux-6.1", "read").marks, 155);
    EXPECT_EQ(cost_of("-w /dev/shm/x -p wa\n", "linux-6.12", "write").marks, 84);
    EXPECT_EQ(cost_of("-w /dev/shm/x -p wa\n", "linux-6.1", "openat").marks, 0);
}

TEST(Probes, a_tree_above_the_program_costs_every_call_of_it) {
    // Measured: 12 more for getpid, and 8 for each dir= test.
    const std::string tree = "-a never,exit -F arch=b64 -S reboot -F dir=/usr/bin\n";
    EXPECT_EQ(cost_of(tree, "linux-6.12", "getpid").marks, 12);
    EXPECT_EQ(cost_of(tree, "linux-6.12", "stat").marks, 12 + 40);
    const std::string both = tree + "-a never,exit -S getpid -F dir=/srv\n";
    EXPECT_EQ(cost_of(both, "linux-6.12", "getpid").exit_list, 18 + 8 + 91 + 8);
    EXPECT_EQ(cost_of("-a never,exit -S getpid -F dir=/srv\n", "linux-6.12", "getpid").exit_list, 18 + 91);
}

TEST(Probes, the_result_decides_which_test_fails) {
    const std::string denied = "-a always,exit -S openat -F exit=-13 -F uid=5\n";
    EXPECT_EQ(cost_of(denied, "linux-6.1", "openat").exit_list, 117);
    const std::string missing = "-a always,exit -S openat -F exit=-2 -F uid=5\n";
    EXPECT_EQ(cost_of(missing, "linux-6.1", "openat_enoent").exit_list, 50 + 118);
    EXPECT_EQ(cost_of(missing, "linux-6.1", "openat").exit_list, 117);
    EXPECT_TRUE(cost_of("-a always,exit -S close -F success=0\n", "linux-6.1", "close_badfd").matched);
}

TEST(Probes, operators_classes_and_names_have_their_own_cost) {
    const auto getpid = [](const std::string& tests) {
        return cost_of("-a never,exit -S getpid " + tests + "\n", "linux-6.1", "getpid").exit_list;
    };
    EXPECT_EQ(getpid("-F uid=5"), 118);
    EXPECT_EQ(getpid("-F uid!=0"), 110);
    EXPECT_EQ(getpid("-F uid>5"), 107);
    EXPECT_EQ(getpid("-F auid<1000"), 112);
    EXPECT_EQ(getpid("-F gid=5"), 133);
    EXPECT_EQ(getpid("-F gid!=0"), 111);
    EXPECT_EQ(getpid("-F gid>5"), 108);
    EXPECT_EQ(getpid("-F a0>5"), 114);
    EXPECT_EQ(getpid("-F perm=x"), 128);
    EXPECT_EQ(getpid("-F perm=wa"), 170);
    EXPECT_EQ(getpid("-F perm=rwxa"), 191);
    EXPECT_EQ(getpid("-F subj_type=x"), 88);
    EXPECT_EQ(getpid("-C uid=obj_uid"), 138);
    EXPECT_EQ(getpid("-C uid!=euid"), 119);
    EXPECT_EQ(cost_of("-a never,exit -S newfstatat -F devmajor=77\n", "linux-6.1", "stat").exit_list, 152);
    EXPECT_EQ(cost_of("-a never,exit -S newfstatat -F obj_uid=5\n", "linux-6.1", "stat").exit_list, 127);
    EXPECT_EQ(cost_of("-a never,exit -S newfstatat -F filetype=dir\n", "linux-6.1", "stat").exit_list, 105);
    EXPECT_EQ(cost_of("-a never,exit -S newfstatat -F filetype=file -F pid=1\n", "linux-6.1", "stat").exit_list,
              38 + 115);
}

}  // namespace
}  // namespace auopt
