// Columns stay right whatever a line holds, and no byte of a rules file reaches the terminal as it is.
#include <gtest/gtest.h>

#include "report/printable.hpp"

namespace auopt {
namespace {

TEST(Printable, ControlBytesBecomeVisible) {
    EXPECT_EQ(printable_text("a\tb\rc\x01"), "a\\tb\\rc\\x01");
    EXPECT_EQ(printable_text(std::string_view("a\0b", 3)), "a\\0b");
    EXPECT_EQ(printable_text("\x1b[31mred"), "\\x1b[31mred");
    EXPECT_EQ(printable_text("\x7f"), "\\x7f");
}

TEST(Printable, Utf8IsKeptUnlessItHidesOrIsBroken) {
    EXPECT_EQ(printable_text("caf\xc3\xa9"), "caf\xc3\xa9");
    EXPECT_EQ(printable_text("\xe2\x80\xae"), "\\u{202e}");    // right-to-left override
    EXPECT_EQ(printable_text("\xef\xbb\xbfx"), "\\u{feff}x");  // byte order mark
    EXPECT_EQ(printable_text("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printable_text("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(printable_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
    EXPECT_EQ(printable_text("\xe2\x82"), "\\xe2\\x82");           // cut short
}

TEST(Printable, ColumnsCountWhatIsShown) {
    const Printable p = to_printable(
        "\t\xe4\xb8\xad"
        "x");
    ASSERT_EQ(p.column_of.size(), 6U);
    EXPECT_EQ(p.column_of[0], 0U);
    EXPECT_EQ(p.column_of[1], 2U);  // after "\t" in two columns
    EXPECT_EQ(p.column_of[4], 4U);  // the wide character took two
    EXPECT_EQ(p.column_of[5], 5U);
}

TEST(Excerpt, WholeLineWhereItFits) {
    const Excerpt e = excerpt_line("-w\t/etc", 3, 7, 40);
    EXPECT_EQ(e.text, "-w\\t/etc");
    EXPECT_EQ(e.mark_column, 4U);
    EXPECT_EQ(e.mark_width, 4U);
}

TEST(Excerpt, LongLinesAreCutAroundTheMark) {
    std::string line(1U << 20U, 'a');
    line.replace(500000, 3, "BAD");
    const Excerpt e = excerpt_line(line, 500000, 500003, 60);
    EXPECT_LE(e.text.size(), 66U);
    EXPECT_EQ(e.text.substr(e.mark_column, e.mark_width), "BAD");
    EXPECT_TRUE(e.text.starts_with("..."));
    EXPECT_TRUE(e.text.ends_with("..."));
}

TEST(Excerpt, MarkAtEitherEndAndBeyond) {
    std::string line = "BEGIN";
    line.append(500, '.').append("END");
    const Excerpt first = excerpt_line(line, 0, 5, 40);
    EXPECT_EQ(first.text.substr(first.mark_column, first.mark_width), "BEGIN");
    const Excerpt last = excerpt_line(line, 505, 508, 40);
    EXPECT_EQ(last.text.substr(last.mark_column, last.mark_width), "END");
    const Excerpt beyond = excerpt_line("abc", 10, 12, 40);
    EXPECT_EQ(beyond.mark_column, 3U);
    EXPECT_EQ(beyond.mark_width, 1U);
    const Excerpt empty = excerpt_line("", 0, 0, 40);
    EXPECT_EQ(empty.text, "");
}

TEST(Excerpt, EveryPositionOfALongStrangeLinePointsAtItsByte) {
    std::string line;
    for (int i = 0; i < 400; ++i) line += i % 7 == 0 ? "\t" : i % 11 == 0 ? "\xc3\xa9" : "x";
    for (std::size_t at = 0; at < line.size(); ++at) {
        if ((static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) continue;
        const Excerpt e = excerpt_line(line, at, at + 1, 50);
        // Walk the shown text by columns: the marked column holds what the byte is shown as.
        const Printable shown = to_printable(e.text);
        std::size_t byte = 0;
        while (byte < e.text.size() && shown.column_of[byte] < e.mark_column) ++byte;
        const std::string expected = printable_text(line.substr(at, line[at] == '\xc3' ? 2 : 1));
        EXPECT_EQ(e.text.substr(byte, expected.size()), expected) << at;
    }
}

TEST(TerminalText, KeepsLinesAndTabsAndShowsTheRest) {
    EXPECT_EQ(terminal_text(""), "");
    EXPECT_EQ(terminal_text("a\tb\n\n-w /x\n"), "a\tb\n\n-w /x\n");
    EXPECT_EQ(terminal_text("no end"), "no end");
    EXPECT_EQ(terminal_text("\x1b[31m\n\r\x07"), "\\x1b[31m\n\\r\\x07");
    EXPECT_EQ(terminal_text("\xc2\x9b\n\x9b"), "\\u{9b}\n\\x9b");
    EXPECT_EQ(terminal_text("\xc3\xbc\n"), "\xc3\xbc\n");
}

}  // namespace
}  // namespace auopt
