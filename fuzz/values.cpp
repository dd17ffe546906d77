// Every value grammar over any text: the words are where they are said to be, and numbers are what the C library reads.
#include "grammar/values.hpp"

#include <cerrno>

#include "fuzz/check.hpp"

namespace {

using namespace auopt;
using fuzz::check;

void check_word(std::string_view text, const Word& word) {
    check(word.offset <= text.size() && text.substr(word.offset, word.text.size()) == word.text,
          "a word is where its offset says", text);
}

void check_field(std::string_view text, const std::optional<FieldText>& field) {
    if (!field) return;
    check_word(text, field->name);
    check_word(text, field->value);
    const std::string_view op = operator_text(field->op);
    check(text.substr(field->op_offset, op.size()) == op, "the operator is where its offset says", text);
    check(field->name.text.size() + op.size() + field->value.text.size() == text.size(), "nothing is lost", text);
}

void check_number(const std::string& text) {
    const CNumber number = parse_c_number(text);
    char* end = nullptr;
    const long as_signed = std::strtol(text.c_str(), &end, 0);
    const auto read = static_cast<std::size_t>(end - text.c_str());
    check((read != 0) == number.any_digits, "digits as strtol", text);
    if (!number.any_digits) return;
    check(number.length == read, "as many bytes as strtol", text);
    check(number.as_signed() == as_signed, "the value of strtol", text);
    check(number.as_unsigned() == std::strtoul(text.c_str(), nullptr, 0), "the value of strtoul", text);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    if (const auto pair = parse_pair(text)) {
        check_word(text, pair->first);
        check_word(text, pair->second);
        check(pair->first.text.size() + 1 + pair->second.text.size() == text.size(), "one comma between", text);
    }
    const WordList list = parse_list(text);
    for (const Word& word : list.items) {
        check_word(text, word);
        check(!word.text.empty() && word.text.find(',') == std::string::npos, "items between commas", text);
    }
    check(list.has_comma == (text.find(',') != std::string::npos), "has_comma", text);
    check_field(text, split_field(text));
    check_field(text, split_comparison(text));
    const Permissions permissions = parse_permissions(text);
    check(permissions.bits ? *permissions.bits < 16 && text.size() <= 4 : permissions.bad_offset <= text.size(),
          "permission bits or the offending letter", text);
    check_number(text.substr(0, text.find('\0')));  // the scanner hands out no NUL
    check(!starts_with_digit(text) || (text[0] >= '0' && text[0] <= '9'), "starts_with_digit", text);
    check(!starts_with_minus_digit(text) || text[0] == '-', "starts_with_minus_digit", text);
    return 0;
}
