// Questions for the solver. The only interface to Z3; no Z3 type crosses it. Answers are never wrong:
// what the solver gives up on (a resource limit, not wall time, so that runs repeat) is `undecided`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel_model/evaluate.hpp"
#include "verify/project.hpp"
#include "verify/verify.hpp"
#include "verify/vocabulary.hpp"

namespace auopt::proof {

/// Kinds of difference, as bits: 1 << DifferenceKind.
using KindSet = unsigned;

enum class Answer { no, yes, undecided };

/// An exit-list rule in a first-match question; equal outcomes are the same result, 0 is "as if nothing matched".
struct Ranked {
    ConditionId condition = 0;
    std::uint32_t outcome = 0;
};

/// Questions of the proof. Every operand that more than one name can satisfy is a free truth value of its
/// own, as are directories, programs and labels; scalars are bit vectors of 32.
class Solver {
public:
    Solver(const Vocabulary& vocabulary, std::uint32_t rlimit);
    ~Solver();
    Solver(const Solver&) = delete;
    Solver& operator=(const Solver&) = delete;

    /// Is there an event whose first matching rule has another outcome in `after`?
    Answer first_match_can_differ(const std::vector<Ranked>& before, const std::vector<Ranked>& after, PermShape shape);
    /// Is there an event that some rule of exactly one side matches? With `given`: an event in which one of
    /// these hash rules can match (at the exit, or before in the same call).
    Answer some_match_can_differ(const std::vector<ConditionId>& before, const std::vector<ConditionId>& after,
                                 PermShape shape, const std::vector<ConditionId>* given);
    /// Can the hash rule match in a call at whose exit one of the exit-list conditions holds?
    Answer can_match_in_one_call(ConditionId hash, const std::vector<ConditionId>& exits, PermShape shape);
    /// Can both hash rules match in one call, for any names and at any two times?
    Answer hash_rules_can_meet(ConditionId left, ConditionId right, PermShape shape);
    /// Is there a name (and event) that satisfies a condition of exactly one side?
    Answer disjunctions_can_differ(const std::vector<ConditionId>& left, const std::vector<ConditionId>& right,
                                   PermShape shape);
    Answer can_match(ConditionId condition, PermShape shape);

    std::size_t queries() const;

private:
    template <class Question>
    Answer answer_of(const Question& question);

    struct Impl;
    std::unique_ptr<Impl> impl_;  // none: memory has run out
};

/// What a concrete counterexample is looked for in: one call of one kernel with a fixed number of names.
struct Scenario {
    std::uint32_t arch = arch_x86_64;
    unsigned nr = 0;
    std::optional<unsigned> uring_op;
    std::vector<bool> names;  // one per name: deleted in the call?
    bool unknown_watch_is_dir = false;
    bool likely = true;    // as a usual call would have it
    bool possible = true;  // one that the call can produce (kernel_model/possible.hpp); false: any values
};

/// An event that the encoding of evaluate's algorithm decides differently, of the worst of these kinds that there is; to be
/// confirmed by evaluate.
std::optional<Event> find_differing_event(const KernelState& before, const KernelState& after,
                                          const KernelTables& kernel, const Scenario& scenario, KindSet kinds,
                                          std::uint32_t rlimit);

/// For tests: what the encoding that find_differing_event uses says about a concrete event.
std::optional<Decision> decide_by_encoding(const KernelState& state, const KernelTables& kernel, const Event& event,
                                           bool unknown_watch_is_dir);

}  // namespace auopt::proof
