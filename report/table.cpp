#include "report/table.hpp"

#include <algorithm>

#include "report/printable.hpp"

namespace auopt {

std::string render_table(const Table& table) {
    std::vector<std::vector<std::string>> lines;
    lines.reserve(table.rows.size() + 1);
    if (!table.header.empty()) lines.push_back(table.header);
    lines.insert(lines.end(), table.rows.begin(), table.rows.end());

    std::vector<std::vector<Printable>> cells;
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        auto& row = cells.emplace_back();
        for (const std::string& cell : line) {
            row.push_back(to_printable(cell));
            if (widths.size() < row.size()) widths.push_back(0);
            widths[row.size() - 1] = std::max(widths[row.size() - 1], row.back().column_of.back());
        }
    }
    std::string out;
    for (const auto& row : cells) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i != 0) line += "  ";
            const std::string padding(widths[i] - row[i].column_of.back(), ' ');
            const bool right = i < table.right.size() && table.right[i];
            line += right ? padding + row[i].text : row[i].text + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

}  // namespace auopt
