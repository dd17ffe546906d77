// Google Benchmark figures of each stage; items are rules.
#include <benchmark/benchmark.h>

#include "bench/stages.hpp"

namespace auopt {
namespace {

void count(benchmark::State& state) {
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetComplexityN(state.range(0));
}

void compile_rules(benchmark::State& state) {
    const std::string text = generate_rules(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(bench::compile_text(text));
    count(state);
}
BENCHMARK(compile_rules)->RangeMultiplier(10)->Range(100, 10000)->Unit(benchmark::kMillisecond)->Complexity();

void optimize_rules(benchmark::State& state) {
    const KernelState before =
        bench::load_program(bench::compile_text(generate_rules(static_cast<unsigned>(state.range(0)))));
    for (auto _ : state) benchmark::DoNotOptimize(bench::optimized(before));
    count(state);
}
BENCHMARK(optimize_rules)->RangeMultiplier(10)->Range(100, 1000)->Unit(benchmark::kMillisecond);

void prove_rules(benchmark::State& state) {
    const KernelState before =
        bench::load_program(bench::compile_text(generate_rules(static_cast<unsigned>(state.range(0)))));
    const KernelState after = bench::optimized(before);
    for (auto _ : state) bench::prove(before, after);
    count(state);
}
BENCHMARK(prove_rules)->RangeMultiplier(10)->Range(100, 1000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace auopt
