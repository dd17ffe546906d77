// Are two files of rules the same in small worlds? Every sequence of up to `depth` operations is done with both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulator/audit.hpp"
#include "tests/simulator/world.hpp"

namespace auopt::simulator {

/// How much was looked at.
struct Tally {
    std::uint64_t worlds = 0, sequences = 0;
};

/// A sequence at whose end two files do different things.
struct Difference {
    std::string world;
    std::vector<std::string> sequence;
    std::string before, after;
    bool operator==(const Difference&) const = default;
};
std::string to_string(const Difference& difference);

/// Every call must have the same outcome. But where something is missing at which the loading of one of them stops, what a rule of `before` records must be recorded under the same key by `after`.
/// `foreign_records` false: without operations in which another subsystem logs, and never is taken for no match.
std::optional<Difference> find_difference(const RuleFile& before, const RuleFile& after, World& world, unsigned depth,
                                          Tally& tally, bool foreign_records = true);

}  // namespace auopt::simulator
