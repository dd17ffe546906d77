// How the stages grow with the number of rules: a table, and an assertion on ratios within this run.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>

#include "bench/stages.hpp"

namespace {

using namespace auopt;

// The best of a few runs: noise only ever adds.
double seconds(const std::function<void()>& work, int runs) {
    double best = 0;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (i == 0 || took < best) best = took;
    }
    return best;
}

struct Times {
    unsigned rules = 0;
    double compile = 0, load = 0, optimize = 0, verify = 0;
};

Times measure(unsigned rules) {
    const int runs = rules <= 1000 ? 5 : 1;
    const std::string text = generate_rules(rules);
    Times t{rules};
    Program program;
    t.compile = seconds([&] { program = bench::compile_text(text); }, runs);
    KernelState before;
    t.load = seconds([&] { before = bench::load_program(program); }, runs);
    KernelState after;
    t.optimize = seconds([&] { after = bench::optimized(before); }, rules <= 100 ? 3 : 1);
    t.verify = seconds([&] { bench::prove(before, after); }, rules <= 100 ? 3 : 1);
    return t;
}

// time(n) ~ n^exponent between two sizes.
double exponent(double small, double large, double factor) { return std::log(large / small) / std::log(factor); }

}  // namespace

int main(int argc, char** argv) {
    const bool large = argc > 1 && std::string_view(argv[1]) == "--large";
    std::vector<unsigned> sizes = {100, 300, 1000};
    if (large) sizes.insert(sizes.end(), {3000, 10000});
    std::vector<Times> all;
    fmt::print("{:>6} {:>12} {:>12} {:>12} {:>12}   milliseconds\n", "rules", "compile", "load", "optimize", "verify");
    for (unsigned n : sizes) {
        all.push_back(measure(n));
        const Times& t = all.back();
        fmt::print("{:>6} {:>12.2f} {:>12.2f} {:>12.1f} {:>12.1f}\n", t.rules, t.compile * 1e3, t.load * 1e3,
                   t.optimize * 1e3, t.verify * 1e3);
        std::fflush(stdout);
    }
    const Times &a = all.front(), &b = all[2];
    const double factor = static_cast<double>(b.rules) / a.rules;
    struct Row {
        const char* stage;
        double got, bound;
    };
    // compile and load are linear; the others compare rules pairwise. Bounds leave room for noise, not for another
    // power.
    const Row rows[] = {{"compile", exponent(a.compile, b.compile, factor), 1.4},
                        {"load", exponent(a.load, b.load, factor), 1.6},
                        {"optimize", exponent(a.optimize, b.optimize, factor), 2.4},
                        {"verify", exponent(a.verify, b.verify, factor), 2.4}};
    bool ok = true;
    for (const Row& r : rows) {
        fmt::print("{}: grows as n^{:.2f} from {} to {} rules (bound {})\n", r.stage, r.got, a.rules, b.rules, r.bound);
        ok &= r.got <= r.bound;
    }
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
