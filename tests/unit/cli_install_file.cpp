// Replacing a file: all or nothing, mode and link kept, no temporary left behind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <csignal>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(InstallFile, NewFilesAre0640WhateverTheUmask) {
    const mode_t before = umask(0777);
    ASSERT_TRUE(install_file(folder / "new", "text"));
    umask(before);
    EXPECT_EQ(mode(folder / "new"), 0640U);
    EXPECT_EQ(read(folder / "new"), "text");
    EXPECT_EQ(entries(), 1U);
}

TEST_F(InstallFile, ModeAndOwnershipAreKept) {
    write(folder / "old", "before");
    ASSERT_EQ(chmod((folder / "old").c_str(), 0604), 0);
    if (geteuid() == 0) {
        ASSERT_EQ(chown((folder / "old").c_str(), 12, 34), 0);
    }
    ASSERT_TRUE(install_file(folder / "old", "after"));
    EXPECT_EQ(mode(folder / "old"), 0604U);
    if (geteuid() == 0) {
        struct stat st {};
        ASSERT_EQ(stat((folder / "old").c_str(), &st), 0);
        EXPECT_EQ(st.st_uid, 12U);
        EXPECT_EQ(st.st_gid, 34U);
    }
    EXPECT_EQ(read(folder / "old"), "after");
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

TEST_F(InstallFile, FailuresLeaveNothingBehind) {
    EXPECT_FALSE(install_file(folder / "nowhere" / "x", "text"));
    fs::create_symlink("loop", folder / "loop");
    EXPECT_FALSE(install_file(folder / "loop", "text"));
    fs::create_directory(folder / "directory");
    EXPECT_FALSE(install_file(folder / "directory", "text"));
    EXPECT_FALSE(install_file((folder / "directory").string() + "/", "text"));
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
