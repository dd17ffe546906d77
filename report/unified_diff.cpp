// The greedy O(ND) algorithm of Myers (1986), remembering the furthest points of every round.
#include "report/unified_diff.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace auopt {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end == std::string_view::npos ? text.size() : end + 1));
        text.remove_prefix(lines.back().size());
    }
    return lines;
}

struct Edit {
    char kind;                  // ' ', '-', '+'
    std::size_t before, after;  // indices of the lines
};

std::vector<Edit> edits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    const auto n = static_cast<std::ptrdiff_t>(a.size()), m = static_cast<std::ptrdiff_t>(b.size());
    const std::ptrdiff_t most = n + m;
    std::vector<std::vector<std::ptrdiff_t>> rounds;
    std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 2), 0);
    const auto at = [&](std::ptrdiff_t k) -> std::ptrdiff_t& { return furthest[static_cast<std::size_t>(k + most)]; };
    std::ptrdiff_t d = 0;
    for (;; ++d) {
        // Only diagonals -d..d of this round are needed to walk back.
        rounds.emplace_back(furthest.begin() + std::max<std::ptrdiff_t>(0, most - d - 1),
                            furthest.begin() + std::min<std::ptrdiff_t>(2 * most + 2, most + d + 2));
        bool done = false;
        for (std::ptrdiff_t k = -d; k <= d && !done; k += 2) {
            std::ptrdiff_t x = (k == -d || (k != d && at(k - 1) < at(k + 1))) ? at(k + 1) : at(k - 1) + 1;
            std::ptrdiff_t y = x - k;
            while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) ++x, ++y;
            at(k) = x;
            done = x >= n && y >= m;
        }
        if (done) break;
    }
    std::vector<Edit> result;
    std::ptrdiff_t x = n, y = m;
    for (; d >= 0; --d) {
        const auto& v = rounds[static_cast<std::size_t>(d)];
        const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, most - d - 1) - most;
        const auto old = [&](std::ptrdiff_t k) { return v[static_cast<std::size_t>(k - first)]; };
        const std::ptrdiff_t k = x - y;
        const bool down = k == -d || (k != d && old(k - 1) < old(k + 1));
        const std::ptrdiff_t previous_k = down ? k + 1 : k - 1;
        const std::ptrdiff_t previous_x = d == 0 ? 0 : old(previous_k);
        const std::ptrdiff_t previous_y = d == 0 ? 0 : previous_x - previous_k;
        while (x > previous_x && y > previous_y) {
            --x, --y;
            result.push_back({' ', static_cast<std::size_t>(x), static_cast<std::size_t>(y)});
        }
        if (d == 0) break;
        if (down)
            result.push_back({'+', static_cast<std::size_t>(x), static_cast<std::size_t>(--y)});
        else
            result.push_back({'-', static_cast<std::size_t>(--x), static_cast<std::size_t>(y)});
    }
    std::reverse(result.begin(), result.end());
    return result;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view before_name,
                         std::string_view after_name) {
    if (before == after) return {};
    const auto a = lines_of(before), b = lines_of(after);
    const std::vector<Edit> all = edits(a, b);
    constexpr std::size_t context = 3;
    std::string out = fmt::format("--- {}\n+++ {}\n", before_name, after_name);
    for (std::size_t i = 0; i < all.size();) {
        if (all[i].kind == ' ') {
            ++i;
            continue;
        }
        const std::size_t begin = i > context ? i - context : 0;
        // The hunk goes on while the next change is within two contexts.
        std::size_t end = i, quiet = 0;
        while (end < all.size() && quiet <= 2 * context) {
            quiet = all[end].kind == ' ' ? quiet + 1 : 0;
            ++end;
        }
        end -= quiet > context ? quiet - context : 0;
        std::size_t removed = 0, added = 0;
        for (std::size_t j = begin; j < end; ++j) {
            removed += all[j].kind != '+' ? 1 : 0;
            added += all[j].kind != '-' ? 1 : 0;
        }
        out += fmt::format("@@ -{},{} +{},{} @@\n", all[begin].before + (removed != 0 ? 1 : 0), removed,
                           all[begin].after + (added != 0 ? 1 : 0), added);
        for (std::size_t j = begin; j < end; ++j) {
            const std::string_view line = all[j].kind == '+' ? b[all[j].after] : a[all[j].before];
            out += all[j].kind;
            out += line;
            if (line.empty() || line.back() != '\n') out += "\n\\ No newline at end of file\n";
        }
        i = end;
    }
    return out;
}

}  // namespace auopt
