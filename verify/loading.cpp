#include "verify/loading.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

namespace auopt::proof {
namespace {

std::string line_of(const KernelRule& rule) {
    return rule.sources.empty() ? std::string("some rule") : fmt::format("line {}", rule.sources.front().line);
}

// For one rule; calls that see the same rules are one question.
constexpr std::size_t most_questions = 64;

}  // namespace

Loading::Side::Side(const KernelState& s) : state(&s), order(in_loading_order(s)), stops(loading_stops(s, order)) {
    for (const LoadingStop& stop : stops) stop_positions.emplace(stop.object, stop.position);
    std::map<const KernelRule*, std::size_t> position;
    for (std::size_t i = 0; i < order.size(); ++i) position.emplace(order[i], i);
    for (const KernelRule& rule : s.filter) positions.push_back(position.at(&rule));
}

std::size_t Loading::Side::next_stop(std::size_t position) const {
    const auto it = std::upper_bound(stops.begin(), stops.end(), position,
                                     [](std::size_t p, const LoadingStop& stop) { return p < stop.position; });
    return static_cast<std::size_t>(it - stops.begin());
}

std::size_t Loading::Side::stops_before(std::size_t position) const {
    const auto it = std::lower_bound(stops.begin(), stops.end(), position,
                                     [](const LoadingStop& stop, std::size_t p) { return stop.position < p; });
    return static_cast<std::size_t>(it - stops.begin());
}

// -A puts a rule in front of those that are loaded: from position `from` on no rule may do that.
bool Loading::Side::adds_in_walking_order(std::size_t from) const {
    std::size_t last = 0;
    for (const std::size_t p : positions) {
        if (last > p && last > from) return false;
        last = std::max(last, p);
    }
    return true;
}

Loading::Loading(const KernelState& before, const KernelState& after) : before_(before), after_(after) {
    const auto same = [](const KernelRule* b, const KernelRule* a) { return b->same_as(*a); };
    same_sequence_ =
        std::equal(before_.order.begin(), before_.order.end(), after_.order.begin(), after_.order.end(), same) &&
        before_.stops.size() == after_.stops.size() &&
        before_.adds_in_walking_order(0) == after_.adds_in_walking_order(0) && before_.positions == after_.positions;
}

std::optional<LoadingGap> Loading::compare_order() const {
    if (after_.stops.empty()) return std::nullopt;
    const auto gap = [](std::string reason, std::optional<NamedObject> stop = std::nullopt) {
        return LoadingGap{std::move(reason), std::move(stop)};
    };
    if (before_.state->deleted_own || after_.state->deleted_own)
        return gap("a file deletes rules that it added: what is held where loading stops in between is not modelled");
    // The order of the objects.
    for (std::size_t i = 0; i < std::max(before_.stops.size(), after_.stops.size()); ++i) {
        if (i >= after_.stops.size())
            return gap(fmt::format("only the file before can stop loading at {}", to_string(before_.stops[i].object)));
        const NamedObject& object = after_.stops[i].object;
        if (i < before_.stops.size() && before_.stops[i].object == object) continue;
        if (!before_.stop_positions.contains(object))
            return gap(fmt::format("where {} is missing, only the file after stops loading", to_string(object)),
                       object);
        return gap(fmt::format("the files come to {} in another order: where it is missing they load other rules",
                               to_string(object)),
                   object);
    }
    if (!same_sequence_)
        for (const Side* side : {&before_, &after_})
            if (!side->adds_in_walking_order(side->stops.front().position))
                return gap(fmt::format("a rule is put in front of others (-A) behind {}, at which loading can stop",
                                       to_string(side->stops.front().object)));
    // Other lists, and -e, by how many stops come before them.
    const auto ranks = [](const Side& side) {
        std::vector<std::pair<List, std::size_t>> out;
        for (std::size_t i = 0; i < side.order.size(); ++i)
            if (side.order[i]->list != List::exit && side.order[i]->list != List::io_uring)
                out.emplace_back(side.order[i]->list, side.stops_before(i));
        std::stable_sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
        return out;
    };
    if (ranks(before_) != ranks(after_))
        return gap("rules of other lists than exit changed places with rules at which loading can stop");
    if (before_.state->settings.enabled) {
        const auto rank = [](const Side& side) {
            std::size_t position = 0;
            while (position < side.order.size() && side.order[position]->added < side.state->enabled_at) ++position;
            return side.stops_before(position);
        };
        const std::size_t b = rank(before_), a = rank(after_);
        if (*before_.state->settings.enabled == 0 ? a < b : a > b)
            return gap("-e changed places with a rule at which loading can stop");
    }
    return std::nullopt;
}

std::optional<LoadingGap> Loading::compare_rules(const Projection& before, const Projection& after,
                                                 const PermModel& perms, bool with_compat, const Vocabulary& vocabulary,
                                                 Solver& solver) const {
    if (after_.stops.empty() || same_sequence_) return std::nullopt;
    // A recording hash rule without key takes the key of an exit-list match: then one match more or less is seen.
    const auto keyless = [](const KernelRule& r) {
        const Placement p = placement(r);
        return (p == Placement::inode_hash || p == Placement::either) && r.action == Action::always && !rule_key(r);
    };
    const bool keys_pass = std::any_of(before_.state->filter.begin(), before_.state->filter.end(), keyless) ||
                           std::any_of(after_.state->filter.begin(), after_.state->filter.end(), keyless);
    if (auto gap = covered(before_, before, after_, after, keys_pass, perms, with_compat, vocabulary, solver))
        return gap;
    // The other way round hash rules always count; the exit list only where keys pass.
    return covered(after_, after, before_, before, keys_pass, perms, with_compat, vocabulary, solver);
}

namespace {

/// Rules that one file has loaded when loading stops, as cover for a rule of the other file.
class Cover {
public:
    Cover(const Projection& rules, const KernelState& state, const std::vector<std::size_t>& positions,
          const PermModel& perms, const Vocabulary& vocabulary, Solver& solver)
        : rules_(rules.rules),
          state_(state),
          positions_(positions),
          perms_(perms),
          vocabulary_(vocabulary),
          solver_(solver) {
        for (const Abi abi : all_abis)
            for (unsigned nr = 0; nr < mask_syscalls; ++nr)
                of_shape_[index_of(abi)][static_cast<std::size_t>(perms.shape(abi, nr))].set(nr);
        for (std::size_t i = 0; i < rules_.size(); ++i)
            for (const ItemId item : rules_[i].items.front()) by_item_[item].push_back(i);
    }

    /// Workers, and operations inside calls: the same rule, or one of list 7 that takes all that it takes.
    bool takes_worker(const ProjectedRule& rule, const SyscallMask& operations, std::size_t deadline) const {
        const Item& x = vocabulary_.item(*rule.worker);
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if (positions_[i] >= deadline || !rules_[i].worker) continue;
            const Item& y = vocabulary_.item(*rules_[i].worker);
            const bool all_operations = x.walk != Walk::io_uring_list || operations.subset_of(state_.filter[i].mask);
            if (x.walk == y.walk && all_operations && x.action == y.action && x.key == y.key &&
                vocabulary_.plainly_implies(x.condition, y.condition))
                return true;
        }
        return false;
    }

    /// Do the rules loaded before `deadline` match whatever item number `item` of the rule matches in the calls of `abi`?
    bool takes(const ProjectedRule& rule, std::size_t item, Abi abi, std::size_t deadline) {
        SyscallSet left = rule.admits[index_of(abi)];
        // Nearly always the counterpart tests the same.
        if (const auto known = by_item_.find(rule.items.front()[item]); known != by_item_.end())
            for (const std::size_t i : known->second) subtract(rule, item, abi, deadline, i, left);
        for (std::size_t i = 0; left.any() && i < rules_.size(); ++i) subtract(rule, item, abi, deadline, i, left);
        return left.none() || taken_together(rule, item, abi, deadline, left);
    }

private:
    // On the exit list the first match of the whole files counts, whatever the others say.
    static bool may_stand_for(const Item& x, const Item& y) {
        return x.walk == y.walk && (x.walk == Walk::exit_list || (x.action == y.action && x.key == y.key));
    }

    /// Takes the calls from `left` in which rule `i` plainly matches whatever the item matches.
    void subtract(const ProjectedRule& rule, std::size_t item, Abi abi, std::size_t deadline, std::size_t i,
                  SyscallSet& left) const {
        const SyscallSet& admitted = rules_[i].admits[index_of(abi)];
        if (positions_[i] >= deadline || (left & admitted).none()) return;
        for (std::size_t s = 0; s < perm_shapes; ++s) {
            const Item& x = vocabulary_.item(rule.items[s][item]);
            const bool covers = std::any_of(rules_[i].items[s].begin(), rules_[i].items[s].end(), [&](ItemId id) {
                const Item& y = vocabulary_.item(id);
                return may_stand_for(x, y) && vocabulary_.plainly_implies(x.condition, y.condition);
            });
            if (covers) left &= ~(admitted & of_shape_[index_of(abi)][s]);
        }
    }

    /// Several rules together may take what it takes, or a range what another one holds: the solver is asked.
    bool taken_together(const ProjectedRule& rule, std::size_t item, Abi abi, std::size_t deadline,
                        const SyscallSet& left) {
        std::set<std::pair<PermShape, std::vector<ConditionId>>> asked;
        for (auto nr = left._Find_first(); nr < left.size(); nr = left._Find_next(nr)) {
            const PermShape shape = perms_.shape(abi, static_cast<unsigned>(nr));
            const auto s = static_cast<std::size_t>(shape);
            const Item& x = vocabulary_.item(rule.items[s][item]);
            std::vector<ConditionId> taking;
            for (std::size_t i = 0; i < rules_.size(); ++i) {
                if (positions_[i] >= deadline || !rules_[i].admits[index_of(abi)].test(nr)) continue;
                for (const ItemId id : rules_[i].items[s])
                    if (may_stand_for(x, vocabulary_.item(id))) taking.push_back(vocabulary_.item(id).condition);
            }
            if (!asked.emplace(shape, taking).second) continue;
            if (asked.size() > most_questions) return false;
            std::vector<ConditionId> with = taking;
            with.push_back(x.condition);
            const Answer differs = x.walk == Walk::exit_list
                                       ? solver_.some_match_can_differ(with, taking, shape, nullptr)
                                       : solver_.disjunctions_can_differ(with, taking, shape);
            if (differs != Answer::no) return false;
        }
        return true;
    }

    const std::vector<ProjectedRule>& rules_;
    const KernelState& state_;
    const std::vector<std::size_t>& positions_;  // in the order of loading
    const PermModel& perms_;
    const Vocabulary& vocabulary_;
    Solver& solver_;
    std::array<std::array<SyscallSet, perm_shapes>, abi_count> of_shape_;
    std::unordered_map<ItemId, std::vector<std::size_t>> by_item_;
};

}  // namespace

// Every rule of `own` before a stop: do the rules that `other` has loaded by that stop match whatever it matches?
std::optional<LoadingGap> Loading::covered(const Side& own, const Projection& rules, const Side& other,
                                           const Projection& others, bool keys_pass, const PermModel& perms,
                                           bool with_compat, const Vocabulary& vocabulary, Solver& solver) const {
    const bool forward = &own == &before_;
    Cover cover(others, *other.state, other.positions, perms, vocabulary, solver);
    for (std::size_t r = 0; r < rules.rules.size(); ++r) {
        const ProjectedRule& rule = rules.rules[r];
        const std::size_t stop = own.next_stop(own.positions[r]);
        if (stop == own.stops.size()) continue;
        const std::size_t deadline = other.stops[stop].position;
        const auto is_covered = [&] {
            if (rule.worker && !cover.takes_worker(rule, own.state->filter[r].mask, deadline)) return false;
            for (std::size_t item = 0; item < rule.items.front().size(); ++item) {
                const Item& x = vocabulary.item(rule.items.front()[item]);
                if (x.walk == Walk::io_uring_list) continue;  // the worker's
                const bool may_lose = forward && x.action == Action::always;
                const bool may_rename = keys_pass && x.key != 0;
                if (x.walk == Walk::exit_list && !may_lose && !may_rename) continue;
                for (const Abi abi : all_abis)
                    if ((abi == Abi::native || with_compat) && !cover.takes(rule, item, abi, deadline)) return false;
            }
            return true;
        };
        if (!is_covered())
            return LoadingGap{
                fmt::format(
                    "where {} is missing, loading stops there, and {} of the file {} is not shown to be loaded by "
                    "then in the other file",
                    to_string(own.stops[stop].object), line_of(own.state->filter[r]), forward ? "before" : "after"),
                own.stops[stop].object};
    }
    return std::nullopt;
}

KernelState Loading::loaded_without(const NamedObject& missing, bool of_after) const {
    const Side& side = of_after ? after_ : before_;
    KernelState state = *side.state;
    const auto stop = side.stop_positions.find(missing);
    std::set<const KernelRule*> loaded;
    for (std::size_t i = 0; i < side.order.size(); ++i) {
        const bool before_stop = stop == side.stop_positions.end() || i < stop->second;
        const std::vector<NamedObject> objects = fallible_objects(*side.order[i]);
        if (before_stop && std::find(objects.begin(), objects.end(), missing) == objects.end())
            loaded.insert(side.order[i]);
    }
    const auto keep = [&](std::vector<KernelRule> KernelState::*list) {
        std::vector<KernelRule> kept;
        for (const KernelRule& rule : side.state->*list)
            if (loaded.contains(&rule)) kept.push_back(rule);
        state.*list = std::move(kept);
    };
    keep(&KernelState::filter);
    keep(&KernelState::user);
    keep(&KernelState::task);
    keep(&KernelState::exclude);
    keep(&KernelState::filesystem);
    return state;
}

Difference Loading::difference(const NamedObject& missing) const {
    const auto words = [&](const Side& side) -> std::string {
        const auto stop = side.stop_positions.find(missing);
        if (stop == side.stop_positions.end()) return "goes on";
        return fmt::format("stops at {}, with {} rules loaded", line_of(*side.order[stop->second]), stop->second);
    };
    return {
        fmt::format("loading where {} is missing", to_string(missing)), words(before_), words(after_),
        "the event above is then recorded by what the file before has loaded, and not so by what the file after has"};
}

}  // namespace auopt::proof
