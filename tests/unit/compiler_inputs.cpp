// Facts files, and rules.d directories read as augenrules reads them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "compiler/facts.hpp"
#include "compiler/rules_dir.hpp"

namespace auopt {
namespace {

namespace fs = std::filesystem;

TEST(Facts, ReadsEveryMember) {
    const auto facts = parse_facts(R"({"machine":"x86_64","users":{"root":0},"groups":{"adm":4},"directories":["/d/"],
        "files":["/f"],"links":{"/l/":"f"},"missing":["/m"],"inodes":{"/f":[1,2]},"uid_min":1000,
        "audit_version":"3.0.9","kernel":"6.1.0","lsm":["capability","apparmor"],"mounts":["/d/disk"]})",
                                   "facts.json");
    ASSERT_TRUE(facts) << facts.error();
    EXPECT_EQ(facts->machine, "x86_64");
    EXPECT_EQ(facts->users.at("root"), 0U);
    EXPECT_TRUE(facts->directories.contains("/d"));
    EXPECT_EQ(facts->inodes.at("/f").second, 2U);
    EXPECT_EQ(facts->links.at("/l"), "f");
    EXPECT_EQ(link_target(*facts, "/l"), "/f");
    EXPECT_EQ(facts->missing, std::set<std::string>{"/m"});
    EXPECT_EQ(facts->lsm, (std::vector<std::string>{"capability", "apparmor"}));
    EXPECT_EQ(facts->mounts, std::set<std::string>{"/d/disk"});
    const auto again = parse_facts(facts_to_json(*facts), "again");
    ASSERT_TRUE(again);
    EXPECT_EQ(facts_to_json(*again), facts_to_json(*facts));
}

TEST(Facts, ErrorsNameTheMember) {
    for (const auto& [text, part] :
         std::vector<std::pair<std::string, std::string>>{{"[", "JSON"},
                                                          {"[]", "object"},
                                                          {R"({"user":{}})", "user"},
                                                          {R"({"users":{"root":"0"}})", "users.root"},
                                                          {R"({"users":{"root":-1}})", "users.root"},
                                                          {R"({"users":{"root":4294967296}})", "users.root"},
                                                          {R"({"directories":"/d"})", "directories"},
                                                          {R"({"directories":["d"]})", "directories[0]"},
                                                          {R"({"files":[1]})", "files[0]"},
                                                          {R"({"inodes":{"/f":[1]}})", "inodes./f"},
                                                          {R"({"uid_min":1.5})", "uid_min"},
                                                          {R"({"machine":5})", "machine"},
                                                          {R"({"files":["/a"],"directories":["/a"]})", "files"},
                                                          {R"({"links":["/a"]})", "links"},
                                                          {R"({"links":{"a":"/b"}})", "links.a"},
                                                          {R"({"links":{"/a":1}})", "links./a"},
                                                          {R"({"links":{"/a":""}})", "links./a"},
                                                          {R"({"links":{"/a":"/b"},"files":["/a"]})", "links"},
                                                          {R"({"links":{"/a":"/b"},"directories":["/a"]})", "links"},
                                                          {R"({"missing":{}})", "missing"},
                                                          {R"({"missing":["a"]})", "missing[0]"},
                                                          {R"({"missing":["/a"],"files":["/a"]})", "missing"},
                                                          {R"({"missing":["/a"],"directories":["/a"]})", "missing"},
                                                          {R"({"missing":["/a"],"links":{"/a":"/b"}})", "missing"},
                                                          {R"({"lsm":"selinux"})", "lsm"},
                                                          {R"({"lsm":[1]})", "lsm[0]"},
                                                          {R"({"mounts":["d"]})", "mounts[0]"}}) {
        const auto facts = parse_facts(text, "f.json");
        ASSERT_FALSE(facts) << text;
        EXPECT_NE(facts.error().find(part), std::string::npos) << facts.error();
        EXPECT_EQ(facts.error().rfind("f.json", 0), 0U) << facts.error();
    }
    EXPECT_FALSE(read_facts("/nonexistent/facts.json"));
    EXPECT_FALSE(read_facts("/"));
}

TEST(Facts, PathKinds) {
    Facts facts;
    facts.directories = {"/d"};
    facts.files = {"/f", "/x/y/z"};
    EXPECT_EQ(path_kind(facts, "/"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "//"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/./"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/../.."), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/.../."), PathKind::unknown);
    EXPECT_EQ(path_kind(facts, "/d"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/d//"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/f/"), PathKind::file);
    EXPECT_EQ(path_kind(facts, "/x/y"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/f/below"), PathKind::unknown);  // not listed; the kernel refuses it as things are
    EXPECT_EQ(path_kind(facts, "/d/new"), PathKind::unknown);
    EXPECT_EQ(path_kind(facts, "/d/../f"), PathKind::unknown);
    EXPECT_TRUE(parent_is_file(facts, "/f/below/deep"));
    EXPECT_FALSE(parent_is_file(facts, "/f"));
    facts.assume_watch_kinds = true;
    EXPECT_EQ(path_kind(facts, "/new/"), PathKind::directory);
    EXPECT_EQ(path_kind(facts, "/new"), PathKind::file);
}

TEST(Facts, OfThisHost) {
    const Facts facts = host_facts({"root", "no-such-user"}, {"root"}, {"/", "/etc", "/etc/passwd", "/no/such"});
    EXPECT_EQ(facts.users.at("root"), 0U);
    EXPECT_FALSE(facts.users.contains("no-such-user"));
    EXPECT_TRUE(facts.directories.contains("/etc"));
    EXPECT_TRUE(facts.files.contains("/etc/passwd"));
    EXPECT_EQ(facts.missing, std::set<std::string>{"/no/such"});
    EXPECT_FALSE(facts.files.contains("/no/such"));
    EXPECT_EQ(path_kind(facts, "/no/such"), PathKind::unknown);
}

TEST(Facts, MissingIsUnknownUnlessAssumed) {
    Facts facts;
    facts.missing = {"/m", "/d/m"};
    EXPECT_EQ(path_kind(facts, "/m"), PathKind::unknown);
    EXPECT_EQ(path_kind(facts, "/m/"), PathKind::unknown);
    EXPECT_EQ(path_kind(facts, "/d"), PathKind::unknown);  // what is missing below it says nothing about /d
    facts.assume_watch_kinds = true;
    EXPECT_EQ(path_kind(facts, "/m"), PathKind::file);
    EXPECT_EQ(path_kind(facts, "/m/"), PathKind::directory);
}

// -w asks stat(2), which follows links; the tree of dir= is another matter.
TEST(Facts, LinksAreFollowedForTheKindOfAWatch) {
    Facts facts;
    facts.directories = {"/real", "/x/rel", "/up/../real2"};
    facts.files = {"/f", "/x/f"};
    facts.missing = {"/gone"};
    facts.links = {{"/to-dir", "/real"},           {"/to-file", "/f"},     {"/to-gone", "/gone"},
                   {"/to-unlisted", "/elsewhere"}, {"/x/rel-dir", "rel"},  {"/x/rel-file", "f"},
                   {"/up/two", "../real2"},        {"/chain", "/to-dir/"}, {"/loop-a", "/loop-b"},
                   {"/loop-b", "/loop-a"}};
    const std::pair<const char*, PathKind> table[] = {
        {"/to-dir", PathKind::directory}, {"/to-dir/", PathKind::directory},   {"/to-file", PathKind::file},
        {"/to-gone", PathKind::unknown},  {"/to-unlisted", PathKind::unknown}, {"/x/rel-dir", PathKind::directory},
        {"/x/rel-file", PathKind::file},  {"/up/two", PathKind::directory},    {"/chain", PathKind::directory},
        {"/loop-a", PathKind::unknown},   {"/x", PathKind::directory},         {"/up", PathKind::directory},
    };
    for (const auto& [path, kind] : table) EXPECT_EQ(path_kind(facts, path), kind) << path;
    EXPECT_TRUE(is_real_directory(facts, "/real"));
    EXPECT_TRUE(is_real_directory(facts, "/real/"));
    EXPECT_TRUE(is_real_directory(facts, "/"));
    for (const char* path : {"/to-dir", "/to-dir/", "/f", "/gone", "/elsewhere", "/x", "real"})
        EXPECT_FALSE(is_real_directory(facts, path)) << path;
}

TEST(Facts, LinksOfThisHostAreRecordedNotFollowed) {
    const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "auopt-facts";
    std::filesystem::remove_all(root);
    std::filesystem::create_directories(root / "dir");
    std::ofstream(root / "file") << "x";
    std::filesystem::create_symlink(root / "dir", root / "to-dir");
    std::filesystem::create_symlink("file", root / "to-file");
    std::filesystem::create_symlink("gone", root / "to-gone");
    std::filesystem::create_symlink("loop", root / "loop");
    const auto at = [&](const char* name) { return (root / name).string(); };
    const Facts facts = host_facts(
        {}, {}, {at("dir") + "/", at("to-dir"), at("to-file"), at("to-gone"), at("loop"), at("file") + "/below"});
    EXPECT_EQ(facts.links,
              (std::map<std::string, std::string>{
                  {at("to-dir"), at("dir")}, {at("to-file"), "file"}, {at("to-gone"), "gone"}, {at("loop"), "loop"}}));
    EXPECT_EQ(facts.directories, std::set<std::string>{at("dir")});
    EXPECT_EQ(facts.files, std::set<std::string>{at("file")});
    EXPECT_EQ(facts.missing, (std::set<std::string>{at("gone"), at("file") + "/below"}));
    EXPECT_NE(facts.inodes.at(at("to-dir")), facts.inodes.at(at("dir")));
    EXPECT_EQ(path_kind(facts, at("to-dir")), PathKind::directory);
    EXPECT_EQ(path_kind(facts, at("to-file")), PathKind::file);
    EXPECT_EQ(path_kind(facts, at("to-gone")), PathKind::unknown);
    const auto again = parse_facts(facts_to_json(facts), "again");
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again->links, facts.links);
    EXPECT_EQ(again->missing, facts.missing);
    EXPECT_EQ(again->mounts, facts.mounts);
    EXPECT_EQ(again->lsm, facts.lsm);
    std::filesystem::remove_all(root);
}

TEST(RulesDir, VersionOrder) {
    // What `ls -1v` printed for these names with ".rules" behind each.
    const std::vector<std::string> order = {"~y",   "1.9",    "1.10",    "2-z",    "09",    "9",           "9-b",
                                            "10",   "10-A",   "10-a.b",  "10-a",   "010-c", "30a",         "30-a~",
                                            "30-a", "30-a-1", "30-a-02", "30.5-a", "30_a",  "99-finalize", "100-x",
                                            "A",    "B1",     "a",       "audit",  "b1",    "_x"};
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = 0; j < order.size(); ++j) {
            EXPECT_EQ(version_less(order[i] + ".rules", order[j] + ".rules"), i < j) << order[i] << " " << order[j];
        }
    }
}

class RulesDirectory : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "auopt-rules.XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        dir = pattern;
    }
    void TearDown() override { fs::remove_all(dir); }
    void put(const std::string& name, const std::string& text) const {
        std::ofstream(dir / name, std::ios::binary) << text;
    }

    fs::path dir;
};

TEST_F(RulesDirectory, HoistsSinksAndDrops) {
    put("10-a.rules", "# comment\n-D\n-b 1\n-w /a\n\n-e 1\n");
    put("9-b.rules", "-f 1\n-w /b\n -b 5\n-e2\n");
    put("ignored.rules.bak", "-w /no\n");
    put(".hidden.rules", "-w /no\n");
    Sources sources;
    const auto merged = merge_rules_dir(sources, dir);
    ASSERT_TRUE(merged) << merged.error();
    EXPECT_EQ(merged->plain_text, "## This file is automatically generated from " + dir.string() +
                                      "\n-D\n-b 1\n-f 1\n-w /b\n -b 5\n-w /a\n-e 1\n");
    ASSERT_EQ(merged->lines.size(), 7U);
    EXPECT_EQ(merged->lines[0].bytes, "-D");
    EXPECT_EQ(sources.name(merged->lines[0].span.file), (dir / "10-a.rules").string());
    EXPECT_EQ(merged->lines[0].span.line, 2U);
    EXPECT_EQ(merged->files.size(), 2U);
}

TEST_F(RulesDirectory, MawksIdeaOfWhiteSpace) {
    put("a.rules", "s-b 64\n #kept\nss#dropped\n-Ds\n-D -k x\n-bogus\n");
    Sources sources;
    const auto merged = merge_rules_dir(sources, dir);
    ASSERT_TRUE(merged);
    const std::string body = merged->plain_text.substr(merged->plain_text.find('\n') + 1);
    EXPECT_EQ(body, "-Ds\n-bogus\n\n #kept\n-D -k x\n\n");
}

TEST_F(RulesDirectory, ScriptsOfOtherVersionsOnOtherAwks) {
    using V = AuditctlVersion;
    put("a b.rules", "-w /ab\n");
    put("b*.rules", "-w /star\r\n\r\n -b 64\r\n # comment\n-D \r\n");
    put("bx.rules", "-w /bx\n");
    fs::create_symlink("nowhere", dir / "z.rules");
    const auto merged = [&](V version, bool gawk) {
        Sources sources;
        const auto result = merge_rules_dir(sources, dir, augenrules_of(version, gawk));
        EXPECT_TRUE(result) << result.error();
        return *result;
    };
    const auto body = [](const MergedRules& rules) { return rules.plain_text.substr(rules.plain_text.find('\n') + 1); };
    const std::string star = "-w /star\r\n\r\n -b 64\r\n # comment\n-D \r\n";
    // 3.0.9 on mawk: b*.rules is a pattern, carriage returns stay, indented lines are rules.
    EXPECT_EQ(body(merged(V::v3_0_9, false)), "\n\n\n-w /bx\n" + star + "-w /bx\n\n");
    EXPECT_EQ(merged(V::v3_0_9, false).skipped.size(), 3U);  // a, b.rules and the link
    EXPECT_EQ(body(merged(V::v3_1_2, false)), "\n\n\n-w /bx\n-w /star\n -b 64\n # comment\n-D \n-w /bx\n\n");
    EXPECT_EQ(body(merged(V::v3_1_2, true)), "-D \n -b 64\n\n-w /bx\n-w /star\n-w /bx\n\n");
    EXPECT_EQ(body(merged(V::v4_0_0, true)), "-D \n -b 64\n\n-w /bx\n-w /star\n\n");
    EXPECT_EQ(body(merged(V::v4_2_1, true)), "-D \n -b 64\n\n-w /ab\n-w /bx\n-w /star\n\n");
    EXPECT_TRUE(merged(V::v4_2_1, true).skipped.empty());
}

TEST_F(RulesDirectory, FilesAreGluedAndUnreadableOnesSkipped) {
    put("1.rules", "-w /noeol");
    put("2.rules", "## c\n-w /x");
    put("3 4.rules", "-w /spaces\n");
    fs::create_directory(dir / "5.rules");
    fs::create_symlink("nowhere", dir / "6.rules");
    Sources sources;
    const auto merged = merge_rules_dir(sources, dir);
    ASSERT_TRUE(merged);
    EXPECT_NE(merged->plain_text.find("\n-w /noeol## c\n-w /x\n"), std::string::npos);
    EXPECT_EQ(merged->skipped.size(), 4U);  // "3", "4.rules", the directory, the link
    EXPECT_EQ(merged->files.size(), 2U);
}

TEST_F(RulesDirectory, NothingToRead) {
    Sources sources;
    EXPECT_FALSE(merge_rules_dir(sources, dir));
    EXPECT_FALSE(merge_rules_dir(sources, dir / "missing"));
    put("x.rules", "");
    EXPECT_FALSE(merge_rules_dir(sources, dir / "x.rules"));
    EXPECT_TRUE(merge_rules_dir(sources, dir));
}

TEST(Facts, AFileWithAKnownDirectoryBelowItIsADirectory) {  // facts put together from lists of names can say both
    Facts facts;
    facts.files = {"/opt/app", "/opt/log"};
    facts.directories = {"/opt/app/bin"};
    EXPECT_EQ(path_kind(facts, "/opt/app"), PathKind::directory);
    EXPECT_FALSE(parent_is_file(facts, "/opt/app/bin"));
    EXPECT_FALSE(parent_is_file(facts, "/opt/app/etc/x"));
    EXPECT_TRUE(parent_is_file(facts, "/opt/log/x"));
}

}  // namespace
}  // namespace auopt
