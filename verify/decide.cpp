// Mirrors the walks of auditsc.c (audit_filter_syscall, then audit_filter_inodes, and the hash also in the
// middle of the call): the exit list gives the first match, a hash rule wins over it if it stands before it.
// So two lists decide alike when the hash rules are the same in the same order, the first exit-list match is
// the same, and "an exit-list rule before h matches" is the same for each hash rule h.
#include "verify/decide.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace auopt::proof {
namespace {

struct Exit {
    ConditionId condition = 0;
    Action action = Action::never;
    KeyId key = 0;
    std::size_t rule = 0;
};

struct Hash {
    ConditionId condition = 0;
    Action action = Action::never;
    KeyId key = 0;
    std::size_t exits_before = 0;  // how many exit-list rules stand before it
    std::size_t rule = 0;
};

/// Hash rules of equal action and key that stand together: whichever of them matches, the result is the same.
struct HashRun {
    std::vector<Hash> rules;
};

struct Side {
    std::vector<Exit> exits;
    std::vector<Hash> hashes;

    Side(const Sequence& s, const Vocabulary& v) {
        for (std::size_t i = 0; i < s.items.size(); ++i) {
            const Item& item = v.item(s.items[i]);
            if (item.walk == Walk::inode_hash) {
                hashes.push_back({item.condition, item.action, item.key, exits.size(), s.rules[i]});
                continue;
            }
            // A rule that an earlier one shadows never is the first match, nor the only match before anything.
            const bool shadowed = std::any_of(exits.begin(), exits.end(), [&](const Exit& e) {
                return v.plainly_implies(item.condition, e.condition);
            });
            if (!shadowed) exits.push_back({item.condition, item.action, item.key, s.rules[i]});
        }
    }

    std::vector<ConditionId> exit_conditions(std::size_t from, std::size_t to) const {
        std::vector<ConditionId> out;
        for (std::size_t i = from; i < to; ++i) out.push_back(exits[i].condition);
        return out;
    }
};

class Decider {
public:
    Decider(const Group& group, bool recorded, const Vocabulary& vocabulary, Solver& solver)
        : group_(group),
          recorded_(recorded),
          solver_(solver),
          before_(group.before, vocabulary),
          after_(group.after, vocabulary) {}

    std::optional<Gap> run() {
        if (const auto gap = hash_rules()) return gap;
        if (const auto gap = first_exit_match()) return gap;
        return exits_before_hash_rules();
    }

private:
    // ---- 1. the hash rules, in order ----

    std::optional<Gap> hash_rules() {
        if (same_rules(before_.hashes, after_.hashes)) {
            pair_one_by_one(before_.hashes, after_.hashes);
            return std::nullopt;
        }
        drop_impossible();
        const std::vector<HashRun> b = runs(before_), a = runs(after_);
        if (b.size() != a.size()) return hash_gap();
        for (std::size_t i = 0; i < b.size(); ++i) {
            if (!same_outcome(b[i].rules.front(), a[i].rules.front())) return hash_gap();
            if (same_rules(b[i].rules, a[i].rules)) {
                pair_one_by_one(b[i].rules, a[i].rules);
                continue;
            }
            if (!same_names(b[i], a[i])) return hash_gap();
            if (!alone(b, i) || !alone(a, i))
                return difference(
                    "path= and inode= rules of one action and key are merged or change places, and one of another "
                    "action or key with higher priority can match in the same call",
                    group_.before, group_.after);
            auto& given = pairs_[{b[i].rules.front().exits_before, a[i].rules.front().exits_before}];
            for (const Hash& h : b[i].rules) given.push_back(h.condition);
        }
        return std::nullopt;
    }

    static bool same_outcome(const Hash& x, const Hash& y) { return x.action == y.action && x.key == y.key; }

    static bool same_rules(const std::vector<Hash>& b, const std::vector<Hash>& a) {
        return std::equal(b.begin(), b.end(), a.begin(), a.end(), [](const Hash& x, const Hash& y) {
            return x.condition == y.condition && same_outcome(x, y);
        });
    }

    void pair_one_by_one(const std::vector<Hash>& b, const std::vector<Hash>& a) {
        for (std::size_t i = 0; i < b.size(); ++i)
            pairs_[{b[i].exits_before, a[i].exits_before}].push_back(b[i].condition);
    }

    // Hash rules whose tests contradict each other match no name at any time.
    void drop_impossible() {
        std::map<ConditionId, bool> known;
        const auto impossible = [&](const Hash& h) {
            const auto [it, fresh] = known.try_emplace(h.condition, false);
            if (fresh) it->second = solver_.can_match(h.condition, group_.shape) == Answer::no;
            return it->second;
        };
        std::erase_if(before_.hashes, impossible);
        std::erase_if(after_.hashes, impossible);
    }

    // Joins a rule to the run that ends before it. Moving it there changes nothing if no exit-list rule in
    // between can match at the exit of a call in which it matches: a hash rule that matches while a name is
    // being deleted keeps the rules after it from matching, and lets those before it match.
    // It may also pass hash rules of other outcome that cannot match in the same call, at any time.
    std::vector<HashRun> runs(const Side& side) {
        std::vector<HashRun> out;
        for (const Hash& h : side.hashes) {
            bool joined = false;
            for (auto run = out.rbegin(); run != out.rend() && !joined; ++run) {
                if (same_outcome(h, run->rules.front())) {
                    joined = solver_.can_match_in_one_call(
                                 h.condition, side.exit_conditions(run->rules.front().exits_before, h.exits_before),
                                 group_.shape) == Answer::no;
                    if (joined) run->rules.push_back(h);
                    break;
                }
                if (can_meet(*run, h)) break;
            }
            if (!joined) out.push_back({{h}});
        }
        return out;
    }

    bool can_meet(const HashRun& run, const Hash& h) {
        return std::any_of(run.rules.begin(), run.rules.end(), [&](const Hash& r) {
            return solver_.hash_rules_can_meet(r.condition, h.condition, group_.shape) != Answer::no;
        });
    }

    // No rule of other outcome stands before the run that can match in the same call. A call may run the hash
    // more than once: a rule of the run that matches at its exit after another one matched in the middle ends
    // the walk, and so keeps a later name from a rule before the run; which of them comes first then matters.
    bool alone(const std::vector<HashRun>& all, std::size_t index) {
        for (std::size_t i = 0; i < index; ++i) {
            if (same_outcome(all[i].rules.front(), all[index].rules.front())) continue;
            for (const Hash& h : all[index].rules)
                if (can_meet(all[i], h)) return false;
        }
        return true;
    }

    // The same names match some rule of the run, whatever watches and inodes a name has.
    bool same_names(const HashRun& b, const HashRun& a) {
        const auto conditions = [](const HashRun& run) {
            std::vector<ConditionId> out;
            for (const Hash& h : run.rules) out.push_back(h.condition);
            return out;
        };
        const std::vector<ConditionId> x = conditions(b), y = conditions(a);
        return std::set<ConditionId>(x.begin(), x.end()) == std::set<ConditionId>(y.begin(), y.end()) ||
               solver_.disjunctions_can_differ(x, y, group_.shape) == Answer::no;
    }

    Gap hash_gap() const {
        return difference(
            "the path= and inode= rules that the call can match are not shown to be the same in the same order",
            group_.before, group_.after);
    }

    // ---- 2. the first match on the exit list ----

    // A never rule's key counts only where a rule without key may inherit it (spec, trap 8). `recorded` takes
    // never and no match as one; what a never rule keeps others from is seen by its place in the list.
    std::vector<Ranked> ranked(const Side& side, bool never_keys_count) {
        std::vector<Ranked> out;
        for (const Exit& e : side.exits) {
            const bool always = e.action == Action::always;
            const KeyId key = always || never_keys_count ? e.key : 0;
            const bool nothing = recorded_ && !always && key == 0;
            const auto fresh = static_cast<std::uint32_t>(outcomes_.size() + 1);
            out.push_back({e.condition, nothing ? 0 : outcomes_.try_emplace({always, key}, fresh).first->second});
        }
        while (!out.empty() && out.back().outcome == 0) out.pop_back();
        return out;
    }

    // Rules of equal outcome that stand together commute.
    static std::vector<std::pair<std::uint32_t, std::set<ConditionId>>> grouped(const std::vector<Ranked>& rules) {
        std::vector<std::pair<std::uint32_t, std::set<ConditionId>>> out;
        for (const Ranked& r : rules) {
            if (out.empty() || out.back().first != r.outcome) out.push_back({r.outcome, {}});
            out.back().second.insert(r.condition);
        }
        return out;
    }

    std::optional<Gap> first_exit_match() {
        const auto keyless = [](const Hash& h) { return h.key == 0; };
        const bool inherits = std::any_of(before_.hashes.begin(), before_.hashes.end(), keyless) ||
                              std::any_of(after_.hashes.begin(), after_.hashes.end(), keyless);
        const std::vector<Ranked> b = ranked(before_, inherits), a = ranked(after_, inherits);
        if (grouped(b) == grouped(a)) return std::nullopt;
        switch (solver_.first_match_can_differ(b, a, group_.shape)) {
            case Answer::no:
                return std::nullopt;
            case Answer::undecided:
                return difference("the solver gave up on the first matching exit-list rule", group_.before,
                                  group_.after);
            case Answer::yes:
                break;
        }
        return difference("the first matching exit-list rule may decide differently", group_.before, group_.after);
    }

    // ---- 3. exit-list rules before each hash rule ----

    std::optional<Gap> exits_before_hash_rules() {
        for (const auto& [lengths, hashes] : pairs_) {
            const std::vector<ConditionId> b = before_.exit_conditions(0, lengths.first);
            const std::vector<ConditionId> a = after_.exit_conditions(0, lengths.second);
            if (std::set<ConditionId>(b.begin(), b.end()) == std::set<ConditionId>(a.begin(), a.end())) continue;
            if (solver_.some_match_can_differ(b, a, group_.shape, nullptr) == Answer::no) continue;
            if (solver_.some_match_can_differ(b, a, group_.shape, &hashes) == Answer::no) continue;
            return difference("an exit-list rule and a path= or inode= rule may have changed places", group_.before,
                              group_.after);
        }
        return std::nullopt;
    }

    const Group& group_;
    bool recorded_;
    Solver& solver_;
    Side before_, after_;
    std::map<std::pair<bool, KeyId>, std::uint32_t> outcomes_;
    /// Lengths of the exit-list prefixes (before, after) of hash rules, with the conditions of those rules.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<ConditionId>> pairs_;
};

}  // namespace

std::optional<Gap> decide(const Group& group, bool recorded, const Vocabulary& vocabulary, Solver& solver) {
    // Inside these calls the filters run several times with other credentials and results, and the priority
    // of a match persists: only rules that are the same, in the same order, are the same there.
    if (group.in_io_uring()) {
        if (canonical(group.before.items, vocabulary) == canonical(group.after.items, vocabulary)) return std::nullopt;
        return difference(
            "io_uring operations run the filters inside it; the rules that admit it must be the same in the same order",
            group.before, group.after);
    }
    return Decider(group, recorded, vocabulary, solver).run();
}

Gap difference(std::string reason, const Sequence& before, const Sequence& after) {
    const std::set<ItemId> b(before.items.begin(), before.items.end()), a(after.items.begin(), after.items.end());
    Gap gap{std::move(reason), {}, {}};
    for (std::size_t i = 0; i < before.items.size(); ++i)
        if (!a.contains(before.items[i])) gap.before.push_back(before.rules[i]);
    for (std::size_t i = 0; i < after.items.size(); ++i)
        if (!b.contains(after.items[i])) gap.after.push_back(after.rules[i]);
    // Only the order differs: the rules from the first to the last place where it does.
    if (gap.before.empty() && gap.after.empty()) {
        std::size_t from = 0;
        while (from < before.items.size() && from < after.items.size() && before.items[from] == after.items[from])
            ++from;
        std::size_t tail = 0;
        while (tail < before.items.size() - from && tail < after.items.size() - from &&
               before.items[before.items.size() - 1 - tail] == after.items[after.items.size() - 1 - tail])
            ++tail;
        for (std::size_t i = from; i < before.items.size() - tail; ++i) gap.before.push_back(before.rules[i]);
        for (std::size_t i = from; i < after.items.size() - tail; ++i) gap.after.push_back(after.rules[i]);
    }
    return gap;
}

}  // namespace auopt::proof
