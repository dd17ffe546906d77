// Which target is asked for, what its figures are called, and who reads an input alike.
#include <gtest/gtest.h>

#include "cli/host_versions.hpp"
#include "cli/reading_groups.hpp"
#include "cli/target.hpp"

namespace auopt {
namespace {

Target target_of(const std::string& flag, const char* auditctl, const char* kernel, bool this_host = false,
                 Machine machine = Machine::x86_64) {
    Facts facts;
    if (auditctl != nullptr) facts.audit_version = auditctl;
    if (kernel != nullptr) facts.kernel = kernel;
    const auto target = find_target(flag, facts, machine, this_host);
    EXPECT_TRUE(target) << target.error();
    return *target;
}

TEST(Target, FlagThenFactsThenAny) {
    struct Row {
        const char *flag, *auditctl, *kernel, *asked;
        const char* reading;  // "all" or the only one
        std::size_t cost_kernels, proof_kernels;
    };
    const Row table[] = {
        {"", nullptr, nullptr, "any", "all", 2, 2},
        {"any", "3.0.9", "6.1.0", "any", "all", 2, 2},
        {"el9", "3.0.9", "6.1.0", "el9", "3.1.5", 1, 2},
        // The rows of the data file, by what a host of each says.
        {"", "3.0.9", "6.1.0-57-amd64", "deb12, from the facts", "3.0.9", 1, 1},
        {"", "4.0.2", "6.12.48+deb13-amd64", "deb13, from the facts", "4.0.2", 1, 1},
        {"", "3.0.7", "5.15.0-91-generic", "ubuntu2204, from the facts", "3.0.9", 1, 2},
        {"", "3.1.2", "6.8.0-31-generic", "ubuntu2404, from the facts", "3.1.2", 1, 2},
        {"", "3.1.2", "4.18.0-553.el8_10.x86_64", "el8, from the facts", "3.1.2", 1, 2},
        {"", "3.1.5", "5.14.0-503.el9.x86_64", "el9, from the facts", "3.1.5", 1, 2},
        {"", "4.0.3", "6.12.0-55.el10.x86_64", "el10, from the facts", "4.0.2", 1, 2},
        // No row: the same auditctl on another kernel, and the other way round.
        {"", "3.0.9", "6.12.1", "host (auditctl 3.0.9, kernel 6.12), from the facts", "3.0.9", 1, 1},
        {"", "4.1.2", "6.1.0", "host (auditctl 4.1.2, kernel 6.1), from the facts", "4.1.2", 1, 1},
        {"", "3.0.9", "5.10.0", "host (auditctl 3.0.9, kernel 5.10), from the facts", "3.0.9", 2, 2},
        // A kernel with backports is no other kernel of its number.
        {"", "4.1.2", "6.12.0-55.el10.x86_64", "host (auditctl 4.1.2, kernel 6.12), from the facts", "4.1.2", 2, 2},
        // Half of it: the other half is everything.
        {"", "3.0.9", nullptr, "host (auditctl 3.0.9, every kernel), from the facts", "3.0.9", 2, 2},
        {"", nullptr, "6.1.0", "host (every auditctl, kernel 6.1), from the facts", "all", 1, 1},
        {"", "3.0.9", "Custom", "host (auditctl 3.0.9, every kernel), from the facts", "3.0.9", 2, 2},
    };
    for (const Row& row : table) {
        const Target target = target_of(row.flag, row.auditctl, row.kernel);
        EXPECT_EQ(asked_name(target), row.asked);
        if (std::string(row.reading) == "all")
            EXPECT_EQ(target.writing, all_auditctl_versions()) << row.asked;
        else
            EXPECT_EQ(target.writing, std::vector{*auditctl_version_named(row.reading)}) << row.asked;
        EXPECT_EQ(target.cost_kernels().size(), row.cost_kernels) << row.asked;
        EXPECT_EQ(target.proof_kernels().size(), row.proof_kernels) << row.asked;
    }
    EXPECT_FALSE(find_target("deb11", Facts{}, Machine::x86_64));
}

TEST(Target, ThisHostIsWhatItsVersionsSay) {
    EXPECT_EQ(asked_name(target_of("host", "3.0.9", "6.1.0")), "host (auditctl 3.0.9, kernel 6.1)");
    EXPECT_EQ(asked_name(target_of("", "3.0.9", "6.1.0", true)), "host (auditctl 3.0.9, kernel 6.1)");
    EXPECT_EQ(asked_name(target_of("deb13", "3.0.9", "6.1.0", true)), "deb13");
    const Target without = target_of("host", nullptr, "6.1.0");
    EXPECT_EQ(asked_name(without), "host (every auditctl, kernel 6.1)");
    EXPECT_EQ(without.writing, all_auditctl_versions());
    EXPECT_EQ(asked_name(target_of("", "3.0.9", "6.1.0", false, Machine::aarch64)), "deb12/aarch64, from the facts");
}

TEST(Target, FiguresCarryItsNameAndEvidence) {
    const auto names = [](const Target& target) {
        std::string all;
        for (const KernelTables* k : target.cost_kernels()) all += figures_name(target, *k) + ";";
        return all;
    };
    EXPECT_EQ(names(target_of("any", nullptr, nullptr)), "linux-6.1;linux-6.12;");
    EXPECT_EQ(names(target_of("deb12", nullptr, nullptr)), "deb12;");
    EXPECT_EQ(names(target_of("el9", nullptr, nullptr)), "el9;");
    EXPECT_EQ(names(target_of("host", "3.0.9", "5.10.0")), "host as linux-6.1;host as linux-6.12;");
    EXPECT_EQ(names(target_of("", "3.0.9", nullptr)), "linux-6.1;linux-6.12;");
    EXPECT_EQ(not_measured(target_of("any", nullptr, nullptr)), "");
    EXPECT_EQ(not_measured(target_of("deb12", nullptr, nullptr)), "");
    EXPECT_EQ(not_measured(target_of("el9", nullptr, nullptr)),
              "el9: kernel 5.14 not measured, predicted with linux-6.1's table");
    EXPECT_EQ(not_measured(target_of("host", "3.0.9", "5.10.0")),
              "host: kernel 5.10 not measured, predicted with linux-6.1's and linux-6.12's tables");
    for (const Target& row : targets()) {
        const bool measured =
            std::all_of(row.kernels.begin(), row.kernels.end(), [](const TargetKernel& k) { return k.measured; });
        EXPECT_EQ(not_measured(row).empty(), measured) << row.name;
    }
}

TEST(HostVersions, OnlyWhatAuditctlPrints) {
    EXPECT_EQ(version_in("auditctl version 3.0.9\n"), "3.0.9");
    EXPECT_EQ(version_in("warning\nauditctl version 4.2\n"), "4.2");
    EXPECT_EQ(version_in("auditctl version 3.1.5-8.el9\n"), "3.1.5");
    EXPECT_EQ(version_in("auditctl version \n"), std::nullopt);
    EXPECT_EQ(version_in("auditctl version .1\n"), std::nullopt);
    EXPECT_EQ(version_in("You must be root to run this program.\n"), std::nullopt);
    EXPECT_EQ(host_versions("/nowhere/auditctl").auditctl, std::nullopt);
}

std::string groups_of(const std::string& text, const std::string& target = "any") {
    Inputs inputs;
    inputs.lines = split_lines(inputs.sources, inputs.sources.add("in.rules", text));
    CommonOptions common;
    common.target = target;
    const Setting setting = make_setting(common, inputs.lines);
    const auto groups = reading_groups(inputs, setting);
    return groups ? to_string(*groups) : "";
}

TEST(ReadingGroups, WhatTheKernelIsToldDiffers) {
    const std::string two = "read in two ways: deb12, ubuntu2204, ubuntu2404, el8 / deb13, el9, el10; ";
    const std::string choose = "; choose with --target or --facts";
    const std::string late = "-a always,exit -F arch=b64 -F dir=/srv -F perm=wa -k k\n";
    const std::string early = "-a always,exit -F dir=/srv -F perm=wa -F arch=b64 -k k\n";
    EXPECT_EQ(groups_of(late), two + "1 line" + choose);
    EXPECT_EQ(groups_of(early), "");
    EXPECT_EQ(groups_of(early + late + "# no rule\n" + late + early), two + "2 lines" + choose);
    for (const Target& target : targets()) {
        if (target.name == "any") continue;
        EXPECT_EQ(groups_of(late, target.name), "") << target.name;
    }
    // A list in capitals: refused by some, whether or not errors are ignored.
    const std::string capitals = "-a always,EXIT -F arch=b64 -S chmod -k x\n";
    const std::string lists =
        "read in two ways: deb12, ubuntu2204 / deb13, ubuntu2404, el8, el9, el10; 1 line" + choose;
    EXPECT_EQ(groups_of(capitals), lists);
    EXPECT_EQ(groups_of("-c\n" + capitals), lists);
    EXPECT_EQ(groups_of("-i\n" + capitals), lists);
    // Only versions that no target has.
    EXPECT_EQ(groups_of("-a always,exit -F arch=b64 -S close_range -k x\n"),
              "read in two ways: auditctl 2.8.5 / every target; 1 line" + choose);
    // No version loads it: that is an error, and said as one.
    EXPECT_EQ(groups_of(late + "-a always,exit -S nosuchcall\n"), "");
    // ... unless it is skipped.
    EXPECT_EQ(groups_of("-c\n" + late + "-a always,exit -S nosuchcall\n"), two + "1 line" + choose);
    // User messages, which 2.8.5 words differently, and comments tell the kernel nothing.
    EXPECT_EQ(groups_of("-m hello\n# comment\n\n-D\n-b 8192\n-e 1\n"), "");
    EXPECT_EQ(groups_of(""), "");
}

}  // namespace
}  // namespace auopt
