// The table of contents: one line per pass, in order. Each pass proposes rewrites that its lemma allows; Rules::propose
// takes one only if no call costs more than in the input and the workload costs less, on every kernel of the target.
#include "optimizer/pipeline.hpp"

#include "kernel_model/output_order.hpp"
#include "optimizer/passes.hpp"

namespace auopt {
namespace {

struct Pass {
    const char* name;
    PassCounts (*run)(Rules&);
};

constexpr Pass passes[] = {
    {"drop_dead", drop_dead},            // rules that can't be the first match
    {"narrow_masks", narrow_masks},      // perm= rules leave the calls that perm= is never true for
    {"fold_arches", fold_arches},        // b32/b64 pairs become one rule
    {"merge_syscalls", merge_syscalls},  // rules that differ only in system calls or permissions become one
    {"order_fields", order_fields},      // cheap and selective tests first
    {"order_rules", order_rules},        // rules that take many events first
    // ---- below this line nothing is added: make_writable, and the state goes to verify ----
};

}  // namespace

const std::vector<std::string>& pass_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> n;
        for (const Pass& pass : passes) n.emplace_back(pass.name);
        return n;
    }();
    return names;
}

std::vector<PassReport> optimize(KernelState& state, const OptimizeOptions& options) {
    const KernelState before = state;
    const Ledger ledger(options.kernels, options.workload);
    Rules rules(state, ledger);
    std::vector<PassReport> reports;
    for (const Pass& pass : passes) {
        if (!options.passes.empty() && !options.passes.contains(pass.name)) continue;
        PassReport report{pass.name, rules.entries().size(), 0, 0, 0};
        const PassCounts counts = pass.run(rules);
        report.rules_after = rules.entries().size();
        report.rewrites = counts.kept;
        report.refused = counts.refused;
        reports.push_back(report);
        state.filter = rules.plain();
        if (options.after_pass) options.after_pass(pass.name, state);
    }
    make_writable(rules);
    state.filter = rules.plain();
    number_as_output(before, state);
    return reports;
}

}  // namespace auopt
