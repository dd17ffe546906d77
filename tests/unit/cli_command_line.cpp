// Flags, usage errors, and what this version says it does not have.
#include <gtest/gtest.h>

#include "cli/exit_codes.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"

namespace auopt {
namespace {

CommandLine parse(std::vector<std::string> arguments, const std::string& program = "auopt") {
    return parse_command_line(program, std::move(arguments));
}

TEST(CommandLine, ListsTakeOneArgumentAndCommas) {
    const CommandLine line = parse({"lint", "--ignore", "AU1,AU2", "--ignore", "AU3", "a.rules", "b.rules"});
    ASSERT_TRUE(line.verb) << line.err;
    const auto& lint = std::get<LintVerb>(*line.verb);
    EXPECT_EQ(lint.ignore, (std::vector<std::string>{"AU1", "AU2", "AU3"}));
    EXPECT_EQ(lint.inputs, (std::vector<std::string>{"a.rules", "b.rules"}));
}

TEST(CommandLine, AulintMeansLint) {
    const CommandLine line = parse({"x.rules"}, "/usr/bin/aulint");
    ASSERT_TRUE(line.verb) << line.err;
    EXPECT_EQ(std::get<LintVerb>(*line.verb).inputs, std::vector<std::string>{"x.rules"});
}

TEST(CommandLine, ADashIsStandardInput) {
    const CommandLine line = parse({"cost", "-", "--format", "json"});
    ASSERT_TRUE(line.verb) << line.err;
    EXPECT_EQ(std::get<CostVerb>(*line.verb).inputs, std::vector<std::string>{"-"});
}

TEST(CommandLine, UsageErrorsLeaveWith2) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{},
                                               {"polish"},
                                               {"lint", "--polish"},
                                               {"optimize", "--preserve", "decision"},
                                               {"optimize", "--format", "sarif"},
                                               {"verify", "a"},
                                               {"verify", "-", "-"},
                                               {"optimize", "--assume", "magic"},
                                               {"optimize", "--passes", "make_faster"},
                                               {"cost", "--top", "x"},
                                               {"optimize", "--report", "x.html"},
                                               {"lint", "--fail-on", "sometimes"},
                                               {"augenrules", "--fallback", "hope"}}) {
        const CommandLine line = parse(arguments);
        EXPECT_FALSE(line.verb);
        EXPECT_EQ(line.exit_code, exit_usage);
        EXPECT_FALSE(line.err.empty());
    }
}

TEST(CommandLine, LaterFeaturesAreRefusedPlainly) {
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"diff", "a", "b"},
                                               {"why"},
                                               {"coverage"},
                                               {"profiles"},
                                               {"gate", "--require", "stig"},
                                               {"optimize", "--cert=x"},
                                               {"lint", "--fix"}}) {
        const CommandLine line = parse(arguments);
        EXPECT_EQ(line.exit_code, exit_usage);
        EXPECT_NE(line.err.find("does not have"), std::string::npos) << line.err;
    }
}

TEST(CommandLine, CpusAndVariantsAreThoseOfTheTables) {
    const CommandLine line = parse({"cost", "--cpu", "zen4", "--kernel-variant", "codegen", "--cpus", "8", "x"});
    ASSERT_EQ(line.exit_code, exit_clean);
    const auto& cost = std::get<CostVerb>(*line.verb);
    EXPECT_EQ(cost.hardware.cpu, "zen4");
    EXPECT_EQ(cost.hardware.kernel_variant, "codegen");
    EXPECT_EQ(cost.hardware.cpus, 8U);
    for (const std::vector<std::string>& arguments :
         std::vector<std::vector<std::string>>{{"cost", "--cpu", "i486"},
                                               {"cost", "--kernel-variant", "fast"},
                                               {"cost", "--cpus", "0"},
                                               {"cost", "--boots", "0"},
                                               {"optimize", "--cpus", "-1"},
                                               {"optimize", "--cpus", "many"}}) {
        EXPECT_EQ(parse(arguments).exit_code, exit_usage) << arguments.back();
    }
}

// --loaded stands where a file can stand, and nowhere else.
TEST(CommandLine, LoadedIsAnInput) {
    const auto verify = std::get<VerifyVerb>(*parse({"verify", "--loaded", "b.rules"}).verb);
    EXPECT_EQ(verify.before, loaded_input);
    EXPECT_EQ(verify.after, "b.rules");
    EXPECT_EQ(std::get<VerifyVerb>(*parse({"verify", "a.rules", "--loaded"}).verb).after, loaded_input);
    const auto gate = std::get<GateVerb>(*parse({"gate", "--against", "--loaded", "a", "b"}).verb);
    EXPECT_EQ(gate.against, loaded_input);
    EXPECT_EQ(gate.inputs, (std::vector<std::string>{"a", "b"}));
    const auto lint = std::get<LintVerb>(*parse({"lint", "a", "--loaded"}).verb);
    EXPECT_EQ(lint.inputs, (std::vector<std::string>{"a", loaded_input}));
    EXPECT_TRUE(lint.common.assume.empty());
    for (const char* verb : {"targets", "explain", "augenrules"}) {
        const CommandLine line = parse({verb, "--loaded"});
        EXPECT_EQ(line.exit_code, exit_usage);
        EXPECT_NE(line.err.find("--loaded"), std::string::npos) << line.err;
    }
    EXPECT_EQ(parse({"verify", "a", "b", "--loaded"}).exit_code, exit_usage);
}

TEST(CommandLine, FromListingIsAnAssumption) {
    using Strings = std::vector<std::string>;
    const auto cost = std::get<CostVerb>(*parse({"cost", "a", "--from", "listing", "rules:b", "--compare", "c"}).verb);
    EXPECT_EQ(cost.inputs, (Strings{"listing:a", "rules:b"}));
    EXPECT_EQ(cost.compare, "listing:c");
    EXPECT_EQ(cost.common.assume, Strings{"plain-listing"});
    const auto verify = std::get<VerifyVerb>(*parse({"verify", "a", "listing:b"}).verb);
    EXPECT_EQ(verify.before, "a");
    EXPECT_EQ(verify.common.assume, Strings{"plain-listing"});
    const auto kernel = std::get<LintVerb>(*parse({"lint", "--from", "listing", "--loaded"}).verb);
    EXPECT_EQ(kernel.inputs, Strings{loaded_input});
    EXPECT_TRUE(kernel.common.assume.empty());
    EXPECT_EQ(std::get<LintVerb>(*parse({"lint", "--from", "listing"}).verb).inputs, Strings{"listing:-"});
    EXPECT_EQ(std::get<GateVerb>(*parse({"gate", "--from", "listing", "a"}).verb).against, "");
    EXPECT_EQ(parse({"lint", "--from", "nothing"}).exit_code, exit_usage);
    EXPECT_EQ(parse({"verify", "-", "listing:-"}).exit_code, exit_usage);
}

TEST(CommandLine, HelpAndVersionGoToStandardOutput) {
    for (const char* flag : {"--help", "--version"}) {
        const CommandLine line = parse({flag});
        EXPECT_EQ(line.exit_code, exit_clean);
        EXPECT_FALSE(line.out.empty());
        EXPECT_TRUE(line.err.empty());
    }
}

}  // namespace
}  // namespace auopt
