// Truth tables of histories: rules, and calls one after the other in a small world. Format (tests/truth_tables/histories/*.txt):
//
//   == title
//   rules lines, as auditctl reads them
//   -- world
//   who: what is done -> none | never | always KEY | recorded
//
// Worlds and calls are those of tests/simulator/world.hpp, by their words. Each "--" begins anew, after loading. After the
// arrow: "always -" has no key; "recorded": no rule matches, but a record inside the call makes it recorded.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace auopt::test {

struct HistoryRow {
    std::string where;  // file:line
    std::string call, expected;
};
struct History {
    std::string title, rules, world;
    std::vector<HistoryRow> rows;
};

inline std::vector<History> read_histories(const std::filesystem::path& folder) {
    std::vector<History> histories;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".txt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in(file);
        std::string title, rules;
        bool calls = false;
        unsigned number = 0;
        for (std::string line; std::getline(in, line);) {
            const std::string where = file.filename().string() + ":" + std::to_string(++number);
            if (line.empty() || line.starts_with("# ")) continue;
            const auto arrow = line.find(" -> ");
            if (line.starts_with("== ")) {
                title = line.substr(3);
                rules.clear();
                calls = false;
            } else if (line.starts_with("-- ")) {
                histories.push_back({title, rules, line.substr(3), {}});
                calls = true;
            } else if (!calls) {
                rules += line + "\n";
            } else if (arrow == std::string::npos) {
                ADD_FAILURE() << where << ": no arrow";
            } else {
                histories.back().rows.push_back({where, line.substr(0, arrow), line.substr(arrow + 4)});
            }
        }
    }
    return histories;
}

}  // namespace auopt::test
