// Every figure that lab/measure-lists printed for the two kernels, predicted: what fifty rules of a list add.
#include "kernel_model/list_cost.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace auopt {
namespace {

FieldTest equals(Field field, std::uint32_t value) {
    FieldTest test;
    test.field = field;
    test.op = Op::equal;
    test.value = value;
    return test;
}

KernelRule rule(List list, Action action, std::vector<FieldTest> tests) {
    KernelRule r;
    r.list = list;
    r.action = action;
    r.mask = SyscallMask::all();
    r.tests = std::move(tests);
    return r;
}

ListCost cost_of(const KernelState& state, List list, const char* kernel) {
    for (const ListCost& cost : list_costs(state, *find_kernel(kernel)))
        if (cost.list == list) return cost;
    return {};
}

struct Row {
    std::vector<FieldTest> tests;
    std::uint64_t on_6_1, on_6_12;  // what each rule adds
};

const FieldTest uid = equals(Field::uid, 0), other_uid = equals(Field::uid, 99);
const FieldTest type = equals(Field::msgtype, 1999);

TEST(ListCost, MessagesAndRecords) {
    const std::vector<Row> rows{
        {{equals(Field::pid, 99999)}, 47, 48},
        {{other_uid}, 51, 52},
        {{equals(Field::gid, 99)}, 47, 48},
        {{equals(Field::loginuid, 99)}, 48, 49},
        {{equals(Field::loginuid_set, 1)}, 46, 47},
        {{type}, 40, 41},
        {{equals(Field::exe, 0)}, 95, 115},
        {{uid, type}, 86, 88},
        {{uid, uid, type}, 132, 135},
        {{uid, equals(Field::gid, 0), type}, 128, 131},
        {{uid, equals(Field::loginuid_set, 0), type}, 127, 130},
    };
    for (const Row& row : rows) {
        KernelState state;
        for (int i = 0; i < 50; ++i) {
            state.user.push_back(rule(List::user, Action::never, row.tests));
            state.exclude.push_back(rule(List::exclude, Action::always, row.tests));
        }
        for (const List list : {List::user, List::exclude}) {
            EXPECT_EQ(cost_of(state, list, "linux-6.1").instructions, 50 * row.on_6_1);
            EXPECT_EQ(cost_of(state, list, "linux-6.12").instructions, 50 * row.on_6_12);
        }
    }
}

TEST(ListCost, AMessageRuleThatMatchesEndsTheWalk) {
    KernelState state;
    state.user = {rule(List::user, Action::never, {other_uid}), rule(List::user, Action::never, {uid}),
                  rule(List::user, Action::never, {other_uid})};
    const ListCost cost = cost_of(state, List::user, "linux-6.1");
    EXPECT_TRUE(cost.matched);
    EXPECT_EQ(cost.instructions, 51U + 46U);
}

TEST(ListCost, AFieldThatTheListDoesNotKnowEndsTheWalk) {
    KernelState state;
    state.exclude = {rule(List::exclude, Action::always, {type}),
                     rule(List::exclude, Action::always, {equals(Field::key, 0), type}),
                     rule(List::exclude, Action::always, {type})};
    const ListCost cost = cost_of(state, List::exclude, "linux-6.1");
    EXPECT_FALSE(cost.matched);
    EXPECT_EQ(cost.instructions, 40U);
    // A rule without tests matches nothing there.
    state.exclude = {rule(List::exclude, Action::always, {}), rule(List::exclude, Action::always, {type})};
    EXPECT_FALSE(cost_of(state, List::exclude, "linux-6.1").matched);
}

TEST(ListCost, Names) {
    KernelState state;
    for (int i = 0; i < 50; ++i)
        state.filesystem.push_back(rule(List::filesystem, Action::never, {equals(Field::fstype, 1)}));
    EXPECT_EQ(cost_of(state, List::filesystem, "linux-6.1").instructions, 50U * 38);
    EXPECT_EQ(cost_of(state, List::filesystem, "linux-6.12").instructions, 50U * 39);
    for (KernelRule& r : state.filesystem) r.tests.push_back(equals(Field::key, 0));
    EXPECT_EQ(cost_of(state, List::filesystem, "linux-6.1").instructions, 50U * 46);
    EXPECT_EQ(cost_of(state, List::filesystem, "linux-6.12").instructions, 50U * 47);
}

TEST(ListCost, Tasks) {
    const std::vector<Row> rows{
        {{other_uid}, 98, 99},
        {{equals(Field::loginuid, 99)}, 98, 99},
        {{equals(Field::loginuid_set, 1)}, 92, 93},
        {{equals(Field::pid, 99999)}, 95, 96},
        {{equals(Field::gid, 99)}, 113, 115},
        {{equals(Field::arch, arch_x86_64)}, 71, 71},  // no context: false
        {{equals(Field::exe, 0)}, 77, 77},
        {{uid, other_uid}, 149, 151},
    };
    for (const Row& row : rows) {
        KernelState state;
        for (int i = 0; i < 50; ++i) state.task.push_back(rule(List::task, Action::never, row.tests));
        EXPECT_EQ(cost_of(state, List::task, "linux-6.1").instructions, 50 * row.on_6_1);
        EXPECT_EQ(cost_of(state, List::task, "linux-6.12").instructions, 50 * row.on_6_12);
        // A call pays nothing for them.
        EXPECT_EQ(call_cost(state, *find_kernel("linux-6.1"), reference_event(arch_x86_64, 39)).filter_instructions,
                  0U);
    }
}

// Measured: an operation that is judged takes 623.1 (6.1) and 643.4 (6.12), one of a task without context 323.1 and 311.4,
// with one exit rule loaded that lacks the call.
TEST(ListCost, Operations) {
    KernelState state;
    EXPECT_EQ(cost_of(state, List::io_uring, "linux-6.1").instructions, 0U);  // not armed
    KernelRule arm = rule(List::exit, Action::never, {});
    arm.mask = {};
    arm.mask.words[63] = 0x8000;  // 2031
    state.filter.push_back(arm);
    EXPECT_EQ(cost_of(state, List::io_uring, "linux-6.1").instructions, 300U);
    EXPECT_EQ(cost_of(state, List::io_uring, "linux-6.12").instructions, 332U);
    const auto with = [&](List list, unsigned bit) {
        KernelState more = state;
        KernelRule r = rule(list, Action::never, {other_uid});
        r.mask = {};
        r.mask.words[bit / 32] = 1U << (bit % 32);
        for (int i = 0; i < 50; ++i) more.filter.push_back(r);
        return more;
    };
    constexpr unsigned openat = 18, shutdown = 34, enter = 426;
    EXPECT_EQ(cost_of(with(List::io_uring, shutdown), List::io_uring, "linux-6.1").instructions, 300U + 50 * 19);
    EXPECT_EQ(cost_of(with(List::io_uring, shutdown), List::io_uring, "linux-6.12").instructions, 332U + 18 + 50 * 8);
    EXPECT_EQ(cost_of(with(List::io_uring, openat), List::io_uring, "linux-6.1").instructions, 300U + 50 * 118);
    EXPECT_EQ(cost_of(with(List::io_uring, openat), List::io_uring, "linux-6.12").instructions, 332U + 18 + 50 * 106);
    EXPECT_EQ(cost_of(with(List::exit, shutdown), List::io_uring, "linux-6.1").instructions, 300U + 50 * 19);
    EXPECT_EQ(cost_of(with(List::exit, enter), List::io_uring, "linux-6.12").instructions, 332U + 50 * 106);
    EXPECT_EQ(cost_of(with(List::io_uring, openat), List::io_uring, "linux-6.1").rules, 50U);
}

}  // namespace
}  // namespace auopt
