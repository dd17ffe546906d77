// Truth tables: rules, events, and what the kernel decided. The same tables run on the model, on the solver's encoding
// and, in the lab, on a real kernel. Format (tests/truth_tables/*.txt):
//
//   == title
//   rules lines, as auditctl reads them
//   -- [kernel=NAME]
//   b64 openat a2=1 uid=0 auid=1000 exit=-13 name=/etc/passwd -> always access
//
// Words of an event: ABI; call (name or number); uid= euid= ... gid= groups=1,2 auid= ses= pid= ppid= pers= a0=..a3=;
// exit=N (negative: failed), success=yes|no where exit alone does not tell, noresult;
// name=[PATH][,owner=UID][,group=GID]
// [,ino=N][,mode=0oct][,deleted][,unresolved]; dir=STRING; exe=STRING; fam=N; openat2=FLAGS; lsm=FIELD=TEXT.
// Tables about another machine lie in a folder of its name (tests/truth_tables/aarch64/*.txt).
// After the arrow: none | never [key] | always [key] ("-": no key).
#pragma once

#include <libaudit.h>  // audit_name_to_field

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel_model/evaluate.hpp"
#include "tests/support/state_of.hpp"

namespace auopt::test {

struct TruthRow {
    std::string where;   // file:line
    std::string kernel;  // empty: every kernel
    Event event;
    Decision expected;
};
struct TruthTable {
    std::string title, rules;
    std::vector<TruthRow> rows;
};

namespace detail {

inline EventName parse_name(const std::string& text) {
    EventName name;
    name.resolved = true;
    name.ino = 1000 + std::hash<std::string>{}(text) % 100000;
    name.mode = 0x81A4;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, ',');) {
        const auto eq = part.find('=');
        const std::string key = part.substr(0, eq), value = eq == std::string::npos ? "" : part.substr(eq + 1);
        if (part.starts_with("/"))
            name.watches.insert(part);
        else if (key == "owner")
            name.uid = static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
        else if (key == "group")
            name.gid = static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
        else if (key == "ino")
            name.ino = std::stoull(value, nullptr, 0);
        else if (key == "mode")
            name.mode = static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
        else if (key == "dev")
            name.dev_major = static_cast<std::uint32_t>(std::stoul(value, nullptr, 0));
        else if (key == "deleted")
            name.deleted = true;
        else if (key == "unresolved") {
            name.resolved = false;
            name.ino = ~std::uint64_t{0};
            name.mode = 0;
        } else if (!part.empty())
            ADD_FAILURE() << "unknown word in name=: " << part;
    }
    return name;
}

inline Event parse_event(std::istringstream& words, const std::string& where, const MachineModel& machine) {
    Event e;
    std::string abi, call;
    words >> abi >> call;
    const Abi of = abi == "b32" ? Abi::compat : Abi::native;
    e.arch = abi == "worker" ? 0 : machine.abi_arch(of);
    if (abi == "worker") {
        e.uring_op = static_cast<unsigned>(std::stoul(call));
    } else {
        const auto known = syscall_number(call, machine.names_of(of));
        e.nr = std::isdigit(static_cast<unsigned char>(call.front())) != 0 || call.front() == '-' ? std::stoi(call)
               : known ? static_cast<std::int32_t>(*known)
                       : -1;
        if (e.nr < 0 && call.front() != '-') ADD_FAILURE() << where << ": unknown call " << call;
    }
    bool explicit_success = false;
    for (std::string word; words >> word && word != "->";) {
        const auto eq = word.find('=');
        const std::string key = word.substr(0, eq), value = eq == std::string::npos ? "" : word.substr(eq + 1);
        const auto number = [&] {
            return value == "unset" ? id_unset : static_cast<std::uint32_t>(std::stoll(value, nullptr, 0));
        };
        if (key == "uid")
            e.uid = number();
        else if (key == "euid")
            e.euid = number();
        else if (key == "suid")
            e.suid = number();
        else if (key == "fsuid")
            e.fsuid = number();
        else if (key == "gid")
            e.gid = number();
        else if (key == "egid")
            e.egid = number();
        else if (key == "sgid")
            e.sgid = number();
        else if (key == "fsgid")
            e.fsgid = number();
        else if (key == "auid")
            e.loginuid = number();
        else if (key == "ses")
            e.sessionid = number();
        else if (key == "pid")
            e.pid = number();
        else if (key == "ppid")
            e.ppid = number();
        else if (key == "pers")
            e.pers = number();
        else if (key == "fam")
            e.saddr_fam = number();
        else if (key == "openat2")
            e.openat2_flags = std::stoull(value, nullptr, 0);
        else if (key == "groups") {
            std::istringstream in(value);
            for (std::string g; std::getline(in, g, ',');) e.groups.insert(static_cast<std::uint32_t>(std::stoul(g)));
        } else if (key.size() == 2 && key[0] == 'a' && key[1] >= '0' && key[1] <= '3')
            e.args[static_cast<std::size_t>(key[1] - '0')] = std::stoull(value, nullptr, 0);
        else if (key == "exit") {
            e.return_code = static_cast<std::uint64_t>(std::stoll(value, nullptr, 0));
            if (!explicit_success)
                e.return_valid = std::stoll(value, nullptr, 0) < 0 ? ReturnValid::failure : ReturnValid::success;
        } else if (key == "success") {
            explicit_success = true;
            e.return_valid = value == "yes" ? ReturnValid::success : ReturnValid::failure;
        } else if (key == "noresult")
            e.return_valid = ReturnValid::invalid;
        else if (key == "name")
            e.names.push_back(parse_name(value));
        else if (key == "dir")
            e.dirs.insert(value);
        else if (key == "exe")
            e.exes.insert(value);
        else if (key == "op")
            e.uring_op = number();
        else if (key == "lsm") {
            const auto mid = value.find('=');
            e.lsm_true.push_back({{static_cast<Field>(audit_name_to_field(value.substr(0, mid).c_str())), Op::equal, 0,
                                   value.substr(mid + 1)}});
        } else
            ADD_FAILURE() << where << ": unknown word " << word;
    }
    return e;
}

inline Decision parse_decision(std::istringstream& words, const std::string& where) {
    Decision d;
    std::string outcome, key;
    words >> outcome >> key;
    if (outcome == "always")
        d.outcome = Outcome::always;
    else if (outcome == "never")
        d.outcome = Outcome::never;
    else if (outcome != "none")
        ADD_FAILURE() << where << ": unknown decision " << outcome;
    if (!key.empty() && key != "-") d.key = key;
    return d;
}

}  // namespace detail

inline std::vector<TruthTable> read_truth_tables(const std::filesystem::path& folder,
                                                 Machine machine = Machine::x86_64) {
    std::vector<TruthTable> tables;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".txt") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        std::ifstream in(file);
        bool events = false;
        std::string kernel;
        unsigned number = 0;
        for (std::string line; std::getline(in, line);) {
            const std::string where = file.filename().string() + ":" + std::to_string(++number);
            if (line.empty() || line.starts_with("# ")) continue;
            if (line.starts_with("== ")) {
                tables.push_back({line.substr(3), "", {}});
                events = false;
            } else if (line.starts_with("--") && (line.size() == 2 || line[2] == ' ')) {
                events = true;
                const auto at = line.find("kernel=");
                kernel = at == std::string::npos ? "" : line.substr(at + 7);
            } else if (!events) {
                tables.back().rules += line + "\n";
            } else {
                std::istringstream words(line);
                Event e = detail::parse_event(words, where, machine_model(machine));
                tables.back().rows.push_back({where, kernel, std::move(e), detail::parse_decision(words, where)});
            }
        }
    }
    return tables;
}

}  // namespace auopt::test
