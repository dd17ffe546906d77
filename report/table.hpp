// Plain text tables: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <string>
#include <vector>

namespace auopt {

struct Table {
    std::vector<std::string> header;
    std::vector<bool> right;  // by column; missing: left
    std::vector<std::vector<std::string>> rows;
};

/// Lines end in a newline and carry no trailing spaces.
std::string render_table(const Table& table);

}  // namespace auopt
