// Events that a person writes: what may be left out, what must agree, and what the errors say.
#include <gtest/gtest.h>

#include "report/event_json.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;

tl::expected<ReadEvent, std::string> read(const char* text) { return event_from_json(ordered_json::parse(text)); }

TEST(EventJson, WhatIsLeftOutIsAsInAPlainEvent) {
    EXPECT_EQ(read("{}"), ReadEvent{});
    const auto chmod = read(R"({"syscall": "chmod", "uid": 1000, "exit": -13, "success": false})");
    ASSERT_TRUE(chmod) << chmod.error();
    EXPECT_EQ(chmod->event.arch, arch_x86_64);
    EXPECT_EQ(chmod->event.nr, 90);
    EXPECT_EQ(chmod->event.uid, 1000U);
    EXPECT_EQ(chmod->event.return_code, static_cast<std::uint64_t>(-13));
    EXPECT_EQ(chmod->event.return_valid, ReturnValid::failure);
}

TEST(EventJson, TheArchIsNamedInThreeWays) {
    EXPECT_EQ(read(R"({"arch": "b32", "syscall": "chmod"})")->event.nr, 15);
    EXPECT_EQ(read(R"({"machine": "aarch64", "syscall": "openat"})")->event.nr, 56);
    EXPECT_EQ(read(R"({"arch_value": 1073741827, "syscall": "chmod"})")->event.arch, arch_i386);
    EXPECT_EQ(read(R"({"arch": "io_uring", "nr": 0, "uring_op": 18})")->event.arch, 0U);
    EXPECT_EQ(read(R"({"machine": null, "nr": 90})")->event.arch, arch_x86_64);
}

TEST(EventJson, ErrorsNameTheMember) {
    const std::pair<const char*, const char*> wrong[] = {
        {R"([])", "not an object"},
        {R"({"uids": 0})", "uids: no such member"},
        {R"({"uid": "root"})", "uid: not a whole number"},
        {R"({"uid": 4294967296})", "uid: too large"},
        {R"({"uid": -1})", "uid: too small"},
        {R"({"nr": 2147483648})", "nr: too large"},
        {R"({"pid": 1.5})", "pid: not a whole number"},
        {R"({"args": [1, 2, 3]})", "args: not four numbers"},
        {R"({"args": [1, 2, 3, "x"]})", "args: element 3: not a whole number"},
        {R"({"groups": 4})", "groups: not an array"},
        {R"({"success": 1})", "success: not true or false"},
        {R"({"syscall": "chmodd"})", "syscall: no such call of this machine"},
        {R"({"syscall": "chmod", "nr": 91})", "syscall: nr 91 is fchmod"},
        {R"({"arch": "b16"})", "arch: not b64, b32 or io_uring"},
        {R"({"arch": "b32", "machine": "aarch64"})", "arch: not that of arch_value or machine"},
        {R"({"machine": "i386", "arch_value": 3221225534})", "machine: not that of arch_value"},
        {R"({"machine": "pdp11"})", "machine: no such machine"},
        {R"({"names": [{"resolved": true}, {"inode": -5}]})", "names: element 1: inode: too small"},
        {R"({"names": [{"rdev": [1]}]})", "names: element 0: rdev: not [major, minor]"},
        {R"({"names": [{"path": "/f"}]})", "names: element 0: path: no such member"},
        {R"({"directories": [{"hex": "2g"}]})", "directories: element 0: not a string, nor {\"hex\": \"...\"}"},
        {R"({"lsm_true": [{"field": "subj_type", "text": "t"}]})", "lsm_true: element 0: op: missing"},
        {R"({"lsm_true": [{"field": "subj", "op": "=", "text": "t"}]})", "lsm_true: element 0: field: no such field"},
        {R"({"lsm_true": [{"field": "subj_type", "op": "==", "text": "t"}]})",
         "lsm_true: element 0: op: no such operator"},
    };
    for (const auto& [text, message] : wrong) {
        const auto event = read(text);
        ASSERT_FALSE(event) << text;
        EXPECT_EQ(event.error(), message) << text;
    }
}

// Each of these decided events and was not printed.
TEST(EventJson, WhatDecidesIsInTheTextToo) {
    Event e;
    e.nr = 437;
    e.uring_op = 18;
    e.openat2_flags = 2;
    e.lsm_true = {{{Field::subj_type, Op::not_equal, 0, "init_t"}}};
    EventName device;
    device.resolved = true;
    device.ino = 7;
    device.rdev_major = 8;
    device.rdev_minor = 1;
    device.mode = 0060660;
    device.uid = 5;
    e.names = {device};
    const std::string text = describe(e);
    for (const char* part : {"io_uring_op=18", "openat2_flags=0x2", "lsm:subj_type!=\"init_t\"", "inode=7", "rdev=8:1",
                             "mode=060660", "owner=5:0"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
}

}  // namespace
}  // namespace auopt
