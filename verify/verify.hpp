// Is `after` the same as `before`? Translation validation of every output, and of any two rule sets.
// Shares no code with optimizer/: it judges it. The only public header of verify/; no Z3 in it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernel_model/event.hpp"
#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

enum class Preserve { exact, recorded, decision };

struct VerifyOptions {
    Preserve preserve = Preserve::exact;
    bool assume_no_32bit = false;              // --assume no-32bit
    bool assume_no_foreign_records = false;    // --assume no-foreign-records: exact == recorded
    std::vector<const KernelTables*> kernels;  // prove for each of these
    std::uint32_t solver_rlimit = 50'000'000;  // per query, deterministic
};

struct Proven {
    std::size_t obligations = 0;  // (arch, nr) obligations discharged
    std::size_t groups = 0;       // distinct pairs of rule lists among them
    std::size_t queries = 0;      // that needed the solver
};
/// `event` is decided differently: checked with kernel_model::evaluate before it is reported.
struct Refuted {
    Event event;
    Decision before, after;
    std::string kernel;
    bool unknown_watch_is_dir = false;
};
struct Unknown {
    std::string reason;
};
using Verdict = std::variant<Proven, Refuted, Unknown>;

Verdict verify(const KernelState& before, const KernelState& after, const VerifyOptions& options);

}  // namespace auopt
