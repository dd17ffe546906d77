// Nothing unproven comes out: a rewriter that is wrong in many ways is caught every time.
#include <gtest/gtest.h>

#include "cli/audit_rules_text.hpp"
#include "cli/optimize_proven.hpp"

namespace auopt {
namespace {

using Status = OptimizeOutcome::Status;

struct Case {
    Inputs inputs;
    Setting setting;
    Diagnostics diagnostics;

    explicit Case(const std::string& text, const std::string& target = "any") {
        const FileId file = inputs.sources.add("in.rules", text);
        inputs.lines = split_lines(inputs.sources, file);
        inputs.portable_names = {"in.rules"};
        inputs.files = {{"in.rules", "0"}};
        inputs.plain_text = text;
        CommonOptions common;
        common.target = target;
        setting = make_setting(common, inputs.lines);
        setting.compile.facts.directories = {"/etc/sudoers.d"};
        setting.compile.facts.files = {"/etc/passwd"};
    }
    OptimizeOutcome run(std::function<void(KernelState&)> wrong = nullptr) {
        OptimizeRequest request(inputs, setting);
        if (wrong) {
            request.rewrite = [wrong](KernelState& state, const OptimizeOptions&) {
                wrong(state);
                return std::vector<PassReport>{};
            };
        }
        return optimize_proven(request, diagnostics);
    }
};

const std::string rules =
    "-D\n-b 8192\n"
    "-w /etc/passwd -p wa -k identity\n"
    "-w /etc/sudoers.d -p wa -k actions\n"
    "-a never,exit -F arch=b64 -S open -F uid=5\n"
    "-a always,exit -F arch=b64 -S open,creat -F exit=-13 -F auid>=1000 -F auid!=unset -k access\n"
    "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid!=unset -k perm\n"
    "-a always,exclude -F msgtype=CWD\n"
    "-a always,user -F uid=7\n"
    "-e 2\n";

TEST(OptimizeProven, TheRealOptimizerIsProven) {
    const OptimizeOutcome outcome = Case(rules).run();
    EXPECT_EQ(outcome.status, Status::proven) << outcome.reason;
    EXPECT_FALSE(outcome.text.empty());
    EXPECT_TRUE(outcome.text.ends_with("-e 2\n"));
}

TEST(OptimizeProven, DoingNothingIsProven) {
    const OptimizeOutcome outcome = Case(rules).run([](KernelState&) {});
    EXPECT_EQ(outcome.status, Status::proven) << outcome.reason;
}

TEST(OptimizeProven, TheSameBytesEveryTime) { EXPECT_EQ(Case(rules).run().text, Case(rules).run().text); }

TEST(OptimizeProven, ItsOutputIsAFixedPoint) {
    const OptimizeOutcome once = Case(rules).run();
    const OptimizeOutcome twice = Case(once.text).run();
    ASSERT_EQ(twice.status, Status::proven) << twice.reason;
    EXPECT_EQ(once.wire_after, twice.wire_after);
}

TEST(OptimizeProven, WrongRewritesNeverComeOut) {
    const std::vector<std::pair<const char*, std::function<void(KernelState&)>>> wrong{
        {"drops a rule", [](KernelState& s) { s.filter.pop_back(); }},
        {"drops a watch", [](KernelState& s) { s.filter.erase(s.filter.begin()); }},
        {"drops an exception", [](KernelState& s) { s.filter.erase(s.filter.begin() + 2); }},
        {"changes a key", [](KernelState& s) { s.filter.back().tests.back().text = "other"; }},
        {"drops a key", [](KernelState& s) { s.filter.back().tests.pop_back(); }},
        {"turns always into never", [](KernelState& s) { s.filter.back().action = Action::never; }},
        {"clears a call", [](KernelState& s) { s.filter[3].mask.clear(85); }},
        {"adds a call", [](KernelState& s) { s.filter[3].mask.set(86); }},
        {"moves the exception behind its rule", [](KernelState& s) { std::swap(s.filter[2], s.filter[3]); }},
        {"loosens a test", [](KernelState& s) { s.filter[3].tests[2].value = 999; }},
        {"drops a test", [](KernelState& s) { s.filter[3].tests.erase(s.filter[3].tests.begin() + 1); }},
        {"drops an exclude rule", [](KernelState& s) { s.exclude.clear(); }},
        {"drops a user rule", [](KernelState& s) { s.user.clear(); }},
        {"drops everything", [](KernelState& s) { s = KernelState{}; }},
        {"doubles a rule", [](KernelState& s) { s.filter.push_back(s.filter.back()); }},
        {"a key with a newline", [](KernelState& s) { s.filter.back().tests.back().text = "x\n-D"; }},
    };
    for (const auto& [name, rewrite] : wrong) {
        const OptimizeOutcome outcome = Case(rules).run(rewrite);
        EXPECT_NE(outcome.status, Status::proven) << name;
        EXPECT_TRUE(outcome.text.empty()) << name;
        EXPECT_NE(exit_code_of(outcome.status), 0) << name;
    }
}

TEST(OptimizeProven, SettingsOfTheInputCannotGetLost) {
    const OptimizeOutcome outcome = Case("-b 5\n-r 3\n-f 0\n-a always,exit -F arch=b64 -S chmod -k x\n-e 1\n").run();
    ASSERT_EQ(outcome.status, Status::proven) << outcome.reason;
    EXPECT_EQ(outcome.before.settings, outcome.after.settings);
}

TEST(OptimizeProven, InputsThatWouldNotLoad) {
    Case c("-w relative\n");
    EXPECT_EQ(c.run().status, Status::would_not_load);
    EXPECT_TRUE(c.diagnostics.has_errors());
    Case ignored("-i\n-w relative\n-a always,exit -F arch=b64 -S chmod -k x\n");
    EXPECT_EQ(ignored.run().status, Status::proven);
    EXPECT_FALSE(ignored.diagnostics.has_errors());
}

TEST(OptimizeProven, VersionsThatRefuseTheInputAreNotPromised) {
    const OptimizeOutcome outcome = Case("-a always,exit -F arch=b64 -S connect -F saddr_fam=10 -k x\n").run();
    ASSERT_EQ(outcome.status, Status::proven) << outcome.reason;
    EXPECT_EQ(outcome.text.find("2.8.5"), std::string::npos);
    EXPECT_NE(outcome.text.find("3.0.9"), std::string::npos);
    // Also where that version would go on without the line.
    const OptimizeOutcome ignored = Case("-i\n-a always,exit -F arch=b64 -S connect -F saddr_fam=10 -k x\n").run();
    ASSERT_EQ(ignored.status, Status::proven) << ignored.reason;
    EXPECT_EQ(ignored.text.find("2.8.5"), std::string::npos);
}

/// optimize of one rule, the text spoiled by `from` -> `to` before it is read again.
OptimizeOutcome spoiled(const std::string& text, const std::string& from, const std::string& to,
                        const std::string& target = "any") {
    Case c(text, target);
    OptimizeRequest request(c.inputs, c.setting);
    request.no_passes = true;
    request.after_writing = [&](std::string& written) {
        const std::size_t at = written.rfind(from);
        ASSERT_NE(at, std::string::npos) << written;
        written.replace(at, from.size(), to);
    };
    return optimize_proven(request, c.diagnostics);
}

// The text means the same to the version it is read as, so that verify alone would let it pass.
TEST(OptimizeProven, TextThatOtherVersionsReadOtherwiseNeverComesOut) {
    const std::string narrowed = "-a always,exit -F perm=wa -F arch=b64 -F path=/etc/passwd -k x\n";
    const std::string before = "-F perm=wa -F arch=b64", after = "-F arch=b64 -F perm=wa";
    const OptimizeOutcome perm = spoiled(narrowed, before, after);
    EXPECT_EQ(perm.status, Status::unknown);
    EXPECT_TRUE(perm.text.empty());
    EXPECT_EQ(perm.reason, "the output would not load as the same bytes in auditctl 3.1.5");
    EXPECT_EQ(spoiled(narrowed, before, after, "deb12").status, Status::proven);

    const std::string new_call = "-a always,exit -F arch=b64 -S 437 -F uid=1 -k x\n";
    const OptimizeOutcome name = spoiled(new_call, "-S 437", "-S openat2");
    EXPECT_EQ(name.status, Status::unknown);
    EXPECT_TRUE(name.text.empty());
    EXPECT_NE(name.reason.find("would not load in auditctl 2.8.5"), std::string::npos) << name.reason;
    EXPECT_EQ(spoiled(new_call, "-S 437", "-S openat2", "deb12").status, Status::proven);

    // A number that only C libraries of later versions read so.
    const OptimizeOutcome bits = spoiled("-a always,exit -F arch=b64 -S 3 -F uid=1 -k x\n", "-S 3", "-S 0b11");
    EXPECT_EQ(bits.status, Status::unknown);
    EXPECT_TRUE(bits.text.empty());
}

TEST(OptimizeProven, EveryTargetReadsAndProves) {
    for (const Target& target : targets()) {
        const OptimizeOutcome outcome = Case(rules, target.name).run();
        EXPECT_EQ(outcome.status, Status::proven) << target.name << ": " << outcome.reason;
    }
}

}  // namespace
}  // namespace auopt
