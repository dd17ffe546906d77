#include "lab/live_log.hpp"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

namespace auopt::lab {
namespace {

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::istringstream in{std::string(line)};
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

// "MAJOR:MINOR:INO", or "-".
std::optional<Inode> inode_of(std::string_view text) {
    Inode id;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, id.dev_major);
    if (major.ec != std::errc{} || major.ptr == end || *major.ptr != ':') return std::nullopt;
    const auto minor = std::from_chars(major.ptr + 1, end, id.dev_minor);
    if (minor.ec != std::errc{} || minor.ptr == end || *minor.ptr != ':') return std::nullopt;
    const auto ino = std::from_chars(minor.ptr + 1, end, id.ino);
    return ino.ec == std::errc{} && ino.ptr == end ? std::optional(id) : std::nullopt;
}

std::string unhex(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
        out += static_cast<char>(byte);
    }
    return out;
}

void add_record(LoggedEvent& event, int type, std::string_view text) {
    const std::size_t open = text.find('('), close = text.find("): ");
    std::string serial(open == std::string_view::npos ? "" : text.substr(open + 1, text.find(')') - open - 1));
    std::string body(close == std::string_view::npos ? "" : text.substr(close + 3));
    for (Group& g : event.groups)
        if (g.serial == serial) {
            g.records.push_back({type, std::move(body)});
            return;
        }
    event.groups.push_back({std::move(serial), {{type, std::move(body)}}});
}

struct Reader {
    Log log;
    std::map<std::string, Scan> now;  // of the first phase
    std::map<std::string, Scan> at_load;
    std::vector<Change> pending;
    bool loaded_before = true, in_event = false;

    LoggedEvent* event() { return in_event ? &log.phases.back().events.back() : nullptr; }

    bool line(std::string_view text) {
        const auto space = text.find(' ');
        const std::string_view head = text.substr(0, space);
        const std::string_view rest = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
        const std::vector<std::string> w = words_of(rest);
        if (head == "lost" && w.size() == 1) {
            log.lost = static_cast<unsigned>(std::stoul(w[0]));
            return true;
        }
        if (head == "phase" && !rest.empty()) {
            log.phases.push_back({std::string(rest), 0, {}, {}});
            loaded_before = true;
            in_event = false;
            pending.clear();
            return true;
        }
        if (log.phases.empty()) return false;
        Phase& phase = log.phases.back();
        if (head == "loaded" && w.size() == 1) return phase.loaded = static_cast<unsigned>(std::stoul(w[0])), true;
        if (head == "load") return phase.refused.emplace_back(rest), true;
        if (head == "reload") {
            loaded_before = true;
            pending.clear();
            return true;
        }
        if (head == "scan" && w.size() == 4) {
            now[plain_path(w[0])] = {inode_of(w[1]), inode_of(w[2]), w[3] == "directory"};
            return true;
        }
        if (head == "fs" && w.size() == 4) {
            const auto parent = inode_of(w[2]);
            if (!parent) return false;
            pending.push_back({*parent, w[1].substr(w[1].rfind('/') + 1), inode_of(w[3])});
            return true;
        }
        if (head == "load-point") return at_load = now, true;
        if (head == "event" && w.size() == 1) {
            phase.events.emplace_back();
            in_event = true;
            event()->name = w[0];
            event()->loaded_before = loaded_before;
            if (loaded_before) event()->scans = at_load;
            loaded_before = false;
            return true;
        }
        LoggedEvent* e = event();
        if (e == nullptr) return false;
        if (head == "begin") {
            e->prepared = std::move(pending);
            pending.clear();
            return true;
        }
        if (head == "result" && !w.empty()) {
            e->pid = std::stoi(w[0]);
            e->results = std::string(rest.substr(w[0].size()));
            return true;
        }
        if (head == "status" && w.size() == 2) return e->status = std::string(rest), true;
        if (head == "rec" && !w.empty()) {
            add_record(*e, std::stoi(w[0]), rest.substr(w[0].size() + 1));
            return true;
        }
        if (head == "where" && w.size() >= 2) {
            const auto id = inode_of(w[0]);
            if (!id) return false;
            std::vector<Inode>& chain = e->chains[*id];
            chain = {*id};
            for (std::size_t i = 2; i < w.size(); ++i)
                if (const auto above = inode_of(w[i])) chain.push_back(*above);
            return true;
        }
        if (head == "end") return in_event = false, true;
        return false;
    }
};

}  // namespace

std::string plain_path(std::string_view path) {
    std::string out;
    for (char c : path)
        if (c != '/' || out.empty() || out.back() != '/') out += c;
    if (out.size() > 1 && out.back() == '/') out.pop_back();
    return out;
}

std::optional<std::string> Record::field(std::string_view name) const {
    const std::string wanted = fmt::format("{}=", name);
    for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; ++at) {
        if (at != 0 && text[at - 1] != ' ') continue;
        const std::size_t begin = at + wanted.size();
        const bool quoted = begin < text.size() && text[begin] == '"';
        const std::size_t end = quoted ? text.find('"', begin + 1) : text.find(' ', begin);
        return text.substr(begin, end == std::string::npos ? end : end - begin + (quoted ? 1 : 0));
    }
    return std::nullopt;
}

std::optional<std::string> Record::string(std::string_view name) const {
    const auto value = field(name);
    if (!value || *value == "(null)" || value->empty()) return std::nullopt;
    if (value->front() == '"') return value->substr(1, value->size() - 2);
    return unhex(*value);
}

const Record* Group::find(int type) const {
    for (const Record& r : records)
        if (r.type == type) return &r;
    return nullptr;
}

tl::expected<Log, std::string> read_log(std::string_view text) {
    Reader reader;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        if (!line.empty() && !reader.line(line)) return tl::unexpected(fmt::format("guest output: {}", line));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(reader.log);
}

}  // namespace auopt::lab
