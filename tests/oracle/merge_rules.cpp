// merge_rules VERSION gawk|mawk DIR: prints what augenrules of that auditctl version makes of DIR on that awk. For
// augenrules.py: the versions that no target has.
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "compiler/rules_dir.hpp"

int main(int count, char** words) {
    using namespace auopt;
    if (count != 4) {
        fmt::print(stderr, "usage: merge_rules VERSION gawk|mawk DIR\n");
        return 2;
    }
    const auto version = auditctl_version_named(words[1]);
    if (!version) {
        fmt::print(stderr, "no auditctl version {}\n", words[1]);
        return 2;
    }
    Sources sources;
    const auto merged =
        merge_rules_dir(sources, words[3], augenrules_of(*version, std::string_view(words[2]) == "gawk"));
    if (!merged) {
        fmt::print(stderr, "{}\n", merged.error());
        return 3;
    }
    const std::string& text = merged->plain_text;
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
