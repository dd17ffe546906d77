// What is shown of two files that differ: an event that its call can produce, the worst of several, and the lines that
// decide it.
#include <gtest/gtest.h>

#include "kernel_model/possible.hpp"
#include "tests/unit/verify_support.hpp"

namespace auopt {
namespace {

using test::load_text;
using test::words;

#define PIN "-a always,exit -F arch=b64 -S kill -F uid=4242 -k pin\n"

Verdict judge(const std::string& before, const std::string& after, Preserve preserve = Preserve::exact) {
    VerifyOptions options;
    options.preserve = preserve;
    return verify(load_text(PIN + before), load_text(PIN + after), options);
}

const Counterexample* example_of(const Verdict& v) {
    const auto* refuted = std::get_if<Refuted>(&v);
    return refuted == nullptr || !refuted->example ? nullptr : &*refuted->example;
}

// Rules that differ only for events that the calls cannot produce: not shown to be the same, and not refuted by an event
// that nobody can make.
TEST(Counterexamples, AreNoEventsThatNoCallProduces) {
    struct Case {
        const char* rules;
        const char* reason;
    };
    const Case cases[] = {
        {"-a always,exit -F arch=b64 -S mprotect -F path=/f -k x\n", "the call looks up no name"},
        {"-a always,exit -F arch=b64 -S getpid,mmap -F dir=/d -k x\n", "the call looks up no name"},
        {"-a always,exit -F arch=b64 -S lseek -F obj_uid=5 -k x\n", "the call looks up no name"},
        {"-a always,exit -F arch=b64 -S mprotect -F filetype=file -k x\n", "the call looks up no name"},
        {"-a always,exit -F arch=b64 -S chmod -F saddr_fam=2 -k x\n", "the call takes no address"},
        {"-a always,exit -F arch=b64 -S chmod -F exit=7 -k x\n", "the call returns 0 or an error"},
        {"-a always,exit -F arch=b64 -S getpid -F success=0 -k x\n", "the call does not fail"},
        {"-a always,exit -F arch=b64 -S exit_group -F success=1 -k x\n", "the call does not return"},
        {"-a always,exit -F arch=b64 -S 700 -F success=1 -k x\n", "there is no such call"},
        {"-a always,exit -F arch=b64 -S openat -F exit=-512 -F success=0 -k x\n", "no such result leaves the kernel"},
    };
    for (const Case& c : cases)
        for (const bool forward : {true, false}) {
            // The set of watches is an obligation of its own: both files hold the same.
            const std::string kept =
                "-a never,exit -F arch=b64 -S kill -F path=/f -F uid=77\n"
                "-a never,exit -F arch=b64 -S kill -F dir=/d -F uid=77\n";
            const Verdict v = forward ? judge(kept + c.rules, kept) : judge(kept, kept + c.rules);
            ASSERT_TRUE(test::unknown(v)) << c.rules << words(v);
            EXPECT_NE(std::get<Unknown>(v).reason.find(c.reason), std::string::npos) << c.rules << words(v);
        }
}

// The nearest calls that can.
TEST(Counterexamples, AreFoundWhereTheCallCan) {
    const char* cases[] = {
        "-a always,exit -F arch=b64 -S unlink -F obj_uid=5 -k x\n",
        "-a always,exit -F arch=b64 -S fchmod -F obj_uid=5 -k x\n",
        "-a always,exit -F arch=b64 -S connect -F saddr_fam=2 -k x\n",
        "-a always,exit -F arch=b64 -S chmod -F exit=-13 -k x\n",
        "-a always,exit -F arch=b64 -S getpid -F success=1 -k x\n",
        "-a always,exit -F arch=b64 -S exit_group -F uid=5 -k x\n",
        "-a always,exit -F arch=b64 -S 700 -F exit=-38 -k x\n",
        "-a always,exit -F arch=b64 -S openat -F exit=-4 -F success=0 -k x\n",
        "-a always,exit -F arch=b64 -S lseek -F exit=-13 -F success=1 -k x\n",
        "-a always,exit -F arch=b32 -S unlink -F obj_uid=5 -k x\n",
    };
    for (const char* rules : cases) {
        const Verdict v = judge(rules, "");
        const Counterexample* e = example_of(v);
        ASSERT_NE(e, nullptr) << rules << words(v);
        EXPECT_EQ(e->kind, DifferenceKind::lost);
        EXPECT_EQ(why_impossible(*find_kernel(e->kernel), e->event), std::nullopt) << words(v);
    }
}

TEST(Counterexamples, TheWorstOfSeveralIsShown) {
    const char* chmod_a = "-a always,exit -F arch=b64 -S chmod -k a\n";
    const char* chmod_b = "-a always,exit -F arch=b64 -S chmod -k b\n";
    const char* chown_a = "-a always,exit -F arch=b64 -S chown -k a\n";
    const char* setuid_a = "-a always,exit -F arch=b64 -S setuid -k a\n";
    const char* never = "-a never,exit -F arch=b64 -S setuid\n";
    const auto kind = [](const std::string& before, const std::string& after,
                         Preserve preserve = Preserve::exact) -> std::optional<DifferenceKind> {
        const Verdict v = judge(before, after, preserve);
        const Counterexample* e = example_of(v);
        if (e == nullptr) return std::nullopt;
        return e->kind;
    };
    const std::string a = chmod_a, b = chmod_b, c = chown_a, s = setuid_a, n = never;
    EXPECT_EQ(kind(a + c, b), DifferenceKind::lost);
    EXPECT_EQ(kind(a + c, b + s), DifferenceKind::lost);
    EXPECT_EQ(kind(a, b + s), DifferenceKind::rekeyed);
    EXPECT_EQ(kind(a + n, a + c), DifferenceKind::gained);
    EXPECT_EQ(kind(a + n, a), DifferenceKind::never);
    EXPECT_EQ(kind(a + n, a, Preserve::recorded), std::nullopt);
    EXPECT_EQ(kind(a + c, b + s, Preserve::decision), DifferenceKind::lost);
    EXPECT_EQ(kind(a, b, Preserve::decision), std::nullopt);
    // Of one call too.
    EXPECT_EQ(
        kind("-a always,exit -F arch=b64 -S chmod -F uid=0 -k a\n-a always,exit -F arch=b64 -S chmod -F uid=1 -k a\n",
             "-a always,exit -F arch=b64 -S chmod -F uid=0 -k b\n-a always,exit -F arch=b64 -S chmod -F uid=2 -k a\n"),
        DifferenceKind::lost);
}

TEST(Counterexamples, NameTheLineThatDecidesOnEachSide) {
    const Verdict v = judge(
        "-a always,exit -F arch=b64 -S chmod -F uid=5 -k a\n"
        "-a always,exit -F arch=b64 -S chown -k c\n",
        "-a always,exit -F arch=b64 -S chown -k c\n"
        "-a never,exit -F arch=b64 -S chmod -F uid=5\n");
    const Counterexample* e = example_of(v);
    ASSERT_NE(e, nullptr) << words(v);
    ASSERT_EQ(e->lines_before.size(), 1U);
    EXPECT_EQ(e->lines_before[0].line, 2U);  // the pin is line 1
    ASSERT_EQ(e->lines_after.size(), 1U);
    EXPECT_EQ(e->lines_after[0].line, 3U);
    EXPECT_EQ(e->rule_before, 1U);
    EXPECT_EQ(e->rule_after, 2U);
}

TEST(Counterexamples, SayWhichUnknownWatchTheyRestOn) {
    const Verdict v = judge("-w /unknown/x -p wa -k a\n", "-a always,exit -F path=/unknown/x -F perm=wa -k a\n");
    if (const Counterexample* e = example_of(v)) {
        EXPECT_TRUE(e->unknown_watch_is_dir);
        EXPECT_EQ(e->unknown_watches, std::vector<std::string>{"/unknown/x"});
    } else {
        EXPECT_TRUE(test::refuted(v) || test::unknown(v)) << words(v);
    }
    const Verdict known = judge("-w /unknown/x -p wa -k a\n-a always,exit -F arch=b64 -S chmod -F uid=5 -k a\n",
                                "-w /unknown/x -p wa -k a\n");
    const Counterexample* e = example_of(known);
    ASSERT_NE(e, nullptr) << words(known);
    EXPECT_TRUE(e->unknown_watches.empty());
}

// No file of another machine is judged by x86_64's numbers.
TEST(PossibleEvents, AreThoseOfTheMachine) {
    for (const Machine machine : modelled_machines()) {
        const KernelTables& k = kernel_tables(machine).front();
        for (const Abi abi : all_abis) {
            const auto facts = [&](const char* name) -> std::optional<CallFacts> {
                const auto nr = syscall_number(name, k.machine->names_of(abi));
                if (!nr) return std::nullopt;
                return call_facts(k, k.machine->abi_arch(abi), static_cast<std::int32_t>(*nr), std::nullopt);
            };
            if (const auto f = facts("mprotect")) {
                EXPECT_EQ(f->names, CallNames::none);
            }
            if (const auto f = facts("unlinkat")) {
                EXPECT_EQ(f->names, CallNames::removes);
                EXPECT_FALSE(f->copies_address);
            }
            if (const auto f = facts("connect")) {
                EXPECT_TRUE(f->copies_address);
            }
            if (const auto f = facts("ioctl")) {
                EXPECT_EQ(f->names, CallNames::any);
            }
        }
    }
}

TEST(PossibleEvents, OfIoUringAreThoseThatTheKernelAudits) {
    const KernelTables& k = *find_kernel("linux-6.1");
    Event e;
    e.arch = 0;
    e.nr = 0;
    e.uring_op = 18;
    EXPECT_EQ(why_impossible(k, e), std::nullopt);
    e.uring_op = 22;  // read
    EXPECT_NE(why_impossible(k, e), std::nullopt);
    e.uring_op = 18;
    e.return_valid = ReturnValid::failure;
    EXPECT_NE(why_impossible(k, e), std::nullopt);  // a failure of code 0
    e.return_code = static_cast<std::uint64_t>(-2);
    e.loginuid = 1000;
    EXPECT_NE(why_impossible(k, e), std::nullopt);  // a session goes with it
    e.sessionid = 3;
    EXPECT_EQ(why_impossible(k, e), std::nullopt);
}

}  // namespace
}  // namespace auopt
