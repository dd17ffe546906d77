// Small worlds: a few files and processes, and every operation that they can do next.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/simulator/call.hpp"
#include "tests/simulator/files.hpp"

namespace auopt::simulator {

struct Process {
    std::string words;
    std::uint32_t arch = 0;
    std::uint32_t uid = 0, euid = 0, auid = 0;
    Ino exe = no_inode;
};

/// One operation that was done: what auditing sees of it, and the situation behind it.
struct Done {
    Call call;
    std::size_t next = 0;
};

/// A world and all that can become of it. Situations are worked out when they are first asked for.
class World {
public:
    World(std::string words, Files files, std::vector<Process> processes);

    const std::string& words() const { return words_; }
    /// Situation 0 is the one in which rules are loaded.
    const Files& files(std::size_t situation) const { return situations_[situation]->files; }
    const std::vector<Done>& operations(std::size_t situation);

private:
    struct Situation {
        Files files;
        std::vector<Process> processes;
        std::optional<std::vector<Done>> operations;
    };
    std::size_t number_of(Situation situation);

    std::string words_;
    std::vector<std::unique_ptr<Situation>> situations_;
    std::unordered_map<std::string, std::size_t> numbers_;  // by what is in them
};

/// Where all names of the alphabet exist, where directories are empty (and can go), owners swapped, and the like.
std::vector<World> whole_worlds();
/// Worlds in which directories that rules name are missing when they are loaded: every subset.
std::vector<World> worlds_with_missing_names();

}  // namespace auopt::simulator
