#include "report/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace auopt {
namespace {

struct Decoded {
    char32_t code = 0;
    std::size_t length = 0;  // 0: not valid UTF-8
};

Decoded decode_utf8(std::string_view bytes) {
    const auto b0 = static_cast<unsigned char>(bytes[0]);
    std::size_t length = 0;
    char32_t code = 0;
    if (b0 >= 0xC2 && b0 <= 0xDF) {
        length = 2;
        code = b0 & 0x1FU;
    } else if (b0 >= 0xE0 && b0 <= 0xEF) {
        length = 3;
        code = b0 & 0x0FU;
    } else if (b0 >= 0xF0 && b0 <= 0xF4) {
        length = 4;
        code = b0 & 0x07U;
    }
    if (length == 0 || bytes.size() < length) return {};
    for (std::size_t i = 1; i < length; ++i) {
        const auto b = static_cast<unsigned char>(bytes[i]);
        if ((b & 0xC0U) != 0x80U) return {};
        code = (code << 6U) | (b & 0x3FU);
    }
    constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
    if (code < smallest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
    return {code, length};
}

struct Range {
    char32_t first, last;
};

template <std::size_t N>
bool in_ranges(char32_t code, const std::array<Range, N>& ranges) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [code](const Range& r) { return code >= r.first && code <= r.last; });
}

// Characters that a terminal does not show, or that change how their neighbours are shown: a rules file
// must not be able to hide a rule from the person who reads the diagnostic.
constexpr std::array<Range, 11> invisible{{{0x80, 0xA0},
                                           {0xAD, 0xAD},
                                           {0x300, 0x36F},
                                           {0x61C, 0x61C},
                                           {0x180B, 0x180E},
                                           {0x2000, 0x200F},
                                           {0x2028, 0x202F},
                                           {0x205F, 0x206F},
                                           {0xFE00, 0xFE0F},
                                           {0xFEFF, 0xFEFF},
                                           {0xE0000, 0x10FFFF}}};
constexpr std::array<Range, 7> wide{{{0x1100, 0x115F},
                                     {0x2E80, 0xA4CF},
                                     {0xAC00, 0xD7A3},
                                     {0xF900, 0xFAFF},
                                     {0xFE30, 0xFE6F},
                                     {0xFF00, 0xFF60},
                                     {0x1F300, 0x1FAFF}}};

/// The display form of the first character of `bytes`; sets how many bytes it takes and its width.
std::string display(std::string_view bytes, std::size_t& length, std::size_t& width) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    length = 1;
    std::string out;
    if (byte == '\t')
        out = "\\t";
    else if (byte == '\r')
        out = "\\r";
    else if (byte == '\n')
        out = "\\n";
    else if (byte == 0)
        out = "\\0";
    else if (byte >= 0x20 && byte < 0x7F)
        out.assign(1, bytes[0]);
    else if (byte < 0x80)
        out = fmt::format("\\x{:02x}", byte);
    else {
        const Decoded decoded = decode_utf8(bytes);
        if (decoded.length == 0)
            out = fmt::format("\\x{:02x}", byte);
        else {
            length = decoded.length;
            if (in_ranges(decoded.code, invisible)) {
                out = fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(decoded.code));
            } else {
                width = in_ranges(decoded.code, wide) ? 2 : 1;
                return std::string(bytes.substr(0, length));
            }
        }
    }
    width = out.size();
    return out;
}

}  // namespace

Printable to_printable(std::string_view bytes) {
    Printable result;
    result.column_of.reserve(bytes.size() + 1);
    std::size_t column = 0;
    for (std::size_t i = 0; i < bytes.size();) {
        std::size_t length = 1, width = 1;
        result.text += display(bytes.substr(i), length, width);
        for (std::size_t k = 0; k < length; ++k) result.column_of.push_back(column);
        column += width;
        i += length;
    }
    result.column_of.push_back(column);
    return result;
}

bool is_utf8(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto first = static_cast<unsigned char>(bytes[0]);
        const std::size_t length = first < 0x80 ? 1 : decode_utf8(bytes).length;
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

std::string printable_text(std::string_view bytes) { return to_printable(bytes).text; }

std::string terminal_text(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\n\t", at), text.size());
        out += printable_text(text.substr(at, end - at));
        if (end < text.size()) out += text[end];
        at = end + 1;
    }
    return out;
}

Excerpt excerpt_line(std::string_view bytes, std::size_t from, std::size_t to, std::size_t width) {
    from = std::min(from, bytes.size());
    to = std::clamp(to, from, bytes.size());
    // A window in bytes first: no character is shown in fewer columns than a quarter of its bytes, so
    // width*4 bytes on either side are always enough and a line of a megabyte costs nothing.
    const std::size_t reach = width * 4;
    std::size_t begin = from > reach ? from - reach : 0;
    while (begin > 0 && (static_cast<unsigned char>(bytes[begin]) & 0xC0U) == 0x80U) --begin;
    const std::size_t end = std::min(bytes.size(), from + reach);
    const Printable shown = to_printable(bytes.substr(begin, end - begin));
    const std::size_t total = shown.column_of.back();
    const std::size_t mark = shown.column_of[from - begin];
    const std::size_t mark_end = shown.column_of[std::min(to, end) - begin];

    const bool whole = begin == 0 && end == bytes.size() && total <= width;
    std::size_t first_column = 0, last_column = total;
    if (!whole) {
        const std::size_t lead = width / 3;
        first_column = mark > lead ? mark - lead : 0;
        if (total - first_column < width && total > width) first_column = total - width;
        last_column = std::min(total, first_column + width);
    }
    // Back from columns to characters.
    Excerpt result;
    const bool cut_left = begin > 0 || first_column > 0;
    const bool cut_right = end < bytes.size() || last_column < total;
    if (cut_left) result.text = "...";
    const std::size_t shift = result.text.size();
    std::size_t start_column = first_column;
    bool started = false;
    for (std::size_t i = 0; i + begin < end;) {
        std::size_t length = 1, char_width = 1;
        const std::string piece = display(bytes.substr(begin + i, end - begin - i), length, char_width);
        const std::size_t column = shown.column_of[i];
        if (column >= first_column && column + char_width <= last_column) {
            if (!started) {
                start_column = column;
                started = true;
            }
            result.text += piece;
        }
        i += length;
    }
    if (cut_right) result.text += "...";
    result.mark_column = (mark > start_column ? mark - start_column : 0) + shift;
    const std::size_t visible_end = std::min(mark_end, last_column);
    result.mark_width = visible_end > mark ? visible_end - mark : 1;
    return result;
}

}  // namespace auopt
