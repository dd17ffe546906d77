// Lemma L6's moves: the later rule up, the earlier one down, as far as they commute with what lies between.
#include "optimizer/meet.hpp"

#include "optimizer/commute.hpp"

namespace auopt {

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

}  // namespace auopt
