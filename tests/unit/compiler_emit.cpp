// Kernel rules to lines: the emission rule, and what cannot be written.
#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/emit.hpp"

namespace auopt {
namespace {

KernelRule rule_of(const std::string& line) {
    Sources sources;
    const FileId file = sources.add("t.rules", line + "\n");
    Diagnostics diagnostics;
    CompileOptions options;
    options.facts.directories = {"/d"};
    options.facts.files = {"/f"};
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    EXPECT_FALSE(program.failed) << line;
    for (const auto& m : program.messages)
        if (const auto* add = std::get_if<AddRule>(&m.body)) return add->rule;
    ADD_FAILURE() << line << " adds no rule";
    return {};
}

TEST(Emit, CanonicalLines) {
    for (const auto& [in, out] : std::vector<std::pair<std::string, std::string>>{
             {"-a always,exit -F arch=b64 -S openat,open -F auid!=unset -F exit=-EACCES -k a -k b",
              "-a always,exit -F arch=b64 -S 2,257 -F auid!=-1 -F exit=-13 -F key=a -F key=b"},
             {"-w /f -p wa -k k", "-a always,exit -F path=/f -F perm=wa -F key=k"},
             {"-w /d", "-a always,exit -F dir=/d -F perm=rwxa"},
             {"-w /f -p wa -S all", "-a always,exit -F path=/f -F perm=wa"},
             {"-a always,exit -F perm=x -S execve -F uid=0", "-a always,exit -F perm=x -S 59 -F uid=0"},
             {"-a always,exit -S all -F uid=0 -k root", "-a always,exit -S all -F uid=0 -F key=root"},
             {"-a always,exit -S all -F uid=0", "-a always,exit -F uid=0"},
             {"-a always,exit -F arch=b64 -F path=/f -F perm=wa",
              "-a always,exit -F arch=b64 -S all -F path=/f -F perm=wa"},
             {"-a never,task -F uid=0", "-a never,task -F uid=0"},
             {"-a never,exclude -F msgtype=CWD", "-a never,exclude -F msgtype=1307"},
             {"-a never,filesystem -F fstype=tracefs", "-a never,filesystem -F fstype=1953653091"},
             {"-a always,exit -F arch=b64 -S read -C euid!=uid", "-a always,exit -F arch=b64 -S 0 -C uid!=euid"},
             {"-a always,exit -F arch=b64 -S read -F a0=-1 -F filetype=file -F field_compare=99",
              "-a always,exit -F arch=b64 -S 0 -F a0=0xffffffff -F filetype=file -F field_compare=99"},
             {"-a always,exit -F arch=ppc64 -S 3", "-a always,exit -F arch=0x80000015 -S 3"},
             {"-a always,exit -F path=/a\\ b\\\\c -F perm=r", "-a always,exit -F path=/a\\ b\\\\c -F perm=r"},
             {"-a always,exit -F arch=b64 -S ,", "-a always,exit -F arch=b64 -S ,"},
             {"-w /unknown -p wa -k k", "-w /unknown -p wa -k k"},
             {"-w /unknown/", "-w /unknown -p rwxa"},
         }) {
        const auto line = rule_to_line(rule_of(in));
        ASSERT_TRUE(line) << in << ": " << line.error();
        EXPECT_EQ(*line, out) << in;
    }
}

TEST(Emit, WhatCannotBeWritten) {
    const KernelRule good = rule_of("-a always,exit -F arch=b64 -S read -F path=/f -F key=k");
    ASSERT_TRUE(rule_to_line(good));
    const auto refused = [&](auto change) {
        KernelRule rule = good;
        change(rule);
        return !rule_to_line(rule).has_value();
    };
    EXPECT_TRUE(refused([](KernelRule& r) { r.prepend = true; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.mask.set(2040); }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[1].text = "/a\nb"; }));
    EXPECT_TRUE(refused([](KernelRule& r) {
        r.tests[1].text =
            "/a\x07"
            "b";
    }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[1].text = "/a!=b"; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[1].text = ""; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[2].text = "a\1"; }));
    EXPECT_TRUE(refused([](KernelRule& r) { std::swap(r.tests[1], r.tests[2]); }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[1] = FieldTest{Field::perm, Op::equal, 2, {}}; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.tests[1].field = Field::loginuid_set; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.list = List::task; }));
    EXPECT_TRUE(refused([](KernelRule& r) { r.watch_kind_unknown = true; }));
    EXPECT_TRUE(refused([](KernelRule& r) {
        for (unsigned nr = 0; nr < mask_syscalls; nr += 1) r.mask.set(nr);
        r.mask.clear(5);
    }));
    EXPECT_TRUE(rule_to_line(rule_of("-a always,exit -F arch=b64 -S read -F perm=r -F path=/f")).has_value() == false);
}

TEST(Emit, TheKernelsFormOfAllCallsIsWrittenAsAll) {
    KernelRule rule = rule_of("-a always,exit -S all -k k");
    rule.mask.words[63] = 0xFFFF;
    EXPECT_EQ(rule_to_line(rule), "-a always,exit -S all -F key=k");
}

TEST(Emit, PermIsWrittenForTheExitListAlone) {
    for (const List list : {List::user, List::task, List::exit, List::exclude, List::filesystem, List::io_uring}) {
        KernelRule rule = rule_of("-a always,exit -F uid=0 -p r");
        rule.list = list;
        if (list == List::task) rule.mask = {};
        const auto line = rule_to_line(rule);
        EXPECT_EQ(line.has_value(), list == List::exit) << static_cast<int>(list);
    }
}

TEST(Emit, ArchWordsFollowTheMachine) {
    const KernelRule rule = rule_of("-a always,exit -F arch=b64 -S read");
    EXPECT_EQ(rule_to_line(rule, "aarch64"), "-a always,exit -F arch=0xc000003e -S 0");
}

TEST(Emit, ReadableNames) {
    SyscallMask mask;
    mask.set(2);
    mask.set(257);
    mask.set(452);
    mask.set(2000);
    EXPECT_EQ(syscall_names(mask, arch_x86_64), "open,openat,fchmodat2,2000");
    EXPECT_EQ(syscall_names(SyscallMask::all(), arch_i386), "all");
}

}  // namespace
}  // namespace auopt
