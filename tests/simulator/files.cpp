#include "tests/simulator/files.hpp"

namespace auopt::simulator {
namespace {

std::vector<std::string_view> components(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (!part.empty() && part != ".") parts.push_back(part);
        if (slash == std::string_view::npos) break;
        path.remove_prefix(slash + 1);
    }
    return parts;
}

}  // namespace

Files::Files() { files_[root_inode] = {root_inode, "", 0, true}; }

std::optional<Ino> Files::child(Ino directory, std::string_view name) const {
    for (const auto& [ino, file] : files_)
        if (file.parent == directory && file.name == name && ino != root_inode) return ino;
    return std::nullopt;
}

std::optional<Files::Place> Files::place(std::string_view path) const {
    const std::vector<std::string_view> parts = components(path);
    if (parts.empty()) return std::nullopt;
    Ino directory = root_inode;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto next = child(directory, parts[i]);
        if (!next || !at(*next).is_directory) return std::nullopt;
        directory = *next;
    }
    return Place{directory, std::string(parts.back()), child(directory, parts.back())};
}

std::optional<Ino> Files::find(std::string_view path) const {
    if (components(path).empty()) return root_inode;
    const auto there = place(path);
    return there ? there->file : std::nullopt;
}

bool Files::is_empty(Ino directory) const {
    for (const auto& [ino, file] : files_)
        if (file.parent == directory && ino != root_inode) return false;
    return true;
}

std::vector<Ino> Files::with_ancestors(Ino ino) const {
    std::vector<Ino> chain{ino};
    for (; ino != root_inode; ino = at(ino).parent) chain.push_back(at(ino).parent);
    return chain;
}

void Files::put(std::string_view path, Ino ino, bool is_directory, std::uint32_t uid) {
    const Place there = place(path).value();
    files_[ino] = {there.directory, there.name, uid, is_directory};
}

Ino Files::make(Ino directory, const std::string& name, bool is_directory, std::uint32_t uid) {
    files_[next_] = {directory, name, uid, is_directory};
    return next_++;
}

void Files::move(Ino ino, Ino directory, const std::string& name) {
    File& file = files_.at(ino);
    file.parent = directory;
    file.name = name;
}

std::string Files::fingerprint() const {
    std::string text = std::to_string(next_);
    for (const auto& [ino, file] : files_)
        text += ";" + std::to_string(ino) + "," + std::to_string(file.parent) + "," + file.name + "," +
                std::to_string(file.uid);
    return text;
}

}  // namespace auopt::simulator
