// Canonical text of a rules file: the order of the lines and the comments kept, each line spelled in one way. A
// line's new text is taken only where compiling it gives the messages that the old text gives, in every auditctl
// version that is asked for; else the line stays as it was written.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"

namespace auopt {

/// source: as an author writes: names of calls, ids and errors, -k, unset, tests and calls in their order.
/// listing: as `auditctl -l` of 4.x prints (compiler/listing.hpp); settings as in source.
enum class FormatStyle { source, listing };

struct FormatOptions {
    FormatStyle style = FormatStyle::source;
    /// The text is read alike in each of these; the reading of CompileOptions::version is always among them.
    std::vector<AuditctlVersion> versions;
};

struct FormattedFile {
    std::string text;
    bool failed = false;   // a line would not load; it stands as it was, and its error is among the diagnostics
    bool stopped = false;  // and auditctl would stop there
};

/// Diagnostics: the errors of lines that would not load (all of them, also behind the first).
FormattedFile format_file(const Sources& sources, FileId file, const CompileOptions& compile_options,
                          const FormatOptions& options, Diagnostics& diagnostics);

/// Whether two programs tell the kernel the same, message by message, and end in the same way.
bool same_messages(const Program& a, const Program& b);

}  // namespace auopt
