// What one auditctl version makes of every line of its input, so that versions can be compared line by line.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"

namespace auopt {

/// What one version makes of one line.
struct LineReading {
    std::vector<Message> messages;
    bool failed = false;
    std::string reason;  // why
};

/// Every line as `options.version` reads it, also those behind a line where that version would stop.
std::vector<LineReading> read_lines(const Sources& sources, const std::vector<InputLine>& lines,
                                    CompileOptions options);

/// The kernel (or the audit daemon) is told the same.
bool same_message(const Message& a, const Message& b);
bool same_reading(const LineReading& a, const LineReading& b);

}  // namespace auopt
