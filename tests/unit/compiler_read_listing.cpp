// Lines of auditctl -l: read as the one rule that prints so, or refused with the reason.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/print_listing.hpp"
#include "compiler/read_listing.hpp"
#include "compiler/version.hpp"

namespace auopt {
namespace {

struct Read {
    Program program;
    Diagnostics diagnostics;
};

struct How {
    AuditctlVersion version = AuditctlVersion::v3_0_9;
    bool assume = false;
    std::string machine = "x86_64";
    Facts facts = {};
};

Read read(const std::string& text, const How& how = {}) {
    Sources sources;
    const FileId file = sources.add("l", text);
    CompileOptions options;
    options.version = how.version;
    options.machine = how.machine;
    options.facts = how.facts;
    Read result;
    result.program = read_listing(listing_lines(sources, file), options, how.assume, result.diagnostics);
    return result;
}

KernelRule only_rule(const Read& r) {
    if (r.program.messages.size() != 1) {
        ADD_FAILURE() << (r.diagnostics.items().empty() ? "" : r.diagnostics.items().front().message);
        return {};
    }
    return std::get<AddRule>(r.program.messages.front().body).rule;
}

void expect_refused(const std::string& text, const std::string& id, const std::string& says, const How& how = {}) {
    const Read r = read(text, how);
    EXPECT_TRUE(r.program.failed && r.program.stopped) << text;
    ASSERT_EQ(r.diagnostics.items().size(), 1U) << text;
    const Diagnostic& d = r.diagnostics.items().front();
    EXPECT_EQ(d.id, id) << text << ": " << d.message;
    EXPECT_NE(d.message.find(says), std::string::npos) << text << ": " << d.message;
    EXPECT_FALSE(d.help.empty()) << text;
}

TEST(ReadListing, ARule) {
    const KernelRule rule = only_rule(
        read("-a always,exit -F arch=b64 -S open,452 -F auid>=1000 -F exit=-EACCES -C uid!=euid -F key=a -F key=b\n"));
    EXPECT_EQ(rule.list, List::exit);
    EXPECT_EQ(rule.action, Action::always);
    EXPECT_EQ(rule.mask.count(), 2U);
    EXPECT_TRUE(rule.mask.test(2) && rule.mask.test(452));
    EXPECT_EQ(rule.tests, (std::vector<FieldTest>{{Field::arch, Op::equal, arch_x86_64, ""},
                                                  {Field::loginuid, Op::greater_equal, 1000, ""},
                                                  {Field::exit, Op::equal, 0xFFFFFFF3, ""},
                                                  {Field::field_compare, Op::not_equal, 11, ""},
                                                  {Field::key, Op::equal, 0,
                                                   "a\x01"
                                                   "b"}}));
    EXPECT_EQ(rule.sources, (std::vector<Span>{Span{FileId{0}, 1, 1, 99}}));
}

TEST(ReadListing, MasksThatAreNotPrinted) {
    EXPECT_TRUE(only_rule(read("-a always,exit -F arch=b64 -F uid=0")).mask.none());
    EXPECT_EQ(only_rule(read("-a always,exit -S all -F uid=0")).mask, SyscallMask::all());
    EXPECT_TRUE(only_rule(read("-a never,task -F uid=0")).mask.none());
    EXPECT_EQ(only_rule(read("-a never,exclude -F msgtype=CWD")).mask, SyscallMask::all());
}

// The table that names calls is of the arch printed last, not of the rule's own.
TEST(ReadListing, NamesOfAnotherArch) {
    const Read r = read(
        "-a always,exit -S open -F uid=0\n"
        "-a always,exit -F arch=b32 -S open -F uid=0\n"
        "-a always,exit -S read -F uid=1\n"
        "-a always,exit -F arch=0x12345 -S 3 -F uid=1\n"
        "-a always,exit -S 2,3 -F uid=2\n");
    ASSERT_EQ(r.program.messages.size(), 5U);
    const unsigned calls[] = {2, 5, 3, 3, 2};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_TRUE(std::get<AddRule>(r.program.messages[i].body).rule.mask.test(calls[i])) << i;
    // Behind a line that could not be read nobody knows the table; numbers need none.
    const Read lost =
        read("-a always,exit -F arch=b32 -F odd=1\n-a always,exit -S read -F uid=1\n-a always,exit -S 9 -F uid=1\n");
    EXPECT_EQ(lost.program.messages.size(), 1U);
    EXPECT_EQ(lost.diagnostics.items()[1].id, "AU062");
    expect_refused("-a always,exit -F arch=0x12345 -S open", "AU060", "calls are numbers");
}

TEST(ReadListing, Watches) {
    expect_refused("-w /etc/passwd -p wa -k id", "AU061", "never rules as -w");
    EXPECT_NE(read("-w /x -p r").diagnostics.items()[0].help.find("--assume listed-watches"), std::string::npos);
    How how{.assume = true};
    KernelRule rule = only_rule(read("-w /etc/passwd -p wa -k id", how));
    EXPECT_EQ(rule.action, Action::always);
    EXPECT_TRUE(rule.watch_kind_unknown);
    how.facts.directories = {"/etc"};
    rule = only_rule(read("-w /etc -p wa", how));
    EXPECT_FALSE(rule.watch_kind_unknown);
    EXPECT_EQ(rule.tests[0].field, Field::dir);
    // A listing has lost the slash that watch-kinds goes by.
    how.facts = {};
    how.facts.assume_watch_kinds = true;
    EXPECT_TRUE(only_rule(read("-w /etc/passwd -p wa", how)).watch_kind_unknown);
    // The order of -p and -k is that of the fields.
    EXPECT_EQ(only_rule(read("-w /x -k a -k b -p r", how)).tests[1].text,
              "a\x01"
              "b");
    for (const char* line : {" -p wa", " -p wa-w /x", " -k a -p r"}) expect_refused(line, "AU062", "not printed", how);
    expect_refused("-w /a b -p wa", "AU062", "holds a space", how);
    expect_refused("-w /a -p wa -k b c", "AU062", "holds a space", how);
    expect_refused("-w /a -k b", "AU060", "has -p", how);
    expect_refused("-w /a -p aw", "AU060", "order rwxa", how);
    expect_refused("-w /a/ -p r", "AU062", "old versions", how);
    expect_refused("-w a -p r", "AU060", "starts with /", how);
}

TEST(ReadListing, Operators) {
    expect_refused("-a always,exit -S all -F exe=/bin/a", "AU062", "exe!=/bin/a");
    expect_refused("-a always,exit -S all -F exe=/bin/a", "AU062", "exe!=/bin/a", {.version = AuditctlVersion::v4_0_0});
    for (const AuditctlVersion version : {AuditctlVersion::v3_1_5, AuditctlVersion::v4_0_2, AuditctlVersion::v4_2_1}) {
        EXPECT_EQ(only_rule(read("-a always,exit -S all -F exe=/bin/a", {.version = version})).tests[0].op, Op::equal);
        EXPECT_EQ(only_rule(read("-a always,exit -S all -F exe!=/bin/a", {.version = version})).tests[0].op,
                  Op::not_equal);
    }
    for (const char* test : {"subj_sen>==x", "subj_sen>=x", "obj_lev_low<=x", "subj_type==x", "subj_type!==x"})
        expect_refused(std::string("-a always,exit -S all -F ") + test, "AU062", "of the operator or of the text");
    EXPECT_EQ(only_rule(read("-a always,exit -S all -F subj_sen>x")).tests[0].op, Op::greater);
}

TEST(ReadListing, WhatIsNotPrintedSo) {
    for (const auto& [line, says] : std::vector<std::pair<std::string, std::string>>{
             {"-a exit,always -S all", "stands first"},
             {"-a always,exit -S all -F path=/x -F perm=wa", "-w and -p"},
             {"-a always,exit -S 2,open", "ascending"},
             {"-a always,exit -S open,read", "ascending"},
             {"-a always,exit -S OPEN", "is no system call"},
             {"-a always,exit -S 2032", "no rule of the kernel"},
             {"-a always,exit -S 02", "no rule of the kernel"},
             {"-a always,exit -S all -F auid!=4294967295", "not a value"},
             {"-a always,exit -S all -F uid=00", "another way"},
             {"-a always,exit -S all -F exit=-13", "another way"},
             {"-a always,exit -S all -F exit=-EWOULDBLOCK", "another way"},
             {"-a always,exit -S all -F a0=0xff", "another way"},
             {"-a always,exit -S all -F loginuid=1", "another way"},
             {"-a always,exit -S all -F filetype=dir", "not a value"},
             {"-a always,exit -S all -F UID=1", "is no field"},
             {"-a always,exit -S all -C euid!=uid", "no such comparison"},
             {"-a always,exit -S all -F perm=aw -F uid=0", "another way"},
             {"-a always,exit -S all -F key=a -F uid=0 -F key=b", "two key fields"},
             {"-a always,exit -S all -F key=", "empty key"},
             {"-a always,user -S all", "no system calls"},
             {"-a always,entry -S all", "is no list"},
             {"-a always,exit -S all -k x", ""},
             {"-D", "begins with"},
             {"# comment", "begins with"},
             {"", "begins with"},
             {"-b 8192", "begins with"},
             {"No rules", ""}}) {
        const Read r = read(line + "\n-a always,exit -S all -F uid=9\n");
        ASSERT_EQ(r.diagnostics.items().size(), 1U) << line;
        const Diagnostic& d = r.diagnostics.items().front();
        EXPECT_TRUE(d.id == "AU060" || d.id == "AU062") << line;
        EXPECT_NE(d.message.find(says), std::string::npos) << line << ": " << d.message;
    }
    EXPECT_FALSE(read("No rules\n").program.failed);
    EXPECT_TRUE(read("No rules\n").program.messages.empty());
}

TEST(ReadListing, WhatTheKernelMayHoldOtherwise) {
    for (const auto& [line, says] : std::vector<std::pair<std::string, std::string>>{
             {"-a always,user -F arch=b64 -F uid=0", "arch is printed first"},
             {"-a always,exclude -F arch=b64 -F msgtype=CWD", "arch is printed first"},
             {"-a always,(null) -S all", "io_uring"},
             {"-a always,io_uring -S openat", "37"},
             {"-a always,io_uring -F uid=0", "37"},
             {"-a always,exit -S all -F path=/a b", "holds a space"},
             {"-a always,exit -S all f77=1", "field 77"},
             {"-a always,exit -F arch=x86_64 -S open -F a0=0x1", "in words"}})
        expect_refused(line, "AU062", says, {.version = AuditctlVersion::v4_2_1});
    EXPECT_EQ(only_rule(read("-a always,io_uring -S all -F uid=0", {.version = AuditctlVersion::v4_2_1})).list,
              List::io_uring);
    EXPECT_EQ(only_rule(read("-a always,exit -S all f24!=1")).tests[0].field, Field::loginuid_set);
}

TEST(ReadListing, TheWholeListing) {
    expect_refused("-a always,exit -S all -F uid=0\n-a always,exit -S all -F uid=0", "AU063", "twice");
    expect_refused("-a always,exit -F arch=x86_64 -S all\n-a always,exit -F arch=b64 -S all", "AU063", "twice");
    expect_refused("-a always,exit -S all -F uid=0\n-a always,user -F uid=0", "AU060", "in the order");
    EXPECT_TRUE(read("-a always,exit -S all").diagnostics.items().empty()) << "no newline at the end";
    // The same words, but other calls: the arch printed before names them.
    EXPECT_TRUE(read("-a always,exit -S open\n-a always,exit -F arch=b32 -S read\n-a always,exit -S open")
                    .diagnostics.items()
                    .empty());
}

TEST(ReadListing, NoMoreTestsThanAKernelRuleHas) {
    std::string line = "-a always,exit -S all";
    for (int i = 0; i < 64; ++i) line += " -F uid=0";
    EXPECT_EQ(only_rule(read(line)).tests.size(), 64U);
    expect_refused(line + " -F uid=0", "AU060", "more than 64 tests");
    expect_refused(line + " -F key=k", "AU060", "more than 64 tests");
}

TEST(ReadListing, WhatTheVersionHasNoNameForIsANumber) {
    for (const AuditctlVersion version : all_auditctl_versions()) {
        const How how{.version = version};
        const KnownNames& known = features_of(version).names;
        for (const auto& [start, name, number, named] :
             {std::tuple{"-a never,filesystem -F fstype=", "cgroup2", 1667723888U, known.cgroups},
              std::tuple{"-a never,exclude -F msgtype=", "DM_CTRL", 1338U, known.device_mapper}}) {
            EXPECT_EQ(only_rule(read(start + std::string(name), how)).tests[0].value, number);
            const std::string by_number = start + std::to_string(number);
            if (named)
                expect_refused(by_number, "AU060", "in another way", how);
            else
                EXPECT_EQ(only_rule(read(by_number, how)).tests[0].value, number) << by_number;
        }
    }
}

TEST(ReadListing, OtherMachines) {
    EXPECT_EQ(only_rule(read("-a always,exit -F arch=b64 -S openat", {.machine = "aarch64"})).tests[0].value,
              0xC00000B7U);
    EXPECT_EQ(only_rule(read("-a always,exit -F arch=b32 -S open", {.machine = "s390x"})).tests[0].value, 0x16U);
    expect_refused("-a always,exit -F arch=b32 -S open", "AU062", "no arch of", {.machine = "ppc64le"});
    // -l -i says which.
    EXPECT_EQ(only_rule(read("-a always,exit -F arch=aarch64 -S openat -F auid!=unset")).tests[0].value, 0xC00000B7U);
    expect_refused("-a always,exit -F arch=arm64 -S openat", "AU062", "no arch of");
    expect_refused("-a always,exit -F arch=armv7l -S openat", "AU062", "no arch of");
}

}  // namespace
}  // namespace auopt
