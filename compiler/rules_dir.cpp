// Mirrors augenrules of audit 3.0.9 as Debian runs it, and later scripts where `Augenrules` says so. To mawk, Debian's
// awk, `\s` is the letter s: a line such as `s-b 64` is hoisted there and ` -b 64` is not.
#include "compiler/rules_dir.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include <fnmatch.h>

#include <fmt/format.h>

#include "compiler/version.hpp"
#include "grammar/tokenizer.hpp"

namespace auopt {

namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::error_code(error, std::generic_category()).message(); }

tl::expected<std::vector<std::string>, std::string> names_in(const fs::path& dir) {
    std::error_code error;
    if (!fs::is_directory(dir, error)) {
        return tl::unexpected(fmt::format("{}: {}", dir.string(), error ? error.message() : "not a directory"));
    }
    std::vector<std::string> names;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().string();
        if (name[0] != '.') names.push_back(std::move(name));
    }
    if (error) return tl::unexpected(fmt::format("{}: {}", dir.string(), error.message()));
    std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return version_less(a, b); });
    return names;
}

/// The names that a word stands for where the shell takes it for a pattern; the word itself when it fits none.
std::vector<std::string> expanded(const std::string& word, const std::vector<std::string>& names) {
    std::vector<std::string> fitting;
    if (word.find_first_of("*?[") != std::string::npos) {
        for (const auto& name : names) {
            if (fnmatch(word.c_str(), name.c_str(), FNM_PERIOD) == 0) fitting.push_back(name);
        }
        std::sort(fitting.begin(), fitting.end());
    }
    return fitting.empty() ? std::vector<std::string>{word} : fitting;
}

/// What the shell loop iterates over: names ending in .rules in version order, split into words at white space but for
/// the scripts that keep them whole.
tl::expected<std::vector<std::string>, std::string> listed_words(const fs::path& dir, const Augenrules& script) {
    const auto names = names_in(dir);
    if (!names) return tl::unexpected(names.error());
    std::vector<std::string> words;
    for (const auto& name : *names) {
        if (script.whole_names) {
            std::error_code error;
            if (name.ends_with(".rules") && fs::exists(dir / name, error)) words.push_back(name);
            continue;
        }
        // grep sees one line per newline in a name.
        for (std::size_t at = 0; at <= name.size();) {
            const std::size_t end = std::min(name.find('\n', at), name.size());
            const std::string_view line = std::string_view(name).substr(at, end - at);
            at = end + 1;
            if (!line.ends_with(".rules")) continue;
            for (std::size_t i = 0; i < line.size();) {
                const std::size_t stop = std::min(line.find_first_of(" \t", i), line.size());
                const std::string word(line.substr(i, stop - i));
                i = stop + 1;
                if (word.empty()) continue;
                if (script.quotes_names) {
                    words.push_back(word);
                } else {
                    for (auto& fitting : expanded(word, *names)) words.push_back(std::move(fitting));
                }
            }
        }
    }
    return words;
}

tl::expected<std::string, std::string> read_file(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return tl::unexpected(reason(EISDIR));
    std::ifstream in(path, std::ios::binary);
    if (!in) return tl::unexpected(reason(errno != 0 ? errno : EIO));
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) return tl::unexpected(reason(EIO));
    return text;
}

/// One record of the awk filter, with the place where it begins.
struct Record {
    FileId file;
    std::uint32_t line = 0;
    std::string text;
};

enum class Kind { dropped, enabled, delete_all, failure, backlog, rule };

Kind kind_of(std::string_view text, const Augenrules& script) {
    if (text.empty()) return Kind::dropped;
    const std::string_view blanks = script.knows_blanks ? " \t\n\v\f\r" : "s";
    const std::size_t after = text.find_first_not_of(blanks);
    if (after == std::string_view::npos) return Kind::rule;
    const std::string_view rest = text.substr(after);
    if (rest[0] == '#') return Kind::dropped;
    if (rest.starts_with("-e")) return Kind::enabled;
    if (rest.starts_with("-D") && rest.find_first_not_of(blanks, 2) == std::string_view::npos) return Kind::delete_all;
    if (rest.starts_with("-f")) return Kind::failure;
    if (rest.starts_with("-b")) return Kind::backlog;
    return Kind::rule;
}

}  // namespace

Augenrules augenrules_of(AuditctlVersion version, bool gawk) {
    const Features& features = features_of(version);
    return {features.augenrules_strips_cr, features.augenrules_quotes_names, features.augenrules_whole_names, gawk};
}

tl::expected<MergedRules, std::string> merge_rules_dir(Sources& sources, const fs::path& dir,
                                                       const Augenrules& script) {
    const auto words = listed_words(dir, script);
    if (!words) return tl::unexpected(words.error());
    if (words->empty()) return tl::unexpected(fmt::format("{}: no file in it ends in .rules", dir.string()));

    MergedRules merged;
    std::vector<Record> records;
    bool open = false;  // the last record still lacks its newline: the next file goes on in it
    for (const auto& word : *words) {
        const fs::path path = dir / word;
        errno = 0;
        auto text = read_file(path);
        if (!text) {
            merged.skipped.push_back(fmt::format("{}: {}", path.string(), text.error()));
            continue;
        }
        merged.files.push_back(path.string());
        const FileId file = sources.add(path.string(), *text);
        std::uint32_t line = 0;
        for (std::size_t at = 0; at < text->size();) {
            const std::size_t newline = text->find('\n', at);
            const std::size_t end = newline == std::string::npos ? text->size() : newline;
            ++line;
            if (!open) records.push_back({file, line, {}});
            records.back().text += text->substr(at, end - at);
            open = newline == std::string::npos;
            at = end + 1;
        }
    }
    if (merged.files.empty()) {
        return tl::unexpected(
            fmt::format("{}: none of its .rules files can be read ({})", dir.string(), merged.skipped.front()));
    }

    std::optional<Record> enabled, delete_all, failure, backlog;
    std::vector<Record> rules;
    for (auto& record : records) {
        if (script.strips_cr && record.text.ends_with('\r')) record.text.pop_back();
        switch (kind_of(record.text, script)) {
            case Kind::dropped:
                break;
            case Kind::enabled:
                enabled = std::move(record);
                break;
            case Kind::delete_all:
                delete_all = std::move(record);
                break;
            case Kind::failure:
                failure = std::move(record);
                break;
            case Kind::backlog:
                backlog = std::move(record);
                break;
            case Kind::rule:
                rules.push_back(std::move(record));
                break;
        }
    }

    const auto put = [&](const Record& record) {
        merged.plain_text += record.text + '\n';
        for (auto& piece : split_pieces(record.text + '\n', record.file, record.line)) {
            if (!piece.text.empty()) merged.lines.push_back({piece.span, std::move(piece.text)});
        }
    };
    const auto put_or_blank = [&](const std::optional<Record>& record) {
        if (record) {
            put(*record);
        } else {
            merged.plain_text += '\n';
        }
    };
    merged.plain_text = fmt::format("## This file is automatically generated from {}\n", dir.string());
    put_or_blank(delete_all);
    put_or_blank(backlog);
    put_or_blank(failure);
    for (const auto& rule : rules) put(rule);
    put_or_blank(enabled);
    return merged;
}

}  // namespace auopt
