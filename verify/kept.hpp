// What must stay alive besides the decisions: watches, trees and marks, and the two counters that arm auditing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"
#include "verify/verify.hpp"

namespace auopt::proof {

/// Watches, trees and marks of one file only. While some rule names it, deleting or replacing a watched name runs the inode
/// rules in the middle of the call, and the end of a directory logs CONFIG_CHANGE in it (docs/TRUST.md).
std::vector<Difference> compare_objects(const KernelState& before, const KernelState& after);

/// Of several watches that name one file with the same last component, only the one created last follows the file when it is
/// replaced (audit_watch.c:audit_update_watch): which one that is must not change. The reason, or nothing.
std::optional<std::string> compare_watch_creation(const KernelState& before, const KernelState& after);

/// Each watch, tree and mark lives as long: a rule goes with the first of all that it names. The reason, or nothing.
std::optional<std::string> compare_companions(const KernelState& before, const KernelState& after);

/// audit_n_rules and audit_signals: zero in both or in neither, whatever is missing, and whatever program's mark goes (which takes
/// its rules out of the counters; those of watches and trees stay counted). The reason, or nothing.
std::optional<std::string> compare_counters(const KernelState& before, const KernelState& after);

}  // namespace auopt::proof
