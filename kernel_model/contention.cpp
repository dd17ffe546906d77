#include "kernel_model/contention.hpp"

#include <algorithm>
#include <cmath>

namespace auopt {

// A closed queueing network of one station (the line, which serves one CPU at a time) and a delay (the rest of the
// call), solved by exact mean value analysis. One CPU alone pays two local operations; with n, the increment finds the
// line elsewhere unless the last one who had it was itself.
double exe_count_cycles(const Cpu& cpu, unsigned cpus, unsigned tests, double rest_cycles) {
    if (cpus == 0 || tests == 0) return 0;
    const double local = 2 * cpu.local_atomic_cycles;
    const double elsewhere = static_cast<double>(cpus - 1) / cpus;
    const double demand = tests * (local + elsewhere * cpu.line_transfer_cycles);
    double queue = 0, response = demand;
    for (unsigned n = 1; n <= cpus; ++n) {
        response = demand * (1 + queue);
        queue = n * response / (response + rest_cycles);
    }
    return response;
}

KernelTables with_exe_price(const KernelTables& kernel, const Cpu& cpu, unsigned cpus) {
    KernelTables priced = kernel;
    const auto it = priced.cost.fields.find(Field::exe);
    if (it == priced.cost.fields.end()) return priced;
    const double rest = cpu.transition_cycles + kernel.cost.armed_instructions * cpu.cycles_per_instruction;
    // Rules are summed in 16 bits (optimizer/ledger.hpp); what costs this much goes last anyway.
    constexpr double most = 10'000;
    const auto extra = static_cast<std::uint32_t>(
        std::lround(std::min(most, exe_count_cycles(cpu, cpus, 1, rest) / cpu.cycles_per_instruction)));
    it->second.fail_first += extra;
    it->second.pass += extra;
    return priced;
}

}  // namespace auopt
