// Looks for wrong answers of verify and optimize with the walk simulator (tests/simulator/README.md).
//
//   adversary seconds N [SEED]   random files through optimize, and pairs of mutated files through verify, for N seconds
//   adversary rounds N [SEED]    the same for N files and pairs, always alike for a seed
//   adversary pairs N [SEED]     N mutated pairs through verify, however long that takes
//   adversary small PART OF      all files of up to three rules of the alphabet with their edits; PART of OF of them
//
// Prints the seed, what was looked at, and every finding with what is needed to repeat it. Exit 1: there were findings.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "tests/adversary/judge.hpp"

namespace {

using namespace auopt;
using namespace auopt::adversary;
using namespace auopt::simulator;

constexpr unsigned most_shown = 20;

class Run {
public:
    Judge judge;

    void report(const std::string& finding, std::uint64_t seed) {
        if (finding.empty() || judge.score.findings > most_shown) return;
        std::cout << "FINDING " << judge.score.findings << " (seed " << seed << "): " << finding << std::endl;
    }
    int finish() const {
        std::cout << to_string(judge.score);
        return judge.score.findings == 0 ? 0 : 1;
    }

    // Each round has a seed of its own, so that a finding can be repeated without those before it.
    void optimize_one(std::uint64_t seed) {
        Dice dice(seed);
        const SmallFile file = random_file(dice, dice.one_in(4) ? 10 : 5);
        report(judge.optimized(file, depth(dice)), seed);
    }
    void mutate_one(std::uint64_t seed, bool ask_always) {
        Dice dice(seed);
        const SmallFile before = random_file(dice, 5);
        SmallFile after = before;
        for (unsigned i = 0, n = 1 + dice.below(2); i < n; ++i) edit(after, dice);
        report(judge.pair(before, after, depth(dice), ask_always), seed);
    }

private:
    static unsigned depth(Dice& dice) { return dice.one_in(16) ? 3 : 2; }
};

/// One file in three rounds; of some pairs that are not Proven it is also asked whether they are alike.
void round(Run& run, std::uint64_t seed, std::uint64_t number) {
    const std::uint64_t own = seed * 1'000'000 + number;
    if (number % 3 == 2)
        run.optimize_one(own);
    else
        run.mutate_one(own, number % 8 == 0);
}

int for_seconds(double seconds, std::uint64_t seed) {
    std::cout << "seed " << seed << std::endl;
    Run run;
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t n = 0; std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds;
         ++n)
        round(run, seed, n);
    return run.finish();
}

int for_rounds(std::uint64_t rounds, std::uint64_t seed) {
    std::cout << "seed " << seed << std::endl;
    Run run;
    for (std::uint64_t n = 0; n < rounds; ++n) round(run, seed, n);
    return run.finish();
}

int for_pairs(std::uint64_t pairs, std::uint64_t seed) {
    std::cout << "seed " << seed << std::endl;
    Run run;
    for (std::uint64_t n = 0; n < pairs; ++n) run.mutate_one(seed * 1'000'000 + n, n % 8 == 0);
    const int status = run.finish();
    std::cout << run.judge.score.pairs << " mutated pairs with " << run.judge.score.findings
              << " false Proven by the walk simulator\n";
    return status;
}

// In the manner of RE2's exhaustive tests. One and two rules are always all there; of three, one part of `parts`.
int for_small_files(std::uint64_t part, std::uint64_t parts) {
    Run run;
    std::uint64_t number = 0;
    const auto check = [&](std::vector<KernelRule> rules) {
        for (std::size_t i = 0; i < rules.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (rules[i].same_as(rules[j])) return;
        ++number;
        if (rules.size() == 3 && number % parts != part) return;
        const SmallFile file{std::move(rules), number % 2 == 0, std::nullopt};
        for (const SmallFile& edited : simple_edits(file)) run.report(run.judge.pair(file, edited, 2, true), number);
        run.report(run.judge.optimized(file, 2), number);
    };
    const std::vector<KernelRule>& alphabet = rule_alphabet();
    for (const KernelRule& a : alphabet) {
        check({a});
        for (const KernelRule& b : alphabet) {
            check({a, b});
            for (const KernelRule& c : alphabet) check({a, b, c});
        }
    }
    return run.finish();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    const auto number = [&](int at, std::uint64_t otherwise) {
        return at < argc ? std::strtoull(argv[at], nullptr, 10) : otherwise;
    };
    const std::uint64_t first = number(2, 0);
    const auto fresh = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count() / 1000);
    if (mode == "seconds" && first > 0) return for_seconds(static_cast<double>(first), number(3, fresh % 1'000'000));
    if (mode == "rounds" && first > 0) return for_rounds(first, number(3, fresh % 1'000'000));
    if (mode == "pairs" && first > 0) return for_pairs(first, number(3, fresh % 1'000'000));
    if (mode == "small" && number(3, 0) > first) return for_small_files(first, number(3, 0));
    std::cerr << "usage: adversary seconds N [SEED] | rounds N [SEED] | pairs N [SEED] | small PART OF\n";
    return 2;
}
