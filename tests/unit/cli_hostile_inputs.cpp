// compile, lint, fmt and a search for AU5 over every recorded trap, mutations of them and the project's rule sets: they
// end, and under the asan preset without a report of the sanitizers or a leak.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "cli/lint_rules.hpp"
#include "cli/load_rules.hpp"
#include "compiler/format.hpp"
#include "compiler/wire.hpp"
#include "fuzz/mutate_rules.hpp"
#include "tests/support/traps.hpp"

namespace auopt {
namespace {

void survives(const std::string& text, const std::string& target) {
    Inputs inputs;
    const FileId file = inputs.sources.add("in.rules", text);
    inputs.lines = split_lines(inputs.sources, file);
    inputs.portable_names = {"in.rules"};
    inputs.plain_text = text;
    CommonOptions common;
    common.target = target;
    const Setting setting = make_setting(common, inputs.lines);
    ASSERT_EQ(setting.exit_code, 0) << setting.error;

    Diagnostics diagnostics;
    const Program program = compile(inputs.sources, inputs.lines, setting.compile, diagnostics);
    for (const Message& message : program.messages) {
        EXPECT_EQ(message_to_wire_line(message).find('\n'), std::string::npos);
    }
    FormatOptions format;
    format.versions = setting.target.writing;
    const FormattedFile formatted = format_file(inputs.sources, file, setting.compile, format, diagnostics);
    EXPECT_EQ(formatted.failed, program.failed);
    const LintOutcome outcome = lint_rules(inputs, setting);
    EXPECT_TRUE(outcome.would_stop || !program.stopped) << text.substr(0, 300);
}

TEST(HostileInputs, TrapsAndWhatTheyTurnInto) {
    const auto texts = test::trap_texts();
    ASSERT_EQ(texts.size(), 452U);
    std::uint32_t seed = 0;
    for (const std::string& text : texts) {
        survives(text, "any");
        survives(text, "deb13");
        if (text.size() < 4000) survives(fuzz::mutated_rules(text, 4000, seed++), "any");
    }
}

TEST(HostileInputs, TheProjectsRuleSets) {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(AUOPT_SOURCE_DIR "/share/rulesets")) {
        if (entry.path().extension() != ".rules" || entry.is_directory()) continue;
        std::ifstream in(entry.path(), std::ios::binary);
        survives({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}, "any");
        ++files;
    }
    EXPECT_GE(files, 2U);
}

}  // namespace
}  // namespace auopt
