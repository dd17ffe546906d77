#include "tests/simulator/compare.hpp"

namespace auopt::simulator {
namespace {

class Search {
public:
    Search(World& world, Tally& tally, bool exact, bool foreign_records)
        : world_(world), tally_(tally), exact_(exact), foreign_records_(foreign_records) {}

    bool differ(std::size_t situation, const Audit& before, const Audit& after, unsigned depth) {
        // By number: working out a situation may move what holds them, not the operations themselves.
        const std::vector<Done>& operations = world_.operations(situation);
        for (const Done& done : operations) {
            const Call& call = done.call;
            if (!foreign_records_ && call.logs()) continue;
            ++tally_.sequences;
            const bool changes = call.changes_files();
            if (!changes) {
                if (differs(call, before.judge(call), after.judge(call))) return true;
                if (depth > 1 && done.next != situation && next(done, before, after, depth)) return true;
                continue;
            }
            Audit b = before, a = after;
            const Files& files = world_.files(done.next);
            if (differs(call, b.run(call, files), a.run(call, files))) return true;
            if (depth > 1 && next(done, b, a, depth)) return true;
        }
        return false;
    }

    Difference found;

private:
    bool next(const Done& done, const Audit& before, const Audit& after, unsigned depth) {
        if (!differ(done.next, before, after, depth - 1)) return false;
        found.sequence.insert(found.sequence.begin(), done.call.words);
        return true;
    }
    bool differs(const Call& call, Outcome b, Outcome a) {
        if (!foreign_records_) {
            for (Outcome* o : {&b, &a})
                if (o->decision == Outcome::Decision::never) o->decision = Outcome::Decision::none;
        }
        if (exact_ ? b.same_as(a) : b.kept_by(a)) return false;
        found = {world_.words(), {call.words}, to_string(b), to_string(a)};
        return true;
    }

    World& world_;
    Tally& tally_;
    bool exact_, foreign_records_;
};

}  // namespace

std::optional<Difference> find_difference(const RuleFile& before, const RuleFile& after, World& world, unsigned depth,
                                          Tally& tally, bool foreign_records) {
    ++tally.worlds;
    const Audit b(before, world.files(0)), a(after, world.files(0));
    Search search(world, tally, !b.stopped_at_missing_name() && !a.stopped_at_missing_name(), foreign_records);
    for (unsigned length = 1; length <= depth; ++length)  // the shortest sequence first
        if (search.differ(0, b, a, length)) return search.found;
    return std::nullopt;
}

std::string to_string(const Difference& d) {
    std::string text = "world: " + d.world + "\n";
    for (const std::string& call : d.sequence) text += "  " + call + "\n";
    return text + "before: " + d.before + "\nafter:  " + d.after + "\n";
}

}  // namespace auopt::simulator
