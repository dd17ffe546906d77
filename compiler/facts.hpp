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

#include <tl/expected.hpp>

namespace auopt {

struct Facts {
    std::optional<std::string> machine;  // uname -m
    std::map<std::string, std::uint32_t> users, groups;
    std::set<std::string> directories, files;  // absolute paths, no trailing slash (but "/")
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> inodes;  // path -> (dev, ino)
    std::optional<std::uint32_t> uid_min;
    std::optional<std::string> audit_version, kernel;
    /// --assume watch-kinds: a trailing '/' is a directory, anything else a file.
    bool assume_watch_kinds = false;
};

enum class PathKind { unknown, file, directory };

/// What `path` (as written, trailing slashes allowed) is according to the facts. Known parents of
/// known paths count as directories; "/" is always one.
PathKind path_kind(const Facts& facts, std::string_view path);

/// True when the facts say that a proper prefix of `path` is a file, so that a lookup must fail
/// with ENOTDIR.
bool parent_is_file(const Facts& facts, std::string_view path);

/// Reads a facts file. Error: a message naming the file, member and reason.
tl::expected<Facts, std::string> read_facts(const std::filesystem::path& file);
tl::expected<Facts, std::string> parse_facts(std::string_view json, std::string_view name);
/// The facts of this machine for the given user names, group names and paths.
Facts host_facts(const std::set<std::string>& users, const std::set<std::string>& groups,
                 const std::set<std::string>& paths);
std::string facts_to_json(const Facts& facts);

}  // namespace auopt
