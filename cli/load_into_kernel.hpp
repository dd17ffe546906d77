// auditctl -R, and what to do where it fails half-way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace auopt {

/// Runs `auditctl ARGUMENTS`; its exit code, or 128 + signal. A signal that is meant for us does not end it half-way.
int run_auditctl(const std::string& auditctl, std::vector<std::string> arguments);
int load_into_kernel(const std::string& auditctl, const std::string& file);

/// Loading the text begins from an empty kernel: -D stands before every rule. Plain enough to be asked of a text that
/// nobody has been able to read otherwise.
bool clears_first(std::string_view rules);

/// The running kernel takes no rules until it boots again (-e 2). False also where that cannot be asked.
bool rules_are_locked();

}  // namespace auopt
