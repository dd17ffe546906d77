// libFuzzer's hooks for targets whose input is a byte of choices and a rules file: the mutator that knows the rule
// language four times out of five, libFuzzer's own otherwise.
#include <algorithm>
#include <cstring>

#include "fuzz/check.hpp"
#include "fuzz/mutate_rules.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* left, std::size_t left_size,
                                                 const std::uint8_t* right, std::size_t right_size, std::uint8_t* out,
                                                 std::size_t max_size, unsigned int seed);

namespace {

std::string_view rules_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data) + 1, size - 1};
}

std::size_t put(std::uint8_t* out, std::uint8_t choice, const std::string& text) {
    out[0] = choice;
    if (!text.empty()) std::memcpy(out + 1, text.data(), text.size());
    return text.size() + 1;
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
    if (seed % 5 == 0 || size == 0 || max_size < 2) return LLVMFuzzerMutate(data, size, max_size);
    return put(data, data[0], auopt::fuzz::mutated_rules(rules_of(data, size), max_size - 1, seed));
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* left, std::size_t left_size, const std::uint8_t* right,
                                      std::size_t right_size, std::uint8_t* out, std::size_t max_size,
                                      unsigned int seed) {
    if (left_size == 0 || right_size == 0 || max_size < 2) return 0;
    const auto text =
        auopt::fuzz::crossed_rules(rules_of(left, left_size), rules_of(right, right_size), max_size - 1, seed);
    return put(out, left[0], text);
}
