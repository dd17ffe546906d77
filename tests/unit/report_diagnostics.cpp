// The renderers: what each format shows of the same findings.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/diagnostics.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

struct Findings {
    Sources sources;
    Diagnostics diagnostics;
    FileId file;

    Findings() : file(sources.add("rules.d/a b.rules", "-w /x -p wa\n-w y -p wa\n")) {
        diagnostics.add({"AU020",
                         Level::error,
                         Span{file, 2, 4, 1},
                         "a watched path starts with /",
                         {{Span{file, 1, 1, 11}, "see"}},
                         "write /y",
                         std::nullopt});
        diagnostics.add({"AU301", Level::info, Span{file, 1, 1, 11}, "costs", {}, "", std::nullopt});
    }
};

TEST(Diagnostics, TextHasACaretUnderTheSpan) {
    const Findings f;
    EXPECT_EQ(render_diagnostics(f.sources, f.diagnostics, {}),
              "rules.d/a b.rules:2:4: error[AU020]: a watched path starts with /\n"
              "    2 | -w y -p wa\n"
              "      |    ^\n"
              "   note: rules.d/a b.rules:1: see\n"
              "   help: write /y\n"
              "rules.d/a b.rules:1:1: info[AU301]: costs\n"
              "    1 | -w /x -p wa\n"
              "      | ^^^^^^^^^^^\n");
}

TEST(Diagnostics, LimitKeepsTheWorstAndCountsTheRest) {
    const Findings f;
    RenderOptions options;
    options.max_shown = 1;
    const std::string text = render_diagnostics(f.sources, f.diagnostics, options);
    EXPECT_NE(text.find("AU020"), std::string::npos);
    EXPECT_EQ(text.find("AU301"), std::string::npos);
    EXPECT_NE(text.find("and 1 more"), std::string::npos);
}

TEST(Diagnostics, ColourOnlyWhenAskedFor) {
    const Findings f;
    RenderOptions options;
    EXPECT_EQ(render_diagnostics(f.sources, f.diagnostics, options).find('\x1b'), std::string::npos);
    options.color = true;
    EXPECT_NE(render_diagnostics(f.sources, f.diagnostics, options).find("\x1b[1;31merror[AU020]"), std::string::npos);
}

TEST(Diagnostics, AFileAsAWholeHasNoLine) {
    Sources sources;
    Diagnostics diagnostics;
    diagnostics.add(
        {"AU080", Level::error, Span{sources.add("gone", ""), 0, 0, 0}, "cannot be read", {}, "", std::nullopt});
    EXPECT_EQ(render_diagnostics(sources, diagnostics, {}), "gone: error[AU080]: cannot be read\n");
}

TEST(Diagnostics, JsonHasTheDocumentedMembers) {
    const Findings f;
    const auto array = nlohmann::json::parse(render_json(f.sources, f.diagnostics));
    ASSERT_EQ(array.size(), 2U);
    for (const char* member : {"id", "level", "file", "line", "column", "end_column", "message", "help", "fix"}) {
        EXPECT_TRUE(array[0].contains(member)) << member;
    }
    // In the order of the file, whatever the order of finding.
    EXPECT_EQ(array[0]["id"], "AU301");
    EXPECT_EQ(array[1]["column"], 4);
    EXPECT_EQ(array[1]["end_column"], 5);
    EXPECT_TRUE(array[1]["fix"].is_null());
}

TEST(Diagnostics, JsonSurvivesBytesThatAreNoUtf8) {
    Sources sources;
    Diagnostics diagnostics;
    diagnostics.add(
        {"AU001", Level::error, Span{sources.add("x\xff", "\xff\xfe\n"), 1, 1, 2}, "\xff", {}, "", std::nullopt});
    EXPECT_TRUE(nlohmann::json::accept(render_json(sources, diagnostics)));
    EXPECT_TRUE(nlohmann::json::accept(render_sarif(sources, diagnostics)));
}

std::string fingerprint(const std::string& text, std::uint32_t line) {
    Sources sources;
    Diagnostics diagnostics;
    diagnostics.add({"AU020", Level::error, Span{sources.add("f", text), line, 4, 1}, "m", {}, "", std::nullopt});
    return nlohmann::json::parse(
        render_sarif(sources, diagnostics))["runs"][0]["results"][0]["partialFingerprints"]["auoptLine/v1"];
}

TEST(Diagnostics, SarifFingerprintsSurviveMovedAndReindentedLines) {
    EXPECT_EQ(fingerprint("-w y -p wa\n", 1), fingerprint("# new\n\n-w  y   -p wa \n", 3));
    EXPECT_NE(fingerprint("-w y -p wa\n", 1), fingerprint("-w z -p wa\n", 1));
}

TEST(Diagnostics, SarifColumnsCountCharactersAndUrisAreEscaped) {
    Sources sources;
    Diagnostics diagnostics;
    diagnostics.add(
        {"AU020", Level::warning, Span{sources.add("a b", "caf\xc3\xa9 y\n"), 1, 7, 1}, "m", {}, "", std::nullopt});
    const auto place = nlohmann::json::parse(
        render_sarif(sources, diagnostics))["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["region"]["startColumn"], 6);
    EXPECT_EQ(place["artifactLocation"]["uri"], "a%20b");
}

TEST(Diagnostics, GithubCommandsCannotBeBrokenOutOf) {
    Sources sources;
    Diagnostics diagnostics;
    diagnostics.add(
        {"AU020", Level::error, Span{sources.add("a,b:c", "x\n"), 1, 1, 1}, "100%\n::error::x", {}, "", std::nullopt});
    const std::string out = render_github(sources, diagnostics);
    EXPECT_EQ(out, "::error file=a%2Cb%3Ac,line=1,col=1,endColumn=2,title=AU020::100%25\\n::error::x\n");
}

TEST(Diagnostics, CountLine) {
    const Findings f;
    EXPECT_EQ(count_line(f.diagnostics), "1 error, 1 info");
    EXPECT_EQ(count_line({}), "");
}

TEST(Sha256, KnownAnswers) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace auopt
