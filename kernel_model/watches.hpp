// Where file watches are bound and in which order the inode hash holds their rules, as names come and go; and which rules go
// with a directory: those of its watches, trees and programs. Mirrors kernel/audit_watch.c (audit_add_watch,
// audit_update_watch, audit_remove_parent_watches), audit_tree.c (kill_rules) and audit_fsnotify.c (spec sections 1.2, 1.3, 9a).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_model/event.hpp"
#include "kernel_model/state.hpp"

namespace auopt {

/// Where a path= or exe= string leads when its rule is loaded.
struct WatchPlace {
    Inode parent;               // the directory of the last component
    std::optional<Inode> file;  // the name itself, a symbolic link not followed; empty: there is none
};

/// Where the names of rules lead. Nothing: the kernel refuses the rule there, since something is missing.
struct HostPlaces {
    std::function<std::optional<WatchPlace>(const std::string&)> watch;  // of a path= string
    std::function<std::optional<Inode>(const std::string&)> tree;        // the root of a dir= string
    /// Of an exe= string. Asked again whenever a rule with exe= and path= is bound anew, as the kernel does.
    std::function<std::optional<WatchPlace>(const std::string&)> program;
};

class WatchTable {
public:
    /// All path= rules of `state`.
    /// `look` gives the place of a path= string, or nothing when its directory is missing (such a rule does not load).
    WatchTable(const KernelState& state, const std::function<std::optional<WatchPlace>(const std::string&)>& look);

    /// The same with trees and programs, so that rules go when their directory does. Rules that were refused are gone at once.
    WatchTable(const KernelState& state, HostPlaces look);

    /// True when an event on `name` in `parent` would change a watch.
    bool watched(const Inode& parent, std::string_view name) const;

    /// A name was made or moved here (`file`), or deleted or moved away (empty). Binds the watch on it anew, and puts its rules
    /// at the head of the bucket, in reverse. Of two watches on one name (two spellings of its directory) only the one
    /// changed last follows.
    void update(const Inode& parent, std::string_view name, const std::optional<Inode>& file);

    /// The path= strings bound to `file`.
    std::set<std::string> bound_to(const Inode& file) const;

    /// A directory was removed, or moved to another name: its watches and its programs take their rules along. Result: how many,
    /// each with a CONFIG_CHANGE record.
    std::size_t drop_directory(const Inode& directory);
    /// Rules of the trees whose root was removed. The kernel does this at the exit of the call.
    std::size_t drop_trees(const Inode& root);
    bool gone(std::size_t rule) const { return gone_[rule]; }
    /// audit_n_rules: rules that go with a watch or a tree stay counted, those that go with a program don't.
    std::uint32_t counted() const { return counted_; }

    /// Is `program` what the rule's exe= names? Nothing is known of rules without exe=, and nothing without HostPlaces.
    bool runs(std::size_t rule, const Inode& program) const {
        return programs_[rule] && programs_[rule]->file == program;
    }

    /// Rules of the inode hash (indices into KernelState::filter) in the order in which a bucket is walked.
    const std::vector<std::size_t>& order() const { return order_; }

private:
    struct Watch {
        std::string path, name;
        Inode parent;
        std::optional<Inode> file;
        std::vector<std::size_t> rules;  // krule list: the last added first
    };
    struct Tree {
        std::string path;
        Inode root;
        std::vector<std::size_t> rules;
    };
    void drop(std::size_t rule);

    HostPlaces look_;
    std::vector<std::string> program_names_;           // by rule; empty: no exe=
    std::vector<std::optional<WatchPlace>> programs_;  // by rule: its mark
    std::vector<Tree> trees_;
    std::vector<bool> gone_;  // by rule
    std::uint32_t counted_ = 0;
    std::vector<Watch> watches_;  // the last added or changed first, as on a parent's list
    std::vector<std::size_t> order_;
};

}  // namespace auopt
