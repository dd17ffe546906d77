// Unified diffs and tables.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "report/table.hpp"
#include "report/unified_diff.hpp"

namespace auopt {
namespace {

TEST(UnifiedDiff, EqualTextsHaveNone) { EXPECT_EQ(unified_diff("a\nb\n", "a\nb\n", "x", "y"), ""); }

TEST(UnifiedDiff, OneChangeWithContext) {
    EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nfive\n6\n7\n8\n", "a", "b"),
              "--- a\n+++ b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(UnifiedDiff, FromNothingAndToNothing) {
    EXPECT_EQ(unified_diff("", "x\n", "a", "b"), "--- a\n+++ b\n@@ -0,0 +1,1 @@\n+x\n");
    EXPECT_EQ(unified_diff("x\n", "", "a", "b"), "--- a\n+++ b\n@@ -1,1 +0,0 @@\n-x\n");
}

TEST(UnifiedDiff, MissingNewlineIsSaid) {
    EXPECT_EQ(unified_diff("x", "x\n", "a", "b"),
              "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

/// Applies a diff the way patch does.
std::string patched(const std::string& before, const std::string& diff) {
    std::vector<std::string> lines;
    std::istringstream in(before);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::string out;
    std::size_t next = 0;
    std::istringstream d(diff);
    std::string line;
    std::getline(d, line);
    std::getline(d, line);
    while (std::getline(d, line)) {
        if (line.starts_with("@@")) {
            const auto start = static_cast<std::size_t>(std::stoul(line.substr(4)));
            const bool nothing = line.find(",0 ", 4) < line.find(" +");
            const std::size_t stop = nothing ? start : start - 1;
            while (next < stop) out += lines[next++] + "\n";
        } else if (line[0] == ' ') {
            EXPECT_EQ(lines[next], line.substr(1));
            out += lines[next++] + "\n";
        } else if (line[0] == '-') {
            EXPECT_EQ(lines[next], line.substr(1));
            ++next;
        } else {
            out += line.substr(1) + "\n";
        }
    }
    while (next < lines.size()) out += lines[next++] + "\n";
    return out;
}

TEST(UnifiedDiff, RandomTextsPatchBack) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const auto text = [&] {
            std::string t;
            const auto n = random() % 25;
            for (unsigned long i = 0; i < n; ++i) t += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
            return t;
        };
        const std::string a = text(), b = text();
        if (a == b) continue;
        EXPECT_EQ(patched(a, unified_diff(a, b, "a", "b")), b) << a << "--\n" << b;
    }
}

TEST(Table, AlignsAndTrims) {
    Table table;
    table.header = {"call", "n"};
    table.right = {false, true};
    table.rows = {{"getpid", "7"}, {"x", "1234"}};
    EXPECT_EQ(render_table(table), "call       n\ngetpid     7\nx       1234\n");
}

}  // namespace
}  // namespace auopt
