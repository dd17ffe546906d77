// The order of `ls -1v`: GNU filevercmp. Names are compared without their suffixes (".rules" and what looks like it)
// first; digits count as numbers, '~' comes before the end of the name, letters before other bytes.
#include "compiler/rules_dir.hpp"

namespace auopt {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Length of the name without the run of suffixes at its end; a suffix is a dot, a letter or '~', then letters, digits
/// or '~'. The first byte is never part of a suffix.
std::size_t stem_length(std::string_view name) {
    std::size_t stem = 0;
    for (std::size_t at = 0; at < name.size();) {
        stem = ++at;
        while (at + 1 < name.size() && name[at] == '.' && (is_alpha(name[at + 1]) || name[at + 1] == '~')) {
            at += 2;
            while (at < name.size() && (is_alpha(name[at]) || is_digit(name[at]) || name[at] == '~')) ++at;
        }
    }
    return stem;
}

int rank(std::string_view text, std::size_t at) {
    if (at >= text.size()) return -1;
    const char c = text[at];
    if (is_digit(c)) return 0;
    if (is_alpha(c)) return static_cast<unsigned char>(c);
    if (c == '~') return -2;
    return static_cast<unsigned char>(c) + 256;
}

int compare_versions(std::string_view a, std::string_view b) {
    std::size_t i = 0, j = 0;
    const auto letter = [](std::string_view text, std::size_t at) { return at < text.size() && !is_digit(text[at]); };
    const auto digit = [](std::string_view text, std::size_t at) { return at < text.size() && is_digit(text[at]); };
    while (i < a.size() || j < b.size()) {
        while (letter(a, i) || letter(b, j)) {
            const int difference = rank(a, i) - rank(b, j);
            if (difference != 0) return difference;
            ++i;
            ++j;
        }
        while (i < a.size() && a[i] == '0') ++i;
        while (j < b.size() && b[j] == '0') ++j;
        int first_difference = 0;
        for (; digit(a, i) && digit(b, j); ++i, ++j)
            if (first_difference == 0) first_difference = a[i] - b[j];
        if (digit(a, i)) return 1;
        if (digit(b, j)) return -1;
        if (first_difference != 0) return first_difference;
    }
    return 0;
}

/// Empty first, then ".", "..", other names with a dot in front, then the rest.
int special_rank(std::string_view name) {
    if (name.empty()) return 0;
    if (name == ".") return 1;
    if (name == "..") return 2;
    return name[0] == '.' ? 3 : 4;
}

}  // namespace

bool version_less(std::string_view a, std::string_view b) {
    const int by_kind = special_rank(a) - special_rank(b);
    if (by_kind != 0) return by_kind < 0;
    int order = compare_versions(a.substr(0, stem_length(a)), b.substr(0, stem_length(b)));
    if (order == 0) order = compare_versions(a, b);
    return order != 0 ? order < 0 : a < b;  // ls falls back to the bytes
}

}  // namespace auopt
