#include "lint/places.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "tables/names.hpp"

namespace auopt {
namespace {

/// Argument words of option `-X`, glued or separate.
std::vector<LineWord> arguments_of(const std::vector<LineWord>& words, char option) {
    std::vector<LineWord> result;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& text = words[i].text;
        if (text.size() < 2 || text[0] != '-' || text[1] != option) continue;
        if (text.size() == 2) {
            if (i + 1 < words.size()) result.push_back(words[++i]);
            continue;
        }
        LineWord word = words[i];
        word.text.erase(0, 2);
        word.span.column += 2;
        word.span.length -= 2;
        result.push_back(std::move(word));
    }
    return result;
}

std::optional<LineWord> field_word(const Sources& sources, const KernelRule& rule,
                                   const std::vector<std::string_view>& names, std::size_t n) {
    for (const LineWord& word : arguments_of(words_of(sources, rule), 'F')) {
        const std::string name = ascii_lower(word.text.substr(0, word.text.find_first_of("!<>&=")));
        if (std::find(names.begin(), names.end(), name) == names.end()) continue;
        if (n == 0) return word;
        --n;
    }
    return std::nullopt;
}

}  // namespace

Span line_of(const KernelRule& rule) { return rule.sources.empty() ? Span{} : rule.sources.front(); }

std::vector<LineWord> words_of(const Sources& sources, const KernelRule& rule) {
    std::vector<LineWord> words;
    if (rule.sources.empty()) return words;
    const Span& at = rule.sources.front();
    const std::string_view line = sources.line(at.file, at.line);
    for (std::size_t i = 0; i < line.size();) {
        if (line[i] == ' ') {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < line.size() && line[end] != ' ') ++end;
        words.push_back({Span{at.file, at.line, static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(end - i)},
                         std::string(line.substr(i, end - i))});
        i = end;
    }
    return words;
}

Span field_place(const Sources& sources, const KernelRule& rule, const std::vector<std::string_view>& names,
                 std::size_t n) {
    const auto word = field_word(sources, rule, names, n);
    return word ? word->span : line_of(rule);
}

std::string field_text(const Sources& sources, const KernelRule& rule, const std::vector<std::string_view>& names,
                       std::size_t n) {
    const auto word = field_word(sources, rule, names, n);
    return word ? word->text : std::string();
}

std::vector<LineWord> syscall_words(const Sources& sources, const KernelRule& rule) {
    return arguments_of(words_of(sources, rule), 'S');
}

std::string place_text(const Sources& sources, const Span& span) {
    return fmt::format("{}:{}", sources.name(span.file), span.line);
}

}  // namespace auopt
