// verify and optimize before the walk simulator: no pair that verify calls Proven may differ in any world.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulator/compare.hpp"
#include "tests/simulator/small_files.hpp"

namespace auopt::adversary {

struct Score {
    std::uint64_t sets = 0;       // given to optimize
    std::uint64_t optimized = 0;  // came out proven
    std::uint64_t unproven = 0;   // optimize wrote nothing: not like its input as far as verify can tell
    std::uint64_t left = 0;       // would not load, or outside the model
    std::uint64_t pairs = 0, proven = 0, refuted = 0, unknown = 0;
    // Of pairs that are not Proven, how many the simulator was asked about, and how many it finds no difference in (in its
    // worlds and at its depth): no more than that many are wrongly refused.
    std::uint64_t refuted_asked = 0, refuted_alike = 0, unknown_asked = 0, unknown_alike = 0;
    simulator::Tally tally;
    std::uint64_t findings = 0;
};
std::string to_string(const Score& score);

class Judge {
public:
    Judge();

    /// Verifies a pair. Result: empty, or a finding that can be repeated from what it says.
    /// `ask_always`: also about pairs that are not Proven.
    std::string pair(const simulator::SmallFile& before, const simulator::SmallFile& after, unsigned depth,
                     bool ask_always);
    /// Optimizes a file, through text and back, as `auopt optimize` does.
    std::string optimized(const simulator::SmallFile& before, unsigned depth);

    Score score;

private:
    std::optional<simulator::Difference> differ(const std::vector<Message>& before, const std::vector<Message>& after,
                                                unsigned depth);

    std::vector<simulator::World> whole_, missing_;
};

}  // namespace auopt::adversary
