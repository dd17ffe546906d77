// Sources: Linux 6.1 and 6.12, kernel/auditfilter.c and kernel/auditsc.c; kernel filter specification, section 2.6.
#include "kernel_model/record_lists.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libaudit.h>

#include "compiler/spelling.hpp"
#include "kernel_model/evaluate.hpp"

namespace auopt {
namespace {

// audit_uid_comparator and audit_gid_comparator: bit operators are false.
bool id_comparator(std::uint32_t left, Op op, std::uint32_t right) {
    return op != Op::bit_mask && op != Op::bit_test && audit_comparator(left, op, right);
}

bool loginuid_set(const ListEvent& e) { return e.loginuid != id_unset; }

// audit_exe_compare, and the negation of its callers.
bool exe_compare(const ListEvent& e, const FieldTest& test) {
    return e.exes.contains(test.text) == (test.op != Op::not_equal);
}

LsmReply lsm_reply(const ListEvent& e, const FieldTest& test) {
    const auto found = std::find_if(e.lsm.begin(), e.lsm.end(), [&](const ListLsmReply& r) { return r.test == test; });
    return found == e.lsm.end() ? LsmReply::no : found->reply;
}

// audit_fsnotify.c:audit_autoremove_mark_rule: the rule goes with the directory of its program.
bool removed(const ListEvent& e, const KernelRule& rule) {
    const FieldTest* exe = find_test(rule, Field::exe);
    return exe != nullptr && e.removed_exes.contains(exe->text);
}

// ---- user and exclude -----------------------------------------------------------------------------

/// One test, as audit_filter's `result` is after it. Nothing: a field that it does not know.
std::optional<int> filter_test(const FieldTest& test, const ListEvent& e, int result) {
    switch (test.field) {
        case Field::pid:
            return audit_comparator(e.pid, test.op, test.value) ? 1 : 0;
        case Field::uid:
            return id_comparator(e.uid, test.op, test.value) ? 1 : 0;
        case Field::gid:  // no supplementary groups here
            return id_comparator(e.gid, test.op, test.value) ? 1 : 0;
        case Field::loginuid:
            return id_comparator(e.loginuid, test.op, test.value) ? 1 : 0;
        case Field::loginuid_set:
            return audit_comparator(loginuid_set(e) ? 1 : 0, test.op, test.value) ? 1 : 0;
        case Field::msgtype:
            return audit_comparator(e.msgtype, test.op, test.value) ? 1 : 0;
        case Field::subj_user:
        case Field::subj_role:
        case Field::subj_type:
        case Field::subj_sen:
        case Field::subj_clr:
            switch (lsm_reply(e, test)) {
                case LsmReply::no:
                    return 0;
                case LsmReply::yes:
                    return 1;
                case LsmReply::unset:
                    return result;  // as the test before left it
                case LsmReply::error:
                    return -1;
            }
            return result;
        case Field::exe:
            return exe_compare(e, test) ? 1 : 0;
        default:
            return std::nullopt;
    }
}

// auditfilter.c:audit_filter. The kernel makes the record unless a rule says otherwise.
ListDecision audit_filter(const std::vector<KernelRule>& rules, const ListEvent& e) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (removed(e, rules[i])) continue;
        int result = 0;
        for (const FieldTest& test : rules[i].tests) {
            const std::optional<int> next = filter_test(test, e, result);
            if (!next || *next < 0) return {ListOutcome::passes, std::nullopt, i, true};
            result = *next;
            if (result == 0) break;
        }
        if (result <= 0) continue;
        // The exclude list drops whatever the action is.
        const bool drops = e.list == List::exclude || rules[i].action == Action::never;
        return {drops ? ListOutcome::dropped : ListOutcome::passes, std::nullopt, i, false};
    }
    return {};
}

// ---- task -----------------------------------------------------------------------------------------

// in_group_p and groups_search: = is true for any supplementary group too, != for none of them.
bool group_test(const ListEvent& e, std::uint32_t left, const FieldTest& test) {
    if (test.op == Op::equal) return left == test.value || e.groups.contains(test.value);
    if (test.op == Op::not_equal) return left != test.value && !e.groups.contains(test.value);
    return id_comparator(left, test.op, test.value);
}

// auditsc.c:audit_field_compare without names: the comparisons with a file's owner are false.
bool compare_credentials(const ListEvent& e, Op op, std::uint32_t which) {
    switch (which) {
        case AUDIT_COMPARE_UID_TO_AUID:
            return id_comparator(e.uid, op, e.loginuid);
        case AUDIT_COMPARE_UID_TO_EUID:
            return id_comparator(e.uid, op, e.euid);
        case AUDIT_COMPARE_UID_TO_FSUID:
            return id_comparator(e.uid, op, e.fsuid);
        case AUDIT_COMPARE_UID_TO_SUID:
            return id_comparator(e.uid, op, e.suid);
        case AUDIT_COMPARE_AUID_TO_FSUID:
            return id_comparator(e.loginuid, op, e.fsuid);
        case AUDIT_COMPARE_AUID_TO_SUID:
            return id_comparator(e.loginuid, op, e.suid);
        case AUDIT_COMPARE_AUID_TO_EUID:
            return id_comparator(e.loginuid, op, e.euid);
        case AUDIT_COMPARE_EUID_TO_SUID:
            return id_comparator(e.euid, op, e.suid);
        case AUDIT_COMPARE_EUID_TO_FSUID:
            return id_comparator(e.euid, op, e.fsuid);
        case AUDIT_COMPARE_SUID_TO_FSUID:
            return id_comparator(e.suid, op, e.fsuid);
        case AUDIT_COMPARE_GID_TO_EGID:
            return id_comparator(e.gid, op, e.egid);
        case AUDIT_COMPARE_GID_TO_FSGID:
            return id_comparator(e.gid, op, e.fsgid);
        case AUDIT_COMPARE_GID_TO_SGID:
            return id_comparator(e.gid, op, e.sgid);
        case AUDIT_COMPARE_EGID_TO_FSGID:
            return id_comparator(e.egid, op, e.fsgid);
        case AUDIT_COMPARE_EGID_TO_SGID:
            return id_comparator(e.egid, op, e.sgid);
        case AUDIT_COMPARE_SGID_TO_FSGID:
            return id_comparator(e.sgid, op, e.fsgid);
        default:
            return false;
    }
}

// auditsc.c:audit_filter_rules with neither a context nor a name. exe= is judged on the new task by kernels before
// 6.1.64, and false on those after, which an event without programs is.
bool task_test(const FieldTest& test, const ListEvent& e) {
    const Op op = test.op;
    const std::uint32_t v = test.value;
    switch (test.field) {
        case Field::pid:
            return audit_comparator(e.pid, op, v);
        case Field::pers:
            return audit_comparator(e.pers, op, v);
        case Field::sessionid:
            return audit_comparator(e.sessionid, op, v);
        case Field::uid:
            return id_comparator(e.uid, op, v);
        case Field::euid:
            return id_comparator(e.euid, op, v);
        case Field::suid:
            return id_comparator(e.suid, op, v);
        case Field::fsuid:
            return id_comparator(e.fsuid, op, v);
        case Field::gid:
            return group_test(e, e.gid, test);
        case Field::egid:
            return group_test(e, e.egid, test);
        case Field::sgid:
            return id_comparator(e.sgid, op, v);
        case Field::fsgid:
            return id_comparator(e.fsgid, op, v);
        case Field::loginuid:
            return id_comparator(e.loginuid, op, v);
        case Field::loginuid_set:
            return audit_comparator(loginuid_set(e) ? 1 : 0, op, v);
        case Field::field_compare:
            return compare_credentials(e, op, v);
        case Field::perm:
        case Field::filetype:  // false without a context, and then negated
            return op == Op::not_equal;
        case Field::exe:
            return exe_compare(e, test);
        case Field::subj_user:
        case Field::subj_role:
        case Field::subj_type:
        case Field::subj_sen:
        case Field::subj_clr: {
            const LsmReply reply = lsm_reply(e, test);
            return reply == LsmReply::yes || reply == LsmReply::error;
        }
        case Field::key:
            return true;
        case Field::ppid:
        case Field::arch:
        case Field::exit:
        case Field::success:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::devmajor:
        case Field::devminor:
        case Field::inode:
        case Field::obj_uid:
        case Field::obj_gid:
        case Field::path:
        case Field::dir:
        case Field::saddr_fam:
        case Field::obj_user:
        case Field::obj_role:
        case Field::obj_type:
        case Field::obj_lev_low:
        case Field::obj_lev_high:
        case Field::msgtype:
        case Field::fstype:
            return false;
    }
    return false;
}

// auditsc.c:audit_filter_task. No mask, and zero tests match.
ListDecision audit_filter_task(const std::vector<KernelRule>& rules, const ListEvent& e) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (removed(e, rules[i])) continue;
        if (!std::all_of(rules[i].tests.begin(), rules[i].tests.end(),
                         [&](const FieldTest& test) { return task_test(test, e); }))
            continue;
        if (rules[i].action == Action::never) return {ListOutcome::never_audited, std::nullopt, i, false};
        ListDecision d{ListOutcome::always_recorded, std::nullopt, i, false};
        if (const auto key = rule_key(rules[i])) d.key = std::string(*key);
        return d;
    }
    return {};
}

// ---- filesystem -----------------------------------------------------------------------------------

// The loop of auditsc.c:__audit_inode: one true fstype test of a never rule is enough.
ListDecision filter_filesystem(const std::vector<KernelRule>& rules, const ListEvent& e) {
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (const FieldTest& test : rules[i].tests)
            if (test.field == Field::fstype && audit_comparator(e.fstype, test.op, test.value) &&
                rules[i].action == Action::never)
                return {ListOutcome::dropped, std::nullopt, i, false};
    return {};
}

std::string id(std::uint32_t value) { return value == id_unset ? std::string("unset") : fmt::format("{}", value); }

}  // namespace

std::string_view reply_word(LsmReply reply) {
    switch (reply) {
        case LsmReply::no:
            return "no";
        case LsmReply::yes:
            return "yes";
        case LsmReply::unset:
            return "unknown label";
        case LsmReply::error:
            return "error";
    }
    return "no";
}

ListDecision evaluate_list(const KernelState& state, const ListEvent& e) {
    const std::vector<KernelRule>& rules = state.rules_of(e.list);
    switch (e.list) {
        case List::user:
        case List::exclude:
            return audit_filter(rules, e);
        case List::task:
            return audit_filter_task(rules, e);
        case List::filesystem:
            return filter_filesystem(rules, e);
        case List::exit:
        case List::io_uring:
            break;  // decided per call: evaluate.hpp
    }
    return {};
}

std::string to_string(List list, const ListDecision& d) {
    switch (d.outcome) {
        case ListOutcome::passes:
            return list == List::task ? "calls are judged one by one" : list == List::filesystem ? "kept" : "recorded";
        case ListOutcome::dropped:
            return "dropped";
        case ListOutcome::never_audited:
            return "never audited";
        case ListOutcome::always_recorded:
            break;
    }
    std::string key = d.key.value_or("");
    std::replace(key.begin(), key.end(), '\x01', ',');
    return d.key ? fmt::format("every call recorded, key \"{}\"", key) : "every call recorded, no key";
}

std::string describe(const ListEvent& e) {
    std::string text;
    switch (e.list) {
        case List::filesystem:
            return fmt::format("a name on a filesystem of type {:#x}", e.fstype);
        case List::user:
        case List::exclude: {
            const char* name = audit_msg_type_to_name(static_cast<int>(e.msgtype));
            text = fmt::format("a {} msgtype={} by pid={} uid={} gid={} auid={}",
                               e.list == List::user ? "message of user space" : "record",
                               name != nullptr ? fmt::format("{}({})", name, e.msgtype) : fmt::format("{}", e.msgtype),
                               e.pid, id(e.uid), id(e.gid), id(e.loginuid));
            break;
        }
        default:
            text = fmt::format(
                "a new task pid={} auid={} uid={} euid={} suid={} fsuid={} gid={} egid={} sgid={} fsgid={} ses={}",
                e.pid, id(e.loginuid), id(e.uid), id(e.euid), id(e.suid), id(e.fsuid), id(e.gid), id(e.egid),
                id(e.sgid), id(e.fsgid), id(e.sessionid));
            if (!e.groups.empty()) text += fmt::format(" groups={}", fmt::join(e.groups, ","));
            if (e.pers != 0) text += fmt::format(" pers={:#x}", e.pers);
            break;
    }
    if (!e.exes.empty()) text += fmt::format(" exe={}", fmt::join(e.exes, ","));
    if (!e.removed_exes.empty())
        text += fmt::format(" after the directory of {} was removed, and the rules with it",
                            fmt::join(e.removed_exes, ", "));
    for (const ListLsmReply& r : e.lsm)
        text += fmt::format(" lsm:{}{}{}:{}", audit_field_to_name(static_cast<int>(r.test.field)), op_text(r.test.op),
                            r.test.text, reply_word(r.reply));
    return text;
}

}  // namespace auopt
