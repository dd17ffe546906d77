// Comments that suppress a finding: `# auopt: ignore AU301,AU105 reason="..."` on the line above a rule (further
// comments may stand between).
#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "lint/lint.hpp"

namespace auopt {
namespace {

struct Suppression {
    Span comment;
    std::string id;
    std::uint32_t line = 0;  // of the rule it is about
    std::optional<std::string> reason;
    bool used = false;
    bool forbidden = false;  // it names a line that does not load
};

constexpr std::string_view marker = "auopt: ignore";

bool is_id_byte(char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::vector<std::string> ids_in(std::string_view text) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < text.size();) {
        if (text.substr(i, 2) != "AU") {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && is_id_byte(text[end])) ++end;
        result.emplace_back(text.substr(i, end - i));
        i = end;
    }
    return result;
}

std::optional<std::string> reason_in(std::string_view text) {
    const std::size_t at = text.find("reason=\"");
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + 8;
    const std::size_t end = text.find('"', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view reason = text.substr(begin, end - begin);
    if (reason.find_first_not_of(' ') == std::string_view::npos) return std::nullopt;
    return std::string(reason);
}

std::vector<Suppression> suppressions_of(const Sources& sources, FileId file) {
    std::vector<Suppression> all;
    std::size_t waiting = 0;  // suppressions from here on wait for their rule
    const std::string& text = sources.text(file);
    if (text.find(marker) == std::string::npos) return all;
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
    for (std::uint32_t number = 1; number <= lines; ++number) {
        const std::string_view line = sources.line(file, number);
        const std::size_t first = line.find_first_not_of(' ');
        if (first == std::string_view::npos) continue;
        if (line[first] != '#') {
            for (; waiting < all.size(); ++waiting) all[waiting].line = number;
            continue;
        }
        const std::size_t at = line.find(marker);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = line.substr(at + marker.size());
        const std::string_view names = rest.substr(0, rest.find("reason="));
        for (std::string& id : ids_in(names)) {
            all.push_back(
                {Span{file, number, static_cast<std::uint32_t>(at + 1), static_cast<std::uint32_t>(line.size() - at)},
                 std::move(id), 0, reason_in(rest), false, false});
        }
    }
    return all;
}

}  // namespace

std::vector<SuppressedFinding> apply_suppressions(const Sources& sources, Diagnostics& diagnostics) {
    std::vector<Suppression> all;
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
        for (Suppression& s : suppressions_of(sources, FileId{i})) all.push_back(std::move(s));
    }
    std::vector<SuppressedFinding> suppressed;
    if (all.empty()) return suppressed;
    std::erase_if(diagnostics.items(), [&](const Diagnostic& d) {
        const Suppression* by = nullptr;
        const bool does_not_load = d.id.starts_with("AU0") && d.level == Level::error;
        for (Suppression& s : all) {
            if (s.id != d.id || !(s.comment.file == d.span.file) || s.line != d.span.line || s.line == 0) continue;
            s.used = true;
            s.forbidden = does_not_load;
            if (s.reason && !does_not_load) by = &s;
        }
        if (by != nullptr) suppressed.push_back({d, *by->reason});
        return by != nullptr;
    });
    std::set<std::uint64_t> reported;
    for (const Suppression& s : all) {
        if (!s.reason) {
            if (!reported.insert((std::uint64_t{s.comment.file.value} << 32U) | s.comment.line).second) continue;
            diagnostics.add({std::string(ids::suppression_without_reason),
                             Level::warning,
                             s.comment,
                             "a suppression needs a reason; without one it suppresses nothing",
                             {},
                             "add reason=\"...\"",
                             std::nullopt});
        } else if (s.forbidden) {
            diagnostics.add({std::string(ids::unused_suppression),
                             Level::warning,
                             s.comment,
                             fmt::format("{} cannot be suppressed: the line does not load", s.id),
                             {},
                             "delete this comment",
                             std::nullopt});
        } else if (!s.used) {
            diagnostics.add({std::string(ids::unused_suppression),
                             Level::warning,
                             s.comment,
                             fmt::format("nothing here to suppress: {} is not reported for the next rule", s.id),
                             {},
                             "delete this comment",
                             std::nullopt});
        }
    }
    return suppressed;
}

}  // namespace auopt
