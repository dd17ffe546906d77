#include "optimizer/unite.hpp"

#include "optimizer/commute.hpp"
#include "optimizer/shapes.hpp"

namespace auopt {
namespace {

// For first < second: the position at which one rule may take the place of both (counted in the list without them), or
// nothing. The later rule moves up and the earlier one down, as far as they commute with what lies between; the earliest
// such position.
std::optional<std::size_t> meeting_place(const Entries& entries, std::size_t first, std::size_t second) {
    std::size_t up = second;  // the later rule reaches the slot before entries[up]
    while (up > first + 1 && may_cross(*entries[second], *entries[up - 1])) --up;
    std::size_t down = first;  // the earlier rule reaches the slot after entries[down]
    while (down + 1 < up && may_cross(*entries[first], *entries[down + 1])) ++down;
    if (down + 1 != up) return std::nullopt;
    return up - 1;  // counted without the earlier rule, which stood before
}

Entries united_at(const Entries& entries, std::size_t first, std::size_t second, EntryPtr united, std::size_t place) {
    Entries out;
    out.reserve(entries.size() - 1);
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (i != first && i != second) out.push_back(entries[i]);
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(place), std::move(united));
    return out;
}

}  // namespace

PassCounts unite_pairs(Rules& rules, const Pairing& pairing) {
    PassCounts counts;
    Shapes numbers(pairing.shape);
    std::vector<unsigned> shapes = numbers.of(rules.entries());
    for (std::size_t i = 0; i < rules.entries().size(); ++i) {
        for (std::size_t j = i + 1; shapes[i] != 0 && j < rules.entries().size(); ++j) {
            if (shapes[i] != shapes[j]) continue;
            const Entry &a = *rules.entries()[i], &b = *rules.entries()[j];
            if (!pairing.admissible(a, b) || !rules.may_load_as_one(a, b)) continue;
            const auto place = meeting_place(rules.entries(), i, j);
            if (!place) continue;
            EntryPtr united = rules.make(pairing.united(a.rule, b.rule));
            if (!pairing.exact(*united, a, b)) continue;
            if (!rules.propose(united_at(rules.entries(), i, j, std::move(united), *place))) {
                ++counts.refused;
                continue;
            }
            ++counts.kept;
            shapes = numbers.of(rules.entries());
            --i;  // whatever stands here now has not been looked at
            break;
        }
    }
    return counts;
}

}  // namespace auopt
