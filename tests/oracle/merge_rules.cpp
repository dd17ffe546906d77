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
    for (const AuditctlVersion version : all_auditctl_versions()) {
        if (auditctl_version_name(version) != words[1]) continue;
        Sources sources;
        const auto merged =
            merge_rules_dir(sources, words[3], augenrules_of(version, std::string_view(words[2]) == "gawk"));
        if (!merged) {
            fmt::print(stderr, "{}\n", merged.error());
            return 3;
        }
        return std::fwrite(merged->plain_text.data(), 1, merged->plain_text.size(), stdout) == merged->plain_text.size()
                   ? 0
                   : 1;
    }
    fmt::print(stderr, "no auditctl version {}\n", words[1]);
    return 2;
}
