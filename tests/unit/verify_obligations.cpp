// The parts of the proof one by one: what a call sees, what no text can say, what is left Unknown and why.
#include <gtest/gtest.h>

#include "tests/unit/verify_support.hpp"
#include "verify/obligations.hpp"
#include "verify/project.hpp"
#include "verify/smt.hpp"

namespace auopt {
namespace {

using test::load_text;
using test::words;

KernelRule rule(Action action, std::vector<FieldTest> tests, std::initializer_list<unsigned> calls = {}) {
    KernelRule r;
    r.action = action;
    r.tests = std::move(tests);
    for (const unsigned nr : calls) r.mask.set(nr);
    return r;
}

KernelRule full(Action action, std::vector<FieldTest> tests) {
    KernelRule r = rule(action, std::move(tests));
    r.mask = SyscallMask::all();
    r.mask.words[mask_words - 1] &= 0xFFFF;
    return r;
}

FieldTest number(Field field, std::uint32_t value, Op op = Op::equal) { return {field, op, value, {}}; }
FieldTest text(Field field, std::string value) { return {field, Op::equal, 0, std::move(value)}; }

/// A small kernel of its own, so that the shapes of perm= do not depend on the data files.
KernelTables small_kernel() {
    KernelTables k;
    k.name = "small";
    k.machine = &machine_model(Machine::x86_64);
    k.native.write.set(82);
    k.native.chattr.set(90);
    k.native.write.set(86);
    k.native.chattr.set(86);
    k.native.special = {
        {2, SyscallKind::open}, {257, SyscallKind::openat}, {437, SyscallKind::openat2}, {59, SyscallKind::execve}};
    k.compat.write.set(38);
    k.compat.chattr.set(15);
    k.compat.special = {{5, SyscallKind::open}, {102, SyscallKind::socketcall}, {11, SyscallKind::execve}};
    return k;
}

TEST(VerifyProjection, ResolvesArchAndPermByCall) {
    const KernelTables k = small_kernel();
    const proof::PermModel perms(k);
    proof::Vocabulary v;
    KernelState s;
    s.filter.push_back(full(Action::always, {number(Field::perm, perm_write | perm_attr), text(Field::dir, "/d")}));
    s.filter.push_back(full(Action::always, {number(Field::arch, arch_i386), number(Field::perm, perm_exec)}));
    s.filter.push_back(full(Action::always, {number(Field::perm, perm_write, Op::not_equal)}));
    const auto p = proof::project(s, perms, false, v);
    ASSERT_TRUE(p.has_value());
    const auto& wa = p->rules[0];
    EXPECT_TRUE(wa.admits[0].test(82) && wa.admits[0].test(90) && wa.admits[0].test(2) && wa.admits[0].test(437));
    EXPECT_FALSE(wa.admits[0].test(0) || wa.admits[0].test(59) || wa.admits[0].test(426));
    EXPECT_TRUE(wa.admits[1].test(15) && wa.admits[1].test(102) && !wa.admits[1].test(90));
    for (unsigned nr = first_new_syscall; nr <= last_new_syscall; ++nr)
        EXPECT_TRUE(wa.admits[0].test(nr) && wa.admits[1].test(nr));
    EXPECT_TRUE(p->rules[1].admits[0].none());
    EXPECT_EQ(p->rules[1].admits[1].count(), 1U);
    EXPECT_FALSE(p->rules[2].admits[0].test(82));
    EXPECT_TRUE(p->rules[2].admits[0].test(90) && p->rules[2].admits[0].test(2));
    EXPECT_EQ(perms.shape(Abi::native, 460), proof::PermShape::new_call);
    EXPECT_EQ(perms.shape(Abi::compat, 102), proof::PermShape::socketcall);
}

TEST(VerifyProjection, EqualListsAreGroupedAndDropped) {
    const KernelState s =
        load_text("-w /etc/passwd -p wa -k id\n-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k p\n");
    const proof::PermModel perms(*find_kernel("linux-6.1"));
    proof::Vocabulary v;
    const auto p = proof::project(s, perms, false, v);
    const proof::Obligations all = proof::obligations(*p, *p, perms, true, v);
    EXPECT_EQ(all.calls, 2U * 2032U + 1U);
    EXPECT_LT(all.groups, 20U);
    EXPECT_TRUE(all.differing.empty());
    EXPECT_FALSE(all.worker_differs);
    EXPECT_EQ(proof::obligations(*p, *p, perms, false, v).calls, 2032U + 1U);
}

TEST(VerifyProjection, WorkerSeesHashRulesWithBitZero) {
    const proof::PermModel perms(*find_kernel("linux-6.1"));
    proof::Vocabulary v;
    KernelState s = load_text(
        "-a always,exit -S all -F path=/f -k a\n-a always,exit -F arch=b64 -S all -F path=/f -k b\n-w /f -p r -k c\n"
        "-a always,exit -S openat -F path=/f -k d\n-a always,exit -S all -F uid=1 -k e\n");
    s.filter.push_back(full(Action::always, {number(Field::perm, perm_read, Op::not_equal), text(Field::path, "/f")}));
    const auto p = proof::project(s, perms, false, v);
    std::vector<bool> seen;
    for (const auto& r : p->rules) seen.push_back(r.worker.has_value());
    EXPECT_EQ(seen, (std::vector<bool>{true, false, false, false, false, true}));
}

TEST(VerifyUnknown, FieldsWithoutAMeaning) {
    KernelState s;
    s.filter.push_back(full(Action::always, {number(static_cast<Field>(999), 1)}));
    s.filter.back().sources.push_back({{}, 7, 1, 1});
    const Verdict v = verify(s, s, {});
    ASSERT_TRUE(test::unknown(v)) << words(v);
    EXPECT_NE(std::get<Unknown>(v).reason.find("line 7"), std::string::npos);
    s.filter.back().tests = {number(Field::uid, 1, static_cast<Op>(0x123))};
    EXPECT_TRUE(test::unknown(verify(s, s, {})));
}

TEST(VerifyUnknown, RulesForAnotherMachine) {
    constexpr std::uint32_t aarch64 = 0xC00000B7;
    KernelState before, after;
    before.filter.push_back(rule(Action::always, {number(Field::arch, aarch64), number(Field::uid, 1)}, {5}));
    after.filter.push_back(rule(Action::always, {number(Field::arch, aarch64), number(Field::uid, 2)}, {5}));
    EXPECT_TRUE(test::unknown(verify(before, after, {})));
    EXPECT_TRUE(test::proven(verify(before, before, {})));
    const KernelState x86 = load_text("-a always,exit -F arch=b64 -S chmod -k a\n");
    for (KernelState* s : {&before, &after}) s->filter.push_back(x86.filter.front());
    EXPECT_TRUE(test::unknown(verify(before, after, {})));
    EXPECT_TRUE(test::proven(verify(before, before, {})));
}

TEST(VerifyUnknown, TwoEqualRulesInTheOutput) {
    KernelState before =
        load_text("-a always,exit -F arch=b64 -S kill -k a\n-a always,exit -F arch=b64 -S chmod -k b\n");
    KernelState after = before;
    after.filter.push_back(after.filter.back());
    const Verdict v = verify(before, after, {});
    ASSERT_TRUE(test::unknown(v)) << words(v);
    EXPECT_NE(std::get<Unknown>(v).reason.find("EEXIST"), std::string::npos);
}

TEST(VerifyUnknown, ReasonsNameTheCallAndTheLines) {
    // Shadowed on one path: equal until the file is replaced twice, so no event refutes it.
    const Verdict v = verify(load_text("-a never,exit -F path=/f\n-a always,exit -F path=/f -k w\n"),
                             load_text("-a never,exit -F path=/f\n"), {});
    ASSERT_TRUE(test::unknown(v)) << words(v);
    EXPECT_NE(std::get<Unknown>(v).reason.find("x86_64 read(0)"), std::string::npos) << words(v);
    EXPECT_NE(std::get<Unknown>(v).reason.find("line 2"), std::string::npos) << words(v);
}

TEST(VerifyRefuted, PathRulesOfTheIoUringListReachPlainCalls) {
    KernelState before = load_text("-a always,exit -F arch=b64 -S kill -k a\n");
    KernelState after = before;
    before.filter.push_back(rule(Action::always, {text(Field::path, "/f"), text(Field::key, "w")}, {2}));
    before.filter.back().list = List::io_uring;
    const Verdict v = verify(before, after, {});
    ASSERT_TRUE(test::refuted(v)) << words(v);
    ASSERT_TRUE(std::get<Refuted>(v).example);
    EXPECT_EQ(std::get<Refuted>(v).example->event.nr, 2);
}

TEST(VerifyRefuted, WorkerOperations) {
    KernelState before = load_text("-a always,exit -F arch=b64 -S kill -k a\n");
    KernelState after = before;
    before.filter.push_back(rule(Action::always, {number(Field::uid, 5), text(Field::key, "w")}, {28}));
    before.filter.back().list = List::io_uring;
    const Verdict v = verify(before, after, {});
    ASSERT_TRUE(test::refuted(v)) << words(v);
    ASSERT_TRUE(std::get<Refuted>(v).example);
    EXPECT_EQ(std::get<Refuted>(v).example->event.uring_op, std::optional<unsigned>(28));
    // The list differs only in the order of two rules that no operation tells apart.
    KernelState twice = before;
    twice.filter.push_back(rule(Action::always, {number(Field::uid, 6), text(Field::key, "w")}, {28}));
    twice.filter.back().list = List::io_uring;
    KernelState swapped = twice;
    std::swap(swapped.filter[1], swapped.filter[2]);
    EXPECT_TRUE(test::proven(verify(twice, swapped, {}))) << words(verify(twice, swapped, {}));
}

TEST(VerifyRefuted, TheEventIsWhatThePersonNeeds) {
    const Verdict v = verify(load_text("-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k p\n"),
                             load_text("-a always,exit -F arch=b64 -S chmod -F auid>=2000 -k p\n"), {});
    ASSERT_TRUE(test::refuted(v)) << words(v);
    ASSERT_TRUE(std::get<Refuted>(v).example);
    const Counterexample& r = *std::get<Refuted>(v).example;
    EXPECT_EQ(r.event.nr, 90);
    EXPECT_EQ(r.event.arch, arch_x86_64);
    EXPECT_GE(r.event.loginuid, 1000U);
    EXPECT_LT(r.event.loginuid, 2000U);
    EXPECT_TRUE(r.event.names.empty());
    EXPECT_EQ(r.before.key, std::optional<std::string>("p"));
    EXPECT_EQ(r.after.outcome, Outcome::no_match);
}

TEST(VerifyRefuted, NamesAreBuiltForTestsOverNames) {
    const auto refute = [](const char* before, const char* after) {
        const Verdict v = verify(load_text(before), load_text(after), {});
        EXPECT_TRUE(test::refuted(v)) << words(v);
        return test::refuted(v) ? std::get<Refuted>(v).example.value().event : Event{};
    };
    const Event owner = refute("-a always,exit -F arch=b64 -S openat -F obj_uid=1000 -F filetype=dir -k w\n",
                               "-a always,exit -F arch=b64 -S openat -F obj_uid=1000 -F filetype=file -k w\n");
    ASSERT_FALSE(owner.names.empty());
    const Event compared = refute("-a always,exit -F arch=b64 -S openat -C uid!=obj_uid -k w\n",
                                  "-a always,exit -F arch=b64 -S openat -C uid=obj_uid -k w\n");
    ASSERT_FALSE(compared.names.empty());
}

TEST(VerifyKernels, EachKernelOfTheOptionsCounts) {
    KernelTables a = small_kernel(), b = small_kernel();
    b.name = "other";
    b.native.write.set(300);
    const KernelState before =
        load_text("-a always,exit -S all -F dir=/d -F perm=w -k w\n-a always,exit -F arch=b64 -S kill -k a\n");
    KernelState after = before;
    after.filter[0].mask.clear(300);
    VerifyOptions options;
    options.kernels = {&a};
    EXPECT_TRUE(test::proven(verify(before, after, options)));
    options.kernels = {&a, &b};
    const Verdict v = verify(before, after, options);
    ASSERT_TRUE(test::refuted(v)) << words(v);
    EXPECT_EQ(std::get<Refuted>(v).example.value().kernel, "other");
}

TEST(VerifySolver, TextsOfAnyBytesStayApart) {
    using namespace std::string_literals;
    const auto with = [](std::string first, std::string second) {
        KernelState s = load_text("-a always,exit -F arch=b64 -S kill -k a\n");
        for (std::string* dir : {&first, &second})
            s.filter.push_back(rule(dir == &first ? Action::always : Action::never, {text(Field::dir, *dir)}, {90}));
        return s;
    };
    EXPECT_TRUE(test::refuted(verify(with("/a\0b"s, "/a\0c"s), with("/a\0c"s, "/a\0b"s), {})));
    EXPECT_TRUE(test::refuted(verify(with("/a%00"s, "/a\0"s), with("/a\0"s, "/a%00"s), {})));
}

TEST(VerifySolver, AResourceLimitIsNotAProof) {
    const KernelState before = load_text(
        "-a never,exit -F arch=b64 -S openat -F a1&=3 -F uid=1\n-a always,exit -F arch=b64 -S openat -F a1&=12 -F "
        "uid=2 -k b\n");
    const KernelState after = load_text(
        "-a always,exit -F arch=b64 -S openat -F a1&=12 -F uid=2 -k b\n-a never,exit -F arch=b64 -S openat -F a1&=3 -F "
        "uid=1\n");
    VerifyOptions options;
    EXPECT_TRUE(test::proven(verify(before, after, options)));
    options.solver_rlimit = 1;
    const Verdict v = verify(before, after, options);
    EXPECT_TRUE(test::unknown(v)) << words(v);
}

}  // namespace
}  // namespace auopt
