// The formats for programs: JSON (cli reference, "Machine formats"), SARIF 2.1.0 and GitHub workflow commands.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lint/lint.hpp"
#include "report/diagnostics.hpp"
#include "report/printable.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;

std::string dump(const ordered_json& value) {
    return value.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::uint32_t end_column(const Span& span) { return span.column == 0 ? 0 : span.column + span.length; }

const IdRow* find_row(std::string_view id) {
    if (const IdRow* row = find_id(id)) return row;
    const auto& rows = lint_ids();
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const IdRow& row) { return row.id == id; });
    return found == rows.end() ? nullptr : &*found;
}

std::string sarif_level(Level level) {
    switch (level) {
        case Level::error:
            return "error";
        case Level::warning:
            return "warning";
        default:
            return "note";
    }
}

/// RFC 3986: a path as a relative reference; everything unusual is percent-encoded.
std::string uri_of(std::string_view path) {
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool safe = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') || byte == '/' || byte == '.' || byte == '-' || byte == '_' ||
                          byte == '~';
        out += safe ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

/// Text of a line with runs of spaces folded, so that reindenting does not make an alert new.
std::string folded(std::string_view line) {
    std::string out;
    for (const char c : line) {
        if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
        out += c;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

std::string github_data(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '%')
            out += "%25";
        else if (c == '\r')
            out += "%0D";
        else if (c == '\n')
            out += "%0A";
        else
            out += c;
    }
    return out;
}

std::string github_property(std::string_view text) {
    std::string out;
    for (const char c : github_data(text)) {
        if (c == ':')
            out += "%3A";
        else if (c == ',')
            out += "%2C";
        else
            out += c;
    }
    return out;
}

/// SARIF counts characters where Span counts bytes.
std::uint32_t character_column(std::string_view line, std::uint32_t byte_column) {
    std::uint32_t column = 1;
    for (std::uint32_t i = 0; i + 1 < byte_column; ++i) {
        if (i >= line.size() || (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U) ++column;
    }
    return column;
}

ordered_json region(std::string_view line, const Span& span) {
    ordered_json r{{"startLine", span.line}};
    if (span.column != 0) {
        const std::uint32_t start = character_column(line, span.column);
        r["startColumn"] = start;
        r["endColumn"] = std::max(character_column(line, end_column(span)), start + 1);
    }
    return r;
}

ordered_json physical_location(const Sources& sources, const Span& span) {
    ordered_json location{{"artifactLocation", {{"uri", uri_of(sources.name(span.file))}}}};
    if (span.line != 0) location["region"] = region(sources.line(span.file, span.line), span);
    return location;
}

/// A finding, and the reason for which a comment suppresses it.
struct Listed {
    const Diagnostic* finding;
    const std::string* suppressed;
};

/// Both sorts in the order of the lines, so that a suppression changes neither place nor fingerprint of a finding.
std::vector<Listed> in_order(const Diagnostics& diagnostics, const std::vector<SuppressedFinding>& suppressed) {
    std::vector<Listed> all;
    for (const Diagnostic& d : diagnostics.items()) all.push_back({&d, nullptr});
    for (const SuppressedFinding& s : suppressed) all.push_back({&s.finding, &s.reason});
    std::stable_sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) {
        return std::tuple(a.finding->span.file.value, a.finding->span.line, a.finding->span.column) <
               std::tuple(b.finding->span.file.value, b.finding->span.line, b.finding->span.column);
    });
    return all;
}

}  // namespace

std::string render_json(const Sources& sources, const Diagnostics& diagnostics,
                        const std::vector<SuppressedFinding>& suppressed) {
    ordered_json array = ordered_json::array();
    for (const auto& [finding, reason] : in_order(diagnostics, suppressed)) {
        const Diagnostic& d = *finding;
        ordered_json fix = nullptr;
        if (d.fix) {
            fix = {{"file", sources.name(d.fix->file)},
                   {"first_line", d.fix->first_line},
                   {"last_line", d.fix->last_line},
                   {"replacement", d.fix->replacement},
                   {"safe", d.fix->safe}};
        }
        ordered_json item{{"id", d.id},
                          {"level", level_name(d.level)},
                          {"file", sources.name(d.span.file)},
                          {"line", d.span.line},
                          {"column", d.span.column},
                          {"end_column", end_column(d.span)},
                          {"message", d.message},
                          {"help", d.help},
                          {"fix", fix}};
        ordered_json notes = ordered_json::array();
        for (const Note& note : d.notes) {
            ordered_json n{{"message", note.message}};
            if (note.span) {
                n["file"] = sources.name(note.span->file);
                n["line"] = note.span->line;
            }
            notes.push_back(n);
        }
        item["notes"] = notes;
        item["suppressed"] = nullptr;
        if (reason != nullptr) item["suppressed"] = *reason;
        array.push_back(item);
    }
    return dump(array);
}

std::string render_sarif(const Sources& sources, const Diagnostics& diagnostics,
                         const std::vector<SuppressedFinding>& suppressed) {
    ordered_json rules = ordered_json::array();
    std::map<std::string, std::size_t> rule_index;
    ordered_json results = ordered_json::array();
    // The same finding on the same text twice in one file is told apart by its ordinal, not by its line.
    std::map<std::string, unsigned> seen;
    for (const auto& [finding, reason] : in_order(diagnostics, suppressed)) {
        const Diagnostic& d = *finding;
        if (!rule_index.contains(d.id)) {
            rule_index[d.id] = rules.size();
            ordered_json rule{{"id", d.id}};
            if (const IdRow* row = find_row(d.id)) rule["shortDescription"] = {{"text", row->summary}};
            rule["help"] = {{"text", "auopt explain " + d.id}};
            rules.push_back(std::move(rule));
        }
        const std::string subject =
            d.id + '\0' + sources.name(d.span.file) + '\0' +
            folded(d.span.line == 0 ? std::string_view{} : sources.line(d.span.file, d.span.line));
        const unsigned ordinal = seen[subject]++;
        std::string text = printable_text(d.message);
        if (!d.help.empty()) text += " (" + printable_text(d.help) + ")";
        ordered_json result{
            {"ruleId", d.id},
            {"ruleIndex", rule_index[d.id]},
            {"level", sarif_level(d.level)},
            {"message", {{"text", text}}},
            {"locations", ordered_json::array({{{"physicalLocation", physical_location(sources, d.span)}}})},
            {"partialFingerprints", {{"auoptLine/v1", sha256_hex(subject + '\0' + std::to_string(ordinal))}}}};
        ordered_json related = ordered_json::array();
        for (const Note& note : d.notes) {
            if (note.span) {
                related.push_back({{"physicalLocation", physical_location(sources, *note.span)},
                                   {"message", {{"text", printable_text(note.message)}}}});
            }
        }
        if (!related.empty()) result["relatedLocations"] = related;
        // SARIF 2.1.0, 3.27.23 and 3.35: a suppression in the source, accepted since no one reviews it elsewhere. No
        // list at all would leave open whether anything looked for suppressions.
        result["suppressions"] = ordered_json::array();
        if (reason != nullptr)
            result["suppressions"].push_back(
                {{"kind", "inSource"}, {"status", "accepted"}, {"justification", printable_text(*reason)}});
        results.push_back(result);
    }
    const ordered_json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", ordered_json::array({{{"tool", {{"driver", {{"name", "auopt"}, {"rules", rules}}}}},
                                                          {"columnKind", "unicodeCodePoints"},
                                                          {"results", results}}})}};
    return dump(log);
}

std::string render_github(const Sources& sources, const Diagnostics& diagnostics) {
    std::string out;
    for (const Diagnostic& d : diagnostics.items()) {
        const char* command = d.level == Level::error ? "error" : d.level == Level::warning ? "warning" : "notice";
        std::string properties = "file=" + github_property(printable_text(sources.name(d.span.file)));
        if (d.span.line != 0) {
            properties += fmt::format(",line={}", d.span.line);
            if (d.span.column != 0)
                properties += fmt::format(",col={},endColumn={}", d.span.column, end_column(d.span));
        }
        std::string message = printable_text(d.message);
        if (!d.help.empty()) message += "\nhelp: " + printable_text(d.help);
        out += fmt::format("::{} {},title={}::{}\n", command, properties, github_property(d.id), github_data(message));
    }
    return out;
}

}  // namespace auopt
