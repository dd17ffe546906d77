// kernel_model::evaluate and WatchTable against the walk simulator, over every call of every situation of the small worlds:
// two readings of the same kernel functions, neither of which knows the other.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/simulator/as_event.hpp"
#include "tests/simulator/compare.hpp"
#include "tests/simulator/small_files.hpp"

namespace auopt {
namespace {

using namespace simulator;

class Comparison {
public:
    Comparison(const SmallFile& file, World& world)
        : file_(file), world_(world), state_(state_of(file)), files_(std::make_shared<const Files*>()) {}

    /// Empty, or the sequence of calls behind which the two disagree.
    std::string run(unsigned depth) {
        const auto rules = RuleFile::read(file_.messages(), kernel_);
        if (!rules) return rules.error();
        const Files& files = world_.files(0);
        *files_ = &files;
        const Audit audit(*rules, files);
        if (audit.stopped()) return "";  // KernelState does not say which rules were loaded
        for (const KernelRule& r : state_.filter)
            if (const FieldTest* dir = find_test(r, Field::dir))
                if (const auto root = files.find(dir->text)) trees_[dir->text] = *root;
        return walk(0, audit, WatchTable(state_, places_in(files_)), depth);
    }
    std::uint64_t calls = 0;

private:
    std::string walk(std::size_t situation, const Audit& audit, const WatchTable& table, unsigned depth) {
        for (const Done& done : world_.operations(situation)) {
            ++calls;
            Audit a = audit;
            WatchTable t = table;
            const Files& after = world_.files(done.next);
            *files_ = &after;
            const simulator::Outcome simulated = a.run(done.call, after);
            const AsEvent as = as_event(done.call, trees_);
            const Decision evaluated = evaluate(state_, kernel_, as.event, t, as.changes).decision;
            // The key that a never rule left behind is in no record.
            const Decision expected = as_decision(simulated);
            const bool same = expected.outcome == evaluated.outcome &&
                              (expected.outcome != auopt::Outcome::always || expected.key == evaluated.key);
            if (!same)
                return done.call.words + "\nsimulator: " + to_string(expected) + ", evaluate: " + to_string(evaluated) +
                       "\n";
            if (depth == 1 || done.next == situation) continue;
            if (const std::string wrong = walk(done.next, a, t, depth - 1); !wrong.empty())
                return done.call.words + "\n" + wrong;
        }
        return "";
    }

    const SmallFile& file_;
    World& world_;
    const KernelTables& kernel_ = *find_kernel("linux-6.12");
    KernelState state_;
    std::shared_ptr<const Files*> files_;
    std::map<std::string, Ino> trees_;
};

std::vector<World> all_worlds() {
    std::vector<World> worlds = whole_worlds();
    for (World& w : worlds_with_missing_names()) worlds.push_back(std::move(w));
    return worlds;
}

void agree(const SmallFile& file, std::vector<World>& worlds, unsigned depth, std::uint64_t& calls) {
    for (World& world : worlds) {
        Comparison comparison(file, world);
        const std::string wrong = comparison.run(depth);
        EXPECT_EQ(wrong, "") << file.text() << world.words();
        calls += comparison.calls;
    }
}

TEST(EvaluateInSmallWorlds, agrees_on_all_files_of_up_to_two_rules) {
    std::vector<World> worlds = all_worlds();
    std::uint64_t calls = 0;
    for (const KernelRule& first : rule_alphabet()) {
        agree({{first}, true, std::nullopt}, worlds, 2, calls);
        for (const KernelRule& second : rule_alphabet())
            if (!first.same_as(second)) agree({{first, second}, true, std::nullopt}, worlds, 2, calls);
        if (HasFailure()) break;
    }
    std::cout << calls << " calls judged alike\n";
    EXPECT_GT(calls, 100000U);
}

TEST(EvaluateInSmallWorlds, agrees_on_random_files) {
    std::vector<World> worlds = all_worlds();
    Dice dice(20261201);
    std::uint64_t calls = 0;
    for (unsigned i = 0; i < 400 && !HasFailure(); ++i) {
        SmallFile file = random_file(dice, 6);
        file.equivalent.reset();  // -q tags further inodes, which an Event's dirs would have to know
        agree(file, worlds, i % 40 == 0 ? 3 : 2, calls);
    }
    std::cout << calls << " calls judged alike\n";
    EXPECT_GT(calls, 100000U);
}

}  // namespace
}  // namespace auopt
