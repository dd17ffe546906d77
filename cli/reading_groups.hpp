// Versions of auditctl read the same text differently. Under a target of several versions an answer is given only where
// all of them send the kernel the same; this says which do not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/load_rules.hpp"

namespace auopt {

/// Versions that send the kernel the same for one input.
struct ReadingWay {
    std::vector<AuditctlVersion> versions;
    std::vector<std::string> targets;  // hosts of the data file with one of these versions
};

/// Two ways or more: the input is read differently.
struct ReadingGroups {
    std::vector<ReadingWay> ways;    // the way of the oldest version first
    std::vector<std::size_t> lines;  // of the input, that are read differently
};

/// Nothing where all versions of the target read the input alike, or none of them loads it (which is said elsewhere).
/// User messages (-m), which old versions word differently, are no difference.
std::optional<ReadingGroups> reading_groups(const Inputs& inputs, const Setting& setting);

/// "read in two ways: deb12, el8, ubuntu2404 / el9, el10, deb13; 42 lines; choose with --target or --facts". Versions that
/// no target has are named only where they make the difference.
std::string to_string(const ReadingGroups& groups);

/// For optimize, verify and gate: 0, or says that the input is read differently and returns the exit code 2. -v lists the
/// versions and the lines.
int refuse_readings(std::string_view verb, const CommonOptions& common, const Inputs& inputs, const Setting& setting);

/// The same for cost, lint and compile, which answer for one reading and say on standard error which.
void note_readings(std::string_view verb, const CommonOptions& common, const Inputs& inputs, const Setting& setting);

}  // namespace auopt
