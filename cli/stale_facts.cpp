#include "cli/stale_facts.hpp"

#include <fmt/format.h>

namespace auopt {
namespace {

template <class T>
std::string shown(const T& value) {
    return fmt::format("{}", value);
}

template <class T>
void compare(std::vector<std::string>& out, const std::string& what, const std::optional<T>& given,
             const std::optional<T>& host) {
    if (given && host && *given != *host)
        out.push_back(fmt::format("{}: {}, here {}", what, shown(*given), shown(*host)));
}

void compare(std::vector<std::string>& out, const char* what, const std::map<std::string, std::uint32_t>& given,
             const std::map<std::string, std::uint32_t>& host) {
    for (const auto& [name, id] : given) {
        const auto here = host.find(name);
        if (here == host.end()) {
            out.push_back(fmt::format("{} {}: {}, here unknown", what, name, id));
        } else if (here->second != id) {
            out.push_back(fmt::format("{} {}: {}, here {}", what, name, id, here->second));
        }
    }
}

/// "": the facts do not list the path.
std::string kind_of(const Facts& facts, const std::string& path) {
    if (facts.directories.contains(path)) return "a directory";
    if (facts.files.contains(path)) return "a file";
    if (const auto link = facts.links.find(path); link != facts.links.end()) return "a link to " + link->second;
    if (facts.missing.contains(path)) return "missing";
    return {};
}

std::set<std::string> listed_paths(const Facts& facts) {
    std::set<std::string> paths = facts.directories;
    paths.insert(facts.files.begin(), facts.files.end());
    paths.insert(facts.missing.begin(), facts.missing.end());
    for (const auto& [path, target] : facts.links) paths.insert(path);
    return paths;
}

template <class Map>
std::set<std::string> names_of(const Map& map) {
    std::set<std::string> names;
    for (const auto& [name, value] : map) names.insert(name);
    return names;
}

}  // namespace

std::vector<std::string> contradictions(const Facts& given, const Facts& host) {
    std::vector<std::string> out;
    compare(out, "machine", given.machine, host.machine);
    compare(out, "kernel", given.kernel, host.kernel);
    compare(out, "auditctl", given.audit_version, host.audit_version);
    compare(out, "uid_min", given.uid_min, host.uid_min);
    compare(out, "user", given.users, host.users);
    compare(out, "group", given.groups, host.groups);
    for (const std::string& path : listed_paths(given)) {
        const std::string then = kind_of(given, path), now = kind_of(host, path);
        if (!now.empty() && then != now) out.push_back(fmt::format("{}: {}, here {}", path, then, now));
    }
    for (const auto& [path, inode] : given.inodes) {
        const auto here = host.inodes.find(path);
        if (here != host.inodes.end() && here->second != inode)
            out.push_back(fmt::format("{}: inode {}, here {}", path, inode.second, here->second.second));
    }
    return out;
}

std::vector<std::string> contradictions_with_host(const Facts& given) {
    return contradictions(given, host_facts(names_of(given.users), names_of(given.groups), listed_paths(given)));
}

}  // namespace auopt
