// Replacing a file: all or nothing, what was kept of the old one, which links are followed, no temporary left behind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <csignal>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/install_file.hpp"

namespace auopt {
namespace {

namespace fs = std::filesystem;

class InstallFile : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "auopt-install.XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { fs::remove_all(folder); }

    static std::string read(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        return text.str();
    }
    static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
    static unsigned mode(const fs::path& path) {
        struct stat st {};
        stat(path.c_str(), &st);
        return st.st_mode & 07777U;
    }
    std::size_t entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {})); }

    fs::path folder;
};

TEST_F(InstallFile, NewFilesHonourTheUmaskAndAreNeverWritableForOthers) {
    const struct {
        mode_t mask, expected;
    } cases[] = {{0, 0644}, {022, 0644}, {027, 0640}, {077, 0600}, {0777, 0}, {0002, 0644}};
    for (const auto& c : cases) {
        const fs::path path = folder / fmt::format("new-{:o}", c.mask);
        const mode_t before = umask(c.mask);
        ASSERT_TRUE(install_file(path, "text"));
        umask(before);
        EXPECT_EQ(mode(path), c.expected) << c.mask;
    }
    EXPECT_EQ(entries(), std::size(cases));
    EXPECT_EQ(read(folder / "new-22"), "text");
}

TEST_F(InstallFile, AuditRulesAre0640WhateverWasThere) {
    const mode_t before = umask(0777);
    ASSERT_TRUE(install_file(folder / "new", "text", FileKind::audit_rules));
    umask(before);
    EXPECT_EQ(mode(folder / "new"), 0640U);
    for (const mode_t old : {0666U, 0777U, 0644U, 0600U, 0400U, 06755U}) {
        const fs::path path = folder / fmt::format("old-{:o}", old);
        write(path, "before");
        ASSERT_EQ(chmod(path.c_str(), old), 0);
        ASSERT_TRUE(install_file(path, "after", FileKind::audit_rules));
        EXPECT_EQ(mode(path), 0640U) << old;
        EXPECT_EQ(read(path), "after");
    }
}

TEST_F(InstallFile, ModeIsKeptButForWhatIsNotSafe) {
    const struct {
        mode_t old, expected;
    } cases[] = {{0604, 0604}, {0640, 0640}, {0600, 0600},  {0400, 0400},  {0666, 0644},
                 {0664, 0644}, {0777, 0755}, {04755, 0755}, {02755, 0755}, {0000, 0000}};
    for (const auto& c : cases) {
        const fs::path path = folder / fmt::format("old-{:o}", c.old);
        write(path, "before");
        ASSERT_EQ(chmod(path.c_str(), c.old), 0);
        if (c.old == 0 && geteuid() != 0) continue;  // its list cannot be read
        ASSERT_TRUE(install_file(path, "after")) << c.old;
        EXPECT_EQ(mode(path), c.expected) << c.old;
    }
}

TEST_F(InstallFile, OwnershipIsKeptExceptOfAuditRules) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    for (const FileKind kind : {FileKind::ordinary, FileKind::audit_rules}) {
        write(folder / "old", "before");
        ASSERT_EQ(chown((folder / "old").c_str(), 12, 34), 0);
        ASSERT_TRUE(install_file(folder / "old", "after", kind));
        struct stat st {};
        ASSERT_EQ(stat((folder / "old").c_str(), &st), 0);
        // auditctl refuses rules of another user than root.
        EXPECT_EQ(st.st_uid, kind == FileKind::audit_rules ? 0U : 12U);
        EXPECT_EQ(st.st_gid, 34U);
        fs::remove(folder / "old");
    }
}

/// An access control list as the kernel has it: user::rw-, user:UID:PERM, group::r--, mask::PERM, other::---.
std::string access_list(std::uint32_t uid, std::uint16_t perm) {
    std::string bytes;
    const auto put = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    const auto entry = [&](std::uint16_t tag, std::uint16_t p, std::uint32_t id) {
        put(tag);
        put(p);
        put(id);
    };
    put(std::uint32_t{2});
    entry(0x01, 6, 0xFFFFFFFF);
    entry(0x02, perm, uid);
    entry(0x04, 4, 0xFFFFFFFF);
    entry(0x10, perm, 0xFFFFFFFF);
    entry(0x20, 0, 0xFFFFFFFF);
    return bytes;
}

std::string access_list_of(const fs::path& path) {
    std::string bytes(1024, '\0');
    const ssize_t n = getxattr(path.c_str(), "system.posix_acl_access", bytes.data(), bytes.size());
    bytes.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
    return bytes;
}

TEST_F(InstallFile, AccessListsAreKeptButNobodyElseMayWrite) {
    for (const FileKind kind : {FileKind::ordinary, FileKind::audit_rules}) {
        for (const std::uint16_t perm : {std::uint16_t{4}, std::uint16_t{6}}) {
            const fs::path path = folder / "listed";
            write(path, "before");
            const std::string list = access_list(77, perm);
            if (setxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0)
                GTEST_SKIP() << "no access control lists on this file system";
            ASSERT_TRUE(install_file(path, "after", kind));
            // The list is there, and its mask, which is the mode's group, lets nobody write.
            std::string expected = list;
            expected[4 + 3 * 8 + 2] = 4;
            EXPECT_EQ(access_list_of(path), expected) << perm;
            EXPECT_EQ(mode(path) & 022U, 0U);
            fs::remove(path);
        }
    }
}

TEST_F(InstallFile, ADirectorysDefaultListGivesNobodyMore) {
    const std::string list = access_list(77, 7);
    if (setxattr(folder.c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0)
        GTEST_SKIP() << "no access control lists on this file system";
    write(folder / "old", "before");
    ASSERT_EQ(removexattr((folder / "old").c_str(), "system.posix_acl_access"), 0);
    ASSERT_EQ(chmod((folder / "old").c_str(), 0640), 0);
    ASSERT_TRUE(install_file(folder / "old", "after"));
    EXPECT_EQ(access_list_of(folder / "old"), "");
    EXPECT_EQ(mode(folder / "old"), 0640U);
}

TEST_F(InstallFile, LinksAreFollowedAndStay) {
    fs::create_directory(folder / "sub");
    write(folder / "sub" / "target", "before");
    fs::create_symlink("sub/target", folder / "link");
    fs::create_symlink("link", folder / "link-to-link");
    ASSERT_TRUE(install_file(folder / "link-to-link", "after"));
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_TRUE(fs::is_symlink(folder / "link-to-link"));
    EXPECT_EQ(read(folder / "sub" / "target"), "after");
    // A dangling link's target is made.
    fs::create_symlink("sub/fresh", folder / "dangling");
    ASSERT_TRUE(install_file(folder / "dangling", "new"));
    EXPECT_EQ(read(folder / "sub" / "fresh"), "new");
}

/// What a user could lead root with: each case is a path below `folder`, which is ours.
class ForeignLinks : public InstallFile {
protected:
    void SetUp() override {
        InstallFile::SetUp();
        if (geteuid() != 0) GTEST_SKIP() << "needs root, to make files of other users";
        fs::create_directory(folder / "safe");
        write(folder / "safe" / "victim", "secret");
        ASSERT_EQ(chmod((folder / "safe" / "victim").c_str(), 0600), 0);
    }
    void make(const fs::path& directory, mode_t wanted, uid_t owner) {
        fs::create_directory(directory);
        ASSERT_EQ(chown(directory.c_str(), owner, owner), 0);
        ASSERT_EQ(chmod(directory.c_str(), wanted), 0);
    }
    void link(const fs::path& target, const fs::path& path, uid_t owner) {
        fs::create_symlink(target, path);
        ASSERT_EQ(lchown(path.c_str(), owner, owner), 0);
    }
    /// Refused, and nothing is changed or left behind.
    void refused(const fs::path& path, const std::string& why) {
        const auto result = install_file(path, "overwritten");
        ASSERT_FALSE(result) << path;
        EXPECT_NE(result.error().find(why), std::string::npos) << result.error();
        EXPECT_EQ(read(folder / "safe" / "victim"), "secret");
        EXPECT_EQ(std::distance(fs::directory_iterator(folder / "safe"), {}), 1);
    }
    static constexpr uid_t user = 65000;
};

TEST_F(ForeignLinks, OfAnotherUserAreNeverFollowed) {
    for (const mode_t wanted : {0755U, 01777U, 0777U, 0700U}) {
        const fs::path there = folder / fmt::format("{:o}", wanted);
        make(there, wanted, 0);
        link(folder / "safe" / "victim", there / "file", user);
        link(folder / "safe" / "new", there / "dangling", user);
        link(folder / "safe", there / "directory", user);
        refused(there / "file", "link of another user (uid 65000)");
        refused(there / "dangling", "link of another user (uid 65000)");
        refused(there / "directory" / "victim", "link of another user (uid 65000)");
        EXPECT_TRUE(fs::is_symlink(there / "file"));
    }
}

TEST_F(ForeignLinks, EvenRootsAreNotFollowedWhereOthersMayPutThem) {
    const struct {
        mode_t wanted;
        uid_t owner;
    } cases[] = {{01777, 0}, {0777, 0}, {0755, user}, {0700, user}, {01777, user}};
    for (const auto& c : cases) {
        const fs::path there = folder / fmt::format("{:o}-{}", c.wanted, c.owner);
        make(there, c.wanted, c.owner);
        link(folder / "safe" / "victim", there / "file", 0);
        link(folder / "safe", there / "directory", 0);
        refused(there / "file", "where other users may write");
        refused(there / "directory" / "victim", "where other users may write");
        // Through a link that may be followed, and back up again.
        link(there, folder / "way", 0);
        refused(folder / "way" / "file", "where other users may write");
        refused(there / ".." / "way" / "file", "where other users may write");
        fs::remove(folder / "way");
    }
}

TEST_F(ForeignLinks, BelowADirectoryOfAnotherUserNoneIs) {
    // Whoever owns a directory can put any other directory in the place of one in it.
    for (const auto& [wanted, owner] : {std::pair<mode_t, uid_t>{0755, user}, {0777, 0}}) {
        const fs::path there = folder / fmt::format("{:o}", wanted);
        make(there, wanted, owner);
        make(there / "roots", 0755, 0);
        link(folder / "safe" / "victim", there / "roots" / "file", 0);
        refused(there / "roots" / "file", "where other users may write");
        // A name that is no link can be written.
        EXPECT_TRUE(install_file(there / "roots" / "new", "text"));
        // Below a sticky directory nobody else can: there our own links are as good as anywhere.
        const fs::path sticky = folder / fmt::format("sticky-{:o}", wanted);
        make(sticky, 01777, 0);
        make(sticky / "roots", 0755, 0);
        write(sticky / "roots" / "target", "before");
        link("target", sticky / "roots" / "file", 0);
        ASSERT_TRUE(install_file(sticky / "roots" / "file", "after"));
        EXPECT_EQ(read(sticky / "roots" / "target"), "after");
    }
}

TEST_F(ForeignLinks, AFileOfAnotherUserIsNotReplacedWhereAnybodyMayWrite) {
    for (const mode_t wanted : {01777U, 0777U}) {
        const fs::path there = folder / fmt::format("{:o}", wanted);
        make(there, wanted, 0);
        write(there / "file", "planted");
        ASSERT_EQ(chown((there / "file").c_str(), user, user), 0);
        const auto result = install_file(there / "file", "ours");
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().find("belongs to another user"), std::string::npos) << result.error();
        EXPECT_EQ(read(there / "file"), "planted");
        EXPECT_TRUE(install_file(there / "new", "ours"));
    }
    // In that user's own directory it is: root writes for a user here, and the file stays the user's.
    make(folder / "home", 0700, user);
    write(folder / "home" / "file", "before");
    ASSERT_EQ(chown((folder / "home" / "file").c_str(), user, user), 0);
    ASSERT_TRUE(install_file(folder / "home" / "file", "after"));
    EXPECT_EQ(read(folder / "home" / "file"), "after");
}

TEST_F(InstallFile, LinksOfRootOnTheWayAreFollowed) {
    // /etc/audit as a link, as some image builders make it, also through an absolute target and "..".
    fs::create_directories(folder / "real" / "audit");
    fs::create_directory(folder / "etc");
    fs::create_symlink("../real/audit", folder / "etc" / "audit");
    fs::create_symlink(folder / "etc" / "audit", folder / "etc" / "absolute");
    ASSERT_TRUE(install_file(folder / "etc" / "audit" / "audit.rules", "one"));
    EXPECT_EQ(read(folder / "real" / "audit" / "audit.rules"), "one");
    ASSERT_TRUE(install_file(folder / "etc" / "absolute" / "." / ".." / "audit" / "audit.rules", "two"));
    EXPECT_EQ(read(folder / "real" / "audit" / "audit.rules"), "two");
    EXPECT_TRUE(fs::is_symlink(folder / "etc" / "audit"));
}

TEST_F(InstallFile, LinksOfProcAreNotFollowed) {
    const auto result = install_file("/proc/self/fd/1", "text");
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().find("- is standard output"), std::string::npos) << result.error();
}

TEST_F(InstallFile, LongNamesFit) {
    const std::string longest(255, 'n');
    ASSERT_TRUE(install_file(folder / longest, "text"));
    EXPECT_EQ(read(folder / longest), "text");
    EXPECT_FALSE(install_file(folder / std::string(256, 'n'), "text"));
}

TEST_F(InstallFile, FailuresLeaveNothingBehind) {
    EXPECT_FALSE(install_file(folder / "nowhere" / "x", "text"));
    fs::create_symlink("loop", folder / "loop");
    EXPECT_FALSE(install_file(folder / "loop", "text"));
    fs::create_directory(folder / "directory");
    EXPECT_FALSE(install_file(folder / "directory", "text"));
    for (const char* end : {"/", "/.", "/..", "/../directory", "//", "/./"})
        EXPECT_FALSE(install_file((folder / "directory").string() + end, "text")) << end;
    for (const char* directory : {"", "/", ".", "..", "./", "../.."}) EXPECT_FALSE(install_file(directory, "text"));
    write(folder / "plain", "before");
    EXPECT_FALSE(install_file((folder / "plain").string() + "/", "text"));
    EXPECT_FALSE(install_file(folder / "plain" / "below", "text"));
    EXPECT_EQ(read(folder / "plain"), "before");
    fs::remove(folder / "plain");
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(install_file(folder / "pipe", "text"));
    EXPECT_EQ(entries(), 3U);
}

TEST_F(InstallFile, AFullDiskLeavesTheOldFile) {
    // A file size limit fails the write as a full disk would.
    write(folder / "old", "before");
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction saved {};
    sigaction(SIGXFSZ, &ignore, &saved);
    struct rlimit limit {
    }, small{};
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 10;
    setrlimit(RLIMIT_FSIZE, &small);
    const auto result = install_file(folder / "old", std::string(100, 'x'));
    setrlimit(RLIMIT_FSIZE, &limit);
    sigaction(SIGXFSZ, &saved, nullptr);
    EXPECT_FALSE(result);
    EXPECT_EQ(read(folder / "old"), "before");
    EXPECT_EQ(entries(), 1U);
}

}  // namespace
}  // namespace auopt
