// CPUs, kernel variants and memory layouts as data: tables/cpus.toml and tables/layouts.toml, embedded at build time.
// Each number's source is named there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_model/tables.hpp"

namespace auopt {

enum class Replacement { lru, tree_plru };

/// One core. Latencies are load-to-use, in cycles.
struct Cpu {
    std::string name, title;
    unsigned l1d_sets = 0, l1d_ways = 0, line_bytes = 0;
    Replacement replacement = Replacement::lru;
    double l1_cycles = 0, l2_cycles = 0;
    unsigned rob = 0;  // reorder buffer, instructions
    double clock_ghz = 0;
    double transition_cycles = 0;       // entering and leaving the kernel, beyond its instructions
    double cycles_per_instruction = 0;  // of this path, data in L1D
    double local_atomic_cycles = 0, line_transfer_cycles = 0;
    std::string fit;
};

/// How a kernel allocates rules and walks them, where that differs from what was measured.
struct KernelVariant {
    std::string name, title;
    unsigned entry_align = 512;   // bytes
    bool own_cache = false;       // a slab cache of its own, objects of size rounded up to entry_align
    std::uint32_t mask_miss = 0;  // instructions; 0: the kernel's
};

struct Layout {
    std::string source;
    unsigned entry_size = 0, list_next = 0, mask = 0, field_count = 0, fields = 0, watch = 0, tree = 0, exe = 0,
             prio = 0;
    unsigned field_size = 0, field_type = 0, field_value = 0, field_op = 0;
    struct Operand {
        unsigned size = 0;
        std::vector<unsigned> reads;  // offsets
    };
    std::map<std::string, Operand> operands;
    std::vector<unsigned> slab_sizes;  // bytes, ascending
    unsigned slab_cpus = 0;            // CPUs of the host, which decide how large slabs are
    double free_share = 0;             // objects free in a slab that an allocation gets
    double others_between = 0;         // chance that others take an object between two allocations
    /// Lines that every call touches beside the walk, in groups that lie together.
    struct Others {
        std::string what;
        unsigned align = 64;
        std::vector<unsigned> lines;
        bool again = false, per_boot = false;
    };
    std::vector<Others> others;
    std::uint32_t no_context_instructions = 0;  // getpid of a task without an audit context

    /// The object size of the slab that an allocation of `bytes` comes from, or 0 above the largest.
    unsigned slab_size_for(unsigned bytes) const;
};

const std::vector<Cpu>& cpus();
const Cpu* find_cpu(std::string_view name);
const std::vector<KernelVariant>& kernel_variants();
const KernelVariant* find_kernel_variant(std::string_view name);
/// The layout of a kernel of the tables, or nullptr where none is known.
const Layout* find_layout(std::string_view kernel);

/// `kernel` as the variant walks it: its cost table with the variant's instructions.
KernelTables with_variant(const KernelTables& kernel, const KernelVariant& variant);

}  // namespace auopt
