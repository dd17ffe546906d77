// What the kernel takes and refuses, and what it then holds.
#include <gtest/gtest.h>

#include "tests/support/state_of.hpp"

namespace auopt {
namespace {

struct Loaded {
    LoadResult result;
    Diagnostics diagnostics;
};

Loaded load_text(std::string_view text, LoadOptions options = {},
                 const CompileOptions& compile_options = test::test_compile_options()) {
    Sources sources;
    const FileId file = sources.add("test.rules", std::string(text));
    Loaded out;
    const Program program = compile(sources, split_lines(sources, file), compile_options, out.diagnostics);
    options.facts = &compile_options.facts;
    out.result = load(program.messages, options, out.diagnostics);
    return out;
}

bool has(const Diagnostics& diagnostics, std::string_view id, unsigned line) {
    for (const Diagnostic& d : diagnostics.items())
        if (d.id == id && d.span.line == line) return true;
    return false;
}

TEST(Load, refuses_what_the_kernel_refuses) {
    const char* refused[] = {
        "-a always,exit -F path=/a/ -F perm=w",  // trailing slash
        "-a always,exit -F path=rel",            // relative
        "-a always,exit -F path=/a/.",           // last component
        "-a always,exit -F dir=rel -F perm=w",
        "-a always,exit -F exe=ls -S read",
        "-a always,exit -F path=/a -F dir=/b",  // two objects
        "-a always,exit -F path=/a -F inode=5",
        "-a always,exit -S read -F exe=/a -F exe=/b",  // two programs
        "-a always,exit -S read -F KEY=a -F key=b",    // two key fields
        "-a always,exit -S read -F auid>=unset",       // only = and != take unset
        "-a always,exit -S read -F uid=unset",
        "-a always,exit -S read -F uid&1",  // bit operators on an id
        "-a always,exit -F path>/x -S read",
        "-a always,exit -S read -F filetype>file",
        "-a never,filesystem -F uid=0",
        "-a always,user -F arch=b64 -F msgtype>CWD -F fsuid&1",
    };
    for (const char* line : refused) {
        const Loaded l = load_text(line);
        EXPECT_TRUE(l.result.refused) << line;
        EXPECT_EQ(l.result.state.rule_count(), 0U) << line;
        EXPECT_TRUE(has(l.diagnostics, "AU092", 1)) << line;
    }
}

TEST(Load, takes_odd_but_valid_rules) {
    for (const char* line :
         {"-a always,exit -S read -F auid!=unset", "-a always,exit -S read -F a0&1",
          "-a always,exit -S read -F uid=0 -F uid=0", "-a always,exit -F dir=/a/ -F perm=w", "-a always,task -F uid=0",
          "-a always,exclude -F msgtype=CWD", "-a always,exit -S all -F inode!=5"}) {
        const Loaded l = load_text(line);
        EXPECT_FALSE(l.result.refused) << line;
        EXPECT_EQ(l.result.state.rule_count(), 1U) << line;
    }
}

TEST(Load, stops_at_a_duplicate_unless_told_otherwise) {
    const char* text = "-w /etc/a -p wa -k x\n-a always,exit -F path=/etc/a -F perm=wa -F key=x\n-w /etc/b -p wa\n";
    const Loaded stopped = load_text(text);
    EXPECT_TRUE(stopped.result.stopped);
    EXPECT_EQ(stopped.result.state.rule_count(), 1U);
    EXPECT_TRUE(has(stopped.diagnostics, "AU094", 2));

    const Loaded ignoring = load_text(text, {.ignore_errors = true});
    EXPECT_TRUE(ignoring.result.refused);
    EXPECT_FALSE(ignoring.result.stopped);
    EXPECT_EQ(ignoring.result.state.rule_count(), 2U);

    const Loaded dropping = load_text(text, {.drop_duplicates = true});
    EXPECT_FALSE(dropping.result.refused);
    EXPECT_EQ(dropping.result.state.rule_count(), 2U);
    EXPECT_TRUE(has(dropping.diagnostics, "AU094", 2));
}

TEST(Load, spelling_does_not_hide_a_duplicate_but_order_and_key_do) {
    EXPECT_TRUE(load_text("-a always,exit -S read -F auid!=-1 -k k\n-a always,exit -S read -F auid!=4294967295 -k k\n")
                    .result.refused);
    EXPECT_FALSE(load_text("-a always,exit -S read -F uid=0 -F gid=0\n-a always,exit -S read -F gid=0 -F uid=0\n")
                     .result.refused);
    EXPECT_FALSE(load_text("-a always,exit -S read -k a\n-a always,exit -S read -k b\n").result.refused);
}

TEST(Load, prepended_rules_come_first_latest_first_and_never_collide) {
    const Loaded l = load_text(
        "-a always,exit -S read -k a\n-A always,exit -S write -k b\n-A always,exit -S close -k c\n"
        "-A always,exit -S close -k c\n");
    ASSERT_FALSE(l.result.refused);
    ASSERT_EQ(l.result.state.filter.size(), 4U);
    EXPECT_EQ(rule_key(l.result.state.filter[0]), "c");
    EXPECT_EQ(rule_key(l.result.state.filter[2]), "b");
    EXPECT_EQ(rule_key(l.result.state.filter[3]), "a");
}

TEST(Load, nothing_is_taken_after_the_lock) {
    const Loaded l = load_text("-w /a -p wa\n-e 2\n-w /b -p wa\n");
    EXPECT_TRUE(l.result.stopped);
    EXPECT_EQ(l.result.state.rule_count(), 1U);
    EXPECT_TRUE(has(l.diagnostics, "AU091", 3));
}

TEST(Load, deletes_what_the_file_added) {
    const Loaded l = load_text("-D\n-w /a -p wa -k a\n-w /b -p wa -k b\n-W /a -p wa -k a\n");
    EXPECT_FALSE(l.result.refused);
    ASSERT_EQ(l.result.state.filter.size(), 1U);
    EXPECT_EQ(rule_key(l.result.state.filter[0]), "b");
    EXPECT_TRUE(load_text("-D\n-W /a -p wa\n").result.refused);                // ENOENT
    EXPECT_TRUE(load_text("-W /a -p wa\n").result.outside_model.has_value());  // depends on what is loaded
    EXPECT_EQ(load_text("-w /a -p wa\n-D\n-w /b -p wa\n").result.state.rule_count(), 1U);
    EXPECT_TRUE(load_text("-w /a -p wa\n-D\n-w /b -p wa\n").result.state.cleared_first);
    EXPECT_FALSE(load_text("-w /a -p wa\n").result.state.cleared_first);
}

TEST(Load, a_path_below_a_file_is_refused) {
    CompileOptions options = test::test_compile_options();
    options.facts.files = {"/usr/lib/systemd"};
    options.facts.directories = {"/etc"};
    const Loaded l = load_text("-w /usr/lib/systemd/x -p wa\n", {}, options);
    EXPECT_TRUE(has(l.diagnostics, "AU093", 1));
    EXPECT_FALSE(load_text("-w /etc/x -p wa\n", {}, options).result.refused);
    EXPECT_FALSE(load_text("-w /usr/lib/systemdx -p wa\n", {}, options).result.refused);
}

TEST(Load, trim_and_equivalence_between_rules_are_outside_the_model) {
    EXPECT_TRUE(load_text("-w /a/ -p wa\n-t\n-w /b/ -p wa\n").result.outside_model.has_value());
    EXPECT_TRUE(load_text("-w /a/ -p wa\n-q /m,/s\n-w /b/ -p wa\n").result.outside_model.has_value());
    EXPECT_FALSE(load_text("-t\n-w /a/ -p wa\n-w /b/ -p wa\n-q /m,/s\n").result.outside_model.has_value());
}

TEST(Load, class_selectors_are_outside_the_model) {
    EXPECT_TRUE(load_text("-a always,exit -S 2041\n").result.outside_model.has_value());
    EXPECT_FALSE(load_text("-a always,exit -S all -F uid=7\n").result.outside_model.has_value());
}

TEST(Load, settings) {
    const Settings s = load_text("-D\n-b 8192\n-f 1\n-r 5\n--backlog_wait_time 60000\n--loginuid-immutable\n-e 1\n")
                           .result.state.settings;
    EXPECT_EQ(s.backlog_limit, 8192U);
    EXPECT_EQ(s.failure, 1U);
    EXPECT_EQ(s.rate_limit, 5U);
    EXPECT_EQ(s.backlog_wait_time, 60000U);
    EXPECT_EQ(s.enabled, 1U);
    EXPECT_TRUE(s.loginuid_immutable);
}

TEST(State, placement_and_counters) {
    const KernelState s = test::state_of(
        "-w /etc/ -p wa\n-w /etc/passwd -p wa\n-a always,exit -S all -F inode=5\n"
        "-a always,exit -S all -F inode!=5\n");
    EXPECT_EQ(placement(s.filter[0]), Placement::exit_list);
    EXPECT_EQ(placement(s.filter[1]), Placement::inode_hash);
    EXPECT_EQ(placement(s.filter[2]), Placement::inode_hash);
    EXPECT_EQ(placement(s.filter[3]), Placement::exit_list);
    EXPECT_EQ(s.n_rules(), 4U);
    EXPECT_EQ(s.n_signals(), 4U);  // full masks touch kill

    EXPECT_EQ(test::state_of("-a always,exit -F arch=b64 -S chmod\n").n_signals(), 0U);
    EXPECT_EQ(test::state_of("-a always,exit -F arch=b64 -S 37\n").n_signals(), 0U);  // i386 kill
    EXPECT_EQ(test::state_of("-a always,exit -F arch=b32 -S 37\n").n_signals(), 1U);
    EXPECT_EQ(test::state_of("-a always,exit -S 37\n").n_signals(), 1U);
    EXPECT_EQ(test::state_of("-a always,exit -F arch=b32 -S 234\n").n_signals(), 0U);  // x86_64 tgkill, i386 flistxattr
    EXPECT_EQ(test::state_of("-a always,exclude -F msgtype=CWD\n").n_signals(), 1U);   // sent with a full mask
    EXPECT_EQ(test::state_of("-a always,exclude -F msgtype=CWD\n").n_rules(), 0U);
}

TEST(State, an_unknown_watch_may_be_either) {
    CompileOptions options = test::test_compile_options();
    options.facts.assume_watch_kinds = false;
    const KernelState s = test::state_of("-w /srv/x -p wa -k k\n", options);
    ASSERT_EQ(s.filter.size(), 1U);
    EXPECT_TRUE(s.filter[0].watch_kind_unknown);
    EXPECT_EQ(placement(s.filter[0]), Placement::either);
}

}  // namespace
}  // namespace auopt
