// Small files of rules over few names, calls and tests, so that rules meet: all of them up to a size, random ones, and
// their edits. What rules name is what the worlds of world.hpp have.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir.hpp"
#include "kernel_model/state.hpp"

namespace auopt::simulator {

struct SmallFile {
    std::vector<KernelRule> rules;                                  // in the order of the lines
    bool errors_ignored = false;                                    // -c before them
    std::optional<std::pair<std::string, std::string>> equivalent;  // -q behind them

    std::vector<Message> messages() const;
    /// Lines that auditctl reads as these rules (-A too), for a report and for the way through text.
    std::string text() const;
};

/// What the kernel holds if nothing is missing, and where loading stops at a rule that is there already.
KernelState state_of(const SmallFile& file);
/// The file that adds what `state` holds, under the same -c and -q as `like`.
SmallFile file_of(const KernelState& state, const SmallFile& like);

class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}
    unsigned below(unsigned n) { return static_cast<unsigned>((engine_() >> 33) % n); }
    bool one_in(unsigned n) { return below(n) == 0; }
    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return from[below(static_cast<unsigned>(from.size()))];
    }

private:
    std::mt19937_64 engine_;
};

/// One of each kind: path=, dir= and exe= rules that can match and that cannot, plain ones, never and always, two keys.
const std::vector<KernelRule>& rule_alphabet();

SmallFile random_file(Dice& dice, unsigned most_rules);
/// One change such as people and optimizers make: rules dropped, moved, merged, split, weakened, spelled differently.
void edit(SmallFile& file, Dice& dice);
/// Every edit of a few kinds, for exhaustive testing.
std::vector<SmallFile> simple_edits(const SmallFile& file);

}  // namespace auopt::simulator
