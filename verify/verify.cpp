// The proof, as a table of contents. What has to be shown per call and why it suffices: decide.cpp.
#include "verify/verify.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "tables/names.hpp"
#include "verify/counterexample.hpp"
#include "verify/decide.hpp"
#include "verify/kept.hpp"
#include "verify/loading.hpp"
#include "verify/obligations.hpp"
#include "verify/other_lists.hpp"
#include "verify/project.hpp"
#include "verify/settings.hpp"
#include "verify/smt.hpp"
#include "verify/spelling.hpp"
#include "verify/vocabulary.hpp"
#include "verify/workers.hpp"

namespace auopt {
namespace {

using namespace proof;

// ---- what is not decided per call: everything but the exit list, the hash and the io_uring list ----

// The kernel refuses the second of two equal rules (EEXIST). Only -A gets past that, and only so far as the
// file before did it too.
std::optional<std::string> find_duplicate(const KernelState& before, const KernelState& after) {
    const auto equal = [](const KernelRule& x, const KernelRule& y) {
        return x.list == y.list && x.action == y.action && x.mask == y.mask && x.tests == y.tests;
    };
    for (std::size_t i = 0; i < after.filter.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (!equal(after.filter[i], after.filter[j])) continue;
            const auto count = [&](const KernelState& s) {
                return std::count_if(s.filter.begin(), s.filter.end(),
                                     [&](const KernelRule& r) { return equal(r, after.filter[i]); });
            };
            if (count(after) > count(before))
                return fmt::format(
                    "two rules of the file after are equal ({} and {}): the kernel refuses the second (EEXIST)",
                    where(after, j), where(after, i));
        }
    return std::nullopt;
}

// The calls proven are those of one machine. Rules for another machine match nothing there, which must not pass for a
// proof: they stay as they are, and a file that speaks only of other machines is left alone.
std::optional<std::string> compare_foreign_rules(const KernelState& before, const KernelState& after,
                                                 const MachineModel& machine) {
    const auto is_own = [&](const FieldTest& t) {
        return t.value == machine.abi_arch(Abi::native) || t.value == machine.abi_arch(Abi::compat);
    };
    std::optional<std::uint32_t> foreign_arch;
    bool own = false;
    const auto foreign = [&](const KernelState& s) {
        std::vector<const KernelRule*> out;
        for (const KernelRule& r : s.filter) {
            const FieldTest* other = nullptr;
            for (const FieldTest& t : r.tests) {
                if (t.field != Field::arch) continue;
                if (is_own(t))
                    own = true;
                else if (t.op == Op::equal)
                    other = &t;
            }
            if (other == nullptr) continue;
            foreign_arch = other->value;
            out.push_back(&r);
        }
        return out;
    };
    const auto b = foreign(before), a = foreign(after);
    const auto same = [](const KernelRule& x, const KernelRule& y) { return x.same_as(y); };
    if (!foreign_arch) return std::nullopt;
    const std::string_view name = machine_name(machine.machine);
    if (!own) {
        if (std::equal(before.filter.begin(), before.filter.end(), after.filter.begin(), after.filter.end(), same))
            return std::nullopt;
        return fmt::format("the rules are for another machine (arch {:#x}); only calls of {} are proven", *foreign_arch,
                           name);
    }
    if (std::equal(b.begin(), b.end(), a.begin(), a.end(),
                   [&](const KernelRule* x, const KernelRule* y) { return same(*x, *y); }))
        return std::nullopt;
    return fmt::format("the rules for another machine (arch {:#x}) differ; only calls of {} are proven", *foreign_arch,
                       name);
}

// ---- words for what is not shown ----

std::string call_name(const Call& call, const MachineModel& machine) {
    const std::string name = syscall_name(call.nr, machine.names_of(call.abi));
    const std::string_view abi = machine_name(machine.names_of(call.abi));
    return name.empty() ? fmt::format("{} call {}", abi, call.nr) : fmt::format("{} {}({})", abi, name, call.nr);
}

std::string places(const KernelState& state, const std::vector<std::size_t>& rules) {
    std::string text;
    std::vector<std::size_t> distinct;
    for (const std::size_t r : rules)
        if (std::find(distinct.begin(), distinct.end(), r) == distinct.end()) distinct.push_back(r);
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        if (i == 6) return text + fmt::format("; and {} more", distinct.size() - i);
        text += fmt::format("{}{}", i == 0 ? "" : "; ", where(state, distinct[i]));
    }
    return text.empty() ? std::string("none") : text;
}

std::string explain(const KernelState& before, const KernelState& after, const std::string& calls, const Gap& gap) {
    return fmt::format("{}: {} (rules before: {}; rules after: {})", calls, gap.reason, places(before, gap.before),
                       places(after, gap.after));
}

std::string explain(const KernelState& before, const KernelState& after, const Group& group, const Gap& gap) {
    std::string calls = call_name(group.calls.front(), machine_model(before.machine));
    if (group.calls.size() > 1) calls += fmt::format(" and {} more", group.calls.size() - 1);
    return explain(before, after, calls, gap);
}

// Searching costs more than proving; what the first differing calls do not show, others seldom do.
constexpr std::size_t searched_groups = 16;

// An event that the file before, as far as it is loaded where `missing` is missing, records, and the file after does not.
std::optional<Counterexample> lost_in_loading(const Loading& loading, const NamedObject& missing, const Search& whole,
                                              const PermModel& perms, bool with_compat) {
    const KernelState before = loading.loaded_without(missing, false), after = loading.loaded_without(missing, true);
    const Search search{before, after, whole.kernels, Preserve::recorded, whole.rlimit};
    Vocabulary vocabulary;
    const auto b = project(before, perms, false, vocabulary), a = project(after, perms, false, vocabulary);
    if (!b || !a) return std::nullopt;
    const Obligations all = obligations(*b, *a, perms, with_compat, vocabulary);
    for (std::size_t i = 0; i < all.differing.size() && i < searched_groups; ++i) {
        Found found;
        refute(search, all.differing[i], found);
        auto& e = found.example;
        if (!e || e->before.outcome != Outcome::always || e->before == e->after) continue;
        e->where_missing = to_string(missing);
        e->rule_before.reset();  // of what is loaded by then
        e->rule_after.reset();
        return e;
    }
    return std::nullopt;
}

Verdict verify_as_written(const KernelState& before, const KernelState& after, const VerifyOptions& options) {
    std::vector<const KernelTables*> kernels = options.kernels;
    if (kernels.empty())
        for (const KernelTables& k : kernel_tables(before.machine)) kernels.push_back(&k);
    if (kernels.empty()) return Unknown{"no kernel to prove it for"};
    const MachineModel& machine = machine_model(before.machine);
    if (after.machine != before.machine) return Unknown{"the files are read for two different machines"};
    for (const KernelTables* k : kernels)
        if (k->machine != &machine) return Unknown{"the kernels are not of the machine that the files are read for"};
    const Preserve preserve = options.preserve == Preserve::exact && options.assume_no_foreign_records
                                  ? Preserve::recorded
                                  : options.preserve;

    // 1. What is the same for every call. The rules are compared all the same: an event says more.
    Refuted refuted;
    refuted.differences = compare_settings(before, after);
    for (Difference& d : compare_objects(before, after)) refuted.differences.push_back(std::move(d));
    OtherLists lists = compare_other_lists(before, after, preserve, options.solver_rlimit);
    std::move(lists.differences.begin(), lists.differences.end(), std::back_inserter(refuted.differences));
    std::optional<std::string> unknown = std::move(lists.unknown);
    if (!unknown) unknown = compare_counters(before, after);
    if (!unknown) unknown = find_duplicate(before, after);
    if (!unknown) unknown = compare_companions(before, after);
    if (!unknown) unknown = compare_watch_creation(before, after);
    if (!unknown) unknown = compare_foreign_rules(before, after, machine);

    const Loading loading(before, after);
    std::optional<LoadingGap> loading_gap = loading.compare_order();

    // 2. Kernels that classify calls alike, as far as the proof looks, are proven once.
    std::vector<PermModel> perm_models;
    for (const KernelTables* k : kernels)
        if (PermModel m(*k); std::find(perm_models.begin(), perm_models.end(), m) == perm_models.end())
            perm_models.push_back(std::move(m));

    Vocabulary vocabulary;
    Solver solver(vocabulary, options.solver_rlimit);
    const Search search{before, after, kernels, preserve, options.solver_rlimit};
    Proven proven;
    std::size_t searched = 0;
    Found found;
    for (const PermModel& perms : perm_models) {
        // 3. What each call sees of both files.
        const bool ignore_keys = preserve == Preserve::decision;
        const auto projected_before = project(before, perms, ignore_keys, vocabulary);
        if (!projected_before) return Unknown{"before: " + projected_before.error()};
        const auto projected_after = project(after, perms, ignore_keys, vocabulary);
        if (!projected_after) return Unknown{"after: " + projected_after.error()};
        const Obligations all =
            obligations(*projected_before, *projected_after, perms, !options.assume_no_32bit, vocabulary);
        proven.obligations += all.calls;
        proven.groups += all.groups;

        // 4. Calls that see different lists: shown to be the same, or refuted, or left open.
        for (const Group& group : all.differing) {
            // With one event found, the next groups are asked for a worse one.
            if (found.example && (searched >= searched_groups || !found.open())) break;
            const auto gap = decide(group, preserve != Preserve::exact, vocabulary, solver);
            if (!gap) continue;
            if (searched++ < searched_groups) refute(search, group, found);
            if (!unknown) unknown = explain(before, after, group, *gap);
        }

        // 5. What is loaded where loading stops.
        if (!loading_gap && !found.example)
            loading_gap = loading.compare_rules(*projected_before, *projected_after, perms, !options.assume_no_32bit,
                                                vocabulary, solver);
        if (loading_gap && loading_gap->stop && !found.example) {
            refuted.example = lost_in_loading(loading, *loading_gap->stop, search, perms, !options.assume_no_32bit);
            if (refuted.example) {
                refuted.differences.push_back(loading.difference(*loading_gap->stop));
                return refuted;
            }
        }
        if (loading_gap && !unknown) unknown = loading_gap->reason;

        // 6. The io_uring worker.
        if (all.worker_differs) {
            const auto worker = decide_workers(all, preserve != Preserve::exact, vocabulary, solver);
            if (!worker) continue;
            if (found.open()) refute_worker(search, worker->operation, found);
            if (!unknown)
                unknown = explain(before, after, fmt::format("io_uring workers, operation {}", worker->operation),
                                  worker->gap);
        }
    }
    refuted.example = std::move(found.example);
    if (refuted.example) return refuted;
    if (unknown && found.impossible)
        *unknown += fmt::format("; every event found that they decide differently is one that no call produces: {}",
                                *found.impossible);
    if (!refuted.differences.empty()) {
        refuted.rules = unknown ? "unknown: " + *unknown : "proven the same";
        return refuted;
    }
    if (unknown) return Unknown{*std::move(unknown)};
    proven.queries = solver.queries() + lists.queries;
    return proven;
}

}  // namespace

Verdict verify(const KernelState& before, const KernelState& after, const VerifyOptions& options) {
    // One spelling for each directory that the facts know; what is left open is said, and asked for.
    Spellings spellings = known_spellings(before, after, options.facts);
    const auto verify_with = [&] {
        return verify_as_written(with_spellings(before, spellings), with_spellings(after, spellings), options);
    };
    const Spellings open = open_spellings(before, after, spellings);
    Verdict verdict = verify_with();
    if (auto* refuted = std::get_if<Refuted>(&verdict); refuted != nullptr && refuted->example) {
        // The event is replayed with the files as they are written.
        std::set<std::string>& dirs = refuted->example->event.dirs;
        for (std::string& text : other_spellings(before, after, spellings, dirs)) dirs.insert(std::move(text));
    }
    if (open.directories.empty() || std::holds_alternative<Proven>(verdict)) return verdict;
    spellings.directories.insert(open.directories.begin(), open.directories.end());
    if (!std::holds_alternative<Proven>(verify_with())) return verdict;
    const std::string& path = *open.directories.begin();
    return Unknown{
        fmt::format("the same only where {0} is a directory and no symbolic link, which no fact tells (--facts): "
                    "dir={0} and dir={0}/ "
                    "are one tree there, and two elsewhere",
                    path)};
}

}  // namespace auopt
