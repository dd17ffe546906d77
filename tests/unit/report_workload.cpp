// The arithmetic of shares: what filtering takes of CPU time, before and after.
#include "report/workload_report.hpp"

#include <gtest/gtest.h>

namespace auopt {
namespace {

KernelState walked_rules(int count) {
    KernelState state;
    KernelRule rule;  // of a call that nobody makes
    rule.list = List::exit;
    rule.action = Action::never;
    rule.mask.words[63] = 0x8000;
    state.filter.assign(static_cast<std::size_t>(count), rule);
    return state;
}

MeasuredWorkload reads(double calls) {
    MeasuredWorkload workload;
    workload.calls = {{arch_x86_64, 0, calls, std::nullopt}};
    workload.cpu_seconds = 2;
    workload.ns_per_instruction = 0.5;
    return workload;
}

const KernelTables& kernel() { return *find_kernel("linux-6.1"); }  // 19 instructions a walked rule

TEST(WorkloadShare, OfTheCpuTime) {
    const MeasuredWorkload workload = reads(2e6);
    const WorkloadCost cost = price_workload(walked_rules(10), kernel(), workload.calls);
    EXPECT_DOUBLE_EQ(cost.per_call(), 190);
    EXPECT_DOUBLE_EQ(cost.instructions, 3.8e8);
    EXPECT_DOUBLE_EQ(*cpu_share(cost, workload), 100 * 0.19 / 2);
}

TEST(WorkloadShare, WhatIsSavedComesOffTheCpuTime) {
    const MeasuredWorkload workload = reads(2e6);
    const WorkloadCost before = price_workload(walked_rules(10), kernel(), workload.calls);
    const WorkloadCost after = price_workload(walked_rules(5), kernel(), workload.calls);
    EXPECT_DOUBLE_EQ(*cpu_share(after, workload, &before), 100 * 0.095 / (2 - 0.095));
}

TEST(WorkloadShare, MeasuredWithoutRulesFilteringComesOnTop) {
    MeasuredWorkload workload = reads(2e6);
    workload.audited = false;
    const WorkloadCost before = price_workload(walked_rules(10), kernel(), workload.calls);
    const WorkloadCost after = price_workload(walked_rules(5), kernel(), workload.calls);
    EXPECT_DOUBLE_EQ(*cpu_share(before, workload), 100 * 0.19 / 2.19);
    EXPECT_DOUBLE_EQ(*cpu_share(after, workload, &before), 100 * 0.095 / 2.095);
}

TEST(WorkloadShare, UnknownOrImpossible) {
    MeasuredWorkload workload = reads(2e6);
    const WorkloadCost cost = price_workload(walked_rules(10), kernel(), workload.calls);
    workload.cpu_seconds = 0.1;  // less than filtering alone takes
    EXPECT_EQ(cpu_share(cost, workload), std::nullopt);
    EXPECT_NE(workload_to_text(workload, cost, nullptr, 5).find("above what the CPU time allows"), std::string::npos);
    workload.cpu_seconds.reset();
    EXPECT_EQ(cpu_share(cost, workload), std::nullopt);
    EXPECT_NE(workload_to_text(workload, cost, nullptr, 5).find("unknown"), std::string::npos);
    EXPECT_TRUE(workload_to_json(workload, cost, nullptr)["cpu_share_percent"].is_null());
}

TEST(WorkloadShare, OnACpuItsOwnTimeCounts) {
    MeasuredWorkload workload = reads(2e6);
    WorkloadCost cost = price_workload(walked_rules(10), kernel(), workload.calls);
    cost.ns = 1e8;
    cost.cpu = "some";
    EXPECT_DOUBLE_EQ(*cpu_share(cost, workload), 100 * 0.1 / 2);
    EXPECT_DOUBLE_EQ(pace_of(workload, cost).ns_per_instruction, 1e8 / 3.8e8);
    cost.ns.reset();
    EXPECT_DOUBLE_EQ(pace_of(workload, cost).ns_per_instruction, 0.5);
    workload.ns_per_instruction.reset();
    EXPECT_NEAR(pace_of(workload, cost).ns_per_instruction, 0.1257, 0.0001);
}

TEST(WorkloadShare, AMeasuredShareIsScaled) {
    const MeasuredWorkload workload = reads(1);
    const WorkloadCost before = price_workload(walked_rules(10), kernel(), workload.calls);
    const WorkloadCost after = price_workload(walked_rules(5), kernel(), workload.calls);
    EXPECT_DOUBLE_EQ(scaled_share(20, before, after), 100 * 10.0 / 90.0);  // 20 of 100 samples become 10 of 90
    EXPECT_DOUBLE_EQ(scaled_share(20, before, before), 20);
    const WorkloadCost none = price_workload(walked_rules(0), kernel(), workload.calls);
    EXPECT_DOUBLE_EQ(scaled_share(20, before, none), 0);
    EXPECT_DOUBLE_EQ(scaled_share(3, none, none), 3);
}

}  // namespace
}  // namespace auopt
