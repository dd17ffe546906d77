// Where a verb's words go, and whether in colour.
#pragma once

#include <string_view>

#include "cli/options.hpp"
#include "cli/target.hpp"
#include "grammar/diagnostic.hpp"
#include "report/diagnostics.hpp"

namespace auopt {

/// Writes to standard output. False: it could not be written (a full disk, a closed pipe); a verb then fails.
bool put_out(std::string_view text);
void put_err(std::string_view text);
/// Text that holds bytes of an input. To a file or pipe exactly these; to a terminal with its escapes shown, not acted on.
bool put_rules(std::string_view text);
void put_rules_err(std::string_view text);

/// Colour on `fd` (1 or 2): --color, NO_COLOR, or whether it is a terminal.
bool use_color(ColorMode mode, int fd);

/// Diagnostics to standard error, in text (or gcc/github where asked for); -q keeps only errors.
void report_to_stderr(const CommonOptions& common, const Sources& sources, Diagnostics diagnostics);

/// "auopt VERB: message" to standard error; returns `code`.
int fail(std::string_view verb, int code, std::string_view message);

/// "target deb12, from the facts" to standard error, where nobody wrote it on the command line.
void tell_target(const CommonOptions& common, const Target& target);

}  // namespace auopt
