// Is `after` the same as `before`? Translation validation of every output, and of any two rule sets.
// Shares no code with optimizer/: it judges it. The public header of verify/, with settings.hpp; no Z3 in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/facts.hpp"
#include "kernel_model/event.hpp"
#include "kernel_model/record_lists.hpp"
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
    const Facts* facts = nullptr;              // which paths are directories: one tree by two spellings
};

struct Proven {
    std::size_t obligations = 0;  // (arch, nr) obligations discharged
    std::size_t groups = 0;       // distinct pairs of rule lists among them
    std::size_t queries = 0;      // that needed the solver
};
/// What has become of an event, the worst first: recorded and not any more, recorded under another key, recorded where it
/// was not, never against no match.
enum class DifferenceKind : std::uint8_t { lost, rekeyed, gained, never };
constexpr DifferenceKind all_difference_kinds[] = {DifferenceKind::lost, DifferenceKind::rekeyed,
                                                   DifferenceKind::gained, DifferenceKind::never};

/// An event that is decided differently: checked with kernel_model::evaluate before it is reported.
struct Counterexample {
    Event event;
    Decision before, after;
    std::string kernel;
    bool unknown_watch_is_dir = false;
    /// Not empty: on a host without this ("dir=/opt/backup") loading stops, and the event is decided by what each file has
    /// loaded by then, which proof::Loading::loaded_without tells.
    std::string where_missing;
    /// The rule that decides on each side (index into KernelState::filter; not set with where_missing); nothing where none
    /// matches.
    std::optional<std::size_t> rule_before, rule_after;
    /// The lines of that rule; none where no rule matches or the rule is not from a file.
    std::vector<Span> lines_before, lines_after;
    DifferenceKind kind = DifferenceKind::lost;
    /// Watched paths of unknown kind that decide: were they the other kind, the event would not tell the files apart.
    std::vector<std::string> unknown_watches;
};
/// An event that a list besides exit and io_uring decides differently: checked with kernel_model::evaluate_list.
struct ListExample {
    ListEvent event;
    ListDecision before, after;
    bool operator==(const ListExample&) const = default;
};
/// Something besides the decision of a call that is not the same: a setting, a message that is no rule, what loading
/// leaves out, a watch, another list.
struct Difference {
    std::string what;                                   // "enabled (-e)"
    std::string before, after;                          // the value on each side: "2", "unset"
    std::string meaning;                                // "the lock is lost"
    std::optional<ListExample> example = std::nullopt;  // where a list is what differs
    bool operator==(const Difference&) const = default;
};
/// At least one of the two is there.
struct Refuted {
    std::optional<Counterexample> example;
    std::vector<Difference> differences;
    std::string rules;  // how the exit list, the hash and the io_uring list compare where there is no example
};
struct Unknown {
    std::string reason;
};
using Verdict = std::variant<Proven, Refuted, Unknown>;

Verdict verify(const KernelState& before, const KernelState& after, const VerifyOptions& options);

}  // namespace auopt
