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

namespace auopt {

struct TargetKernel {
    std::string version;                   // "5.14"
    const KernelTables* tables = nullptr;  // what it is evaluated with
    bool measured = false;                 // the tables are of this very version, measured
};

struct Target {
    std::string name;
    Machine machine = Machine::x86_64;
    std::string auditctl;  // as documented: "3.1.2"
    AuditctlVersion reading = AuditctlVersion::v3_0_9;
    /// The output has to load as the same bytes in each of these.
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

/// How the target's augenrules merges. `name` as given to --target; an unknown one, which find_target refuses, merges as
/// "any" does.
Augenrules target_augenrules(std::string_view name);

/// In the order of the data file, for x86_64.
const std::vector<Target>& targets();

/// Error: the message for a usage error. "host" is made from this machine's `facts`. A machine without kernel tables
/// gets a target without kernels.
tl::expected<Target, std::string> find_target(const std::string& name, const Facts& facts, Machine machine);

}  // namespace auopt
