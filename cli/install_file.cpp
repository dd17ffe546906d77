#include "cli/install_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fmt/format.h>

namespace auopt {
namespace {

constexpr mode_t audit_rules_mode = 0640;  // as augenrules
constexpr mode_t kept_bits = 0755;         // of a mode: never writable for group or others, never set-id

std::string reason() { return std::strerror(errno); }

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

/// ".NAME.XXXXXX"; a long name is cut, so that where the file itself fits its temporary does too.
std::string temporary_name(const std::string& base) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    std::random_device random;
    std::string name = "." + base.substr(0, 200) + ".";
    for (int i = 0; i < 6; ++i) name += letters[random() % letters.size()];
    return name;
}

class Temporary {
public:
    Temporary(int directory, const std::string& base) : directory_(directory) {
        constexpr int tries = 100;
        for (int i = 0; i < tries && fd_ < 0; ++i) {
            name_ = temporary_name(base);
            fd_ = openat(directory, name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
            if (fd_ < 0 && errno != EEXIST) break;
        }
    }
    ~Temporary() {
        if (fd_ < 0) return;
        close(fd_);
        if (!renamed_) unlinkat(directory_, name_.c_str(), 0);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    int fd() const { return fd_; }
    bool rename_to(const std::string& name) {
        renamed_ = renameat(directory_, name_.c_str(), directory_, name.c_str()) == 0;
        return renamed_;
    }

private:
    int directory_;
    std::string name_;
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

/// An extended attribute. Nothing: there is none. Error: it cannot be told.
tl::expected<std::optional<std::vector<char>>, std::string> attribute(int fd, const char* name) {
    std::vector<char> value(1U << 16U);  // XATTR_SIZE_MAX
    const ssize_t n = fgetxattr(fd, name, value.data(), value.size());
    if (n < 0 && (errno == ENODATA || errno == EOPNOTSUPP)) return std::nullopt;
    if (n < 0) return tl::unexpected(reason());
    value.resize(static_cast<std::size_t>(n));
    return value;
}

/// The SELinux label, where there is one; a system without labels has none to keep.
void copy_label(int from, int to) {
    const auto label = attribute(from, "security.selinux");
    if (label && *label) static_cast<void>(fsetxattr(to, "security.selinux", (*label)->data(), (*label)->size(), 0));
}

/// The access control list of `from`, and no other: the directory may have given `to` one that lets more users read.
std::optional<std::string> copy_access_list(int from, int to) {
    constexpr const char* acl = "system.posix_acl_access";
    const auto list = attribute(from, acl);
    if (!list) return "its access control list cannot be read: " + list.error();
    const int done = *list ? fsetxattr(to, acl, (*list)->data(), (*list)->size(), 0) : fremovexattr(to, acl);
    if (done == 0 || (!*list && (errno == ENODATA || errno == EOPNOTSUPP))) return std::nullopt;
    return "its access control list cannot be kept: " + reason();
}

mode_t current_umask() {
    const mode_t mask = umask(0077);
    umask(mask);
    return mask;
}

/// Owner, group, label, list and mode, in this order: a change of owner resets bits, and the mode limits the list.
std::optional<std::string> dress(const WritePlace& place, int to, FileKind kind) {
    mode_t mode = 0666 & ~current_umask();
    if (place.old) {
        const struct stat& old = *place.old;
        mode = old.st_mode;
        struct stat now {};
        if (fstat(to, &now) != 0) return reason();
        const uid_t owner = kind == FileKind::audit_rules ? now.st_uid : old.st_uid;
        if ((now.st_uid != owner || now.st_gid != old.st_gid) && fchown(to, owner, old.st_gid) != 0)
            return "its ownership cannot be kept: " + reason();
        const FileDescriptor from(openat(place.directory.get(), place.name.c_str(),
                                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
        struct stat opened {};
        if (!from.is_open() || fstat(from.get(), &opened) != 0)
            return "its access control list cannot be read: " + reason();
        if (opened.st_dev != old.st_dev || opened.st_ino != old.st_ino) return "was replaced by somebody else just now";
        copy_label(from.get(), to);
        if (auto error = copy_access_list(from.get(), to)) return error;
    }
    if (kind == FileKind::audit_rules) mode = audit_rules_mode;
    if (fchmod(to, mode & kept_bits) != 0) return "its mode cannot be set: " + reason();
    return std::nullopt;
}

}  // namespace

tl::expected<void, std::string> install_file(const WritePlace& place, const std::string& shown, std::string_view bytes,
                                             FileKind kind) {
    const auto failed = [&](const std::string& what) { return tl::unexpected(fmt::format("{}: {}", shown, what)); };
    const SignalsHeld held;
    // The place was opened for its path alone; to sync a directory takes more.
    const FileDescriptor directory(openat(place.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.is_open()) return failed("its directory cannot be opened: " + reason());
    Temporary temporary(place.directory.get(), place.name);
    if (temporary.fd() < 0) return failed("cannot make a temporary file beside it: " + reason());
    if (!write_all(temporary.fd(), bytes)) return failed("cannot be written: " + reason());
    if (const auto error = dress(place, temporary.fd(), kind)) return failed(*error);
    if (fsync(temporary.fd()) != 0) return failed("cannot be written to disk: " + reason());
    if (!temporary.rename_to(place.name)) return failed("cannot be replaced: " + reason());
    // Some file systems cannot sync a directory and say EINVAL; the rename itself has happened.
    if (fsync(directory.get()) != 0 && errno != EINVAL && errno != EROFS)
        return failed("replaced, but the directory could not be synced: " + reason());
    return {};
}

tl::expected<void, std::string> install_file(const std::string& path, std::string_view bytes, FileKind kind) {
    const auto place = find_write_place(path);
    if (!place) return tl::unexpected(fmt::format("{}: {}", path, place.error()));
    return install_file(*place, path, bytes, kind);
}

}  // namespace auopt
