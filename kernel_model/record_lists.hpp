// The lists besides exit and io_uring, concrete and function by function: auditfilter.c:audit_filter (user and
// exclude), auditsc.c:audit_filter_task (task), and the fstype loop of __audit_inode and __audit_inode_child
// (filesystem). Kernel filter specification, sections 1.1, 2.4 and 2.6.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir.hpp"
#include "kernel_model/state.hpp"

namespace auopt {

/// What the security module says to a subj_* test. `unset`: the rule's label is unknown to it, so that the kernel
/// holds no LSM rule (lsm_rule is NULL). `error`: it answers with a negative number.
enum class LsmReply { no, yes, unset, error };

struct ListLsmReply {
    FieldTest test;
    LsmReply reply = LsmReply::yes;
    bool operator==(const ListLsmReply&) const = default;
};

/// What one of these lists is asked about: a message of user space (user), a record about to be made (exclude), a
/// task being made (task), a name of a call being looked up (filesystem).
struct ListEvent {
    List list = List::exclude;
    std::uint32_t msgtype = 1300;  // user, exclude
    std::uint32_t fstype = 0;      // filesystem: the magic number of the superblock
    /// The task that runs; on the task list the new one. pid: on user and exclude the thread's up to 6.11, the
    /// process's from 6.12.
    std::uint32_t pid = 1000, pers = 0;
    std::uint32_t uid = 0, euid = 0, suid = 0, fsuid = 0;
    std::uint32_t gid = 0, egid = 0, sgid = 0, fsgid = 0;
    std::set<std::uint32_t> groups;  // supplementary
    std::uint32_t loginuid = id_unset, sessionid = id_unset;
    std::set<std::string> exes;          // exe= strings that name the program running
    std::set<std::string> removed_exes;  // exe= strings whose directory is gone: the kernel has removed their rules
    std::vector<ListLsmReply> lsm;       // tests that are not listed: no
    bool operator==(const ListEvent&) const = default;
};

enum class ListOutcome {
    passes,          // the message or record is made, the name is kept, the task's calls are judged one by one
    dropped,         // the message, the record or the name is
    never_audited,   // task: no context, no call of it is ever recorded
    always_recorded  // task: every call of it is, under the rule's key
};

struct ListDecision {
    ListOutcome outcome = ListOutcome::passes;
    std::optional<std::string> key;   // always_recorded only
    std::optional<std::size_t> rule;  // that ended the walk (index into the list); empty: none did
    bool ended_by_test = false;       // the rule did not match: a test of it that the list does not know, or an error
    bool same_as(const ListDecision& o) const { return outcome == o.outcome && key == o.key; }
    bool operator==(const ListDecision&) const = default;
};

/// Decides `event` by the list it names (user, task, exclude or filesystem).
ListDecision evaluate_list(const KernelState& state, const ListEvent& event);

/// no, yes, unknown label, error.
std::string_view reply_word(LsmReply reply);
/// "dropped", "recorded", ... in the words of the event's list.
std::string to_string(List list, const ListDecision& decision);
/// One line a person can read, with everything that decides.
std::string describe(const ListEvent& event);

}  // namespace auopt
