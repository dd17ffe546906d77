#include "cli/write_place.hpp"

#include <cerrno>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <fmt/format.h>

#include "cli/inputs.hpp"

namespace auopt {
namespace {

constexpr int max_links = 40;  // as the kernel's MAXSYMLINKS

std::string reason() { return std::strerror(errno); }

bool ours_or_roots(const struct stat& st) { return st.st_uid == 0 || st.st_uid == geteuid(); }

/// The components still to go; "." and empty ones say nothing, but at the end they say that it is a directory.
struct Components {
    std::deque<std::string> names;
    bool is_directory = false;

    void put_first(std::string_view path) {
        std::vector<std::string> parts;
        bool ends_in_directory = false;
        for (std::size_t at = 0; at <= path.size();) {
            const std::size_t end = std::min(path.find('/', at), path.size());
            const std::string_view part = path.substr(at, end - at);
            at = end + 1;
            ends_in_directory = part.empty() || part == "." || part == "..";
            if (!part.empty() && part != ".") parts.emplace_back(part);
        }
        if (names.empty()) is_directory = is_directory || ends_in_directory;
        names.insert(names.begin(), parts.begin(), parts.end());
    }
};

class Walk {
public:
    tl::expected<WritePlace, std::string> to(const std::string& path) {
        if (path.empty()) return tl::unexpected(std::string("the name is empty"));
        if (!start(path[0] == '/' ? "/" : ".")) return failed(path[0] == '/' ? "/" : ".", reason());
        left_.put_first(path);
        while (!left_.names.empty()) {
            const std::string name = std::move(left_.names.front());
            left_.names.pop_front();
            const bool last = left_.names.empty() && !left_.is_directory;
            FileDescriptor next(openat(place_.directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
            if (!next.is_open() && errno == ENOENT && last) {
                place_.name = name;
                return std::move(place_);
            }
            struct stat st {};
            if (!next.is_open() || fstat(next.get(), &st) != 0) return failed(name, reason());
            if (S_ISLNK(st.st_mode)) {
                if (auto error = follow(next, st, name)) return tl::unexpected(*std::move(error));
            } else if (S_ISDIR(st.st_mode)) {
                if (last) return failed(name, "is a directory");
                enter(std::move(next), st);
            } else if (!last) {
                return failed(name, std::strerror(ENOTDIR));
            } else {
                return end_at(name, st);
            }
        }
        return tl::unexpected(std::string("is a directory"));
    }

private:
    static tl::unexpected<std::string> failed(const std::string& name, const std::string& why) {
        return tl::unexpected(fmt::format("{}: {}", name, why));
    }

    bool start(const char* directory) {
        FileDescriptor fd(open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC));
        struct stat st {};
        if (!fd.is_open() || fstat(fd.get(), &st) != 0) return false;
        enter(std::move(fd), st);
        return true;
    }

    void enter(FileDescriptor fd, const struct stat& st) {
        place_.directory = std::move(fd);
        const bool others_write = (st.st_mode & S_IWOTH) != 0;
        const bool sticky = (st.st_mode & S_ISVTX) != 0;
        open_to_all_ = others_write;
        if (!ours_or_roots(st) || (others_write && !sticky)) in_foreign_hands_ = true;
    }

    std::optional<std::string> follow(const FileDescriptor& link, const struct stat& st, const std::string& name) {
        if (!ours_or_roots(st))
            return fmt::format("{}: a symbolic link of another user (uid {}) is not followed", name, st.st_uid);
        if (in_foreign_hands_ || open_to_all_)
            return fmt::format("{}: a symbolic link where other users may write is not followed", name);
        if (++links_ > max_links) return fmt::format("{}: {}", name, std::strerror(ELOOP));
        struct statfs fs {};
        if (fstatfs(link.get(), &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
            return fmt::format("{}: a link of /proc is not followed; - is standard output", name);
        std::vector<char> buffer(4097);
        const ssize_t n = readlinkat(link.get(), "", buffer.data(), buffer.size());
        if (n <= 0) return fmt::format("{}: {}", name, reason());
        const std::string target(buffer.data(), static_cast<std::size_t>(n));
        if (target[0] == '/' && !start("/")) return reason();
        left_.put_first(target);
        return std::nullopt;
    }

    tl::expected<WritePlace, std::string> end_at(const std::string& name, const struct stat& st) {
        if (!S_ISREG(st.st_mode)) return failed(name, "not a regular file");
        // As fs.protected_regular: who put it there keeps it open, and would own what we write.
        if (open_to_all_ && !ours_or_roots(st))
            return failed(
                name,
                fmt::format("belongs to another user (uid {}), in a directory that anybody may write to", st.st_uid));
        place_.name = name;
        place_.old = st;
        return std::move(place_);
    }

    WritePlace place_;
    Components left_;
    int links_ = 0;
    bool open_to_all_ = false;       // the directory that we are in
    bool in_foreign_hands_ = false;  // some directory on the way: all that follows can be replaced
};

}  // namespace

tl::expected<WritePlace, std::string> find_write_place(const std::string& path) { return Walk().to(path); }

tl::expected<std::string, std::string> read_old(const WritePlace& place) {
    if (!place.old) return tl::unexpected(std::string(std::strerror(ENOENT)));
    const FileDescriptor fd(
        openat(place.directory.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    return read_all(fd.get());
}

}  // namespace auopt
