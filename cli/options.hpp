// What the command line says, one struct per verb. Filled by command_line.cpp, read by the verbs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grammar/diagnostic.hpp"

namespace auopt {

enum class Format { text, gcc, json, sarif, github };
enum class ColorMode { automatic, always, never };

/// Flags that every verb knows.
struct CommonOptions {
    std::string target;          // or TARGET/MACHINE; empty: what the facts say, else any
    std::string machine;         // empty: the target's, else that of the facts, else x86_64
    std::string facts_file;      // empty: none
    std::string from = "rules";  // or "listing": what the inputs are
    Format format = Format::text;
    ColorMode color = ColorMode::automatic;
    bool quiet = false, verbose = false, stats = false;
    bool continue_on_error = false;   // --continue
    bool reads_kernel = false;        // --loaded is among the inputs, so this host is meant unless another is named
    std::vector<std::string> assume;  // names of assumptions
};

/// Which calls count how much.
struct WorkloadOptions {
    std::vector<std::string> workloads;  // FILE, FORMAT:FILE or a shipped name; empty: the default
    std::optional<double> cpu_seconds;   // in which the workload's calls were made
};

struct OptimizeVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::string output;  // empty: standard output
    bool check = false, diff = false, in_place = false;
    std::string preserve = "exact";
    std::vector<std::string> passes;
    bool passes_given = false;
    std::vector<std::string> dump_after;
    std::string report_file;
    unsigned cpus = 0;  // that share exe= reference counts; 0: as the workload says
    WorkloadOptions workload;
};

/// --cpu and what refines it.
struct HardwareFlags {
    std::string cpu;  // empty: instructions only
    std::string kernel_variant = "kmalloc-512";
    unsigned cpus = 0;  // 0: not given
    unsigned boots = 200;
    std::uint64_t seed = 1;
    bool wanted() const { return !cpu.empty() || cpus != 0 || kernel_variant != "kmalloc-512"; }
};

struct CostVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::vector<std::string> syscalls;
    std::string arch;  // "b64", "b32" or empty
    std::size_t top = 0;
    std::vector<std::string> budgets;  // NAME=N
    std::string compare;               // OLD
    HardwareFlags hardware;
    WorkloadOptions workload;
};

struct VerifyVerb {
    CommonOptions common;
    std::string before, after;
    std::string preserve = "exact";
};

struct LintVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::vector<std::string> select, ignore;
    std::string fail_on = "warning";
    bool no_suppressions = false;
};

struct GateVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::string against;
    bool equal = false;
    std::vector<std::string> budgets;
    std::string preserve = "exact";
    bool no_suppressions = false;
};

struct AugenrulesVerb {
    CommonOptions common;
    std::string rules_dir = "/etc/audit/rules.d";
    std::string output = "/etc/audit/audit.rules";
    bool check = false, load = false;
    std::string fallback = "fail";
    bool accept_lost = false;
    std::uint64_t memory_limit_mib = 2048;  // of the optimizer's process
    double time_limit_seconds = 30;
    std::string auditctl = "auditctl";  // program that --load runs
    std::vector<std::string> passes;
    bool passes_given = false;
};

struct CompileVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::string format = "wire";
    std::string auditctl;  // version that reads the text; empty: the target's
};

struct FmtVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    bool check = false, diff = false, in_place = false;
    std::string style = "source";
};

struct TargetsVerb {
    CommonOptions common;
};

struct ExplainVerb {
    CommonOptions common;
    std::string id;
};

struct FactsVerb {
    CommonOptions common;
    std::vector<std::string> inputs;
    std::string output;
};

using Verb = std::variant<OptimizeVerb, CostVerb, VerifyVerb, LintVerb, GateVerb, AugenrulesVerb, CompileVerb, FmtVerb,
                          TargetsVerb, ExplainVerb, FactsVerb>;

/// Either a verb to run, or text to print and the code to leave with.
struct CommandLine {
    std::optional<Verb> verb;
    int exit_code = 0;
    std::string out, err;
};

/// `program_name` "aulint" means `auopt lint`.
CommandLine parse_command_line(const std::string& program_name, std::vector<std::string> arguments);

// One file each.
int run(const OptimizeVerb& verb);
int run(const CostVerb& verb);
int run(const VerifyVerb& verb);
int run(const LintVerb& verb);
int run(const GateVerb& verb);
int run(const AugenrulesVerb& verb);
int run(const CompileVerb& verb);
int run(const FmtVerb& verb);
int run(const TargetsVerb& verb);
int run(const ExplainVerb& verb);
int run(const FactsVerb& verb);

}  // namespace auopt
