#include "kernel_model/l1d.hpp"

#include <algorithm>
#include <cassert>

namespace auopt {

L1d::L1d(unsigned sets, unsigned ways, Replacement replacement)
    : set_mask_(sets - 1),
      ways_(ways),
      replacement_(replacement),
      lines_(std::size_t{sets} * ways, empty),
      trees_(sets, 0) {
    assert(sets != 0 && (sets & (sets - 1)) == 0 && ways != 0);
    assert(replacement == Replacement::lru || (ways >= 2 && ways <= 32 && (ways & (ways - 1)) == 0));
}

void L1d::clear() {
    std::fill(lines_.begin(), lines_.end(), empty);
    std::fill(trees_.begin(), trees_.end(), 0);
}

bool L1d::access(std::uint32_t line) {
    const std::uint32_t set = line & set_mask_;
    std::uint32_t* const first = lines_.data() + std::size_t{set} * ways_;
    return replacement_ == Replacement::lru ? access_lru(first, line) : access_tree(first, trees_[set], line);
}

bool L1d::access_lru(std::uint32_t* set, std::uint32_t line) const {
    unsigned way = 0;
    while (way + 1 < ways_ && set[way] != line) ++way;
    const bool hit = set[way] == line;
    for (; way > 0; --way) set[way] = set[way - 1];
    set[0] = line;
    return hit;
}

// Every inner node points to the half to evict from; an access turns the nodes on its way to the other half. Empty ways
// are filled first, lowest first.
bool L1d::access_tree(std::uint32_t* set, std::uint32_t& tree, std::uint32_t line) const {
    unsigned way = 0;
    while (way < ways_ && set[way] != line) ++way;
    const bool hit = way < ways_;
    if (!hit) {
        way = 0;
        while (way < ways_ && set[way] != empty) ++way;
        if (way == ways_) {
            unsigned node = 1;
            while (node < ways_) node = 2 * node + ((tree >> node) & 1U);
            way = node - ways_;
        }
        set[way] = line;
    }
    for (unsigned node = way + ways_; node > 1; node /= 2) {
        const bool right = (node & 1U) != 0;
        const unsigned parent = node / 2;
        tree = right ? tree & ~(1U << parent) : tree | (1U << parent);
    }
    return hit;
}

}  // namespace auopt
