// AU5 is complete and says nothing else: a line has such a finding exactly when some auditctl version of the target makes
// other messages of it, or fails where the reading version does not. Judged line by line, each compiled alone, over the
// recorded traps and what the fuzz targets' mutator makes of them.
#include <set>

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/wire.hpp"
#include "fuzz/mutate_rules.hpp"
#include "grammar/ids.hpp"
#include "lint/lint.hpp"
#include "tests/support/traps.hpp"

namespace auopt {
namespace {

CompileOptions read_as(AuditctlVersion version) {
    CompileOptions options;
    options.version = version;
    options.continue_on_error = true;
    options.facts.users = {{"root", 0}, {"nobody", 65534}};
    options.facts.groups = {{"root", 0}, {"adm", 4}};
    options.facts.directories = {"/etc/dir", "/tmp"};
    options.facts.files = {"/etc/file"};
    return options;
}

/// Everything one version makes of one line, in words. A word that ends in a mark is read from memory that is fresh
/// before the first line only, so the others get one before them.
std::string made_of(const Sources& sources, const InputLine& line, bool first, AuditctlVersion version) {
    Diagnostics diagnostics;
    std::vector<InputLine> lines{line};
    if (!first) lines.insert(lines.begin(), InputLine{line.span, "-v"});
    const Program program = compile(sources, lines, read_as(version), diagnostics);
    std::string out = program.failed ? "failed\n" : "";
    for (const Message& message : program.messages) {
        out += std::to_string(message.body.index()) + " " + message_to_wire_line(message) + "\n";
        if (const auto* all = std::get_if<DeleteAll>(&message.body)) out += all->key.value_or("(no key)") + "\n";
        if (const auto* inert = std::get_if<Inert>(&message.body)) {
            out += std::to_string(static_cast<int>(inert->kind)) + "\n";
        }
    }
    return out;
}

bool differs_somewhere(const Sources& sources, const InputLine& line, bool first) {
    const std::string here = made_of(sources, line, first, AuditctlVersion::v3_0_9);
    for (const AuditctlVersion version : all_auditctl_versions()) {
        if (made_of(sources, line, first, version) != here) return true;
    }
    return false;
}

/// (line, column) of every piece that has a finding AU501 to AU504.
std::set<std::pair<std::uint32_t, std::uint32_t>> reported(const Sources& sources,
                                                           const std::vector<InputLine>& lines) {
    const CompileOptions options = read_as(AuditctlVersion::v3_0_9);
    Diagnostics ignored, found;
    const Program program = compile(sources, lines, options, ignored);
    const KernelState state;
    std::vector<const KernelTables*> kernels;
    for (const KernelTables& kernel : kernel_tables()) kernels.push_back(&kernel);
    check_portability({sources, lines, options, program, state, kernels, all_auditctl_versions()}, found);
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;
    for (const Diagnostic& d : found.items()) {
        const InputLine* holder = nullptr;
        for (const InputLine& line : lines) {
            if (line.span.line == d.span.line && line.span.column <= d.span.column) holder = &line;
        }
        EXPECT_NE(holder, nullptr) << d.message;
        if (holder != nullptr) out.insert({holder->span.line, holder->span.column});
    }
    return out;
}

/// Lines compared, and those of them that differ.
std::pair<std::size_t, std::size_t> expect_complete(const std::string& text) {
    Sources sources;
    const auto lines = split_lines(sources, sources.add("t.rules", text));
    const auto findings = reported(sources, lines);
    std::size_t differing = 0;
    bool first = true;
    for (const InputLine& line : lines) {
        const bool differs = differs_somewhere(sources, line, first);
        const std::size_t word = std::min(line.bytes.find('\0'), line.bytes.find_first_not_of(' '));
        if (word < line.bytes.size() && line.bytes[word] != '#' && line.bytes[word] != '\0') first = false;
        differing += differs ? 1 : 0;
        EXPECT_EQ(findings.contains({line.span.line, line.span.column}), differs)
            << "line " << line.span.line << ": " << line.bytes.substr(0, 300);
    }
    return {lines.size(), differing};
}

TEST(Portability, FindingsAreExactlyTheLinesThatDiffer) {
    const auto texts = test::trap_texts();
    ASSERT_EQ(texts.size(), 452U);
    std::size_t lines = 0, differing = 0;
    const auto add = [&](const std::string& text) {
        const auto [compared, different] = expect_complete(text);
        lines += compared;
        differing += different;
    };
    for (const std::string& text : texts) add(text);
    for (std::uint32_t seed = 0; seed < 20000 && !HasFailure(); ++seed) {
        std::string text = texts[seed % texts.size()];
        if (text.size() > 2000) continue;
        for (std::uint32_t round = 0; round < 3; ++round) text = fuzz::mutated_rules(text, 2000, seed * 3 + round);
        add(text);
    }
    std::printf("%zu lines, %zu of them read differently somewhere\n", lines, differing);
    EXPECT_GT(differing, 500U);
    EXPECT_GT(lines - differing, 500U);
}

}  // namespace
}  // namespace auopt
