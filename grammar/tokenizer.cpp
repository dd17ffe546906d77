#include "grammar/tokenizer.hpp"

namespace auopt {

namespace {

constexpr char mapped_space = 0x07;
constexpr char mapped_backslash = 0x04;

/// The escape pass over the whole line: both bytes of `\ ` and `\\` become marks. `marked` tells marks from
/// bytes of the same value that the author wrote.
std::string map_escapes(std::string_view text, std::vector<bool>& marked) {
    std::string out(text);
    marked.assign(out.size(), false);
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
        if (out[i] != '\\') continue;
        const char next = out[i + 1];
        if (next == ' ' || next == '\\') {
            const char mark = next == ' ' ? mapped_space : mapped_backslash;
            out[i] = out[i + 1] = mark;
            marked[i] = marked[i + 1] = true;
        }
        ++i;  // the escape is closed, whatever it was
    }
    return out;
}

/// Undoes the marks in one token; a mark takes the byte after it along, whatever that is.
void unmap(Token& token, std::string_view mapped, const std::vector<bool>& marked, std::size_t start) {
    for (std::size_t i = 0; i < mapped.size(); ++i) {
        const char c = mapped[i];
        if (c != mapped_space && c != mapped_backslash) {
            token.text += c;
            continue;
        }
        if (!marked[start + i]) token.control_byte = true;
        token.text += c == mapped_space ? ' ' : '\\';
        if (i + 1 == mapped.size()) token.control_byte_at_end = true;
        ++i;
    }
}

}  // namespace

std::vector<Piece> split_pieces(std::string_view text, FileId file, std::uint32_t first_line) {
    std::vector<Piece> pieces;
    std::uint32_t line = first_line;
    std::uint32_t column = 1;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t newline = text.find('\n', at);
        const std::size_t line_end = newline == std::string_view::npos ? text.size() : newline;
        // fgets takes the newline within its limit; a text of exactly the limit leaves it for the next read.
        const bool whole = line_end - at < max_line_bytes;
        const std::size_t length = whole ? line_end - at : max_line_bytes;
        pieces.push_back(
            {Span{file, line, column, static_cast<std::uint32_t>(length)}, std::string(text.substr(at, length))});
        at += length;
        column += static_cast<std::uint32_t>(length);
        if (whole && newline != std::string_view::npos) {
            ++at;
            ++line;
            column = 1;
        }
    }
    return pieces;
}

std::vector<Piece> split_pieces(const Sources& sources, FileId file) {
    return split_pieces(sources.text(file), file, 1);
}

TokenLine tokenize(std::string_view text, Span span, TokenLimit limit) {
    TokenLine line;
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
        line.cut_by_nul = true;
        text = text.substr(0, nul);
    }
    std::vector<bool> marked;
    const std::string mapped = map_escapes(text, marked);
    const std::size_t keep = limit == TokenLimit::none ? mapped.size() : mapped.size() / 3 + 1;

    std::size_t at = 0;
    while (at < mapped.size()) {
        if (mapped[at] == ' ') {
            ++at;
            continue;
        }
        std::size_t end = mapped.find(' ', at);
        if (end == std::string::npos) end = mapped.size();
        const std::string_view piece = std::string_view(mapped).substr(at, end - at);
        const bool first = line.tokens.empty();
        if (first && piece[0] == '#') {
            line.kind = TokenLine::Kind::comment;
            return line;
        }
        Token token;
        token.span = Span{span.file, span.line, span.column + static_cast<std::uint32_t>(at),
                          static_cast<std::uint32_t>(end - at)};
        if (first) {
            token.text = piece;
            for (std::size_t i = at; i < end; ++i) token.escape_kept = token.escape_kept || marked[i];
        } else {
            unmap(token, piece, marked, at);
        }
        (line.tokens.size() < keep ? line.tokens : line.dropped).push_back(std::move(token));
        at = end;
    }
    if (!line.tokens.empty()) line.kind = TokenLine::Kind::tokens;
    return line;
}

}  // namespace auopt
