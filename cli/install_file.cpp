#include "cli/install_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

namespace auopt {
namespace {

constexpr mode_t new_file_mode = 0640;
constexpr int max_links = 40;  // as the kernel's MAXSYMLINKS

std::string reason() { return std::strerror(errno); }

/// Where `path` leads when the links in its last component are followed; that file need not exist.
tl::expected<std::string, std::string> follow_links(std::string path) {
    for (int i = 0; i < max_links; ++i) {
        struct stat st {};
        if (lstat(path.c_str(), &st) != 0) {
            if (errno == ENOENT) return path;
            return tl::unexpected(reason());
        }
        if (!S_ISLNK(st.st_mode)) return path;
        std::vector<char> buffer(4097);
        const ssize_t n = readlink(path.c_str(), buffer.data(), buffer.size() - 1);
        if (n < 0) return tl::unexpected(reason());
        std::string target(buffer.data(), static_cast<std::size_t>(n));
        const std::size_t slash = path.rfind('/');
        if (target[0] != '/' && slash != std::string::npos) target = path.substr(0, slash + 1) + target;
        path = std::move(target);
    }
    return tl::unexpected(std::string(std::strerror(ELOOP)));
}

/// Signals that end the program wait while a temporary file exists.
class SignalsHeld {
public:
    SignalsHeld() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGXFSZ}) sigaddset(&held, signal);
        sigprocmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
    sigset_t before_{};
};

class Temporary {
public:
    explicit Temporary(const std::string& directory, const std::string& base)
        : path_(directory + "/." + base + ".XXXXXX") {
        fd_ = mkostemp(path_.data(), O_CLOEXEC);
    }
    ~Temporary() {
        if (fd_ >= 0) {
            close(fd_);
            if (!renamed_) unlink(path_.c_str());
        }
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    int fd() const { return fd_; }
    bool rename_to(const std::string& path) {
        renamed_ = std::rename(path_.c_str(), path.c_str()) == 0;
        return renamed_;
    }

private:
    std::string path_;
    int fd_ = -1;
    bool renamed_ = false;
};

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// The SELinux label, where there is one; a system without labels has none to keep.
void copy_label(const std::string& from, int to) {
    std::vector<char> label(1024);
    const ssize_t n = getxattr(from.c_str(), "security.selinux", label.data(), label.size());
    if (n > 0) static_cast<void>(fsetxattr(to, "security.selinux", label.data(), static_cast<std::size_t>(n), 0) == 0);
}

}  // namespace

tl::expected<void, std::string> install_file(const std::string& given, std::string_view bytes) {
    const auto failed = [&](const std::string& what) { return tl::unexpected(fmt::format("{}: {}", given, what)); };
    const auto path = follow_links(given);
    if (!path) return failed(path.error());
    struct stat old {};
    const bool exists = stat(path->c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return failed("not a regular file");

    const std::size_t slash = path->rfind('/');
    const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path->substr(0, slash);
    const std::string base = slash == std::string::npos ? *path : path->substr(slash + 1);
    if (base.empty()) return failed("is a directory name");

    const SignalsHeld held;
    const int directory_fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory_fd < 0) return failed(fmt::format("{}: {}", directory, reason()));
    const auto finish = [&](std::optional<std::string> error) -> tl::expected<void, std::string> {
        close(directory_fd);
        if (error) return failed(*error);
        return {};
    };
    Temporary temporary(directory, base);
    if (temporary.fd() < 0) return finish("cannot make a temporary file beside it: " + reason());
    if (!write_all(temporary.fd(), bytes)) return finish("cannot be written: " + reason());
    if (exists) {
        struct stat now {};
        if (fstat(temporary.fd(), &now) != 0) return finish(reason());
        if ((now.st_uid != old.st_uid || now.st_gid != old.st_gid) &&
            fchown(temporary.fd(), old.st_uid, old.st_gid) != 0) {
            return finish("its ownership cannot be kept: " + reason());
        }
        copy_label(*path, temporary.fd());
    }
    if (fchmod(temporary.fd(), exists ? (old.st_mode & 07777U) : new_file_mode) != 0)
        return finish("its mode cannot be kept: " + reason());
    if (fsync(temporary.fd()) != 0) return finish("cannot be written to disk: " + reason());
    if (!temporary.rename_to(*path)) return finish("cannot be replaced: " + reason());
    // Some file systems cannot sync a directory and say EINVAL; the rename itself has happened.
    if (fsync(directory_fd) != 0 && errno != EINVAL && errno != EROFS)
        return finish("replaced, but the directory could not be synced: " + reason());
    return finish(std::nullopt);
}

}  // namespace auopt
