#include "cli/lost_lines.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <sys/stat.h>

#include <fmt/format.h>

#include "grammar/tokenizer.hpp"

namespace auopt {
namespace {

bool is_directory(const std::string& path) {
    struct stat st {};
    return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

bool exists(const std::string& path) {
    struct stat st {};
    return lstat(path.c_str(), &st) == 0;
}

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Place place_of(const Span& span) { return {span.file.value, span.line, span.column}; }

/// What the kernel says to a line: ids of kernel_model/load.cpp.
bool is_kernels_answer(const Diagnostic& d) { return d.id >= "AU091" && d.id <= "AU095"; }

}  // namespace

std::string missing_path(const KernelRule& rule) {
    for (const FieldTest& test : rule.tests) {
        // Both look-ups leave a link at the end alone: kern_path without LOOKUP_FOLLOW, and the parent's directory.
        if (test.field == Field::dir && !exists(test.text)) return test.text;
        if (test.field != Field::path && test.field != Field::exe) continue;
        const std::size_t slash = test.text.rfind('/');
        const std::string parent = slash == std::string::npos || slash == 0 ? "/" : test.text.substr(0, slash);
        if (!is_directory(parent)) return parent;
    }
    return {};
}

std::vector<LostLine> lost_lines(const Sources& sources, const std::vector<InputLine>& lines,
                                 const CompileOptions& options, bool ask_host, bool allow_duplicates) {
    Diagnostics of_auditctl;
    Program program = compile(sources, lines, options, of_auditctl);
    LoadOptions load_options = load_options_for(options);
    load_options.ignore_errors = true;  // every answer, not only the first: what stops is decided below
    Diagnostics of_kernel;
    load(program.messages, load_options, of_kernel);
    std::map<Place, const Diagnostic*> answers;
    for (const Diagnostic& d : of_kernel.items())
        if (is_kernels_answer(d)) answers.emplace(place_of(d.span), &d);

    // Lines that the kernel was told of, up to the one at which loading stops.
    std::map<Place, std::string> refused;
    std::map<Place, bool> told;
    bool errors_ignored = options.continue_on_error;
    std::string stop;
    for (const Message& message : program.messages) {
        const Place place = place_of(message.source);
        if (const auto* inert = std::get_if<Inert>(&message.body))
            errors_ignored = errors_ignored || inert->kind == Inert::Kind::ignore_errors ||
                             inert->kind == Inert::Kind::continue_on_error;
        std::string why;
        bool duplicate = false;
        if (const auto answer = answers.find(place); answer != answers.end()) {
            why = answer->second->message;
            duplicate = answer->second->id == "AU094";
        } else if (const auto* add = std::get_if<AddRule>(&message.body); add != nullptr && ask_host) {
            if (const std::string path = missing_path(add->rule); !path.empty())
                why = fmt::format("{} is missing on this host, so the kernel refuses the rule", path);
        }
        told[place] = true;
        if (why.empty() || (duplicate && (errors_ignored || allow_duplicates))) continue;
        refused[place] = why;
        if (errors_ignored) continue;
        stop = why;
        break;
    }

    std::map<Place, std::string> reasons;  // of what auditctl itself refuses
    for (const Diagnostic& d : of_auditctl.items()) {
        const Place place{d.span.file.value, d.span.line, 0};
        if (d.level == Level::error) {
            reasons[place] = d.message;
        } else {
            reasons.emplace(place, d.message);
        }
    }
    std::vector<LostLine> lost;
    for (const InputLine& line : lines) {
        const Place place = place_of(line.span);
        if (tokenize(line.bytes, line.span, TokenLimit::none).kind != TokenLine::Kind::tokens) continue;
        if (const auto it = refused.find(place); it != refused.end()) {
            lost.push_back({line.span, it->second});
        } else if (!told.contains(place)) {
            const auto reason = reasons.find({line.span.file.value, line.span.line, 0});
            if (!stop.empty() || reason == reasons.end()) {
                lost.push_back({line.span, "loading stops before it"});
            } else {
                lost.push_back({line.span, reason->second});
            }
        }
    }
    // A line that did something before it failed: what follows is in `lost`, the line itself is what stops.
    if (program.stopped && stop.empty()) {
        for (const Diagnostic& d : of_auditctl.items()) {
            if (d.level != Level::error) continue;
            if (std::none_of(lost.begin(), lost.end(),
                             [&](const LostLine& l) { return l.at.file == d.span.file && l.at.line == d.span.line; }))
                lost.insert(lost.begin(), {d.span, d.message});
            break;
        }
    }
    return lost;
}

}  // namespace auopt
