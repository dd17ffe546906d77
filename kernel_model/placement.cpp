#include "kernel_model/placement.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace auopt {

std::uint32_t Random::below(std::uint32_t n) {
    // The high bits, scaled; the bias of 2^-32 is far below anything that is read off the result.
    return static_cast<std::uint32_t>(((engine_() >> 32) * n) >> 32);
}

bool Random::chance(double share) { return static_cast<double>(engine_() >> 11) * 0x1.0p-53 < share; }

unsigned objects_per_slab(unsigned object_bytes, unsigned cpus) {
    constexpr unsigned max_order = 3;
    const unsigned wanted =
        std::min(4 * (static_cast<unsigned>(std::bit_width(cpus)) + 1), (page_bytes << max_order) / object_bytes);
    // A slab of enough objects that wastes no more than a 16th, an 8th, a quarter.
    for (unsigned fraction = 16; fraction >= 4; fraction /= 2) {
        for (unsigned order = 0; order <= max_order; ++order) {
            const unsigned slab = page_bytes << order;
            if (slab / object_bytes >= wanted && slab % object_bytes <= slab / fraction) return slab / object_bytes;
        }
    }
    return (page_bytes << max_order) / object_bytes;
}

SlabCache::SlabCache(unsigned object_bytes, unsigned objects, double free_share, double others_between)
    : object_bytes_(object_bytes), objects_(objects), free_share_(free_share), others_between_(others_between) {}

void SlabCache::next_slab(Random& random) {
    free_.resize(objects_);
    std::iota(free_.begin(), free_.end(), std::uint16_t{0});
    for (std::uint32_t i = objects_; i > 1; --i) std::swap(free_[i - 1], free_[random.below(i)]);
    if (free_share_ >= 1) return;
    // 1 to 2 x share x objects - 1 of them, each as likely: the share on average.
    const auto most = static_cast<std::uint32_t>(2 * free_share_ * objects_);
    free_.resize(std::min<std::size_t>(objects_, 1 + random.below(std::max(most, 2U) - 1)));
}

std::uint32_t SlabCache::allocate(Random& random) {
    for (;;) {
        if (free_.empty()) next_slab(random);
        const std::uint32_t object = free_.back();
        free_.pop_back();
        if (!random.chance(others_between_)) return object * object_bytes_ % page_bytes;
    }
}

std::vector<std::uint32_t> place_objects(const std::vector<RuleObject>& objects, const Layout& layout,
                                         const KernelVariant& variant, Random& random, std::uint32_t& next_page) {
    std::map<unsigned, SlabCache> caches;  // by object size
    const unsigned aligned = (layout.entry_size + variant.entry_align - 1) / variant.entry_align * variant.entry_align;
    // A cache of the rules' own holds nothing else: auditctl fills fresh slabs, one after the other.
    SlabCache own(aligned, objects_per_slab(aligned, layout.slab_cpus), 1, 0);
    std::vector<std::uint32_t> addresses;
    for (const RuleObject& object : objects) {
        std::uint32_t offset = 0;
        const unsigned size = layout.slab_size_for(object.bytes);
        if (variant.own_cache && object.kind == RuleObject::Kind::entry)
            offset = own.allocate(random);
        else if (size != 0)
            offset = caches
                         .try_emplace(size, size, objects_per_slab(size, layout.slab_cpus), layout.free_share,
                                      layout.others_between)
                         .first->second.allocate(random);
        // Two pages each: an object may reach over the end of its first.
        addresses.push_back(next_page * page_bytes + offset);
        next_page += 2;
    }
    return addresses;
}

std::vector<std::uint32_t> place_others(const Layout::Others& others, unsigned line_bytes, Random& random,
                                        std::uint32_t& next_page) {
    const std::uint32_t start = next_page * page_bytes + random.below(page_bytes / others.align) * others.align;
    const unsigned last = *std::max_element(others.lines.begin(), others.lines.end());
    next_page += 2 + last * line_bytes / page_bytes;
    std::vector<std::uint32_t> lines;
    for (const unsigned line : others.lines) lines.push_back(start / line_bytes + line);
    return lines;
}

}  // namespace auopt
