// Text -> kernel messages, as auditctl -R does it: lines and tokens (grammar/), option scanning with
// per-line state, value grammars, lowering. Spec: what auditctl 3.0.9 does, measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/facts.hpp"
#include "compiler/ir.hpp"
#include "grammar/diagnostic.hpp"
#include "grammar/source.hpp"

namespace auopt {

/// The auditctl versions whose reading differs in ways that matter here (rule language, section 12).
enum class AuditctlVersion { v2_8_5, v3_0_9, v3_1_2, v3_1_5, v4_0_0, v4_0_2, v4_0_4, v4_1_2, v4_2_1 };
const std::vector<AuditctlVersion>& all_auditctl_versions();
std::string_view auditctl_version_name(AuditctlVersion version);
/// "4.0.2"; nothing for a name of none of them.
std::optional<AuditctlVersion> auditctl_version_named(std::string_view name);

struct CompileOptions {
    AuditctlVersion version = AuditctlVersion::v3_0_9;
    /// "x86_64" unless facts.machine or the caller says otherwise.
    std::string machine = "x86_64";
    Facts facts;
    /// --continue: as if the first line were -c.
    bool continue_on_error = false;
};

/// One line of input in the order auditctl reads it (a merged rules.d keeps each line's own place).
struct InputLine {
    Span span;          // column 1, length of the whole line
    std::string bytes;  // without the newline
};

struct Program {
    std::vector<Message> messages;  // in sending order
    bool stopped = false;           // a line failed and errors were not being ignored
    bool failed = false;            // some line failed
    bool errors_ignored = false;    // -i or -c was in force at the end (or --continue)
    int auditctl_exit = 0;          // what auditctl -R would exit with, the kernel accepting everything
};

/// Compiles lines. Every line that auditctl would reject yields a Diagnostic (error; warning while
/// errors are ignored) with an AU0 id; lines whose effect differs from what is plainly written
/// (a swallowed watch, dropped tokens, a key "-F") yield AU0 warnings.
Program compile(const Sources& sources, const std::vector<InputLine>& lines, const CompileOptions& options,
                Diagnostics& diagnostics);

/// Splits one file into the physical lines auditctl reads (6143-byte pieces, NUL cuts).
std::vector<InputLine> split_lines(const Sources& sources, FileId file);

/// User names, group names and paths that the lines mention: what host_facts has to look up.
struct NeededFacts {
    std::set<std::string> users, groups, paths;
};
NeededFacts needed_facts(const std::vector<InputLine>& lines);

}  // namespace auopt
