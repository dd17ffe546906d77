// The grammars of option values: list,action pairs, field tests, comparisons, system call lists, permission
// letters, numbers as strtol reads them. Text in, pieces with offsets out; no names are looked up here.
// (The parser engine stays behind this header: only values.cpp includes it.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auopt {

/// A stretch of the parsed text.
struct Word {
    std::size_t offset = 0;
    std::string text;
};

/// `word,word`: exactly one comma, either side may be empty.
struct WordPair {
    Word first, second;
};
std::optional<WordPair> parse_pair(std::string_view text);

/// Non-empty items of a comma list; `has_comma` tells a list from a single word.
struct WordList {
    bool has_comma = false;
    std::vector<Word> items;
};
WordList parse_list(std::string_view text);

/// Operators as they are written.
enum class OperatorToken : std::uint8_t {
    not_equal,
    greater_equal,
    less_equal,
    bit_test,
    equal,
    greater,
    less,
    bit_mask,
};
std::string_view operator_text(OperatorToken op);

/// `name op value`. The operator is the leftmost occurrence of the first kind, in the order != >= <= &= = > < &,
/// that occurs anywhere in the text: `path=/a!=b` has the name `path=/a`.
struct FieldText {
    Word name;
    OperatorToken op = OperatorToken::equal;
    std::size_t op_offset = 0;
    Word value;
};
std::optional<FieldText> split_field(std::string_view text);
/// -C: only != and =, in this order.
std::optional<FieldText> split_comparison(std::string_view text);

/// Permission letters r w x a, any case, at most four: their bits (x 1, w 2, r 4, a 8). Nothing and the offset of the
/// offending letter (or 4 when too long) otherwise.
struct Permissions {
    std::optional<std::uint32_t> bits;
    std::size_t bad_offset = 0;
};
Permissions parse_permissions(std::string_view text);

/// What strtol / strtoul with base 0 make of the beginning of a text; with `binary_prefix` as glibc has them from 2.38 on,
/// where 0b11 is 3.
struct CNumber {
    bool any_digits = false;
    bool negative = false;
    bool overflow = false;  // magnitude does not fit in 64 bits
    std::uint64_t magnitude = 0;
    std::size_t length = 0;  // bytes read; what follows is ignored by auditctl

    std::int64_t as_signed() const;     // strtol: saturated
    std::uint64_t as_unsigned() const;  // strtoul: saturated, negated for '-'
};
CNumber parse_c_number(std::string_view text, bool binary_prefix = false);

bool starts_with_digit(std::string_view text);
bool starts_with_minus_digit(std::string_view text);

}  // namespace auopt
