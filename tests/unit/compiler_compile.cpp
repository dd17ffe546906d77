// Lines to kernel messages: what loads, what does not and where the finger points, what versions differ in.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/wire.hpp"
#include "grammar/ids.hpp"

namespace auopt {
namespace {

struct Compiled {
    Program program;
    std::vector<Diagnostic> diagnostics;

    std::vector<KernelRule> added() const {
        std::vector<KernelRule> out;
        for (const auto& m : program.messages)
            if (const auto* add = std::get_if<AddRule>(&m.body)) out.push_back(add->rule);
        return out;
    }
    bool has(std::string_view id) const {
        for (const auto& d : diagnostics)
            if (d.id == id) return true;
        return false;
    }
};

CompileOptions with_facts() {
    CompileOptions options;
    options.facts.users = {{"root", 0}, {"nobody", 65534}};
    options.facts.groups = {{"adm", 4}};
    options.facts.directories = {"/etc/dir"};
    options.facts.files = {"/etc/file"};
    return options;
}

Compiled run(const std::string& text, CompileOptions options = with_facts()) {
    Sources sources;
    const FileId file = sources.add("t.rules", text);
    Diagnostics diagnostics;
    Compiled result;
    result.program = compile(sources, split_lines(sources, file), options, diagnostics);
    result.diagnostics = diagnostics.items();
    return result;
}

Compiled run_as(AuditctlVersion version, const std::string& text) {
    CompileOptions options = with_facts();
    options.version = version;
    return run(text, options);
}

KernelRule rule_of(const std::string& line) {
    const auto rules = run(line + "\n").added();
    EXPECT_EQ(rules.size(), 1U) << line;
    return rules.empty() ? KernelRule{} : rules[0];
}

TEST(Compile, AnOrdinaryRule) {
    const KernelRule rule = rule_of("-a always,exit -F arch=b64 -S open,close -F auid>=1000 -F auid!=unset -k access");
    EXPECT_EQ(rule.list, List::exit);
    EXPECT_EQ(rule.action, Action::always);
    EXPECT_EQ(rule.mask.count(), 2U);
    ASSERT_EQ(rule.tests.size(), 4U);
    EXPECT_EQ(rule.tests[0].value, arch_x86_64);
    EXPECT_EQ(rule.tests[2].value, id_unset);
    EXPECT_EQ(rule_key(rule), "access");
    ASSERT_EQ(rule.sources.size(), 1U);
    EXPECT_EQ(rule.sources[0].line, 1U);
}

TEST(Compile, WatchesAskTheFacts) {
    EXPECT_EQ(rule_of("-w /etc/dir/ -p wa").tests[0].field, Field::dir);
    EXPECT_EQ(rule_of("-w /etc/dir/ -p wa").tests[0].text, "/etc/dir");
    EXPECT_EQ(rule_of("-w /etc/file").tests[0].field, Field::path);
    EXPECT_FALSE(rule_of("-w /etc/file").watch_kind_unknown);
    EXPECT_TRUE(rule_of("-w /elsewhere/").watch_kind_unknown);
    EXPECT_EQ(rule_of("-w /elsewhere/").tests[0].field, Field::path);
    EXPECT_EQ(rule_of("-w //").tests[0].text, "//");
    EXPECT_EQ(rule_of("-w ///").tests[0].text, "/");
    EXPECT_EQ(rule_of("-w /etc/file").tests[1].value, 15U);
    EXPECT_TRUE(rule_of("-w /etc/file").mask.full());
}

TEST(Compile, KeysAreJoinedAndComeLast) {
    const KernelRule rule = rule_of("-a always,exit -S open -F key=a -k b -F uid=0");
    EXPECT_EQ(rule.tests.back().text, "a\1b");
    EXPECT_EQ(rule.tests.size(), 2U);
}

TEST(Compile, Values) {
    const auto value = [](const std::string& test) {
        return rule_of("-a always,exit -S open -F " + test).tests.at(0).value;
    };
    EXPECT_EQ(value("exit=-EACCES"), 0xFFFFFFF3U);
    EXPECT_EQ(value("uid=nobody"), 65534U);
    EXPECT_EQ(value("auid=4294967296"), 0U);
    EXPECT_EQ(value("a0=-0x10"), 0xFFFFFFF0U);
    EXPECT_EQ(value("filetype=dir"), 0x4000U);
    EXPECT_EQ(value("sessionid=foo"), 0U);
    EXPECT_EQ(rule_of("-a always,exit -C obj_uid!=uid").tests[0].value, 1U);
    EXPECT_EQ(rule_of("-a always,exit -C loginuid=euid").tests[0].value, 16U);
    EXPECT_EQ(rule_of("-a never,exclude -F msgtype=cwd").tests[0].value, 1307U);
}

struct Bad {
    const char* line;
    std::string_view id;
    unsigned column;
    unsigned length;
};

TEST(Compile, RefusedLinesPointAtTheOffendingBytes) {
    for (const Bad& c : {
             Bad{"-z", ids::unknown_option, 1, 2},
             {"--reset", ids::unknown_option, 1, 7},
             {"-w", ids::missing_argument, 1, 2},
             {"-w /x -p wa # why", ids::stray_parameter, 13, 1},
             {"foo", ids::no_option, 1, 3},
             {"-vi", ids::no_option, 1, 3},
             {"-a always,entry", ids::bad_list_action, 11, 5},
             {"-a always", ids::bad_list_action, 4, 6},
             {"-a always,exit -a always,exit", ids::second_list_action, 19, 11},
             {"-F uid=0", ids::list_missing, 4, 5},
             {"-S open", ids::nothing_to_send, 1, 7},
             {"-a always,exit -S open -F user=0", ids::unknown_field, 27, 4},
             {"-a always,exit -S open -F uid", ids::missing_operator, 27, 3},
             {"-a always,exit -S open -F uid=", ids::missing_name_or_value, 30, 1},
             {"-a always,exit -S open -F success=yes", ids::bad_value, 35, 3},
             {"-a always,exit -S open -F exit=EFOO", ids::bad_value, 32, 4},
             {"-a always,exit -F arch>b64", ids::bad_operator, 23, 1},
             {"-a always,exit -S open -F msgtype=1300", ids::field_not_on_list, 27, 7},
             {"-a always,exit -F arch=b64 -S open,foo", ids::unknown_syscall, 36, 3},
             {"-a always,exit -S fchmodat2", ids::unknown_syscall, 19, 9},
             {"-a always,exit -S open -F arch=b64", ids::arch_after_syscalls, 27, 8},
             {"-a always,exit -F arch=b16", ids::unknown_arch, 24, 3},
             {"-a always,task -S open", ids::syscalls_not_on_list, 19, 4},
             {"-a always,exit -F arch=b64 -k x", ids::key_without_test, 31, 1},
             {"-w /x -k a!=b", ids::bad_key, 10, 4},
             {"-w tmp", ids::bad_watch_path, 4, 3},
             {"-a always,exit -w /x", ids::watch_in_rule, 19, 2},
             {"-w /x -p wb", ids::bad_permissions, 11, 1},
             {"-p wa -w /x", ids::permissions_without_watch, 4, 2},
             {"-a always,exit -S open -F uid=alice", ids::unknown_user, 31, 5},
             {"-a always,exit -S open -F gid=wheel", ids::unknown_group, 31, 5},
             {"-a always,exit -C uid=gid", ids::bad_comparison, 19, 7},
             {"-e 3", ids::bad_setting, 4, 1},
             {"-D foo", ids::bad_companions, 1, 2},
             {"-R x", ids::nested_rules_file, 1, 2},
             {"-h", ids::help_in_rules, 1, 2},
             {"-m hello world", ids::bad_request, 4, 5},
             {"-w /x -D", ids::auditctl_crash, 7, 2},
         }) {
        const Compiled result = run(std::string(c.line) + "\n-D\n");
        EXPECT_TRUE(result.program.stopped) << c.line;
        EXPECT_NE(result.program.auditctl_exit, 0) << c.line;
        bool found = false;
        for (const auto& d : result.diagnostics) {
            if (d.id != c.id) continue;
            found = true;
            EXPECT_EQ(d.level, Level::error) << c.line;
            EXPECT_EQ(d.span.column, c.column) << c.line;
            EXPECT_EQ(d.span.length, c.length) << c.line;
            EXPECT_EQ(d.span.line, 1U) << c.line;
        }
        EXPECT_TRUE(found) << c.line << " gave " << (result.diagnostics.empty() ? "nothing" : result.diagnostics[0].id);
    }
}

TEST(Compile, UnknownUsersSayHowToSupplyThem) {
    const Compiled result = run("-a always,exit -S open -F uid=alice\n");
    ASSERT_EQ(result.diagnostics.size(), 1U + 1U);  // and the missing arch
    bool help = false;
    for (const auto& d : result.diagnostics) help = help || d.help.find("--facts") != std::string::npos;
    EXPECT_TRUE(help);
}

TEST(Compile, ErrorsStopUnlessIgnored) {
    EXPECT_EQ(run("-w rel\n-w /x\n").added().size(), 0U);
    const Compiled c = run("-c\n-w rel\n-w /x\n");
    EXPECT_EQ(c.added().size(), 1U);
    EXPECT_EQ(c.program.auditctl_exit, 1);
    EXPECT_TRUE(c.program.failed);
    EXPECT_FALSE(c.program.stopped);
    EXPECT_EQ(run("-i\n-w rel\n-w /x\n").program.auditctl_exit, 0);
    EXPECT_EQ(run("-c\n-w rel\n-c\n").program.auditctl_exit, 0);
    EXPECT_EQ(run("-c\n-w rel\n-i\n").program.auditctl_exit, 1);
    EXPECT_EQ(run("-i -w /x\n-w /y\n").added().size(), 1U);
    CompileOptions options = with_facts();
    options.continue_on_error = true;
    const Compiled forced = run("-w rel\n-w /x\n", options);
    EXPECT_EQ(forced.added().size(), 1U);
    EXPECT_EQ(forced.diagnostics[0].level, Level::warning);
}

TEST(Compile, WhatIsLostIsReported) {
    for (const auto& [text, id] : std::vector<std::pair<std::string, std::string_view>>{
             {"-w /x -i\n", ids::rule_swallowed},
             {"-w /x -t\n", ids::rule_swallowed},
             {"-t -w /x\n", ids::rule_swallowed},
             {"-w / -p r -k a -k b -k c -k d\n", ids::tokens_dropped},
             {std::string("-w /x\0y\n", 8), ids::nul_cuts_line},
             {"-w /a\x07"
              "bc\n",
              ids::control_byte},
             {"-w /x -k -F key\n", ids::key_like_option},
             {"-w /x\r\n", ids::trailing_cr},
             {"-w /x\ty\n", ids::tab_in_token},
             {"-a always,exit -S open\n", ids::arch_mismatch},
             {"-w/a\\ b\n", ids::escape_in_first_token},
             {"-w /x -k a\1b\n", ids::key_separator},
             {"-w /x*\n", ids::watch_pattern},
             {"-a always,exit -F arch=b64 -S ,\n", ids::empty_mask},
             {"-W /x -a exit,always\n", ids::add_wins},
             {"-b 010\n", ids::value_reads_differently},
             {"-a exit,possible\n", ids::deprecated_possible},
             {"-c\n-w r\n-c\n", ids::failure_forgotten},
             {"-a always,exit -F arch=b64 -S 2047\n", ids::class_selector},
         }) {
        EXPECT_TRUE(run(text).has(id)) << text << " lacks " << id;
    }
    EXPECT_TRUE(run("-a always,exit -F arch=b64 -S open -k a\n").diagnostics.empty());
    EXPECT_TRUE(run("-w /etc/file -p wa -k a\n").diagnostics.empty());
}

TEST(Compile, TheTailOfALongCommentRuns) {
    const Compiled result = run("#" + std::string(6142, 'x') + "-w /etc/file\n");
    ASSERT_EQ(result.added().size(), 1U);
    EXPECT_TRUE(result.has(ids::long_line_split));
    EXPECT_EQ(result.added()[0].sources[0].column, 6144U);
}

TEST(Compile, VersionsDiffer) {
    using V = AuditctlVersion;
    const std::string arch_perm = "-a always,exit -F arch=b64 -F path=/x -F perm=wa\n";
    EXPECT_TRUE(run_as(V::v3_0_9, arch_perm).added()[0].mask.full());
    EXPECT_TRUE(run_as(V::v3_1_2, arch_perm).added()[0].mask.full());
    const SyscallMask narrowed = run_as(V::v3_1_5, arch_perm).added()[0].mask;
    EXPECT_FALSE(narrowed.full());
    EXPECT_TRUE(narrowed.test(90) && narrowed.test(257) && !narrowed.test(59));
    EXPECT_FALSE(run_as(V::v4_0_4, arch_perm).added()[0].mask.test(452));
    EXPECT_TRUE(run_as(V::v4_1_2, arch_perm).added()[0].mask.test(452));
    // perm before arch is left alone by all of them.
    EXPECT_TRUE(run_as(V::v4_2_1, "-a always,exit -F perm=wa -F path=/x -F arch=b64\n").added()[0].mask.full());
    CompileOptions arm = with_facts();
    arm.machine = "aarch64";
    arm.version = V::v3_1_5;
    EXPECT_TRUE(run("-a always,exit -F arch=b64 -F perm=w\n", arm).has(ids::perm_calls_missing));
    arm.version = V::v4_0_4;
    EXPECT_EQ(run("-a always,exit -F arch=b64 -F perm=w\n", arm).added().size(), 1U);

    const std::string prepend = "-A always,exit -F arch=b64 -S read\n";
    EXPECT_TRUE(run(prepend).added()[0].prepend);
    EXPECT_TRUE(run_as(V::v4_0_4, prepend).added().empty());
    EXPECT_FALSE(run_as(V::v2_8_5, "-a always,exit -F arch=b64 -S socket -F saddr_fam=2\n").diagnostics.empty());
    EXPECT_EQ(run_as(V::v4_2_1, "-w / -p r -k a\n").added().size(), 1U);
    EXPECT_TRUE(run("-w / -p r -k a\n").program.failed);
    EXPECT_EQ(run_as(V::v3_1_2, "-a always,EXIT -S 1\n").added().size(), 1U);
    EXPECT_TRUE(run("-a always,EXIT -S 1\n").program.failed);
    EXPECT_TRUE(run_as(V::v4_2_1, "-w /x -k a\1b\n").program.failed);
    EXPECT_EQ(run_as(V::v3_1_2, "-a always,io_uring -S openat\n").added()[0].list, List::io_uring);
    EXPECT_TRUE(run_as(V::v3_1_2, "-a always,io_uring -S openat\n").added()[0].mask.test(18));
    EXPECT_EQ(run_as(V::v3_1_2, "-a never,exclude -F euid=1\n").added().size(), 1U);
    EXPECT_TRUE(run("-a never,exclude -F euid=1\n").program.failed);
    EXPECT_EQ(run_as(V::v4_1_2, "-a always,exit -S fchmodat2\n").added().size(), 1U);
}

// Found by the differential fuzz target, against auditctl 3.0.9 and 4.0.2.
TEST(Compile, AMarkAtTheEndOfAWordIsDefinedInShortWordsOnly) {
    EXPECT_EQ(run("-w /" + std::string(20, 'a') + "\x07\n").added().size(), 1U);
    const Compiled filled = run("-w /" + std::string(21, 'a') + "\x07\n");  // its copy fills a chunk of malloc
    EXPECT_TRUE(filled.has(ids::undefined_input));
    EXPECT_TRUE(filled.added().empty());
    EXPECT_TRUE(run("-w /" + std::string(37, 'a') + "\x04\n").has(ids::undefined_input));
    EXPECT_TRUE(run("-b 5\n-w /a\x07\n").has(ids::undefined_input));
}

// The rest was found by asking auditctl 4.1.2 and 4.2.1 too; oracle.names asks for every name there is.
TEST(Compile, NamesAreAMatterOfTheVersion) {
    using V = AuditctlVersion;
    const auto takes = [](V version, const std::string& line) { return run_as(version, line).added().size() == 1; };
    const std::string call = "-a always,exit -F arch=b64 -S open,lsm_get_self_attr\n";
    EXPECT_FALSE(takes(V::v4_0_0, call));
    EXPECT_TRUE(takes(V::v4_0_2, call));
    EXPECT_FALSE(takes(V::v4_0_2, "-a always,exit -S setxattrat\n"));
    for (const std::string line : {"-a always,exit -F arch=s390x -S quotactl,getdents64\n",
                                   "-a always,exit -F arch=ppc64le -S mbind\n", "-a always,io_uring -S listen\n"}) {
        EXPECT_FALSE(takes(V::v4_0_4, line)) << line;
        EXPECT_TRUE(takes(V::v4_1_2, line)) << line;
    }
    for (const std::string arch : {"riscv64", "0xc00000f3", "c00000f3"}) {
        const std::string line = "-a always,exit -F arch=" + arch + " -S openat\n";
        EXPECT_FALSE(takes(V::v4_0_0, line)) << line;
        EXPECT_TRUE(takes(V::v4_0_2, line)) << line;
    }
    EXPECT_FALSE(takes(V::v3_0_9, "-a never,exclude -F msgtype=DM_CTRL\n"));
    EXPECT_TRUE(takes(V::v4_0_2, "-a never,exclude -F msgtype=DM_CTRL\n"));
}

TEST(Compile, WhatStandsBehindPossibleIsAMatterOfTheVersion) {
    using V = AuditctlVersion;
    const auto exit_of = [](V version, const std::string& line) { return run_as(version, line).program.auditctl_exit; };
    for (const V version : all_auditctl_versions()) {
        for (const std::string option : {"-a", "-A", "-d"}) {
            const bool ends = version < V::v4_0_4 || option == "-a" || (option == "-d" && version == V::v4_2_1);
            for (const std::string rest : {"", " -S open", " junk", " -Z"}) {
                const std::string line = option + " exit,possible" + rest + "\n";
                EXPECT_EQ(exit_of(version, line), rest.empty() || ends ? 0 : 1)
                    << auditctl_version_name(version) << ": " << line;
            }
        }
    }
}

TEST(Compile, KeysOfRequestsAreCheckedFrom42On) {
    using V = AuditctlVersion;
    for (const std::string request : {"-D", "-l"}) {
        for (const std::string& key : {std::string("a\1b"), std::string(257, 'k')}) {
            const std::string line = request + " -k " + key + "\n";
            EXPECT_EQ(run_as(V::v4_1_2, line).program.auditctl_exit, 0) << line;
            EXPECT_EQ(run_as(V::v4_2_1, line).program.auditctl_exit, 1) << line;
            EXPECT_TRUE(run_as(V::v4_2_1, line).has(ids::bad_key)) << line;
        }
        EXPECT_EQ(run_as(V::v4_2_1, request + " -k " + std::string(256, 'k') + "\n").program.auditctl_exit, 0);
    }
}

TEST(Compile, AnUnknownSignalEndsLaterVersionsWhateverIgnoresErrors) {
    using V = AuditctlVersion;
    const std::string text = "-i\n--signal NONE\n-w /etc/file\n";
    EXPECT_EQ(run(text).added().size(), 1U);
    const Compiled later = run_as(V::v4_0_0, text);
    EXPECT_TRUE(later.program.stopped);
    EXPECT_EQ(later.program.auditctl_exit, 1);
    EXPECT_TRUE(later.added().empty());
    EXPECT_EQ(run_as(V::v4_0_0, "--signal TERM\n").program.auditctl_exit, 2);
}

TEST(Compile, OperationsOfIoUringHaveNo32BitNumbers) {
    using V = AuditctlVersion;
    EXPECT_FALSE(run_as(V::v4_0_0, "-a always,io_uring -S openat\n").has(ids::arch_mismatch));
    EXPECT_TRUE(run_as(V::v4_0_0, "-a always,exit -S open\n").has(ids::arch_mismatch));
}

TEST(Compile, BinaryNumbersAreAMatterOfTheVersion) {
    using V = AuditctlVersion;
    const auto number = [](V version) {
        return run_as(version, "-a always,exit -F arch=b64 -S 0b11 -F a0=0B101 -F exit=-0b1\n").added()[0];
    };
    EXPECT_TRUE(number(V::v3_0_9).mask.test(0) && !number(V::v3_0_9).mask.test(3));
    EXPECT_EQ(number(V::v3_0_9).tests[1].value, 0U);
    EXPECT_TRUE(number(V::v4_0_0).mask.test(3) && !number(V::v4_0_0).mask.test(0));
    EXPECT_EQ(number(V::v4_0_0).tests[1].value, 5U);
    EXPECT_EQ(number(V::v4_0_0).tests[2].value, 0xFFFFFFFFU);
}

TEST(Compile, MessagesKeepTheirOrder) {
    const Compiled result = run("-D\n-b 8192\n-f 1\n--loginuid-immutable\n-w /etc/file\n-q /a,/b\n-t\n-e 2\n");
    std::vector<std::string> kinds;
    for (const auto& m : result.program.messages) {
        const std::string line = message_to_wire_line(m);
        kinds.push_back(line.substr(0, line.find(' ')));
    }
    EXPECT_EQ(kinds,
              (std::vector<std::string>{"", "SET", "SET", "SET_FEATURE", "ADD_RULE", "MAKE_EQUIV", "TRIM", "SET"}));
}

TEST(Compile, WireForm) {
    const KernelRule rule = rule_of("-a never,exit -F arch=b64 -S read -F path=/ab -F key=k");
    const auto bytes = rule_to_wire(rule);
    ASSERT_EQ(bytes.size(), 1040U + 4U);
    EXPECT_EQ(bytes[0], 4);
    EXPECT_EQ(bytes[4], 0);
    EXPECT_EQ(bytes[8], 3);
    EXPECT_EQ(bytes[12], 1);
    EXPECT_EQ(bytes[268], 11);
    EXPECT_EQ(bytes[524 + 4], 3);  // length of the path
    EXPECT_EQ(bytes[1036], 4);
    EXPECT_EQ(std::string(bytes.begin() + 1040, bytes.end()), "/abk");
    EXPECT_EQ(message_to_wire_line(Message{SetStatus{0x10, 8192}, {}}),
              "SET 1000000000000000000000000000000000000000002000000000000000000000000000000000000000000000");
    EXPECT_EQ(message_to_wire_line(Message{MakeEquiv{"/mnt", "/sub"}, {}}),
              "MAKE_EQUIV 04000000040000002f6d6e742f737562");
    EXPECT_EQ(message_to_wire_line(Message{DeleteAll{}, {}}), "");
}

TEST(Compile, NeededFacts) {
    Sources sources;
    const FileId file = sources.add(
        "t",
        "-w /a -p wa\n-a always,exit -F uid=bob -F gid=adm -F auid!=unset -F dir=/d -F exe=/e -F uid=5\n# -w /no\n");
    const NeededFacts needed = needed_facts(split_lines(sources, file));
    EXPECT_EQ(needed.users, (std::set<std::string>{"bob"}));
    EXPECT_EQ(needed.groups, (std::set<std::string>{"adm"}));
    EXPECT_EQ(needed.paths, (std::set<std::string>{"/a", "/d", "/e"}));
}

}  // namespace
}  // namespace auopt
