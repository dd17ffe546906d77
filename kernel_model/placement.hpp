// Where the slab allocator (mm/slub.c) puts the objects of the rules: drawn at random for one boot. Only the place in
// the page is told apart by the L1D, so every slab object gets a page of its own number.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernel_model/hardware.hpp"
#include "kernel_model/layout.hpp"

namespace auopt {

constexpr std::uint32_t page_bytes = 4096;

/// Draws that are the same on every hardware and with every standard library.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    /// 0 <= result < n; n > 0.
    std::uint32_t below(std::uint32_t n);
    bool chance(double share);

private:
    std::mt19937_64 engine_;
};

/// Objects in one slab of objects of `object_bytes` (mm/slub.c:calculate_order, 4096-byte pages, slub_max_order 3).
unsigned objects_per_slab(unsigned object_bytes, unsigned cpus);

/// One slab cache with a shuffled freelist: hands out objects of slabs that other users have partly filled.
class SlabCache {
public:
    /// `free_share`: of a slab's objects, those free on average when we get it; 1: always fresh slabs.
    SlabCache(unsigned object_bytes, unsigned objects, double free_share, double others_between);
    /// The offset in its page of the next object of ours.
    std::uint32_t allocate(Random& random);

private:
    void next_slab(Random& random);

    unsigned object_bytes_, objects_;
    double free_share_, others_between_;
    std::vector<std::uint16_t> free_;  // object numbers, the next one last
};

/// Addresses, in bytes, for one boot: one per object. Objects above the largest slab class start a page.
std::vector<std::uint32_t> place_objects(const std::vector<RuleObject>& objects, const Layout& layout,
                                         const KernelVariant& variant, Random& random, std::uint32_t& next_page);

/// The lines of one group of others, starting at a drawn multiple of its alignment.
std::vector<std::uint32_t> place_others(const Layout::Others& others, unsigned line_bytes, Random& random,
                                        std::uint32_t& next_page);

}  // namespace auopt
