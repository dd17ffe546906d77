// The cache against a second implementation that shares nothing with it: time stamps for LRU, and a tree of nodes with
// pointers for pseudo-LRU.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "kernel_model/l1d.hpp"

namespace auopt {
namespace {

/// LRU by the time of the last access.
class StampedSet {
public:
    explicit StampedSet(unsigned ways) : ways_(ways) {}
    bool access(std::uint32_t line) {
        ++now_;
        const bool hit = last_.contains(line);
        if (!hit && last_.size() == ways_) {
            auto oldest = last_.begin();
            for (auto it = last_.begin(); it != last_.end(); ++it)
                if (it->second < oldest->second) oldest = it;
            last_.erase(oldest);
        }
        last_[line] = now_;
        return hit;
    }

private:
    std::size_t ways_;
    std::uint64_t now_ = 0;
    std::map<std::uint32_t, std::uint64_t> last_;
};

/// Pseudo-LRU as a tree of halves; each remembers which half was used last and evicts from the other.
class TreeNode {
public:
    explicit TreeNode(unsigned ways) {
        if (ways == 1) return;
        left_ = std::make_unique<TreeNode>(ways / 2);
        right_ = std::make_unique<TreeNode>(ways / 2);
    }
    bool find(std::uint32_t line) {
        if (!left_) return line_ == line;
        if (left_->find(line)) return used_right_ = false, true;
        if (right_->find(line)) return used_right_ = true, true;
        return false;
    }
    /// Takes an empty way, the leftmost; false if there is none.
    bool fill(std::uint32_t line) {
        if (!left_) return line_ ? false : (line_ = line, true);
        if (left_->fill(line)) return used_right_ = false, true;
        if (right_->fill(line)) return used_right_ = true, true;
        return false;
    }
    void replace(std::uint32_t line) {
        if (!left_) {
            line_ = line;
            return;
        }
        used_right_ = !used_right_;
        (used_right_ ? right_ : left_)->replace(line);
    }

private:
    std::unique_ptr<TreeNode> left_, right_;
    bool used_right_ = true;  // untouched: the left half goes first
    std::optional<std::uint32_t> line_;
};

struct Reference {
    Reference(unsigned sets_, unsigned ways_, Replacement replacement_)
        : sets(sets_), ways(ways_), replacement(replacement_) {}
    bool access(std::uint32_t line) {
        if (replacement == Replacement::lru) return lru.try_emplace(line % sets, ways).first->second.access(line);
        TreeNode& tree = trees.try_emplace(line % sets, ways).first->second;
        if (tree.find(line)) return true;
        if (!tree.fill(line)) tree.replace(line);
        return false;
    }
    unsigned sets, ways;
    Replacement replacement;
    std::map<std::uint32_t, StampedSet> lru;
    std::map<std::uint32_t, TreeNode> trees;
};

RC_GTEST_PROP(L1d, hits_what_the_reference_hits, ()) {
    const unsigned sets = 1U << *rc::gen::inRange(0, 4);
    const auto replacement = *rc::gen::element(Replacement::lru, Replacement::tree_plru);
    const unsigned ways = replacement == Replacement::lru ? *rc::gen::inRange(1U, 13U) : 1U << *rc::gen::inRange(1, 5);
    // Few enough lines that sets are full and hit as well as miss.
    const auto lines = *rc::gen::container<std::vector<std::uint32_t>>(
        *rc::gen::inRange<std::size_t>(1, 400), rc::gen::inRange<std::uint32_t>(0, 2 * sets * ways + 1));
    L1d cache(sets, ways, replacement);
    Reference reference(sets, ways, replacement);
    std::size_t misses = 0;
    for (const std::uint32_t line : lines) {
        const bool hit = cache.access(line);
        misses += hit ? 0 : 1;
        RC_ASSERT(hit == reference.access(line));
    }
    RC_TAG(misses == lines.size());
    cache.clear();
    RC_ASSERT(!cache.access(lines.front()));
}

RC_GTEST_PROP(L1d, what_fits_stays, ()) {
    const auto replacement = *rc::gen::element(Replacement::lru, Replacement::tree_plru);
    const auto count = *rc::gen::inRange(1U, 9U);
    L1d cache(64, 8, replacement);
    for (unsigned round = 0; round < 4; ++round)
        for (unsigned i = 0; i < count; ++i) RC_ASSERT(cache.access(i * 64 + 5) == (round > 0));
}

}  // namespace
}  // namespace auopt
