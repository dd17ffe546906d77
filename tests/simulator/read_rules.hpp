// Rules text -> messages and a file for the simulator, with auditctl's reading and the worlds' names as facts.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "compiler/compile.hpp"
#include "tests/simulator/audit.hpp"

namespace auopt::simulator {

inline CompileOptions reading() {
    CompileOptions options;
    options.version = AuditctlVersion::v4_2_1;  // older ones have no io_uring list
    options.facts.users = {{"root", 0}};
    options.facts.groups = {{"root", 0}};
    options.facts.assume_watch_kinds = true;
    return options;
}

/// Throws std::invalid_argument with the first complaint: the texts are the tests' own.
inline std::vector<Message> messages_of(std::string_view text) {
    Sources sources;
    const FileId file = sources.add("rules", std::string(text));
    Diagnostics diagnostics;
    const Program program = compile(sources, split_lines(sources, file), reading(), diagnostics);
    if (program.failed)
        throw std::invalid_argument(std::string(text) + ": " +
                                    (diagnostics.items().empty() ? "failed" : diagnostics.items().front().message));
    return program.messages;
}

inline RuleFile rules_of(const std::vector<Message>& messages) {
    const auto file = RuleFile::read(messages, *find_kernel("linux-6.12"));
    if (!file) throw std::invalid_argument(file.error());
    return *file;
}
inline RuleFile rules_of(std::string_view text) { return rules_of(messages_of(text)); }

}  // namespace auopt::simulator
