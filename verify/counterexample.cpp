#include "verify/counterexample.hpp"

#include <algorithm>

#include "kernel_model/evaluate.hpp"
#include "verify/smt.hpp"

namespace auopt::proof {
namespace {

bool has_unknown_watch(const KernelState& s) {
    return std::any_of(s.filter.begin(), s.filter.end(), [](const KernelRule& r) { return r.watch_kind_unknown; });
}

// Fewest names first. A deleted name is judged in the middle of the call too; two names show what depends
// on the order in which the kernel looks at them.
const std::vector<std::vector<bool>>& name_shapes() {
    static const std::vector<std::vector<bool>> shapes{{}, {false}, {true}, {false, false}, {true, false}, {false, true}};
    return shapes;
}

std::optional<Refuted> try_call(const Search& s, std::uint32_t arch, unsigned nr, std::optional<unsigned> uring_op) {
    const bool unknown_watch = has_unknown_watch(s.before) || has_unknown_watch(s.after);
    for (const std::vector<bool>& names : name_shapes())
        for (const bool likely : {true, false})
            for (const KernelTables* kernel : s.kernels)
                for (const bool is_dir : {false, true}) {
                    if (is_dir && !unknown_watch) continue;
                    const Scenario scenario{arch, nr, uring_op, names, is_dir, likely};
                    const auto event = find_differing_event(s.before, s.after, *kernel, scenario, s.preserve, s.rlimit);
                    if (!event) continue;
                    const Decision b = evaluate(s.before, *kernel, *event, is_dir);
                    const Decision a = evaluate(s.after, *kernel, *event, is_dir);
                    if (decisions_differ(b, a, s.preserve)) return Refuted{*event, b, a, kernel->name, is_dir};
                }
    return std::nullopt;
}

// Operations that some rule of the io_uring list names, few of them; one any kernel audits, for hash rules.
std::vector<unsigned> operations(const Search& s) {
    std::vector<unsigned> out{18};  // IORING_OP_OPENAT
    const auto rules_of = [](const KernelState& state, unsigned op) {
        std::vector<const KernelRule*> rules;
        for (const KernelRule& r : state.filter)
            if (placement(r) == Placement::io_uring_list && r.mask.test(op)) rules.push_back(&r);
        return rules;
    };
    for (unsigned op = 0; op < 64 && out.size() < 6; ++op) {
        const auto b = rules_of(s.before, op), a = rules_of(s.after, op);
        const bool same = std::equal(b.begin(), b.end(), a.begin(), a.end(), [](const KernelRule* x, const KernelRule* y) {
            return x->action == y->action && x->tests == y->tests;
        });
        if (!same && op != out.front()) out.push_back(op);
    }
    return out;
}

}  // namespace

bool decisions_differ(const Decision& before, const Decision& after, Preserve preserve) {
    const bool b = before.outcome == Outcome::always, a = after.outcome == Outcome::always;
    if (preserve == Preserve::exact ? before.outcome != after.outcome : b != a) return true;
    return preserve != Preserve::decision && b && a && before.key != after.key;
}

std::optional<Refuted> refute(const Search& search, const Group& group) {
    // The calls of a group see the same rules; only those that kernels to come may classify anew can differ.
    std::vector<Call> calls{group.calls.front()};
    if (group.shape == PermShape::new_call && group.calls.size() > 1) {
        calls.push_back(group.calls[1]);
        calls.push_back(group.calls.back());
    }
    for (const Call& call : calls)
        if (auto found = try_call(search, abi_arch(call.abi), call.nr, std::nullopt)) return found;
    if (group.enters_io_uring())
        for (const unsigned op : operations(search))
            if (auto found = try_call(search, abi_arch(group.calls.front().abi), io_uring_enter, op)) return found;
    return std::nullopt;
}

std::optional<Refuted> refute_worker(const Search& search) {
    for (const unsigned op : operations(search))
        if (auto found = try_call(search, 0, 0, op)) return found;
    return std::nullopt;
}

}  // namespace auopt::proof
