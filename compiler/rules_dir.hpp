// A rules.d directory read as augenrules reads it: *.rules in version order, concatenated, comments
// and empty lines dropped, control lines hoisted (-D, -b, -f) and sunk (-e). Versions of the script differ, and so do
// the awks that it runs on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/compile.hpp"

namespace auopt {

/// How one augenrules on one awk reads names and lines.
struct Augenrules {
    bool strips_cr = false;     // a carriage return at the end of a line goes: from 3.1.1 on
    bool quotes_names = false;  // a word of a name is not a pattern: 4.0.2 does, 3.0.9 does not
    bool whole_names = false;   // names are not split into words, dangling links are passed over: from 4.2 on
    bool knows_blanks = false;  // `\s` is white space: gawk and busybox. To mawk, Debian's awk, it is the letter s
};
/// The script of an auditctl version, on gawk or on mawk.
Augenrules augenrules_of(AuditctlVersion version, bool gawk);

struct MergedRules {
    std::vector<InputLine> lines;      // each with the span of its own file
    std::vector<std::string> files;    // in reading order
    std::string plain_text;            // byte for byte what augenrules would install
    std::vector<std::string> skipped;  // names ending in .rules that could not be read, with the reason
};

/// Error: a message naming the directory and the reason (not a directory, unreadable, no rules).
tl::expected<MergedRules, std::string> merge_rules_dir(Sources& sources, const std::filesystem::path& dir,
                                                       const Augenrules& script = {});

/// GNU filevercmp, the order of `ls -1v` and `sort -V`.
bool version_less(std::string_view a, std::string_view b);

}  // namespace auopt
