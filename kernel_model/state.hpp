// What the kernel holds after a sequence of messages, and whether it would take them.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/ir.hpp"
#include "grammar/diagnostic.hpp"
#include "kernel_model/machine.hpp"

namespace auopt {

/// Where auditfilter.c:audit_add_rule puts a rule of list 4 or 7.
enum class Placement { exit_list, inode_hash, io_uring_list, either /* watch_kind_unknown: exit list or hash */ };
Placement placement(const KernelRule& rule);

/// A hash of all that the kernel compares for EEXIST (audit_compare_rule): equal rules have equal identities.
std::size_t rule_identity(const KernelRule& rule);

struct Settings {
    std::optional<std::uint32_t> enabled, failure, rate_limit, backlog_limit, backlog_wait_time;
    bool reset_lost = false, reset_backlog_wait_time_actual = false, loginuid_immutable = false;
    bool operator==(const Settings&) const = default;
};

struct KernelState {
    Machine machine = Machine::x86_64;  // whose kernel holds it; one that is modelled
    /// Rules of the exit list, the io_uring list and the inode hash in one order, highest priority
    /// first: lists 4 and 7 share the priority counters (spec 1.3). prepend is consumed (false).
    /// Masks are as stored: bits 2032..2047 clear.
    std::vector<KernelRule> filter;
    std::vector<KernelRule> user, task, exclude, filesystem;  // list order
    Settings settings;
    bool cleared_first = false;  // a full -D came before the rules that are held: nothing older is left
    /// -t and -q in order, as a file writes them. Between rules they are outside the model.
    std::vector<std::string> trees_before_rules, trees_after_rules;

    /// How it was loaded. A rule whose KernelRule::added is less than this ends loading where the kernel refuses it; from
    /// this number on (-i, -c) refused rules are left out. Empty: each one ends it.
    std::optional<std::uint32_t> errors_ignored_from;
    std::uint32_t enabled_at = 0;  // how many rules were added before the last -e
    bool deleted_own = false;      // rules that were added are not held any more (-d, or a -D behind rules)

    /// audit_n_rules and audit_signals, as counted (spec 3.5).
    std::uint32_t n_rules() const;
    std::uint32_t n_signals() const { return n_signals(true); }
    /// `with_compat` false: as a kernel built without 32-bit programs counts (MachineModel::compat_is_optional).
    std::uint32_t n_signals(bool with_compat) const;
    /// exit, io_uring and the hash: `filter`.
    const std::vector<KernelRule>& rules_of(List list) const;
    std::vector<KernelRule>& rules_of(List list) {
        return const_cast<std::vector<KernelRule>&>(std::as_const(*this).rules_of(list));
    }
    std::size_t rule_count() const {
        return filter.size() + user.size() + task.size() + exclude.size() + filesystem.size();
    }
};

/// True for a rule that audit_signals counts: its mask touches kill, tgkill or tkill of the ABI that its last arch= names.
bool counts_as_signal(const KernelRule& rule, Machine machine, bool with_compat);

struct LoadOptions {
    bool ignore_errors = false;    // -i, -c or --continue: go on after a refused message
    bool drop_duplicates = false;  // optimize: an EEXIST alone is dropped and the rest goes on
    Machine machine = Machine::x86_64;
    const Facts* facts = nullptr;  // ENOTDIR, where the facts say so
};

struct LoadResult {
    KernelState state;
    bool refused = false;           // some message was refused (a duplicate under drop_duplicates is not)
    bool stopped = false;           // and loading stopped there
    std::optional<Span> duplicate;  // where it stopped because the rule is loaded already (EEXIST)
    /// A construct the state cannot express (a delete of a rule not in the file, -q between rules...):
    /// the reason, with its place in the diagnostics. Callers exit 5.
    std::optional<std::string> outside_model;
};

/// Applies messages to an empty kernel, with the acceptance checks of auditfilter.c (spec section 4).
LoadResult load(const std::vector<Message>& messages, const LoadOptions& options, Diagnostics& diagnostics);

}  // namespace auopt
