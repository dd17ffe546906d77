// The text writer: comments that cannot become rules, and control lines in the order augenrules has them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cli/audit_rules_text.hpp"
#include "cli/load_rules.hpp"

namespace auopt {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = text.find('\n', begin);
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

struct Read {
    Sources sources;
    LoadedRules loaded;
};

Read read(const std::string& text) {
    Read r;
    const FileId file = r.sources.add("in", text);
    Diagnostics diagnostics;
    r.loaded = load_rules(r.sources, split_lines(r.sources, file), {}, true, diagnostics);
    return r;
}

TEST(Comment, LongTextIsWrappedFarBelowTheLimitOfALine) {
    const std::string text = comment(std::string(20000, 'x') + " " + std::string(20000, 'y'));
    for (const std::string& line : lines_of(text)) {
        EXPECT_LT(line.size(), 200U);
        EXPECT_EQ(line[0], '#');
    }
}

TEST(Comment, HostileFileNamesStayInTheComment) {
    const std::string text =
        comment(std::string("from a\n-D\r\x00"
                            "b.rules",
                            18));
    const auto lines = lines_of(text);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0], "# from a\\x0a-D\\x0d\\x00b.rules");
}

TEST(Comment, KeepsEveryWordWhenWrapped) {
    std::string words, joined;
    for (int i = 0; i < 100; ++i) words += fmt::format("{}word{}", i == 0 ? "" : " ", i);
    for (const std::string& line : lines_of(comment(words))) {
        if (!joined.empty()) joined += " ";
        joined += line.substr(line.find('w'));
    }
    EXPECT_EQ(joined, words);
}

TEST(ControlLines, OrderOfAugenrules) {
    const Read r = read("-f 2\n-e 1\n-b 100\n-c\n-w /x -p wa\n-r 5\n-b 200\n-D -i\n-e 2\n");
    const auto control = control_lines(r.loaded.program, r.loaded.load.state);
    ASSERT_TRUE(control);
    EXPECT_EQ(control->first, (std::vector<std::string>{"-b 200", "-f 2", "-c", "-r 5"}));
    EXPECT_TRUE(control->last.empty());
    EXPECT_EQ(control->enable, "-e 2");
}

TEST(ControlLines, DeleteAllComesFirst) {
    const Read r = read("-b 100\n-D\n-w /x -p wa\n");
    const auto control = control_lines(r.loaded.program, r.loaded.load.state);
    ASSERT_TRUE(control);
    EXPECT_EQ(control->first, (std::vector<std::string>{"-D", "-b 100"}));
}

TEST(ControlLines, WhatStandsBetweenRulesIsRefused) {
    const Read r = read("-w /x -p wa\n-m hello\n-w /y -p wa\n");
    EXPECT_FALSE(control_lines(r.loaded.program, r.loaded.load.state));
}

TEST(Expressible, PermBeforeArchAndKeyLast) {
    KernelRule rule;
    rule.tests = {{Field::uid, Op::equal, 1, ""},
                  {Field::arch, Op::equal, arch_x86_64, ""},
                  {Field::key, Op::equal, 0, "k"},
                  {Field::perm, Op::equal, 2, ""}};
    const KernelRule out = expressible(rule);
    ASSERT_EQ(out.tests.size(), 4U);
    EXPECT_EQ(out.tests[0].field, Field::uid);
    EXPECT_EQ(out.tests[1].field, Field::perm);
    EXPECT_EQ(out.tests[2].field, Field::arch);
    EXPECT_EQ(out.tests[3].field, Field::key);
    // Order matters on the user and exclude lists, so nothing moves there.
    rule.list = List::user;
    EXPECT_EQ(expressible(rule).tests, rule.tests);
}

}  // namespace
}  // namespace auopt
