// Pieces and tokens of any bytes: nothing is lost between pieces, and every token lies in its line.
#include "grammar/tokenizer.hpp"

#include "fuzz/check.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace auopt;
    using fuzz::check;
    const std::string text(data, data + size);
    Sources sources;
    const FileId file = sources.add("f", text);
    std::size_t bytes = 0;
    for (const Piece& piece : split_pieces(sources, file)) {
        check(piece.text.size() <= max_line_bytes, "a piece fits into auditctl's buffer");
        check(piece.text.find('\n') == std::string::npos, "a piece has no newline");
        const std::string_view line = sources.line(file, piece.span.line);
        check(piece.span.column >= 1 && line.substr(piece.span.column - 1, piece.span.length) == piece.text,
              "a piece is where its span says", piece.text);
        bytes += piece.text.size();
        for (const TokenLimit limit : {TokenLimit::third_of_length, TokenLimit::none}) {
            const TokenLine tokens = tokenize(piece.text, piece.span, limit);
            check(limit != TokenLimit::none || tokens.dropped.empty(), "no limit, nothing dropped");
            check(tokens.kind == TokenLine::Kind::tokens || tokens.tokens.empty(), "only token lines have tokens");
            std::uint32_t last = piece.span.column;
            for (const Token& token : tokens.tokens) {
                check(token.span.line == piece.span.line && token.span.column >= last &&
                          token.span.column + token.span.length <= piece.span.column + piece.span.length,
                      "tokens lie in their piece, in order", piece.text);
                last = token.span.column + token.span.length;
                check(token.text.size() <= token.span.length, "reading escapes never makes a token longer", piece.text);
                check(token.text.find('\0') == std::string::npos, "a token has no NUL");
            }
        }
    }
    std::size_t newlines = 0;
    for (const char c : text) newlines += c == '\n' ? 1 : 0;
    check(bytes + newlines == text.size(), "the pieces are all of the text");
    return 0;
}
