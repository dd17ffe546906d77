// What whole system calls cost under a rule set, path calls included: the lab's probe (lab/guest/probe.c), whose figures on
// real kernels docs/MODEL.md compares with these. A call is its own cost with auditing armed, plus the walk of the exit list, plus
// the hash bucket of each name (auditsc.c:audit_filter_inodes), plus what the watches' marks on directories make the call do
// (auditsc.c:handle_path; fsnotify). Numbers of x86_64.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/facts.hpp"
#include "kernel_model/cost_details.hpp"

namespace auopt {

/// What a probe leaves in the list of names.
enum class Lookup {
    none,     // no path, or one that cannot be read
    file,     // an existing file: the name is bound to it
    parent,   // a file to remove that does not exist: the name is bound to its directory
    missing,  // a missing file: the name stays unresolved
};

struct Probe {
    std::string name;
    unsigned nr = 0;
    std::int64_t result = 0;  // what it returns; errors are negative
    Lookup lookup = Lookup::none;
    std::string path;  // the file it uses: /usr/bin/probe, /usr/bin/none, or a device; empty for none
    std::array<std::uint64_t, 4> args{};
    bool operator==(const Probe&) const = default;
};

/// The probes, in the order lab/run prints them.
const std::vector<Probe>& probes();

struct ProbeCost {
    const Probe* probe = nullptr;
    double base = 0;       // the call itself, its exit list empty, no marks
    double marks = 0;      // fsnotify, and looking up marked directories above the file
    double exit_list = 0;  // the walk
    double names = 0;      // the hash bucket of each name; an expected value where inode numbers are not known
    bool matched = false;  // a rule matches: what its record costs is not in here
    double total() const { return base + marks + exit_list + names; }
};

/// One row a probe. The facts' inode numbers, where they hold the probe's file and a watched one, say whether both share a
/// bucket; a watch whose inode number is not known is in each of the 32 buckets with the same probability. Empty for kernels whose
/// table has no probes.
std::vector<ProbeCost> probe_costs(const KernelState& state, const KernelTables& kernel, const Facts& facts);

}  // namespace auopt
