// What a fuzz target says when an invariant does not hold: it ends the process, so that libFuzzer keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace auopt::fuzz {

inline void check(bool holds, std::string_view invariant, std::string_view detail = {}) {
    if (holds) return;
    fmt::print(stderr, "does not hold: {}\n{}\n", invariant, detail);
    std::abort();
}

}  // namespace auopt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
