// Host facts: what a rules file cannot say by itself. Absent is unknown, never false.
// Format: docs/facts in the CLI reference ("Facts file").
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace auopt {

/// Paths are absolute, without repeated slashes or one at the end (but "/"). `directories`, `files`, `links` and
/// `missing` are what lstat(2) says, so a link is in none of the others; a path that is in none of the four is unknown.
struct Facts {
    std::optional<std::string> machine;  // uname -m
    std::map<std::string, std::uint32_t> users, groups;
    std::set<std::string> directories, files;  // files: whatever is neither directory nor link
    std::map<std::string, std::string> links;  // path -> target, as readlink(2) has it
    std::set<std::string> missing;             // when the facts were taken; by the next load they may be anything
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> inodes;  // path -> (dev, ino), of a link its own
    std::optional<std::uint32_t> uid_min;
    std::optional<std::string> audit_version, kernel;
    std::optional<std::vector<std::string>> lsm;  // security modules in the kernel's order
    std::optional<std::set<std::string>> mounts;  // every mount point below one of `directories`
    /// --assume watch-kinds: a trailing '/' is a directory, anything else a file.
    bool assume_watch_kinds = false;
};

enum class PathKind { unknown, file, directory };

/// What auditctl's stat(2) makes of `path` (as written, trailing slashes allowed) in -w: links are followed. Known
/// parents of known paths count as directories; "/" is always one. What is missing or not listed is unknown: auditctl
/// sends path= where stat fails, but at the next load a directory may be there.
PathKind path_kind(const Facts& facts, std::string_view path);

/// True when the facts list `path`, trailing slashes aside, as a directory that is no link: dir= with and without a
/// slash at the end is then one tree. For a link the kernel follows it only with the slash.
bool is_real_directory(const Facts& facts, std::string_view path);

/// Where a link of the facts leads: its target, behind the link's own directory if it is relative. Nothing: no link.
std::optional<std::string> link_target(const Facts& facts, std::string_view path);

/// True when the facts say that a proper prefix of `path` is a file, so that a lookup must fail
/// with ENOTDIR.
bool parent_is_file(const Facts& facts, std::string_view path);

/// Reads a facts file. Error: a message naming the file, member and reason.
tl::expected<Facts, std::string> read_facts(const std::filesystem::path& file);
tl::expected<Facts, std::string> parse_facts(std::string_view json, std::string_view name);
/// The facts of this machine for the given user names, group names and paths, and for where these lead if they are
/// links. The last component is looked at as the kernel does for path=, exe= and dir=: a link is not followed.
Facts host_facts(const std::set<std::string>& users, const std::set<std::string>& groups,
                 const std::set<std::string>& paths);
std::string facts_to_json(const Facts& facts);

}  // namespace auopt
