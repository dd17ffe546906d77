// A set-associative first-level data cache: which accesses to lines hit. Replacement is true LRU, or the binary tree of
// pseudo-LRU that Intel's L1D was found to use. No prefetcher, no second thread.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_model/hardware.hpp"

namespace auopt {

class L1d {
public:
    /// `sets` is a power of two; tree_plru needs `ways` to be one as well, 2 to 32.
    L1d(unsigned sets, unsigned ways, Replacement replacement);

    /// Touches line `line` (an address divided by the line size); true if it was there.
    bool access(std::uint32_t line);
    void clear();

private:
    bool access_lru(std::uint32_t* set, std::uint32_t line) const;
    bool access_tree(std::uint32_t* set, std::uint32_t& tree, std::uint32_t line) const;

    static constexpr std::uint32_t empty = 0xFFFFFFFF;  // no line of the model has this number
    unsigned set_mask_, ways_;
    Replacement replacement_;
    std::vector<std::uint32_t> lines_;  // [set * ways + way]; under LRU the most recent first
    std::vector<std::uint32_t> trees_;  // [set]: bit n is inner node n (1 is the root), set if the right half is older
};

}  // namespace auopt
