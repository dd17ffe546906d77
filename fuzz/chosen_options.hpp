// What the first byte of an input for a whole file chooses: auditctl version, machine, facts, --continue.
#pragma once

#include <cstdint>

#include "compiler/compile.hpp"

namespace auopt::fuzz {

inline CompileOptions chosen_options(std::uint8_t choice) {
    CompileOptions options;
    const auto& versions = all_auditctl_versions();
    options.version = versions[choice % versions.size()];
    if ((choice & 0x08) != 0) options.machine = (choice & 0x80) != 0 ? "ppc64le" : "aarch64";
    if ((choice & 0x10) != 0) {
        options.facts.directories = {"/etc/dir", "/tmp"};
        options.facts.files = {"/etc/file"};
        options.facts.users = {{"root", 0}, {"nobody", 65534}};
        options.facts.groups = {{"root", 0}, {"adm", 4}};
    }
    options.facts.assume_watch_kinds = (choice & 0x20) != 0;
    options.continue_on_error = (choice & 0x40) != 0;
    return options;
}

}  // namespace auopt::fuzz
