// A simulator's call as kernel_model sees it: an Event, what happened while it went on, and where names lead.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "kernel_model/evaluate.hpp"
#include "tests/simulator/audit.hpp"

namespace auopt::simulator {

constexpr std::uint32_t device = 8;
inline Inode inode_of(Ino ino) { return {device, 1, ino}; }

struct AsEvent {
    Event event;
    std::vector<NameChange> changes;
};

/// `trees`: the inodes in which dir= strings root.
inline AsEvent as_event(const Call& call, const std::map<std::string, Ino>& trees) {
    AsEvent out;
    Event& e = out.event;
    e.arch = call.arch;
    e.nr = call.nr;
    e.uring_op = call.uring_op;
    e.args = call.args;
    e.uid = call.uid;
    e.euid = call.euid;
    e.loginuid = call.auid;
    e.program = inode_of(call.exe);
    e.return_valid = call.result == Result::none      ? ReturnValid::invalid
                     : call.result == Result::success ? ReturnValid::success
                                                      : ReturnValid::failure;
    e.return_code = call.code;
    const auto named = [](const Name& n) {
        EventName name;
        if (n.ino == no_inode) return name;
        name.resolved = true;
        name.ino = n.ino;
        name.dev_major = device;
        name.dev_minor = 1;
        name.uid = n.uid;
        name.mode = n.mode;
        return name;
    };
    std::size_t known = 0;  // a name that is filled in later is as good as unknown before
    for (const Step& step : call.steps) {
        using Kind = NameChange::Kind;
        const auto change = [&](Ino directory, std::string name, std::optional<Inode> file, Kind kind) {
            out.changes.push_back({inode_of(directory), std::move(name), file, known, kind});
        };
        switch (step.kind) {
            case Step::Kind::name:
                e.names.push_back(named(step.name));
                if (step.name.ino != no_inode) known = e.names.size();
                break;
            case Step::Kind::fill:
                e.names.back() = named(step.name);
                known = e.names.size();
                break;
            case Step::Kind::seen:
                for (const auto& [path, root] : trees)
                    if (std::find(step.inodes.begin(), step.inodes.end(), root) != step.inodes.end())
                        e.dirs.insert(path);
                break;
            case Step::Kind::made:
                change(step.directory, step.text, inode_of(step.ino), Kind::name);
                break;
            case Step::Kind::unmade:
                change(step.directory, step.text, std::nullopt, Kind::name);
                break;
            case Step::Kind::inode_gone:
                change(step.ino, "", std::nullopt, Kind::inode_removed);
                break;
            case Step::Kind::inode_moved:
                change(step.ino, "", std::nullopt, Kind::directory_moved);
                break;
            case Step::Kind::record:
                change(no_inode, "", std::nullopt, Kind::record);
                break;
            case Step::Kind::signal:
                break;
        }
    }
    return out;
}

/// Where names lead in `files`, which the table asks again while it lives.
inline HostPlaces places_in(std::shared_ptr<const Files*> files) {
    const auto place = [files](const std::string& path) -> std::optional<WatchPlace> {
        const auto there = (*files)->place(path);
        if (!there) return std::nullopt;
        return WatchPlace{inode_of(there->directory),
                          there->file ? std::optional(inode_of(*there->file)) : std::nullopt};
    };
    const auto tree = [files](const std::string& path) -> std::optional<Inode> {
        const auto there = (*files)->find(path);
        return there ? std::optional(inode_of(*there)) : std::nullopt;
    };
    return {place, tree, place};
}

/// As evaluate would have put it: a record in the call and no rule is "recorded, without a key".
inline Decision as_decision(const Outcome& o) {
    if (o.recorded) return {auopt::Outcome::always, o.key != nullptr ? std::optional(*o.key) : std::nullopt};
    return {o.decision == Outcome::Decision::never ? auopt::Outcome::never : auopt::Outcome::no_match, std::nullopt};
}

}  // namespace auopt::simulator
