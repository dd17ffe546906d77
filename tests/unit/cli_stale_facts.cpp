// Facts against the host that they are said to be of.
#include <gtest/gtest.h>

#include <functional>

#include "cli/stale_facts.hpp"

namespace auopt {
namespace {

using Strings = std::vector<std::string>;

Facts some_facts() {
    Facts facts;
    facts.machine = "x86_64";
    facts.kernel = "6.1.0-57-amd64";
    facts.audit_version = "3.0.9";
    facts.users = {{"root", 0}, {"alice", 1000}};
    facts.groups = {{"wheel", 10}};
    facts.directories = {"/etc"};
    facts.files = {"/etc/passwd"};
    facts.links = {{"/bin", "usr/bin"}};
    facts.missing = {"/opt/x"};
    facts.inodes = {{"/etc/passwd", {1, 2}}};
    return facts;
}

TEST(StaleFacts, TheSameFactsAgree) {
    EXPECT_EQ(contradictions(some_facts(), some_facts()), Strings{});
    // What only one side knows contradicts nothing; a user whom the host lacks does.
    EXPECT_EQ(contradictions(Facts{}, some_facts()), Strings{});
    Facts bare;
    bare.users = some_facts().users;
    bare.groups = some_facts().groups;
    EXPECT_EQ(contradictions(some_facts(), bare), Strings{});
}

TEST(StaleFacts, EveryMemberIsHeldAgainstTheHost) {
    const auto one = [](const std::function<void(Facts&)>& change, const std::string& expected) {
        Facts host = some_facts();
        change(host);
        EXPECT_EQ(contradictions(some_facts(), host), Strings{expected});
    };
    one([](Facts& f) { f.machine = "aarch64"; }, "machine: x86_64, here aarch64");
    one([](Facts& f) { f.kernel = "6.12.1"; }, "kernel: 6.1.0-57-amd64, here 6.12.1");
    one([](Facts& f) { f.audit_version = "4.0.2"; }, "auditctl: 3.0.9, here 4.0.2");
    one([](Facts& f) { f.users["alice"] = 1001; }, "user alice: 1000, here 1001");
    one([](Facts& f) { f.users.erase("alice"); }, "user alice: 1000, here unknown");
    one([](Facts& f) { f.groups["wheel"] = 11; }, "group wheel: 10, here 11");
    one([](Facts& f) { f.directories.clear(), f.files.insert("/etc"); }, "/etc: a directory, here a file");
    one([](Facts& f) { f.directories.clear(), f.missing.insert("/etc"); }, "/etc: a directory, here missing");
    one([](Facts& f) { f.links["/bin"] = "sbin"; }, "/bin: a link to usr/bin, here a link to sbin");
    one([](Facts& f) { f.missing.clear(), f.directories.insert("/opt/x"); }, "/opt/x: missing, here a directory");
    one([](Facts& f) { f.inodes["/etc/passwd"].second = 3; }, "/etc/passwd: inode 2, here 3");
}

TEST(StaleFacts, ThisHostAgreesWithItself) {
    const Facts here = host_facts({"root"}, {"root"}, {"/etc/passwd", "/etc", "/no/such/path"});
    EXPECT_EQ(contradictions_with_host(here), Strings{});
    Facts other = here;
    other.users["root"] = 7;
    other.directories.erase("/etc");
    other.files.insert("/etc");
    EXPECT_EQ(contradictions_with_host(other), (Strings{"user root: 7, here 0", "/etc: a file, here a directory"}));
}

}  // namespace
}  // namespace auopt
