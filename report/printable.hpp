// Bytes of a hostile file as text that is safe and honest on a terminal: control bytes, broken UTF-8 and
// characters that reorder or hide text become visible escapes, and the display column of every byte is known.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace auopt {

struct Printable {
    std::string text;
    /// column_of[i]: display column (0-based) where byte i of the input starts; one more entry for the end.
    std::vector<std::size_t> column_of;
};

Printable to_printable(std::string_view bytes);

/// No byte of it is broken UTF-8.
bool is_utf8(std::string_view bytes);

/// Only the text of to_printable().
std::string printable_text(std::string_view bytes);

/// A text of many lines, for a terminal: newlines and tabs act, all else that would is shown.
std::string terminal_text(std::string_view text);

/// A stretch of a line for display: at most `width` columns, chosen around the bytes [from, to).
struct Excerpt {
    std::string text;
    std::size_t mark_column = 0;  // where `from` is shown
    std::size_t mark_width = 1;   // at least 1
};
Excerpt excerpt_line(std::string_view bytes, std::size_t from, std::size_t to, std::size_t width);

}  // namespace auopt
