// --target: which auditctl reads the text and which kernels evaluate it. Data: tables/targets.toml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/compile.hpp"
#include "compiler/facts.hpp"
#include "compiler/rules_dir.hpp"
#include "kernel_model/tables.hpp"
#include "report/cost_report.hpp"

namespace auopt {

struct TargetKernel {
    std::string version;                   // "5.14"
    const KernelTables* tables = nullptr;  // what it is evaluated with
    bool measured = false;                 // the tables are of this very version, measured
};

/// Who says that this is the target.
enum class TargetOrigin { flag, facts, host, nobody };

struct Target {
    std::string name;         // "deb12"; "host" for what no row of the data file is
    std::string description;  // of a host: "auditctl 3.0.9, kernel 6.1"
    TargetOrigin origin = TargetOrigin::flag;
    Machine machine = Machine::x86_64;
    std::string auditctl;  // as documented: "3.1.2"
    AuditctlVersion reading = AuditctlVersion::v3_0_9;
    /// The versions that may read the input, all of which have to read it alike; and the output has to load as the same
    /// bytes in each of them.
    std::vector<AuditctlVersion> writing;
    bool gawk = false;  // what augenrules runs on; mawk otherwise
    std::vector<TargetKernel> kernels;
    std::string evidence;

    /// Tables to prove for: all tables when one of the kernels was not measured itself, since the real one
    /// may side with either neighbour where they differ.
    std::vector<const KernelTables*> proof_kernels() const;
    /// Tables to price with, each once, in name order.
    std::vector<const KernelTables*> cost_kernels() const;
};

/// As a user may write it and a header says it: the name, with the machine unless that is x86_64.
std::string full_name(const Target& target);
/// What was asked for, and where: "deb12, from the facts"; "host (auditctl 3.0.9, kernel 6.1)".
std::string asked_name(const Target& target);

/// What figures for one of cost_kernels() are called: the target's own name where it has one kernel.
std::string figures_name(const Target& target, const KernelTables& tables);
/// "" or, of a target whose kernel was not measured: "el9: kernel 5.14 not measured, predicted with linux-6.1's table".
std::string not_measured(const Target& target);
/// The same for JSON, or the evidence of the data file.
std::string evidence_text(const Target& target);

/// The same for a cost report.
FiguresOf figures_of(const Target& target, const KernelTables& tables);

/// How the target's augenrules merges.
Augenrules target_augenrules(const Target& target);

/// In the order of the data file, for x86_64.
const std::vector<Target>& targets();

/// The target that `name` says; where that is empty, the one that `facts` hold the versions of, else "any". "host" and
/// `this_host` (facts of this machine, that nobody named) are made of the versions in `facts`: one that is not there is
/// unknown, so that every reading or every kernel is asked. A machine without kernel tables gets a target without
/// kernels. Error: the message for a usage error.
tl::expected<Target, std::string> find_target(const std::string& name, const Facts& facts, Machine machine,
                                              bool this_host = false);

}  // namespace auopt
