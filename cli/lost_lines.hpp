// Which lines of a rules text auditctl -R would not bring into the kernel of this host: those that it or the kernel
// refuses, and where errors are not ignored all that follow.
#pragma once

#include <string>
#include <vector>

#include "cli/load_rules.hpp"

namespace auopt {

struct LostLine {
    Span at;
    std::string why;
};

/// In the order of loading. A line that repeats a rule under -c or -i is not lost: the rule is there. With
/// `ask_host`, paths that this host lacks count, since the kernel refuses rules that name them.
/// `allow_duplicates`: as optimize reads the text, a repeated line ends nothing.
std::vector<LostLine> lost_lines(const Sources& sources, const std::vector<InputLine>& lines,
                                 const CompileOptions& options, bool ask_host, bool allow_duplicates);

/// "" or the path without which the kernel refuses the rule on this host.
std::string missing_path(const KernelRule& rule);

}  // namespace auopt
