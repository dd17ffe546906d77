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

constexpr int max_link_hops = 40;  // as many as the kernel follows (MAXSYMLINKS)

const std::string& key_of(const std::string& path) { return path; }
const std::string& key_of(const std::pair<const std::string, std::string>& link) { return link.first; }

/// True when `known` (a set of paths or a map from paths) holds one below `path`.
template <class Known>
bool holds_below(const Known& known, const std::string& path) {
    const std::string prefix = path + "/";
    const auto it = known.lower_bound(prefix);
    return it != known.end() && key_of(*it).starts_with(prefix);
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
    void links(const std::string& member, const Json& value, std::map<std::string, std::string>& out) {
        if (!value.is_object()) return complain(member, "an object of absolute paths and their targets is wanted");
        for (const auto& [path, target] : value.items()) {
            const std::string item = member + "." + path;
            const auto leads_to = text(item, target);
            if (!leads_to || !absolute(item, path)) continue;
            if (leads_to->empty()) complain(item, "a link's target is not empty");
            out[normal_path(path)] = *leads_to;
        }
    }
    void names(const std::string& member, const Json& value, std::vector<std::string>& out) {
        if (!value.is_array()) return complain(member, "a list of names is wanted");
        for (std::size_t i = 0; i < value.size(); ++i)
            if (const auto name_text = text(fmt::format("{}[{}]", member, i), value[i])) out.push_back(*name_text);
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

std::optional<std::string> link_target(const Facts& facts, std::string_view path) {
    const std::string plain = normal_path(path);
    const auto link = facts.links.find(plain);
    if (link == facts.links.end()) return std::nullopt;
    if (link->second.starts_with('/')) return normal_path(link->second);
    return normal_path(plain.substr(0, plain.rfind('/') + 1) + link->second);
}

bool is_real_directory(const Facts& facts, std::string_view path) {
    if (path.empty() || path[0] != '/') return false;
    const std::string plain = normal_path(path);
    return is_root(plain) || (facts.directories.contains(plain) && !facts.links.contains(plain));
}

PathKind path_kind(const Facts& facts, std::string_view path) {
    if (path.empty() || path[0] != '/') return PathKind::unknown;
    std::string plain = normal_path(path);
    for (int hops = 0; hops < max_link_hops; ++hops) {
        if (is_root(plain) || facts.directories.contains(plain)) return PathKind::directory;
        // A name listed as a file with a known directory below it is that directory's parent, whatever the list says.
        const bool dots = has_dot_component(plain);
        if (!dots && holds_below(facts.directories, plain)) return PathKind::directory;
        if (facts.files.contains(plain)) return PathKind::file;
        if (!dots && (holds_below(facts.files, plain) || holds_below(facts.links, plain))) return PathKind::directory;
        auto target = link_target(facts, plain);
        if (!target) break;
        plain = *std::move(target);
    }
    if (facts.assume_watch_kinds) return path.back() == '/' ? PathKind::directory : PathKind::file;
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
        } else if (member == "links") {
            reader.links(member, value, facts.links);
        } else if (member == "missing") {
            reader.paths(member, value, facts.missing);
        } else if (member == "inodes") {
            reader.inodes(member, value, facts.inodes);
        } else if (member == "uid_min") {
            facts.uid_min = reader.u32(member, value);
        } else if (member == "audit_version") {
            facts.audit_version = reader.text(member, value);
        } else if (member == "kernel") {
            facts.kernel = reader.text(member, value);
        } else if (member == "lsm") {
            reader.names(member, value, facts.lsm.emplace());
        } else if (member == "mounts") {
            reader.paths(member, value, facts.mounts.emplace());
        } else {
            reader.complain(member, "no such member");
        }
    }
    for (const auto& path : facts.files) {
        if (facts.directories.contains(path))
            reader.complain("files", fmt::format("{} is also among the directories", path));
    }
    for (const auto& [path, target] : facts.links) {
        if (facts.directories.contains(path) || facts.files.contains(path))
            reader.complain("links", fmt::format("{} is also among the {}", path,
                                                 facts.directories.contains(path) ? "directories" : "files"));
    }
    for (const auto& path : facts.missing) {
        const char* other = facts.directories.contains(path) ? "directories"
                            : facts.files.contains(path)     ? "files"
                            : facts.links.contains(path)     ? "links"
                                                             : nullptr;
        if (other != nullptr) reader.complain("missing", fmt::format("{} is also among the {}", path, other));
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

namespace {

/// What `path` is, without following it, and what is at its end if it is a link. Errors other than "not there" say
/// nothing.
void look_up(std::string path, Facts& facts) {
    for (int hops = 0; hops < max_link_hops; ++hops) {
        struct stat status {};
        if (lstat(path.c_str(), &status) != 0) {
            if (errno == ENOENT || errno == ENOTDIR) facts.missing.insert(path);
            return;
        }
        facts.inodes[path] = {status.st_dev, status.st_ino};
        if (!S_ISLNK(status.st_mode)) {
            (S_ISDIR(status.st_mode) ? facts.directories : facts.files).insert(path);
            return;
        }
        std::error_code error;
        std::string target = std::filesystem::read_symlink(path, error).string();
        if (error || target.empty()) return;
        facts.links[path] = std::move(target);
        path = *link_target(facts, path);
    }
}

/// Nothing where the kernel does not tell.
std::optional<std::vector<std::string>> host_lsm() {
    std::ifstream in("/sys/kernel/security/lsm");
    std::string line;
    if (!std::getline(in, line)) return std::nullopt;
    std::vector<std::string> modules;
    std::istringstream parts(line);
    for (std::string module; std::getline(parts, module, ',');)
        if (!module.empty()) modules.push_back(module);
    return modules;
}

/// A path of /proc/self/mountinfo: space, tab, newline and backslash are octal there.
std::string without_octal(std::string_view text) {
    const auto octal = [](char c) { return c >= '0' && c <= '7'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
            out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

/// The mount points below (not at) one of the directories: others say much about a host and nothing about its rules.
std::optional<std::set<std::string>> mounts_below(const std::set<std::string>& directories) {
    std::ifstream in("/proc/self/mountinfo");
    std::set<std::string> found;
    bool any = false;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string id, parent, device, root, point;
        if (!(words >> id >> parent >> device >> root >> point)) continue;
        any = true;
        const std::string path = without_octal(point);
        for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
            if (directories.contains(path.substr(0, at))) found.insert(path);
        if (path != "/" && directories.contains("/")) found.insert(path);
    }
    if (!any) return std::nullopt;
    return found;
}

}  // namespace

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
    for (const auto& path : paths)
        if (path.starts_with('/')) look_up(normal_path(path), facts);
    facts.lsm = host_lsm();
    facts.mounts = mounts_below(facts.directories);
    return facts;
}

std::string facts_to_json(const Facts& facts) {
    Json root = Json::object();
    if (facts.machine) root["machine"] = *facts.machine;
    root["users"] = facts.users;
    root["groups"] = facts.groups;
    root["directories"] = facts.directories;
    root["files"] = facts.files;
    root["links"] = facts.links;
    root["missing"] = facts.missing;
    root["inodes"] = Json::object();
    for (const auto& [path, id] : facts.inodes) root["inodes"][path] = Json::array({id.first, id.second});
    if (facts.uid_min) root["uid_min"] = *facts.uid_min;
    if (facts.audit_version) root["audit_version"] = *facts.audit_version;
    if (facts.kernel) root["kernel"] = *facts.kernel;
    if (facts.lsm) root["lsm"] = *facts.lsm;
    if (facts.mounts) root["mounts"] = *facts.mounts;
    return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace auopt
