// The files of a small world: directories, names and inode numbers. No links, no mounts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace auopt::simulator {

using Ino = std::uint32_t;
/// AUDIT_INO_UNSET: what a watch on a missing name and an unresolved name hold.
constexpr Ino no_inode = 0xFFFFFFFF;
constexpr Ino root_inode = 2;

struct File {
    Ino parent = root_inode;
    std::string name;
    std::uint32_t uid = 0;
    bool is_directory = false;
};

class Files {
public:
    Files();

    /// Where a path leads: its directory, its last component, and the file of that name if there is one.
    struct Place {
        Ino directory;
        std::string name;
        std::optional<Ino> file;
    };
    /// Nothing when the directory is missing (ENOENT). Slashes may be repeated; "." is the directory itself.
    std::optional<Place> place(std::string_view path) const;
    std::optional<Ino> find(std::string_view path) const;

    const File& at(Ino ino) const { return files_.at(ino); }
    bool holds(Ino ino) const { return files_.contains(ino); }
    bool is_empty(Ino directory) const;
    /// The inode and the directories above it, up to the root: what handle_path of auditsc.c looks at.
    std::vector<Ino> with_ancestors(Ino ino) const;

    /// A file with a number of the caller's choice, which must be free.
    void put(std::string_view path, Ino ino, bool is_directory, std::uint32_t uid = 0);
    /// A file with a number that was never used before.
    Ino make(Ino directory, const std::string& name, bool is_directory, std::uint32_t uid);
    void remove(Ino ino) { files_.erase(ino); }
    void move(Ino ino, Ino directory, const std::string& name);

    /// All of it, to tell two worlds apart.
    std::string fingerprint() const;

private:
    std::optional<Ino> child(Ino directory, std::string_view name) const;

    std::map<Ino, File> files_;
    Ino next_ = 100;
};

}  // namespace auopt::simulator
