// The way every verb goes from inputs to what the kernel would hold: facts, target, compile, load.
#pragma once

#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "cli/target.hpp"
#include "compiler/compile.hpp"
#include "compiler/facts.hpp"
#include "kernel_model/state.hpp"

namespace auopt {

/// What the flags say about the host and the target. On failure `exit_code` is not 0 and `error` says why.
struct Setting {
    Facts facts;
    std::string facts_source;  // the file and its hash, as a header names them; "": there are none
    Target target;             // and its machine
    CompileOptions compile;    // for reading the input
    bool assume_listed_watches = false;
    int exit_code = 0;
    std::string error;
};
/// `lines`: what --target host has to look up. `host_by_default`: the work is about this host unless --target or --facts
/// say otherwise; its facts are taken unless --facts is given, its versions unless the facts hold them. `auditctl` is the
/// program that is asked for its version where this host is meant.
Setting make_setting(const CommonOptions& common, const std::vector<InputLine>& lines, bool host_by_default = false,
                     const std::string& auditctl = "auditctl");
/// For the lines of all inputs; the machine of --loaded is this one.
Setting make_setting(const CommonOptions& common, const Inputs& inputs);

/// How the augenrules of the target that the flags mean merges a directory. Wrong flags, which make_setting reports, merge
/// as "any" does.
Augenrules merging_script(const CommonOptions& common, bool host_by_default = false,
                          const std::string& auditctl = "auditctl");

/// AUDIT_ARCH_* of the programs of an ABI on the target's machine, which must have tables.
std::uint32_t arch_of(const Setting& setting, Abi abi = Abi::native);

/// "" or that the auditctl which reads the rules does not know the machine, so that it would refuse nearly all of them.
std::string unknown_machine(const CompileOptions& options);

/// "" or why this machine type cannot be modelled (compile and lint can still read its rules).
std::string outside_tables(const Setting& setting);

/// How the kernel of the same host takes what is read so; points into `options`.
LoadOptions load_options_for(const CompileOptions& options);

struct LoadedRules {
    Program program;
    LoadResult load;
    /// Neither auditctl nor the kernel stops at a line (a refused line under -i, -c or --continue does not stop).
    bool would_load() const { return !program.stopped && !load.stopped; }
    /// Some line would be refused, ignored or not.
    bool some_refused() const { return program.failed || load.refused; }
};
/// What the inputs tell the kernel, as read by `options.version`: where a kernel's own rules are among them, first an
/// empty table (-D), then these, then what the files say.
Program read_program(const Inputs& inputs, const CompileOptions& options, bool assume_listed_watches,
                     Diagnostics& diagnostics);
LoadedRules load_rules(const Inputs& inputs, const Setting& setting, bool drop_duplicates, Diagnostics& diagnostics);
LoadedRules load_rules(const Inputs& inputs, const CompileOptions& options, bool assume_listed_watches,
                       bool drop_duplicates, Diagnostics& diagnostics);
/// Of text that auopt wrote itself.
LoadedRules load_rules(const Sources& sources, const std::vector<InputLine>& lines, const CompileOptions& options,
                       bool drop_duplicates, Diagnostics& diagnostics);

/// Before two sides are compared, one of which is what a kernel holds: its table began empty (-D), a file need not set
/// every setting and a listing shows none, so that only settings which both sides have are compared; but auditing that
/// is off in the kernel (-e 0) differs from a file that does not say so.
void compare_as_held(KernelState& before, const Inputs& before_inputs, KernelState& after, const Inputs& after_inputs);

}  // namespace auopt
