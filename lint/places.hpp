// Where on its line a word of a rule stands, so that a caret points at the word and not at the rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir.hpp"
#include "grammar/source.hpp"

namespace auopt {

struct LineWord {
    Span span;
    std::string text;
};

/// Words of the rule's (first) source line as written, split at spaces.
std::vector<LineWord> words_of(const Sources& sources, const KernelRule& rule);

/// The whole line of the rule.
Span line_of(const KernelRule& rule);

/// The field test whose name is one of `names` (any case), without its -F; the `n`-th such. The whole line if absent.
Span field_place(const Sources& sources, const KernelRule& rule, const std::vector<std::string_view>& names,
                 std::size_t n = 0);

/// The text of that test; empty if absent.
std::string field_text(const Sources& sources, const KernelRule& rule, const std::vector<std::string_view>& names,
                       std::size_t n = 0);

/// The arguments of every -S on the line.
std::vector<LineWord> syscall_words(const Sources& sources, const KernelRule& rule);

/// "rules.d/20-local.rules:3"
std::string place_text(const Sources& sources, const Span& span);

}  // namespace auopt
