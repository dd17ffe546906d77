// The price of the reference count behind exe= (audit_exe_compare: get_mm_exe_file, fput): one locked increment and one
// locked decrement of a counter that all threads of a program share, and all its processes that were forked without
// execve (each execve opens the file anew). The line of the counter moves from CPU to CPU.
// An estimate: every figure comes from published measurements of single operations, none from audit itself.
#pragma once

#include "kernel_model/hardware.hpp"

namespace auopt {

/// Cycles that `tests` tests of exe= cost one call when `cpus` CPUs run the same program and each makes the call again
/// and again, `rest_cycles` of other work between: the worst case for a host of that many CPUs.
double exe_count_cycles(const Cpu& cpu, unsigned cpus, unsigned tests, double rest_cycles);

/// `kernel` with that price in its exe= costs, in instructions' worth of time on `cpu`: what order_fields goes by.
KernelTables with_exe_price(const KernelTables& kernel, const Cpu& cpu, unsigned cpus);

}  // namespace auopt
