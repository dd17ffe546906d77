// The io_uring list: decided per operation in workers, rule for rule (less what is shadowed) inside calls.
#include <gtest/gtest.h>

#include "tests/unit/verify_support.hpp"
#include "verify/obligations.hpp"
#include "verify/workers.hpp"

namespace auopt {
namespace {

using test::load_text;

const char* const openat_a = "-a always,io_uring -S openat -F key=a\n";

TEST(VerifyIoUring, ARuleThatAnEarlierOneShadowsMayGo) {
    const std::string more = "-a always,io_uring -S openat -F uid=0 -F key=b\n";
    const KernelState before = load_text(openat_a + more), after = load_text(openat_a);
    EXPECT_TRUE(test::proven(verify(before, after, {}))) << test::words(verify(before, after, {}));
    EXPECT_TRUE(test::proven(verify(after, before, {})));
    // Not the other way round, nor with an operation more.
    const KernelState turned = load_text(more + openat_a);
    EXPECT_TRUE(test::refuted(verify(turned, after, {}))) << test::words(verify(turned, after, {}));
    const KernelState wider =
        load_text(std::string(openat_a) + "-a always,io_uring -S openat,unlinkat -F uid=0 -F key=b\n");
    EXPECT_TRUE(test::refuted(verify(wider, after, {}))) << test::words(verify(wider, after, {}));
}

TEST(VerifyIoUring, AnotherKeyOrActionIsRefuted) {
    for (const char* other : {"-a always,io_uring -S openat -F key=b\n", "-a never,io_uring -S openat -F key=a\n",
                              "-a always,io_uring -S unlinkat -F key=a\n"}) {
        const Verdict v = verify(load_text(openat_a), load_text(other), {});
        ASSERT_TRUE(test::refuted(v)) << other << test::words(v);
        const auto& example = std::get<Refuted>(v).example;
        ASSERT_TRUE(example.has_value());
        EXPECT_TRUE(example->event.uring_op.has_value());
    }
}

// Inside a call several operations run under other credentials, and what matched first keeps its priority.
TEST(VerifyIoUring, RulesOfDisjointOperationsInAnotherOrderAreTheSameForWorkersOnly) {
    const char *b = "-a always,io_uring -S openat -F key=a\n-a never,io_uring -S unlinkat\n",
               *a = "-a never,io_uring -S unlinkat\n-a always,io_uring -S openat -F key=a\n";
    const KernelState before = load_text(b), after = load_text(a);
    EXPECT_FALSE(test::proven(verify(before, after, {})));
    proof::Vocabulary vocabulary;
    const proof::PermModel perms(kernel_tables().front());
    const auto projected_before = proof::project(before, perms, false, vocabulary),
               projected_after = proof::project(after, perms, false, vocabulary);
    ASSERT_TRUE(projected_before && projected_after);
    const proof::Obligations all = proof::obligations(*projected_before, *projected_after, perms, true, vocabulary);
    EXPECT_TRUE(all.worker_differs);
    proof::Solver solver(vocabulary, VerifyOptions{}.solver_rlimit);
    EXPECT_FALSE(proof::decide_workers(all, false, vocabulary, solver).has_value());
}

TEST(VerifyIoUring, WorkersSeeNoArch) {
    const KernelState without = load_text("-a always,io_uring -S openat -F key=a\n"),
                      more =
                          load_text("-a never,io_uring -F arch=b64 -S openat\n-a always,io_uring -S openat -F key=a\n");
    // A call has an arch, a worker has none.
    const Verdict v = verify(without, more, {});
    EXPECT_FALSE(test::proven(v)) << test::words(v);
    if (const auto* r = std::get_if<Refuted>(&v); r != nullptr && r->example) {
        EXPECT_NE(r->example->event.arch, 0U);
    }
}

}  // namespace
}  // namespace auopt
