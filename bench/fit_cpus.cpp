// Solves transition_cycles and cycles_per_instruction of tables/cpus.toml from one published row per CPU: getpid without
// an audit context, and with the rules. Prints them; exits 1 if the table holds others.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "kernel_model/misses.hpp"

namespace {

using namespace auopt;

struct PublishedRow {
    const char* cpu;
    const char* rules;  // in share/rulesets
    const char* kernel;
    bool nanoseconds;  // else cycles
    double without, with;
};

constexpr PublishedRow published[] = {
    {"skylake-x", "published/forty-two.rules", "linux-6.1", false, 283, 836},
    {"cascade-lake", "stig-like.rules", "linux-6.12", true, 55, 210},
};

KernelState state_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    CompileOptions options;
    options.facts.assume_watch_kinds = true;
    Sources sources;
    Diagnostics diagnostics;
    const FileId id = sources.add(path.string(), text.str());
    return load(compile(sources, split_lines(sources, id), options, diagnostics).messages, {}, diagnostics).state;
}

/// What the audit context, being armed and the rules add to a getpid, in cycles.
double added(const PublishedRow& row, const KernelState& state, const Cpu& cpu) {
    const KernelTables& kernel = *find_kernel(row.kernel);
    const Layout& layout = *find_layout(row.kernel);
    PlacedCalls calls(state, kernel, layout, cpu, *find_kernel_variant("kmalloc-512"), {});
    return calls.price(reference_event(arch_x86_64, 39)).cycles.mean +
           (kernel.cost.armed_instructions - layout.no_context_instructions) * cpu.cycles_per_instruction;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "usage: fit_cpus share/rulesets\n");
        return 2;
    }
    bool same = true;
    for (const PublishedRow& row : published) {
        const Cpu& table = *find_cpu(row.cpu);
        const KernelState state = state_of(std::filesystem::path(argv[1]) / row.rules);
        if (state.filter.empty()) {
            fmt::print(stderr, "fit_cpus: no rules in {}\n", row.rules);
            return 2;
        }
        const double unit = row.nanoseconds ? table.clock_ghz : 1;
        // More cycles per instruction, more cycles: halve the interval.
        double low = 0.01, high = 2;
        for (int i = 0; i < 30; ++i) {
            Cpu cpu = table;
            cpu.cycles_per_instruction = (low + high) / 2;
            (added(row, state, cpu) > (row.with - row.without) * unit ? high : low) = cpu.cycles_per_instruction;
        }
        const double transition = row.without * unit - find_layout(row.kernel)->no_context_instructions * low;
        fmt::print("{}: cycles_per_instruction {:.4f} (table: {}), transition_cycles {:.1f} (table: {})\n", row.cpu,
                   low, table.cycles_per_instruction, transition, table.transition_cycles);
        same = same && std::abs(low - table.cycles_per_instruction) < 0.001 &&
               std::abs(transition - table.transition_cycles) < 0.5;
    }
    return same ? 0 : 1;
}
