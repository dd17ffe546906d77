#include "compiler/facts.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace auopt {

namespace {

using Json = nlohmann::json;

/// The path with repeated and trailing slashes removed; "/" stays.
std::string normal_path(std::string_view path) {
    std::string out;
    for (const char c : path)
        if (c != '/' || out.empty() || out.back() != '/') out += c;
    if (out.size() > 1 && out.back() == '/') out.pop_back();
    return out;
}

bool has_dot_component(std::string_view path) {
    std::size_t at = 0;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (part == "." || part == "..") return true;
        at = end + 1;
    }
    return false;
}

/// "/", and what is "/" by another name on every host: "/.", "/../..".
bool is_root(std::string_view plain) {
    for (std::size_t at = 0; at < plain.size();) {
        const std::size_t end = std::min(plain.find('/', at), plain.size());
        const std::string_view part = plain.substr(at, end - at);
        if (!part.empty() && part != "." && part != "..") return false;
        at = end + 1;
    }
    return true;
}

/// True when `set` holds a path below `path`.
bool holds_below(const std::set<std::string>& set, const std::string& path) {
    const std::string prefix = path + "/";
    const auto it = set.lower_bound(prefix);
    return it != set.end() && it->starts_with(prefix);
}

/// Reads one member after the other and keeps the first thing that is wrong.
struct Reader {
    std::string_view name;
    std::string problem;

    void complain(const std::string& member, const std::string& what) {
        if (problem.empty()) problem = fmt::format("{}: {}: {}", name, member, what);
    }
    std::optional<std::uint32_t> u32(const std::string& member, const Json& value) {
        if (!value.is_number_integer() || value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
            complain(member, "a number from 0 to 4294967295 is wanted");
            return std::nullopt;
        }
        return value.get<std::uint32_t>();
    }
    std::optional<std::string> text(const std::string& member, const Json& value) {
        if (!value.is_string()) {
            complain(member, "a string is wanted");
            return std::nullopt;
        }
        return value.get<std::string>();
    }
    void ids(const std::string& member, const Json& value, std::map<std::string, std::uint32_t>& out) {
        if (!value.is_object()) return complain(member, "an object of names and numbers is wanted");
        for (const auto& [key, number] : value.items())
            if (const auto id = u32(member + "." + key, number)) out[key] = *id;
    }
    bool absolute(const std::string& member, const std::string& path) {
        if (!path.empty() && path[0] == '/') return true;
        complain(member, "an absolute path is wanted");
        return false;
    }
    void paths(const std::string& member, const Json& value, std::set<std::string>& out) {
        if (!value.is_array()) return complain(member, "a list of absolute paths is wanted");
        for (std::size_t i = 0; i < value.size(); ++i) {
            const std::string item = fmt::format("{}[{}]", member, i);
            if (const auto path = text(item, value[i]); path && absolute(item, *path)) out.insert(normal_path(*path));
        }
    }
    void inodes(const std::string& member, const Json& value,
                std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>& out) {
        if (!value.is_object()) return complain(member, "an object of paths and [device, inode] pairs is wanted");
        for (const auto& [path, pair] : value.items()) {
            const std::string item = member + "." + path;
            const bool good =
                pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned();
            if (!good) {
                complain(item, "a pair [device, inode] is wanted");
            } else if (absolute(item, path)) {
                out[normal_path(path)] = {pair[0].get<std::uint64_t>(), pair[1].get<std::uint64_t>()};
            }
        }
    }
};

}  // namespace

PathKind path_kind(const Facts& facts, std::string_view path) {
    if (path.empty() || path[0] != '/') return PathKind::unknown;
    const std::string plain = normal_path(path);
    if (is_root(plain)) return PathKind::directory;
    const bool slash = path.back() == '/';
    if (facts.directories.contains(plain)) return PathKind::directory;
    // A name listed as a file with a known directory below it is that directory's parent, whatever the list says.
    if (!has_dot_component(plain) && holds_below(facts.directories, plain)) return PathKind::directory;
    // stat("file/") fails with ENOTDIR, which auditctl takes as "not a directory" too.
    if (facts.files.contains(plain)) return PathKind::file;
    if (!has_dot_component(plain)) {
        if (holds_below(facts.files, plain)) return PathKind::directory;
        if (parent_is_file(facts, plain)) return PathKind::file;
    }
    if (facts.assume_watch_kinds) return slash ? PathKind::directory : PathKind::file;
    return PathKind::unknown;
}

bool parent_is_file(const Facts& facts, std::string_view path) {
    if (path.empty() || path[0] != '/') return false;
    const std::string plain = normal_path(path);
    for (std::size_t at = plain.find('/', 1); at != std::string::npos; at = plain.find('/', at + 1)) {
        const std::string parent = plain.substr(0, at);
        if (facts.files.contains(parent) && !facts.directories.contains(parent) &&
            !holds_below(facts.directories, parent))
            return true;
    }
    return false;
}

tl::expected<Facts, std::string> parse_facts(std::string_view json, std::string_view name) {
    const Json root = Json::parse(json, nullptr, false);
    if (root.is_discarded()) return tl::unexpected(fmt::format("{}: not valid JSON", name));
    if (!root.is_object()) return tl::unexpected(fmt::format("{}: an object is wanted", name));
    Facts facts;
    Reader reader{name, {}};
    for (const auto& [member, value] : root.items()) {
        if (member == "machine") {
            facts.machine = reader.text(member, value);
        } else if (member == "users") {
            reader.ids(member, value, facts.users);
        } else if (member == "groups") {
            reader.ids(member, value, facts.groups);
        } else if (member == "directories") {
            reader.paths(member, value, facts.directories);
        } else if (member == "files") {
            reader.paths(member, value, facts.files);
        } else if (member == "inodes") {
            reader.inodes(member, value, facts.inodes);
        } else if (member == "uid_min") {
            facts.uid_min = reader.u32(member, value);
        } else if (member == "audit_version") {
            facts.audit_version = reader.text(member, value);
        } else if (member == "kernel") {
            facts.kernel = reader.text(member, value);
        } else {
            reader.complain(member, "no such member");
        }
    }
    for (const auto& path : facts.files) {
        if (facts.directories.contains(path))
            reader.complain("files", fmt::format("{} is also among the directories", path));
    }
    if (!reader.problem.empty()) return tl::unexpected(reader.problem);
    return facts;
}

tl::expected<Facts, std::string> read_facts(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        return tl::unexpected(
            fmt::format("{}: {}", file.string(), std::error_code(errno, std::generic_category()).message()));
    }
    std::ostringstream text;
    text << in.rdbuf();
    if (in.bad() || std::filesystem::is_directory(file))
        return tl::unexpected(fmt::format("{}: cannot be read", file.string()));
    return parse_facts(text.str(), file.string());
}

Facts host_facts(const std::set<std::string>& users, const std::set<std::string>& groups,
                 const std::set<std::string>& paths) {
    Facts facts;
    utsname host{};
    if (uname(&host) == 0) {
        facts.machine = host.machine;
        facts.kernel = host.release;
    }
    for (const auto& user : users)
        if (const passwd* entry = getpwnam(user.c_str())) facts.users[user] = entry->pw_uid;
    for (const auto& name : groups)
        if (const group* entry = getgrnam(name.c_str())) facts.groups[name] = entry->gr_gid;
    for (const auto& path : paths) {
        if (path.empty() || path[0] != '/') continue;
        struct stat status {};
        const std::string plain = normal_path(path);
        if (stat(plain.c_str(), &status) != 0) {
            // A missing name is watched as a file, as auditctl does.
            if (errno == ENOENT || errno == ENOTDIR) facts.files.insert(plain);
            continue;
        }
        (S_ISDIR(status.st_mode) ? facts.directories : facts.files).insert(plain);
        facts.inodes[plain] = {status.st_dev, status.st_ino};
    }
    return facts;
}

std::string facts_to_json(const Facts& facts) {
    Json root = Json::object();
    if (facts.machine) root["machine"] = *facts.machine;
    root["users"] = facts.users;
    root["groups"] = facts.groups;
    root["directories"] = facts.directories;
    root["files"] = facts.files;
    root["inodes"] = Json::object();
    for (const auto& [path, id] : facts.inodes) root["inodes"][path] = Json::array({id.first, id.second});
    if (facts.uid_min) root["uid_min"] = *facts.uid_min;
    if (facts.audit_version) root["audit_version"] = *facts.audit_version;
    if (facts.kernel) root["kernel"] = *facts.kernel;
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace auopt
