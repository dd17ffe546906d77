// Where file watches are bound and in which order the inode hash holds their rules, as names come and go. Mirrors
// kernel/audit_watch.c: audit_add_watch, audit_update_watch (spec sections 1.2, 1.3).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_model/state.hpp"

namespace auopt {

/// What a watch compares: device and inode number.
struct Inode {
    std::uint32_t dev_major = 0, dev_minor = 0;
    std::uint64_t ino = 0;
    auto operator<=>(const Inode&) const = default;
};

/// Where a path= string leads when its rule is loaded.
struct WatchPlace {
    Inode parent;               // the directory of the last component
    std::optional<Inode> file;  // the name itself, a symbolic link not followed; empty: there is none
};

class WatchTable {
public:
    /// All path= rules of `state`, loaded in order by -a (after -A lines the order of rebound rules may differ).
    /// `look` gives the place of a path= string, or nothing when its directory is missing (such a rule does not load).
    WatchTable(const KernelState& state, const std::function<std::optional<WatchPlace>(const std::string&)>& look);

    /// True when an event on `name` in `parent` would change a watch.
    bool watched(const Inode& parent, std::string_view name) const;

    /// A name was made or moved here (`file`), or deleted or moved away (empty). Binds the watch on it anew, and puts its rules
    /// at the head of the bucket, in reverse. Of two watches on one name (two spellings of its directory) only the one
    /// changed last follows.
    void update(const Inode& parent, std::string_view name, const std::optional<Inode>& file);

    /// The path= strings bound to `file`.
    std::set<std::string> bound_to(const Inode& file) const;

    /// Rules of the inode hash (indices into KernelState::filter) in the order in which a bucket is walked.
    const std::vector<std::size_t>& order() const { return order_; }

private:
    struct Watch {
        std::string path, name;
        Inode parent;
        std::optional<Inode> file;
        std::vector<std::size_t> rules;  // krule list: the last added first
    };
    std::vector<Watch> watches_;  // the last added or changed first, as on a parent's list
    std::vector<std::size_t> order_;
};

}  // namespace auopt
