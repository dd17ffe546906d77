// A rules.d directory read as augenrules reads it: *.rules in version order, concatenated, comments
// and empty lines dropped, control lines hoisted (-D, -b, -f) and sunk (-e).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/compile.hpp"

namespace auopt {

struct MergedRules {
    std::vector<InputLine> lines;      // each with the span of its own file
    std::vector<std::string> files;    // in reading order
    std::string plain_text;            // byte for byte what augenrules would install
    std::vector<std::string> skipped;  // names ending in .rules that could not be read, with the reason
};

/// Error: a message naming the directory and the reason (not a directory, unreadable, no rules).
tl::expected<MergedRules, std::string> merge_rules_dir(Sources& sources, const std::filesystem::path& dir);

/// GNU filevercmp, the order of `ls -1v` and `sort -V`.
bool version_less(std::string_view a, std::string_view b);

}  // namespace auopt
