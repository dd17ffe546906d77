// What is wrong with rules that load: checks by family, one file each, over the compiled program and the state the
// kernel would hold. Ids: AU1 meaning, AU2 reachability, AU3 cost, AU5 portability (AU0 comes from the compiler and
// the kernel model).
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "grammar/ids.hpp"
#include "kernel_model/state.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

struct LintContext {
    const Sources& sources;
    const std::vector<InputLine>& lines;
    const CompileOptions& compile;  // how the rules were read
    const Program& program;
    const KernelState& state;                  // every rule that any line makes, refused duplicates left out
    std::vector<const KernelTables*> kernels;  // of the machine of `state`; empty for one without tables
    std::vector<AuditctlVersion> versions;     // whose reading is compared (AU5)
    /// Some kernel of the target may have calls in its perm= classes that came with updates after 6.12 (AU5): it is of
    /// that series, or was not measured.
    bool classes_may_grow = true;
};

/// The machine of `context`; null for one without tables.
inline const MachineModel* machine_of(const LintContext& context) {
    return context.kernels.empty() ? nullptr : context.kernels.front()->machine;
}

/// Every check, in no particular order of lines.
void run_checks(const LintContext& context, Diagnostics& diagnostics);

/// Documentation of the ids of this folder, ascending.
const std::vector<IdRow>& lint_ids();

namespace ids {
inline constexpr std::string_view missing_arch = "AU101";
inline constexpr std::string_view missing_twin = "AU102";
inline constexpr std::string_view positive_errno = "AU103";
inline constexpr std::string_view unsigned_exit = "AU104";
inline constexpr std::string_view unset_auid = "AU105";
inline constexpr std::string_view impossible_tests = "AU106";
inline constexpr std::string_view never_task = "AU107";
inline constexpr std::string_view exclude_never = "AU108";
inline constexpr std::string_view argument_index = "AU109";
inline constexpr std::string_view exclude_all = "AU110";
inline constexpr std::string_view list_cut_short = "AU111";
inline constexpr std::string_view suppression_without_reason = "AU190";
inline constexpr std::string_view unused_suppression = "AU191";
inline constexpr std::string_view shadowed = "AU201";
inline constexpr std::string_view late_exception = "AU202";
inline constexpr std::string_view near_duplicate = "AU203";
inline constexpr std::string_view lock_before_rules = "AU204";
inline constexpr std::string_view every_call = "AU301";
inline constexpr std::string_view perm_narrowed = "AU501";
inline constexpr std::string_view refused_elsewhere = "AU502";
inline constexpr std::string_view reads_differently = "AU503";
inline constexpr std::string_view loads_elsewhere = "AU504";
}  // namespace ids

// One family each.
void check_arch(const LintContext& context, Diagnostics& diagnostics);          // AU101, AU102
void check_values(const LintContext& context, Diagnostics& diagnostics);        // AU103 to AU106
void check_lists(const LintContext& context, Diagnostics& diagnostics);         // AU107, AU108, AU110, AU111
void check_arguments(const LintContext& context, Diagnostics& diagnostics);     // AU109
void check_reachability(const LintContext& context, Diagnostics& diagnostics);  // AU201 to AU204
void check_cost(const LintContext& context, Diagnostics& diagnostics);          // AU301
void check_portability(const LintContext& context, Diagnostics& diagnostics);   // AU501 to AU504

struct SuppressedFinding {
    Diagnostic finding;
    std::string reason;  // that the comment gives
};
/// Takes out what a comment on the line above suppresses (`# auopt: ignore AU301 reason="..."`), and reports
/// suppressions without a reason and those that suppress nothing. A line that does not load cannot be suppressed.
std::vector<SuppressedFinding> apply_suppressions(const Sources& sources, Diagnostics& diagnostics);

}  // namespace auopt
