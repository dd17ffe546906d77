#include "grammar/values.hpp"

#include <array>
#include <limits>

#include <boost/fusion/include/std_pair.hpp>
#include <boost/spirit/home/x3.hpp>

namespace auopt {

namespace {

namespace x3 = boost::spirit::x3;

using Iterator = std::string_view::const_iterator;
using Range = boost::iterator_range<Iterator>;

Word word_at(std::string_view text, const Range& range) {
    return Word{static_cast<std::size_t>(range.begin() - text.begin()), std::string(range.begin(), range.end())};
}

constexpr auto not_comma = x3::char_ - ',';
const auto pair_side = x3::raw[*not_comma];
const auto list_item = x3::raw[+not_comma];

struct PermissionLetters : x3::symbols<std::uint32_t> {
    // Both cases are listed: no_case looks bytes above 127 up outside its table.
    PermissionLetters() { add("x", 1)("X", 1)("w", 2)("W", 2)("r", 4)("R", 4)("a", 8)("A", 8); }
};

constexpr std::array<std::string_view, 8> operator_texts{"!=", ">=", "<=", "&=", "=", ">", "<", "&"};

/// The operator search is not left to right, so it picks the place first and the grammar then takes the sides.
std::optional<FieldText> split_at_first_kind(std::string_view text, const std::vector<OperatorToken>& kinds) {
    for (const OperatorToken op : kinds) {
        const std::string_view symbol = operator_text(op);
        const std::size_t at = text.find(symbol);
        if (at == std::string_view::npos) continue;
        const std::size_t value_at = at + symbol.size();
        return FieldText{Word{0, std::string(text.substr(0, at))}, op, at,
                         Word{value_at, std::string(text.substr(value_at))}};
    }
    return std::nullopt;
}

}  // namespace

std::optional<WordPair> parse_pair(std::string_view text) {
    Range first, second;
    auto at = text.begin();
    if (!x3::parse(at, text.end(), pair_side, first)) return std::nullopt;
    if (!x3::parse(at, text.end(), ',' >> pair_side >> x3::eoi, second)) return std::nullopt;
    return WordPair{word_at(text, first), word_at(text, second)};
}

WordList parse_list(std::string_view text) {
    WordList list;
    const auto add = [&](auto& context) { list.items.push_back(word_at(text, x3::_attr(context))); };
    const auto comma = [&](auto&) { list.has_comma = true; };
    auto at = text.begin();
    x3::parse(at, text.end(), *(list_item[add] | x3::lit(',')[comma]));
    return list;
}

std::string_view operator_text(OperatorToken op) { return operator_texts[static_cast<std::size_t>(op)]; }

std::optional<FieldText> split_field(std::string_view text) {
    using O = OperatorToken;
    static const std::vector<O> kinds = {O::not_equal, O::greater_equal, O::less_equal, O::bit_test,
                                         O::equal,     O::greater,       O::less,       O::bit_mask};
    return split_at_first_kind(text, kinds);
}

std::optional<FieldText> split_comparison(std::string_view text) {
    static const std::vector<OperatorToken> kinds = {OperatorToken::not_equal, OperatorToken::equal};
    return split_at_first_kind(text, kinds);
}

Permissions parse_permissions(std::string_view text) {
    static const PermissionLetters letters;
    constexpr std::size_t longest = 4;
    if (text.size() > longest) return {std::nullopt, longest};
    std::uint32_t bits = 0;
    const auto add = [&](auto& context) { bits |= x3::_attr(context); };
    auto at = text.begin();
    x3::parse(at, text.end(), *letters[add]);
    if (at != text.end()) return {std::nullopt, static_cast<std::size_t>(at - text.begin())};
    return {bits, 0};
}

CNumber parse_c_number(std::string_view text, bool binary_prefix) {
    CNumber number;
    unsigned base = 10;
    Range digits;
    const auto set_negative = [&](auto&) { number.negative = true; };
    const auto set_hex = [&](auto&) { base = 16; };
    const auto set_octal = [&](auto&) { base = 8; };

    auto at = text.begin();
    // strtol skips what isspace() accepts in the C locale.
    x3::parse(at, text.end(), *x3::char_(" \t\n\v\f\r") >> -(x3::lit('-')[set_negative] | x3::lit('+')));
    const auto digit = x3::char_('0', '9');
    const auto hex_digit = x3::char_("0-9a-fA-F");
    const auto hex_prefix = x3::lit('0') >> x3::char_("xX") >> &hex_digit;
    const auto set_binary = [&](auto&) { base = 2; };
    const auto bit = x3::char_('0', '1');
    const auto binary = x3::lit('0') >> x3::char_("bB") >> &bit;
    const bool found =
        x3::parse(at, text.end(), x3::omit[hex_prefix[set_hex]] >> x3::raw[+hex_digit], digits) ||
        (binary_prefix && x3::parse(at, text.end(), x3::omit[binary[set_binary]] >> x3::raw[+bit], digits)) ||
        x3::parse(at, text.end(), &x3::lit('0')[set_octal] >> x3::raw[+x3::char_('0', '7')], digits) ||
        x3::parse(at, text.end(), x3::raw[+digit], digits);
    if (!found) {
        number.negative = false;
        return number;
    }
    number.any_digits = true;
    number.length = static_cast<std::size_t>(at - text.begin());
    for (const char c : digits) {
        const unsigned value = c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
        if (number.magnitude > (std::numeric_limits<std::uint64_t>::max() - value) / base) number.overflow = true;
        number.magnitude =
            number.overflow ? std::numeric_limits<std::uint64_t>::max() : number.magnitude * base + value;
    }
    return number;
}

std::int64_t CNumber::as_signed() const {
    constexpr auto top = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (negative) {
        if (overflow || magnitude > top) return std::numeric_limits<std::int64_t>::min();
        return -static_cast<std::int64_t>(magnitude);
    }
    return overflow || magnitude > top ? std::numeric_limits<std::int64_t>::max()
                                       : static_cast<std::int64_t>(magnitude);
}

std::uint64_t CNumber::as_unsigned() const {
    if (overflow) return std::numeric_limits<std::uint64_t>::max();
    return negative ? ~magnitude + 1 : magnitude;
}

bool starts_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

bool starts_with_minus_digit(std::string_view text) {
    return text.size() >= 2 && text[0] == '-' && starts_with_digit(text.substr(1));
}

}  // namespace auopt
