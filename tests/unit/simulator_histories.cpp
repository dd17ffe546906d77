// The truth tables of histories, on the walk simulator and on kernel_model::evaluate with its WatchTable.
#include <gtest/gtest.h>

#include "tests/simulator/as_event.hpp"
#include "tests/simulator/compare.hpp"
#include "tests/simulator/read_rules.hpp"
#include "tests/support/history_table.hpp"

namespace auopt {
namespace {

using namespace simulator;

KernelState loaded(const std::string& rules) {
    Diagnostics diagnostics;
    return load(messages_of(rules), {}, diagnostics).state;
}

std::string key_of(const std::optional<std::string>& key) { return " " + key.value_or("-"); }

std::string words(const simulator::Outcome& o) {
    switch (o.decision) {
        case simulator::Outcome::Decision::never:
            return "never";
        case simulator::Outcome::Decision::always:
            return "always" + key_of(o.key != nullptr ? std::optional(*o.key) : std::nullopt);
        case simulator::Outcome::Decision::none:
            break;
    }
    return o.recorded ? "recorded" : "none";
}

TEST(Histories, both_judges_decide_as_the_kernel_did) {
    std::vector<World> worlds = whole_worlds();
    std::size_t rows = 0;
    for (const test::History& history :
         test::read_histories(std::filesystem::path(AUOPT_SOURCE_DIR) / "tests/truth_tables/histories")) {
        SCOPED_TRACE(history.title);
        const auto world =
            std::find_if(worlds.begin(), worlds.end(), [&](const World& w) { return w.words() == history.world; });
        ASSERT_NE(world, worlds.end()) << history.world;
        const RuleFile file = rules_of(history.rules);
        Audit audit(file, world->files(0));
        const KernelState state = loaded(history.rules);
        const auto files = std::make_shared<const Files*>(&world->files(0));
        WatchTable table(state, places_in(files));
        std::map<std::string, Ino> trees;
        for (const KernelRule& r : state.filter)
            if (const FieldTest* dir = find_test(r, Field::dir))
                trees[dir->text] = world->files(0).find(dir->text).value();
        std::size_t situation = 0;
        for (const test::HistoryRow& row : history.rows) {
            const auto& all = world->operations(situation);
            const auto done =
                std::find_if(all.begin(), all.end(), [&](const Done& d) { return d.call.words == row.call; });
            ASSERT_NE(done, all.end()) << row.where << ": cannot be done: " << row.call;
            *files = &world->files(done->next);
            EXPECT_EQ(words(audit.run(done->call, **files)), row.expected) << row.where << ", simulator";
            const AsEvent as = as_event(done->call, trees);
            const RunResult result = evaluate(state, *find_kernel("linux-6.12"), as.event, table, as.changes);
            const Decision& d = result.decision;
            const std::string evaluated = d.outcome == auopt::Outcome::always && !result.state.prio_position
                                              ? "recorded"
                                          : d.outcome == auopt::Outcome::always ? "always" + key_of(d.key)
                                          : d.outcome == auopt::Outcome::never  ? "never"
                                                                                : "none";
            EXPECT_EQ(evaluated, row.expected) << row.where << ", evaluate";
            situation = done->next;
            ++rows;
        }
    }
    EXPECT_GT(rows, 50U);  // the folder was found and read
}

}  // namespace
}  // namespace auopt
