// The stages of the main job, one call each, for both benchmarks.
#pragma once

#include <stdexcept>

#include "bench/generate.hpp"
#include "compiler/compile.hpp"
#include "optimizer/pipeline.hpp"
#include "verify/verify.hpp"

namespace auopt::bench {

inline Program compile_text(const std::string& text) {
    Sources sources;
    const FileId file = sources.add("generated.rules", text);
    CompileOptions options;
    options.facts.assume_watch_kinds = true;
    Diagnostics diagnostics;
    Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    if (program.failed) throw std::logic_error("the generated rules do not compile");
    return program;
}

inline KernelState load_program(const Program& program) {
    Diagnostics diagnostics;
    LoadResult loaded = load(program.messages, {}, diagnostics);
    if (loaded.refused || loaded.outside_model) throw std::logic_error("the generated rules do not load");
    return std::move(loaded.state);
}

inline std::vector<const KernelTables*> all_kernels() {
    std::vector<const KernelTables*> kernels;
    for (const KernelTables& k : kernel_tables()) kernels.push_back(&k);
    return kernels;
}

inline KernelState optimized(KernelState state) {
    OptimizeOptions options;
    options.kernels = all_kernels();
    options.workload = default_workload();
    optimize(state, options);
    return state;
}

inline void prove(const KernelState& before, const KernelState& after) {
    VerifyOptions options;
    options.kernels = all_kernels();
    if (!std::holds_alternative<Proven>(verify(before, after, options)))
        throw std::logic_error("the optimized rules are not proven");
}

}  // namespace auopt::bench
