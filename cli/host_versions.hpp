// Which auditctl and which kernel this host has: what --target host, augenrules and --loaded are about.
#pragma once

#include <optional>
#include <string>

namespace auopt {

struct HostVersions {
    std::optional<std::string> auditctl;  // "3.0.9"; nothing where it is not installed or does not say
    std::optional<std::string> kernel;    // uname -r
};
/// `program` is looked for in PATH, then in /usr/sbin and /sbin, and run with -v: it prints its version, and tells the
/// kernel nothing. Some versions answer root only.
HostVersions host_versions(const std::string& program = "auditctl");

/// The version in what `auditctl -v` printed ("auditctl version 3.0.9").
std::optional<std::string> version_in(const std::string& printed);

}  // namespace auopt
