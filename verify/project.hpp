// What each call sees of a rule set: which rules admit it, with arch= and perm= resolved as far as the
// call decides them. Mirrors the placement of auditfilter.c:audit_add_rule, auditsc.c:audit_in_mask and
// audit_match_perm.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"
#include "verify/vocabulary.hpp"

namespace auopt::proof {

/// How perm= judges a call, where more than the number decides. `constant`: the number decides.
/// `new_call`: kernels to come may put the call into any class (spec, L1).
enum class PermShape : std::uint8_t { constant, open, openat, openat2, socketcall, new_call };
constexpr std::size_t perm_shapes = 6;

/// Calls inside which io_uring operations run the filters: io_uring_enter, and io_uring_register while it
/// waits for resources to become free (the same numbers in every ABI of every machine).
constexpr unsigned io_uring_enter = 426, io_uring_register = 427;
constexpr bool runs_io_uring(unsigned nr) { return nr == io_uring_enter || nr == io_uring_register; }

enum class Truth : std::uint8_t { no, yes, depends };

/// The class knowledge of one kernel, as the proof uses it.
class PermModel {
public:
    explicit PermModel(const KernelTables& kernel);
    PermShape shape(Abi abi, unsigned nr) const { return shapes_[index_of(abi)][nr]; }
    const MachineModel& machine() const { return *machine_; }
    /// Truth of `perm=value` (not of !=) for the call.
    Truth truth(Abi abi, unsigned nr, std::uint32_t value) const;
    /// The bits of `value` that can matter for a call of this shape.
    static std::uint32_t relevant(PermShape shape, std::uint32_t value);
    bool operator==(const PermModel&) const = default;

private:
    const MachineModel* machine_ = nullptr;
    std::array<std::array<PermShape, mask_syscalls>, abi_count> shapes_{};
    std::array<std::array<std::uint8_t, mask_syscalls>, abi_count> bits_{};  // of calls with the shape `constant`
};

struct ProjectedRule {
    std::size_t rule = 0;                      // index into KernelState::filter
    std::array<SyscallSet, abi_count> admits;  // by Abi: calls that can match it
    bool tests_perm = false;
    /// By PermShape. One item; two for a watch of unknown kind (as directory, as file), never both in force.
    std::array<std::vector<ItemId>, perm_shapes> items;
    std::optional<ItemId> worker;  // what an io_uring worker (arch 0, nr 0) sees, if anything
};

struct Projection {
    std::vector<ProjectedRule> rules;  // in priority order
};

/// Error: a rule holds something whose meaning is not known here (a field number, an operator).
tl::expected<Projection, std::string> project(const KernelState& state, const PermModel& perms, bool ignore_keys,
                                              Vocabulary& vocabulary);

/// "line 12" or "lines 12, 14" of the rule's sources, or "rule 3" (1-based) when it has none.
std::string where(const KernelState& state, std::size_t rule);

}  // namespace auopt::proof
