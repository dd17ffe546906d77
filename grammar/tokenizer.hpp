// Bytes -> pieces -> tokens, as auditctl reads a rules file: fgets pieces of at most 6143 bytes, a NUL ends
// a piece, only 0x20 separates, and a backslash protects a space or a backslash.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grammar/source.hpp"

namespace auopt {

/// The longest text that auditctl takes as one line; a longer line goes on as a line of its own.
constexpr std::size_t max_line_bytes = 6143;

/// One line as auditctl counts lines: a physical line, or a stretch of at most max_line_bytes of one.
struct Piece {
    Span span;         // column of its first byte on the physical line
    std::string text;  // raw, without the newline (a NUL is still in it)
};

/// All pieces of a file, also those that are blank or comments.
std::vector<Piece> split_pieces(const Sources& sources, FileId file);
/// The same for a text that lies at (line, column 1..) of `file`, with one line per newline.
std::vector<Piece> split_pieces(std::string_view text, FileId file, std::uint32_t first_line);

struct Token {
    std::string text;  // what the option scanner gets
    Span span;         // the bytes it was written with
    /// A byte 0x07 or 0x04 stood in the text by itself and took the next byte with it.
    bool control_byte = false;
    /// Such a byte ends the token: auditctl reads on behind the end of the string, whatever lies there.
    bool control_byte_at_end = false;
    /// The first token keeps its escapes: it holds bytes 0x07 or 0x04 that were `\ ` or `\\`.
    bool escape_kept = false;
};

struct TokenLine {
    enum class Kind { blank, comment, tokens };
    Kind kind = Kind::blank;
    std::vector<Token> tokens;
    std::vector<Token> dropped;  // beyond the token limit: auditctl never sees them
    bool cut_by_nul = false;
};

/// Versions before 4.2 keep at most floor(length/3)+1 tokens of a line.
enum class TokenLimit { third_of_length, none };

TokenLine tokenize(std::string_view text, Span span, TokenLimit limit);

}  // namespace auopt
