// A mutator that knows the rule language: it works on lines, words, options and values, so that most of what it makes
// gets past the option scanner and into the value grammars. The same seed gives the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace auopt::fuzz {

/// `text` with one to four changes, cut to `max_size` bytes.
std::string mutated_rules(std::string_view text, std::size_t max_size, std::uint32_t seed);

/// Lines of both, in the order they had, cut to `max_size` bytes.
std::string crossed_rules(std::string_view left, std::string_view right, std::size_t max_size, std::uint32_t seed);

}  // namespace auopt::fuzz
