// Loading can stop: where a directory is missing the kernel refuses the rule that names something in it, and auditctl goes no
// further (unless -i or -c stands before). Whatever is missing, what the file after loads until it stops must decide at least
// as what the file before loads does: a recorded event stays recorded under its key.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel_model/named_objects.hpp"
#include "verify/project.hpp"
#include "verify/smt.hpp"
#include "verify/verify.hpp"

namespace auopt::proof {

/// What is not shown; `stop`: of loading where this object is missing.
struct LoadingGap {
    std::string reason;
    std::optional<NamedObject> stop;
};

/// Why comparing prefixes of rules is enough, given that the whole files decide alike: both files keep the order of the
/// objects for which loading can stop, so that both stop at the same one. An event that the loaded part of the file before
/// records by its first matching rule is recorded so by the whole file, since later rules have lower priority. The whole file
/// after decides alike; so if some rule of its loaded part matches too, its first match is among these and gives that key.
/// Hash rules are compared both ways: one more of them could end the walk over the names of a call.
class Loading {
public:
    Loading(const KernelState& before, const KernelState& after);

    /// What the text alone shows: the order of the objects, of other lists' rules and of -e among them, prepended rules.
    std::optional<LoadingGap> compare_order() const;
    /// Each rule before a stop against the rules that the other file has loaded by then.
    std::optional<LoadingGap> compare_rules(const Projection& before, const Projection& after, const PermModel& perms,
                                            bool with_compat, const Vocabulary& vocabulary, Solver& solver) const;

    /// What each file holds on a host without the object.
    KernelState loaded_without(const NamedObject& missing, bool of_after) const;
    /// In words, for a difference that an event confirms.
    Difference difference(const NamedObject& missing) const;

private:
    struct Side {
        const KernelState* state = nullptr;
        std::vector<const KernelRule*> order;
        std::vector<LoadingStop> stops;
        std::map<NamedObject, std::size_t> stop_positions;
        std::vector<std::size_t> positions;  // in `order`, by index into KernelState::filter

        explicit Side(const KernelState& s);
        /// The first stop behind the rule at `position`; stops.size() if none.
        std::size_t next_stop(std::size_t position) const;
        std::size_t stops_before(std::size_t position) const;
        bool adds_in_walking_order(std::size_t from) const;
    };
    std::optional<LoadingGap> covered(const Side& own, const Projection& rules, const Side& other,
                                      const Projection& others, bool keys_pass, const PermModel& perms,
                                      bool with_compat, const Vocabulary& vocabulary, Solver& solver) const;

    Side before_, after_;
    bool same_sequence_ = false;  // the same rules are added in the same order, and errors end loading alike
};

}  // namespace auopt::proof
