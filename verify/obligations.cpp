#include "verify/obligations.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace auopt::proof {
namespace {

// A row per call: which rules of both files admit it, as bits; the last word is the shape of perm=.
class Signatures {
public:
    Signatures(const Projection& before, const Projection& after, const PermModel& perms, Abi abi)
        : words_((before.rules.size() + after.rules.size() + 63) / 64 + 1), rows_(words_ * mask_syscalls) {
        const auto a = index_of(abi);
        std::size_t column = 0;
        for (const Projection* p : {&before, &after})
            for (const ProjectedRule& r : p->rules) {
                const SyscallSet& calls = r.admits[a];
                for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
                    if (!calls.test(nr)) continue;
                    rows_[nr * words_ + column / 64] |= std::uint64_t{1} << (column % 64);
                    // The shape matters only to calls that some perm= rule admits.
                    if (r.tests_perm)
                        rows_[nr * words_ + words_ - 1] = static_cast<std::uint64_t>(perms.shape(abi, nr));
                }
                ++column;
            }
        // These are judged by themselves, whatever other call looks like them.
        for (const unsigned nr : {io_uring_enter, io_uring_register})
            rows_[nr * words_ + words_ - 1] |= std::uint64_t{1} << 32;
    }
    std::string_view row(unsigned nr) const {
        return {reinterpret_cast<const char*>(rows_.data() + nr * words_), words_ * sizeof(std::uint64_t)};
    }
    PermShape shape(unsigned nr) const { return static_cast<PermShape>(rows_[nr * words_ + words_ - 1] & 0xFF); }

private:
    std::size_t words_;
    std::vector<std::uint64_t> rows_;
};

Sequence sequence(const Projection& p, Abi abi, unsigned nr, PermShape shape) {
    Sequence s;
    for (const ProjectedRule& r : p.rules) {
        if (!r.admits[index_of(abi)].test(nr)) continue;
        for (const ItemId item : r.items[static_cast<std::size_t>(shape)]) {
            s.items.push_back(item);
            s.rules.push_back(r.rule);
        }
    }
    return s;
}

Sequence worker_sequence(const Projection& p) {
    Sequence s;
    for (const ProjectedRule& r : p.rules)
        if (r.worker) {
            s.items.push_back(*r.worker);
            s.rules.push_back(r.rule);
        }
    return s;
}

}  // namespace

Obligations obligations(const Projection& before, const Projection& after, const PermModel& perms, bool with_compat,
                        const Vocabulary& vocabulary) {
    Obligations out;
    // Rows of different ABIs with the same bits and shape hold the same lists, so they share a group.
    std::unordered_map<std::string, std::size_t> by_row;  // to an index into `differing`, or `equal`
    constexpr std::size_t equal = ~std::size_t{0};
    for (const Abi abi : all_abis) {
        if (abi == Abi::compat && !with_compat) continue;
        const Signatures signatures(before, after, perms, abi);
        for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
            ++out.calls;
            const auto [it, fresh] = by_row.try_emplace(std::string(signatures.row(nr)), equal);
            if (!fresh) {
                if (it->second != equal) out.differing[it->second].calls.push_back({abi, nr});
                continue;
            }
            ++out.groups;
            Group group;
            group.shape = signatures.shape(nr);
            group.before = sequence(before, abi, nr, group.shape);
            group.after = sequence(after, abi, nr, group.shape);
            if (group.before.items == group.after.items) continue;
            group.calls.push_back({abi, nr});
            it->second = out.differing.size();
            out.differing.push_back(std::move(group));
        }
    }
    // Different rows can still show the same pair of items (arch= is resolved by now).
    std::map<std::tuple<PermShape, bool, std::vector<ItemId>, std::vector<ItemId>>, std::size_t> by_items;
    std::vector<Group> merged;
    for (Group& g : out.differing) {
        const auto [it, fresh] =
            by_items.try_emplace({g.shape, g.in_io_uring(), g.before.items, g.after.items}, merged.size());
        if (fresh)
            merged.push_back(std::move(g));
        else {
            auto& calls = merged[it->second].calls;
            calls.insert(calls.end(), g.calls.begin(), g.calls.end());
        }
    }
    out.differing = std::move(merged);

    ++out.calls;
    ++out.groups;
    out.worker_before = worker_sequence(before);
    out.worker_after = worker_sequence(after);
    out.worker_differs =
        canonical(out.worker_before.items, vocabulary) != canonical(out.worker_after.items, vocabulary);
    return out;
}

std::vector<ItemId> canonical(const std::vector<ItemId>& items, const Vocabulary& vocabulary) {
    std::vector<ItemId> kept;
    for (const ItemId id : items) {
        const Item& item = vocabulary.item(id);
        // By an earlier rule of its own list that admits all that it admits. Its priority is lower, so that it matches
        // in no run of the filters, not even after others of the same call. The order of hash rules is not stable.
        const auto shadows = [&](ItemId earlier) {
            const Item& e = vocabulary.item(earlier);
            return e.walk == item.walk && vocabulary.plainly_implies(item.condition, e.condition) &&
                   (item.walk != Walk::io_uring_list || vocabulary.mask(item.mask).subset_of(vocabulary.mask(e.mask)));
        };
        const bool shadowed = item.walk != Walk::inode_hash && std::any_of(kept.begin(), kept.end(), shadows);
        if (!shadowed) kept.push_back(id);
    }
    for (auto from = kept.begin(); from != kept.end();) {
        const Item& first = vocabulary.item(*from);
        const auto to = std::find_if(from, kept.end(), [&](ItemId id) {
            const Item& item = vocabulary.item(id);
            return item.walk != first.walk || item.action != first.action || item.key != first.key;
        });
        // Not the hash: in a call that runs it several times the order of equal rules shows (decide.cpp, alone).
        if (first.walk != Walk::inode_hash) std::sort(from, to);
        from = to;
    }
    return kept;
}

}  // namespace auopt::proof
