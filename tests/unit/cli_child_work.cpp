// Work in a child process: its answer whole, or a reason; and what counts as a lost line.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>

#include <unistd.h>

#include "cli/child_work.hpp"
#include "cli/exit_codes.hpp"
#include "cli/load_into_kernel.hpp"
#include "cli/lost_lines.hpp"

namespace auopt {
namespace {

using Strings = std::vector<std::string>;

// It takes terabytes of address space for its shadow, and answers SIGSEGV itself.
#ifdef __SANITIZE_ADDRESS__
constexpr bool address_sanitizer = true;
#else
constexpr bool address_sanitizer = false;
#endif

TEST(PackedStrings, ComeBackAsTheyWere) {
    const std::vector<Strings> cases{
        {}, {""}, {"", "", ""}, {"a\n3\nb", std::string("\0\xff", 2)}, {std::string(100000, 'x'), "1\n"}};
    for (const Strings& strings : cases) EXPECT_EQ(unpack(pack(strings)), strings);
}

TEST(PackedStrings, AreWholeOrNothing) {
    const std::string whole = pack({"rules", "reason", "0"});
    for (std::size_t i = 0; i < whole.size(); ++i) {
        EXPECT_FALSE(unpack(whole.substr(0, i))) << i;
        std::string spoilt = whole;
        spoilt[i] = static_cast<char>(spoilt[i] ^ 1);
        EXPECT_FALSE(unpack(spoilt)) << i;
    }
    EXPECT_FALSE(unpack(whole + "x"));
    EXPECT_FALSE(unpack(whole + whole));
}

class ChildWork : public testing::Test {
protected:
    StopSignals signals;
    ChildLimits limits{address_sanitizer ? std::uint64_t{1} << 36U : 4096, std::chrono::seconds(20)};
    /// The code and reason that the work fails with.
    ChildFailure failure(const std::function<Strings()>& work) {
        const auto answer = run_in_child(limits, signals, work);
        EXPECT_FALSE(answer);
        return answer ? ChildFailure{} : answer.error();
    }
};

TEST_F(ChildWork, TheAnswerComesBack) {
    const auto answer = run_in_child(limits, signals, [] { return Strings{"one", std::string(1U << 20U, 'x')}; });
    ASSERT_TRUE(answer);
    EXPECT_EQ((*answer)[1].size(), 1U << 20U);
}

TEST_F(ChildWork, EveryEndHasItsReason) {
    EXPECT_EQ(failure([]() -> Strings { throw std::runtime_error("a defect"); }).exit_code, exit_internal);
    EXPECT_EQ(failure([]() -> Strings { throw std::bad_alloc(); }).exit_code, exit_unknown);
    EXPECT_EQ(failure([]() -> Strings { _exit(0); }).exit_code, exit_internal);
    EXPECT_EQ(failure([]() -> Strings { _exit(1); }).exit_code, exit_internal);
    EXPECT_EQ(failure([]() -> Strings {
                  raise(SIGKILL);
                  return {};
              }).exit_code,
              exit_unknown);
    const ChildFailure crash = failure([]() -> Strings {
        raise(SIGSEGV);
        return {};
    });
    EXPECT_EQ(crash.exit_code, exit_internal);
    if (!address_sanitizer) {
        EXPECT_NE(crash.reason.find("signal"), std::string::npos) << crash.reason;
    }
}

TEST_F(ChildWork, TimeIsLimited) {
    limits.time = std::chrono::milliseconds(200);
    const ChildFailure slow = failure([]() -> Strings {
        sleep(60);
        return {};
    });
    EXPECT_EQ(slow.exit_code, exit_unknown);
    EXPECT_NE(slow.reason.find("--time-limit"), std::string::npos) << slow.reason;
    EXPECT_FALSE(slow.interrupted);
}

TEST_F(ChildWork, ASignalForUsEndsTheChildAndStaysPending) {
    raise(SIGTERM);
    const ChildFailure stopped = failure([]() -> Strings {
        sleep(60);
        return {};
    });
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_EQ(stopped.exit_code, 128 + SIGTERM);
    EXPECT_EQ(signals.pending(), SIGTERM);
    // Taken back, so that the test itself goes on.
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    int signal = 0;
    sigwait(&term, &signal);
    EXPECT_EQ(signals.pending(), 0);
}

Strings lost(const std::string& text, bool allow_duplicates = false) {
    Sources sources;
    const FileId file = sources.add("f", text);
    Strings result;
    for (const LostLine& l : lost_lines(sources, split_lines(sources, file), CompileOptions{}, true, allow_duplicates))
        result.push_back(std::to_string(l.at.line));
    return result;
}

TEST(LostLines, AreTheOnesThatDoNotReachTheKernel) {
    const std::string good = "-a always,exit -F arch=b64 -S open -k a\n", other = "-w /etc/passwd -p wa\n";
    const std::string bad = "-w relative -p wa\n", refused = "-a always,exit -F arch=b64 -S open -F dir=/no/such/one\n";
    const std::string unknown = "-a always,exit -F arch=b64 -S no_such_call\n";
    EXPECT_EQ(lost("# c\n\n" + good + other), Strings{});
    // Loading stops, and the rest is lost.
    for (const std::string& line : {bad, refused, unknown}) {
        EXPECT_EQ(lost(good + line + "# c\n" + other + "-e 1\n"), (Strings{"2", "4", "5"})) << line;
        EXPECT_EQ(lost(line), Strings{"1"}) << line;
        // Errors are ignored: that line alone.
        for (const char* option : {"-c\n", "-i\n"}) {
            EXPECT_EQ(lost(option + good + line + other), Strings{"3"}) << line;
            EXPECT_EQ(lost(good + line + option + other), (Strings{"2", "3", "4"})) << line;
        }
    }
    // A repeated line stops loading; behind -c or -i nothing is lost, nor where optimize leaves it out.
    EXPECT_EQ(lost(good + good + other), (Strings{"2", "3"}));
    EXPECT_EQ(lost("-c\n" + good + good + other), Strings{});
    EXPECT_EQ(lost(good + good + other, true), Strings{});
    EXPECT_EQ(lost(good + good + bad + other, true), (Strings{"3", "4"}));
    // Locked by -e 2.
    EXPECT_EQ(lost("-e 2\n" + good), Strings{"2"});
}

TEST(ClearsFirst, AsksForDeleteAllBeforeAnyRule) {
    for (const char* text : {"-D\n", "# c\n\n-b 8\n-D\n-w /x\n", " -D \n-w /x", "-D"}) EXPECT_TRUE(clears_first(text));
    for (const char* text : {"", "-w /x\n-D\n", "-D -k x\n-D\n", "# -D\n", "-a always,exit -S open\n-D\n"})
        EXPECT_FALSE(clears_first(text)) << text;
}

}  // namespace
}  // namespace auopt
