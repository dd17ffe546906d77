// What lab/workload/live.c printed in the guest, read back: phases, events, records.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "kernel_model/watches.hpp"

namespace auopt::lab {

/// One audit record: its type and its fields. Values as printed, quotes kept.
struct Record {
    int type = 0;
    std::string text;  // after "audit(...): "
    std::optional<std::string> field(std::string_view name) const;
    /// A field that is text: unquoted, or decoded from hex; nothing for (null) and absent.
    std::optional<std::string> string(std::string_view name) const;
};

/// Records of one serial number, in order.
struct Group {
    std::string serial;
    std::vector<Record> records;
    const Record* find(int type) const;
};

/// A watched path as it was when looked at.
struct Scan {
    std::optional<Inode> parent, self;
    bool directory = false;
};

/// A watched name made or deleted outside the call.
struct Change {
    Inode parent;
    std::string name;
    std::optional<Inode> file;
};

struct LoggedEvent {
    std::string name;
    bool loaded_before = false;         // rules were loaded afresh before it
    std::map<std::string, Scan> scans;  // what was loaded upon, by path (all watched paths; first phase, loaded_before)
    std::vector<Change> prepared;       // since loading or the event before
    int pid = 0;
    std::string status, results;
    std::vector<Group> groups;
    std::map<Inode, std::vector<Inode>> chains;  // inode -> itself and its ancestors
};

struct Phase {
    std::string name;
    unsigned loaded = 0;               // rules auditctl -l lists
    std::vector<std::string> refused;  // what auditctl complained of
    std::vector<LoggedEvent> events;
};

struct Log {
    std::vector<Phase> phases;
    std::optional<unsigned> lost;
};

/// Error: the line that is not understood.
tl::expected<Log, std::string> read_log(std::string_view text);

/// "/a//b/" -> "/a/b".
std::string plain_path(std::string_view path);

}  // namespace auopt::lab
