// Lines, words and options, as auditctl takes them apart.
#include <gtest/gtest.h>

#include "grammar/option_scanner.hpp"
#include "grammar/tokenizer.hpp"

namespace auopt {
namespace {

std::vector<std::string> words(std::string_view text, TokenLimit limit = TokenLimit::third_of_length) {
    std::vector<std::string> out;
    for (const auto& token : tokenize(text, Span{FileId{}, 1, 1, 0}, limit).tokens) out.push_back(token.text);
    return out;
}
using Words = std::vector<std::string>;

TEST(Pieces, SplitAtNewlinesAndAtTheBuffersEnd) {
    Sources sources;
    const std::string full(max_line_bytes, 'x');
    const FileId file = sources.add("f", "a\n\nb");
    auto pieces = split_pieces(sources, file);
    ASSERT_EQ(pieces.size(), 3U);
    EXPECT_EQ(pieces[1].text, "");
    EXPECT_EQ(pieces[2].span.line, 3U);

    // A text of exactly the limit leaves its newline behind: one more, empty, line.
    pieces = split_pieces(sources, sources.add("g", full + "\nnext\n"));
    ASSERT_EQ(pieces.size(), 3U);
    EXPECT_EQ(pieces[0].text, full);
    EXPECT_EQ(pieces[1].text, "");
    EXPECT_EQ(pieces[2].text, "next");

    pieces = split_pieces(sources, sources.add("h", "#" + full + " -w /x\n-D\n"));
    ASSERT_EQ(pieces.size(), 3U);
    EXPECT_EQ(pieces[1].text, "x -w /x");
    EXPECT_EQ(pieces[1].span, (Span{FileId{2}, 1, 6144, 7}));
    EXPECT_EQ(pieces[2].span.line, 2U);
    EXPECT_TRUE(split_pieces(sources, sources.add("i", "")).empty());
}

TEST(Tokens, OnlySpacesSeparate) {
    EXPECT_EQ(words("  -w   /x\t-p wa  "), (Words{"-w", "/x\t-p", "wa"}));
    EXPECT_EQ(words("-b 8192\r"), (Words{"-b", "8192\r"}));
    EXPECT_EQ(tokenize("   ", Span{}, TokenLimit::none).kind, TokenLine::Kind::blank);
    EXPECT_EQ(tokenize("  # -w /x", Span{}, TokenLimit::none).kind, TokenLine::Kind::comment);
    EXPECT_EQ(words("\\# x"), (Words{"\\#", "x"}));
    EXPECT_EQ(words("-w /z#z #no"), (Words{"-w", "/z#z", "#no"}));
}

TEST(Tokens, Escapes) {
    EXPECT_EQ(words("-w /a\\ b"), (Words{"-w", "/a b"}));
    EXPECT_EQ(words("-w /a\\\\b"), (Words{"-w", "/a\\b"}));
    EXPECT_EQ(words("-w /a\\nb\\"), (Words{"-w", "/a\\nb\\"}));
    EXPECT_EQ(words("-w /a\\\\\\ b"), (Words{"-w", "/a\\ b"}));
    EXPECT_EQ(words("-w/a\\ b"), (Words{"-w/a\x07\x07"
                                        "b"}));
    EXPECT_EQ(words("-w /a\x07"
                    "bc"),
              (Words{"-w", "/a c"}));
    EXPECT_TRUE(tokenize("-w /a\x07", Span{}, TokenLimit::none).tokens[1].control_byte_at_end);
    EXPECT_FALSE(tokenize("-w /a\\ ", Span{}, TokenLimit::none).tokens[1].control_byte_at_end);
}

TEST(Tokens, NulEndsTheLine) {
    const TokenLine line = tokenize(std::string_view("-w /x\0foo -p wa", 15), Span{}, TokenLimit::none);
    EXPECT_TRUE(line.cut_by_nul);
    ASSERT_EQ(line.tokens.size(), 2U);
    EXPECT_EQ(line.tokens[1].text, "/x");
}

TEST(Tokens, SpansCountBytesAndEscapes) {
    const TokenLine line = tokenize(" -w /a\\ b -p r", Span{FileId{3}, 9, 100, 14}, TokenLimit::none);
    ASSERT_EQ(line.tokens.size(), 4U);
    EXPECT_EQ(line.tokens[0].span, (Span{FileId{3}, 9, 101, 2}));
    EXPECT_EQ(line.tokens[1].span, (Span{FileId{3}, 9, 104, 5}));
}

TEST(Tokens, TheLimitDropsTheRest) {
    EXPECT_EQ(words("-w / -p r -k a").size(), 5U);
    EXPECT_EQ(words("-w / -p r -k a", TokenLimit::none).size(), 6U);
    EXPECT_EQ(words("-w / -p r -k a -k b -k c -k d").size(), 10U);
    EXPECT_EQ(tokenize("-w / -p r -k a", Span{}, TokenLimit::third_of_length).dropped.size(), 1U);
}

const OptionTable table{"ic",
                        "wk",
                        {{"loginuid-immutable", 256, false},
                         {"backlog_wait_time", 257, true},
                         {"reset-lost", 258, false},
                         {"reset_backlog", 259, false}}};

struct Scan {
    std::vector<Token> tokens;
    std::vector<ScannedOption> options;
    std::size_t index;
    std::vector<std::string> left;

    explicit Scan(std::string_view text, std::size_t stop_after = 100)
        : tokens(tokenize(text, Span{FileId{}, 1, 1, 0}, TokenLimit::none).tokens) {
        OptionScanner scanner(tokens, table);
        while (options.size() < stop_after) {
            const auto option = scanner.next();
            if (!option) break;
            options.push_back(*option);
        }
        index = scanner.index();
        for (std::size_t i = index; i < scanner.count(); ++i) left.push_back(scanner.at(i)->text);
    }
};

TEST(Options, GluedSeparateAndClustered) {
    const Scan scan("-w/etc -ik k");
    ASSERT_EQ(scan.options.size(), 3U);
    EXPECT_EQ(scan.options[0].argument, "/etc");
    EXPECT_EQ(scan.options[0].argument_span, (Span{FileId{}, 1, 3, 4}));
    EXPECT_EQ(scan.options[1].code, 'i');
    EXPECT_EQ(scan.options[2].argument, "k");
    EXPECT_TRUE(scan.left.empty());
}

TEST(Options, ArgumentsMayLookLikeOptions) {
    const Scan scan("-k -w");
    ASSERT_EQ(scan.options.size(), 1U);
    EXPECT_EQ(scan.options[0].argument, "-w");
}

TEST(Options, WordsArePermutedToTheEnd) {
    const Scan scan("foo -w /x bar -i - baz");
    ASSERT_EQ(scan.options.size(), 2U);
    EXPECT_EQ(scan.left, (Words{"foo", "bar", "-", "baz"}));
    EXPECT_EQ(Scan("-i -- -w /x").left, (Words{"-w", "/x"}));
}

TEST(Options, TheIndexWhereScanningStops) {
    EXPECT_EQ(Scan("-ic", 1).index, 1U);     // in the middle of the first cluster
    EXPECT_EQ(Scan("foo -i", 1).index, 3U);  // not permuted yet
    EXPECT_EQ(Scan("foo").index, 1U);
}

TEST(Options, LongNames) {
    using Status = ScannedOption::Status;
    EXPECT_EQ(Scan("--backlog 5").options[0].argument, "5");
    EXPECT_EQ(Scan("--backlog_wait_time=7").options[0].argument, "7");
    EXPECT_EQ(Scan("--reset-l").options[0].code, 258);
    EXPECT_EQ(Scan("--reset").options[0].status, Status::ambiguous);
    EXPECT_EQ(Scan("--backlog-wait 5").options[0].status, Status::unknown);
    EXPECT_EQ(Scan("--reset-lost=3").options[0].status, Status::unexpected_argument);
    EXPECT_EQ(Scan("--backlog").options[0].status, Status::missing_argument);
    EXPECT_EQ(Scan("-w").options[0].status, Status::missing_argument);
    EXPECT_EQ(Scan("-z").options[0].status, Status::unknown);
}

}  // namespace
}  // namespace auopt
