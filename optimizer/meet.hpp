// Bringing two rules together: where in the list can both be moved to?
#pragma once

#include <optional>

#include "optimizer/rules.hpp"

namespace auopt {

/// For first < second: the position at which one rule may take the place of both (counted in the list without them),
/// or nothing. The earliest such position.
std::optional<std::size_t> meeting_place(const Entries& entries, std::size_t first, std::size_t second);

/// The list with rules first and second replaced by `united` at `place` (counted without them).
Entries united_at(const Entries& entries, std::size_t first, std::size_t second, EntryPtr united, std::size_t place);

}  // namespace auopt
