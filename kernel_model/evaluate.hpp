// The reference algorithm of the kernel's syscall-exit filter (spec section 2.8), concrete and function by
// function: audit_filter_syscall, audit_filter_inodes, audit_filter_rules, audit_match_perm.
#pragma once

#include <cstdint>
#include <optional>

#include "kernel_model/event.hpp"
#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"
#include "kernel_model/watches.hpp"

namespace auopt {

/// What earlier stages left in the context (spec section 3): priority as a rule position (rules before
/// `prio_position` in KernelState::filter may still match), state and key.
struct EntryState {
    std::optional<std::size_t> prio_position;  // empty: p = 0, every rule may match
    Decision decision;
};

/// One rule that was looked at, for `why` and for the cost model.
struct RuleVisit {
    std::size_t rule = 0;  // index into KernelState::filter
    bool in_mask = false;
    bool matched = false;
    std::size_t tests_passed = 0;     // before the first false one
    std::optional<std::size_t> name;  // hash walk: which name
};

/// Decides `event`. Rules with watch_kind_unknown are taken as `unknown_watch_is_dir` says.
/// `visits`, when given, receives every rule looked at, in order.
Decision evaluate(const KernelState& state, const KernelTables& kernel, const Event& event,
                  bool unknown_watch_is_dir = false, const EntryState& entry = {},
                  std::vector<RuleVisit>* visits = nullptr);

/// Something that happened while the call went on, in the order in which auditing was told.
struct NameChange {
    Inode parent;  // the directory that was told, or went
    std::string name;
    std::optional<Inode> file;    // empty: deleted or moved away
    std::size_t names_known = 0;  // names that the call had collected by then
    enum class Kind {
        name,             // a name was made, deleted or moved
        inode_removed,    // `parent` itself: its watches, programs and trees take their rules along
        directory_moved,  // `parent` itself: its watches and programs do
        record,           // another subsystem logged a record (AVC, LOGIN)
    } kind = Kind::name;
};

/// What the context holds after a run of the filters.
struct RunResult {
    Decision decision;
    EntryState state;  // for the next run in the same call (io_uring operations)
};

/// As above, with watches that follow names: EventName::watches and ::deleted are not read but come from `watches`, which is
/// changed as the call's `changes` say. The watches of deleted names are walked in the middle of the call. A record inside the
/// call (of another subsystem, or CONFIG_CHANGE where rules go) makes it recorded, without a key, unless a rule matches.
RunResult evaluate(const KernelState& state, const KernelTables& kernel, const Event& event, WatchTable& watches,
                   const std::vector<NameChange>& changes, const EntryState& entry = {});

/// auditfilter.c: both sides are 32 bits, compared unsigned.
bool audit_comparator(std::uint32_t left, Op op, std::uint32_t right);

/// One test of a rule on `event`; `name` is the hash walk's name or nullptr on a list.
bool test_holds(const KernelTables& kernel, const FieldTest& test, const Event& event, const EventName* name);

}  // namespace auopt
