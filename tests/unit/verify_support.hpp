// Rules as text, for the tests of verify/.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "kernel_model/evaluate.hpp"
#include "kernel_model/state.hpp"
#include "verify/verify.hpp"

namespace auopt::test {

/// Writes out number ranges ("452-511") of -S, which auditctl does not take.
inline std::string expand_ranges(const std::string& rules) {
    std::string out;
    for (std::size_t i = 0; i < rules.size();) {
        std::size_t first_end = i, last_end = 0;
        const bool after_comma = i > 0 && (rules[i - 1] == ',' || (i > 2 && rules.compare(i - 3, 3, "-S ") == 0));
        while (after_comma && first_end < rules.size() && std::isdigit(static_cast<unsigned char>(rules[first_end])))
            ++first_end;
        if (after_comma && first_end > i && first_end < rules.size() && rules[first_end] == '-') {
            last_end = first_end + 1;
            while (last_end < rules.size() && std::isdigit(static_cast<unsigned char>(rules[last_end]))) ++last_end;
            const int first = std::stoi(rules.substr(i, first_end - i)),
                      last = std::stoi(rules.substr(first_end + 1, last_end));
            for (int n = first; n <= last; ++n) out += std::to_string(n) + (n == last ? "" : ",");
            i = last_end;
            continue;
        }
        out += rules[i++];
    }
    return out;
}

/// The state after loading `rules` (one a line) into an empty kernel. Paths in /d are directories, all others
/// files, but for those in /unknown, of which nothing is known.
inline KernelState load_text(const std::string& rules) {
    Sources sources;
    const FileId file = sources.add("test.rules", expand_ranges(rules));
    Diagnostics diagnostics;
    CompileOptions options;
    if (rules.find("io_uring") != std::string::npos)
        options.version = AuditctlVersion::v3_1_5;  // the first that knows the list
    options.facts.users = {{"root", 0}};
    options.facts.groups = {{"root", 0}};
    options.facts.directories = {"/", "/d", "/d/one", "/d/two", "/d/three", "/etc", "/unknown", "/usr/bin", "/bin"};
    options.facts.files = {"/f",         "/g",         "/etc/passwd", "/etc/shadow",
                           "/etc/group", "/usr/bin/x", "/bin/x",      "/usr/bin/su"};
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    LoadOptions load_options;
    load_options.facts = &options.facts;
    const LoadResult loaded = load(program.messages, load_options, diagnostics);
    for (const Diagnostic& d : diagnostics.items())
        if (d.level == Level::error) ADD_FAILURE() << rules << "line " << d.span.line << ": " << d.message;
    EXPECT_FALSE(loaded.outside_model.has_value()) << rules;
    return loaded.state;
}

inline std::string words(const Verdict& verdict) {
    if (const auto* p = std::get_if<Proven>(&verdict))
        return "Proven, " + std::to_string(p->groups) + " groups, " + std::to_string(p->queries) + " queries";
    if (const auto* r = std::get_if<Refuted>(&verdict)) {
        std::string out = "Refuted:";
        for (const Difference& d : r->differences)
            out += " " + d.what + " " + d.before + " -> " + d.after + " (" + d.meaning + ");";
        if (r->example)
            out += " " + describe(r->example->event) + ": " + to_string(r->example->before) + " / " +
                   to_string(r->example->after);
        return out;
    }
    return "Unknown: " + std::get<Unknown>(verdict).reason;
}

inline bool proven(const Verdict& v) { return std::holds_alternative<Proven>(v); }
inline bool refuted(const Verdict& v) { return std::holds_alternative<Refuted>(v); }
inline bool unknown(const Verdict& v) { return std::holds_alternative<Unknown>(v); }

}  // namespace auopt::test
