#include "tests/simulator/world.hpp"

#include <functional>

#include <fmt/format.h>

#include "compiler/ir.hpp"

namespace auopt::simulator {
namespace {

/// System call numbers, by ABI.
struct Numbers {
    std::int32_t write, open, unlink, execve, chmod, getpid, kill, rename, mkdir, rmdir, acct;
};
constexpr Numbers native{1, 2, 87, 59, 90, 39, 62, 82, 83, 84, 163};
constexpr Numbers ia32{4, 5, 10, 11, 15, 20, 37, 38, 39, 40, 51};
constexpr unsigned uring_unlinkat = 36, uring_mkdirat = 37;

constexpr std::uint64_t read_only = 0, read_write = 2, create_and_write = 0101;
constexpr std::uint64_t minus(int error) { return static_cast<std::uint64_t>(-error); }
constexpr int enoent = 2, eacces = 13;

/// Builds one call, step by step, in the order of the kernel's own functions.
class Doing {
public:
    Doing(const Files& files, std::vector<Process> processes, std::size_t who)
        : files_(files), processes_(std::move(processes)), who_(who) {
        call_.arch = self().arch;
    }

    // ---- what calls are made of ----

    void name(Ino ino) {
        call_.steps.push_back({Step::Kind::name, {ino, files_.at(ino).uid, mode(ino)}, {}, 0, 0, ""});
    }
    void unresolved() { call_.steps.push_back({Step::Kind::name, {}, {}, 0, 0, ""}); }
    void seen(std::vector<Ino> inodes) { call_.steps.push_back({Step::Kind::seen, {}, std::move(inodes), 0, 0, ""}); }
    /// __audit_inode.
    void looked_up(Ino ino) {
        seen(files_.with_ancestors(ino));
        name(ino);
    }
    /// __audit_inode_child.
    void child(Ino ino) {
        seen({ino});
        name(ino);
    }
    void step(Step::Kind kind, Ino ino = no_inode, Ino directory = no_inode, std::string text = "") {
        call_.steps.push_back({kind, {}, {}, ino, directory, std::move(text)});
    }
    /// Its marks go, unless a process still runs it.
    void gone(Ino ino) {
        for (const Process& p : processes_)
            if (p.exe == ino) return;
        step(Step::Kind::inode_gone, ino);
    }
    Process& self() { return processes_[who_]; }
    const Numbers& numbers() { return self().arch == arch_i386 ? ia32 : native; }
    Files& files() { return files_; }
    Call& call() { return call_; }

    // ---- whole calls ----

    void makes(std::int32_t nr, std::array<std::uint64_t, 4> args = {}) {
        call_.nr = nr;
        call_.args = args;
    }
    void fails(int error) {
        call_.result = Result::failure;
        call_.code = minus(error);
    }
    void makes_file(const Files::Place& at, bool is_directory) {
        looked_up(at.directory);
        const Ino ino = files_.make(at.directory, at.name, is_directory, self().euid);
        child(ino);
        step(Step::Kind::made, ino, at.directory, at.name);
    }
    void removes(const Files::Place& at) {
        looked_up(at.directory);
        child(*at.file);
        gone(*at.file);
        step(Step::Kind::unmade, *at.file, at.directory, at.name);
        files_.remove(*at.file);
    }
    // vfs_rename, fsnotify_move.
    void renames(const Files::Place& from, const Files::Place& to) {
        looked_up(from.directory);
        looked_up(to.directory);
        child(*from.file);
        if (to.file)
            child(*to.file);
        else
            unresolved();
        step(Step::Kind::unmade, *from.file, from.directory, from.name);
        step(Step::Kind::made, *from.file, to.directory, to.name);
        step(Step::Kind::inode_moved, *from.file);
        seen({*from.file});
        const Name moved{*from.file, files_.at(*from.file).uid, mode(*from.file)};
        if (to.file) {
            call_.steps.push_back({Step::Kind::name, moved, {}, 0, 0, ""});
            gone(*to.file);
            files_.remove(*to.file);
        } else {  // the entry that may_create made is filled in
            call_.steps.push_back({Step::Kind::fill, moved, {}, 0, 0, ""});
        }
        files_.move(*from.file, to.directory, to.name);
    }

    struct Finished {
        Call call;
        Files files;
        std::vector<Process> processes;
    };
    Finished finish(std::string words) {
        const Process& p = self();
        call_.words = fmt::format("{}: {}", p.words, words);
        call_.uid = p.uid;
        call_.euid = p.euid;
        call_.auid = p.auid;
        call_.exe = p.exe;
        return {std::move(call_), std::move(files_), std::move(processes_)};
    }

private:
    std::uint32_t mode(Ino ino) const { return files_.at(ino).is_directory ? 0x41ED : 0x81A4; }

    Files files_;
    std::vector<Process> processes_;
    std::size_t who_;
    Call call_;
};

using Finished = Doing::Finished;

/// All that can be done in one situation.
class Possible {
public:
    Possible(const Files& files, const std::vector<Process>& processes) : files_(files), processes_(processes) {}

    std::vector<Finished> all() {
        for (const char* path : {"/t/a", "/t/b", "/t/n", "/d/f", "/d/s/g", "/q/h"}) {
            opens(0, path, read_only);
            opens(1, path, read_write);
        }
        opens(2, "/t/a", read_write);
        for (const char* path : {"/t/a", "/t/b", "/t/n", "/d/f", "/x/p"}) makes(0, path, false);
        makes(1, "/t/n", false);
        for (const char* path : {"/t", "/d", "/x", "/d/s", "/t/n"}) makes(0, path, true);
        for (const char* path : {"/t/a", "/t/b", "/d/f", "/x/p"}) removes(0, path);
        removes(1, "/t/a");
        for (const char* path : {"/t", "/d", "/x", "/d/s", "/t/n"}) removes_directory(path);
        for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{{"/t/b", "/t/a"},
                                                                                       {"/t/a", "/t/b"},
                                                                                       {"/t/a", "/t/n"},
                                                                                       {"/t/n", "/t/a"},
                                                                                       {"/t/b", "/d/f"},
                                                                                       {"/d/f", "/t/a"},
                                                                                       {"/t/b", "/x/p"},
                                                                                       {"/x/p", "/t/n"},
                                                                                       {"/t", "/t2"},
                                                                                       {"/d", "/d2"},
                                                                                       {"/x", "/x2"},
                                                                                       {"/d/s", "/t/n"}})
            renames(0, from, to);
        renames(1, "/t/b", "/t/a");
        renames(2, "/t/b", "/t/a");
        for (const char* path : {"/t/a", "/t/b", "/t/n", "/d/f", "/t"}) changes_mode(0, path);
        changes_mode(1, "/t/a");
        changes_mode(1, "/d/f");
        changes_mode(2, "/t/a");
        for (const char* path : {"/x/p", "/bin/z", "/t/a"}) executes(0, path);
        executes(1, "/x/p");
        for (std::size_t who = 0; who < processes_.size(); ++who) nameless(who);
        kills(0);
        kills(1);
        killed_in_open(0, "/t/a");
        killed_in_open(1, "/d/f");
        denied_open(0, "/t/a");
        denied_open(1, "/t/a");
        denied_open(1, "/d/f");
        sets_loginuid(0);
        worker_removes(0, "/t/a");
        worker_makes_directory(0, "/t/n");
        return std::move(done_);
    }

private:
    Doing start(std::size_t who) const { return {files_, processes_, who}; }
    void finish(Doing& doing, std::string words) { done_.push_back(doing.finish(std::move(words))); }

    void opens(std::size_t who, const char* path, std::uint64_t flags) {
        Doing d = start(who);
        d.makes(d.numbers().open, {0, flags});
        if (const auto file = files_.find(path)) {
            d.looked_up(*file);
        } else {
            d.unresolved();
            d.fails(enoent);
        }
        finish(d, fmt::format("open {} {}", path, flags == read_only ? "to read" : "to read and write"));
    }
    void makes(std::size_t who, const char* path, bool is_directory) {
        const auto at = files_.place(path);
        if (!at || at->file) return;
        Doing d = start(who);
        if (is_directory)
            d.makes(d.numbers().mkdir);
        else
            d.makes(d.numbers().open, {0, create_and_write});
        d.makes_file(*at, is_directory);
        finish(d, fmt::format("{} {}", is_directory ? "mkdir" : "create", path));
    }
    void removes(std::size_t who, const char* path) {
        const auto at = files_.place(path);
        if (!at || !at->file || files_.at(*at->file).is_directory) return;
        Doing d = start(who);
        d.makes(d.numbers().unlink);
        d.removes(*at);
        finish(d, fmt::format("unlink {}", path));
    }
    void removes_directory(const char* path) {
        const auto at = files_.place(path);
        if (!at || !at->file || !files_.at(*at->file).is_directory || !files_.is_empty(*at->file)) return;
        Doing d = start(0);
        d.makes(d.numbers().rmdir);
        d.removes(*at);
        finish(d, fmt::format("rmdir {}", path));
    }
    void renames(std::size_t who, const char* from, const char* to) {
        const auto a = files_.place(from), b = files_.place(to);
        if (!a || !a->file || !b) return;
        if (b->file && files_.at(*b->file).is_directory != files_.at(*a->file).is_directory) return;
        if (b->file && !files_.is_empty(*b->file)) return;
        Doing d = start(who);
        d.makes(d.numbers().rename);
        d.renames(*a, *b);
        finish(d, fmt::format("rename {} to {}{}", from, to, b->file ? ", which exists" : ""));
    }
    void changes_mode(std::size_t who, const char* path) {
        const auto file = files_.find(path);
        if (!file) return;
        Doing d = start(who);
        d.makes(d.numbers().chmod, {0, 0600});
        d.looked_up(*file);
        finish(d, fmt::format("chmod {}", path));
    }
    void executes(std::size_t who, const char* path) {
        const auto file = files_.find(path);
        if (!file || files_.at(*file).is_directory) return;
        Doing d = start(who);
        d.makes(d.numbers().execve);
        d.looked_up(*file);
        d.self().exe = *file;
        finish(d, fmt::format("execve {}", path));
    }
    void nameless(std::size_t who) {
        Doing d = start(who);
        d.makes(d.numbers().getpid);
        d.call().code = 1000;
        finish(d, "getpid");
        Doing acct = start(who);
        acct.makes(acct.numbers().acct);
        finish(acct, "acct, to switch it off");
    }
    void kills(std::size_t who) {
        Doing d = start(who);
        d.makes(d.numbers().kill);
        d.step(Step::Kind::signal);
        finish(d, "kill");
    }
    void killed_in_open(std::size_t who, const char* path) {
        const auto file = files_.find(path);
        if (!file) return;
        Doing d = start(who);
        d.makes(d.numbers().open, {0, read_write});
        d.looked_up(*file);
        d.call().result = Result::none;
        finish(d, fmt::format("open {} to read and write, killed inside", path));
    }
    void denied_open(std::size_t who, const char* path) {
        const auto file = files_.find(path);
        if (!file) return;
        Doing d = start(who);
        d.makes(d.numbers().open, {0, read_write});
        d.looked_up(*file);
        d.step(Step::Kind::record);
        d.fails(eacces);
        finish(d, fmt::format("open {} to read and write, denied with an AVC record", path));
    }
    void sets_loginuid(std::size_t who) {
        Doing d = start(who);
        d.makes(d.numbers().write);
        d.step(Step::Kind::record);
        d.self().auid = 1000;
        d.call().code = 4;
        finish(d, "write 1000 to loginuid, with a LOGIN record");
    }
    // The submitter's names stay with the submitter; of the worker's own there are the directory and the child.
    void in_worker(Doing& d, unsigned op) const {
        d.call().arch = 0;
        d.call().nr = 0;
        d.call().uring_op = op;
    }
    void worker_removes(std::size_t who, const char* path) {
        const auto at = files_.place(path);
        if (!at || !at->file || files_.at(*at->file).is_directory) return;
        Doing d = start(who);
        in_worker(d, uring_unlinkat);
        d.removes(*at);
        finish(d, fmt::format("unlink {} in an io_uring worker", path));
    }
    void worker_makes_directory(std::size_t who, const char* path) {
        const auto at = files_.place(path);
        if (!at || at->file) return;
        Doing d = start(who);
        in_worker(d, uring_mkdirat);
        d.makes_file(*at, true);
        finish(d, fmt::format("mkdir {} in an io_uring worker", path));
    }

    const Files& files_;
    const std::vector<Process>& processes_;
    std::vector<Finished> done_;
};

std::vector<Process> processes(const Files& files) {
    const Ino z = files.find("/bin/z").value();
    const Ino p = files.find("/x/p").value_or(z);
    return {{"root", arch_x86_64, 0, 0, id_unset, p},
            {"uid 1000", arch_x86_64, 1000, 1000, 1000, z},
            {"root, logged in as 1000, 32 bits", arch_i386, 0, 0, 1000, p}};
}

World world(std::string words, const Files& files) { return {std::move(words), files, processes(files)}; }

// Inodes 20 and 52 share a bucket.
Files the_files(bool with_t, bool with_d, bool with_x, bool swapped = false) {
    Files f;
    f.put("/bin", 15, true);
    f.put("/bin/z", 27, false);
    f.put("/q", 14, true);
    f.put("/q/h", 26, false, 1000);
    if (with_t) {
        f.put("/t", 10, true);
        f.put("/t/a", 20, false, swapped ? 1000 : 0);
        f.put("/t/b", 52, false, swapped ? 0 : 1000);
    }
    if (with_d) {
        f.put("/d", 11, true);
        f.put("/d/f", 23, false);
        f.put("/d/s", 12, true);
        f.put("/d/s/g", 24, false, 1000);
    }
    if (with_x) {
        f.put("/x", 13, true);
        f.put("/x/p", 25, false);
    }
    return f;
}

}  // namespace

std::size_t World::number_of(Situation situation) {
    const auto print = [](const Situation& s) {
        std::string text = s.files.fingerprint();
        for (const Process& p : s.processes) text += fmt::format("|{},{},{},{}", p.uid, p.euid, p.auid, p.exe);
        return text;
    };
    const auto [it, fresh] = numbers_.try_emplace(print(situation), situations_.size());
    if (fresh) situations_.push_back(std::make_unique<Situation>(std::move(situation)));
    return it->second;
}

World::World(std::string words, Files files, std::vector<Process> processes) : words_(std::move(words)) {
    number_of({std::move(files), std::move(processes), std::nullopt});
}

const std::vector<Done>& World::operations(std::size_t number) {
    Situation& here = *situations_[number];
    if (!here.operations) {
        std::vector<Done> done;
        for (Finished& f : Possible(here.files, here.processes).all()) {
            const std::size_t next = number_of({std::move(f.files), std::move(f.processes), std::nullopt});
            done.push_back({std::move(f.call), next});
        }
        here.operations = std::move(done);
    }
    return *here.operations;
}

std::vector<World> whole_worlds() {
    std::vector<World> worlds;
    worlds.push_back(world("all files", the_files(true, true, true)));
    Files swapped = the_files(true, true, true, true);
    swapped.put("/t/n", 21, false);
    worlds.push_back(world("/t/a of uid 1000, /t/n there too", swapped));
    Files empty = the_files(false, false, false);
    empty.put("/t", 10, true);
    empty.put("/d", 11, true);
    empty.put("/x", 13, true);
    worlds.push_back(world("/t, /d and /x empty", empty));
    Files some = the_files(true, false, true);
    some.put("/d", 11, true);
    some.put("/d/s", 12, true);
    some.remove(25);
    worlds.push_back(world("/d holds an empty directory, /x is empty", some));
    return worlds;
}

std::vector<World> worlds_with_missing_names() {
    std::vector<World> worlds;
    for (unsigned there = 0; there < 7; ++there) {
        const bool t = (there & 1) != 0, d = (there & 2) != 0, x = (there & 4) != 0;
        std::string words = "missing:";
        if (!t) words += " /t";
        if (!d) words += " /d";
        if (!x) words += " /x";
        worlds.push_back(world(words, the_files(t, d, x)));
    }
    return worlds;
}

}  // namespace auopt::simulator
