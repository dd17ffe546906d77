// Mirrors kernel/auditsc.c: audit_filter_syscall and audit_filter_inodes (here: walk_exit_list, walk_hash),
// audit_filter_rules (rule_matches, test_holds), audit_match_perm, audit_in_mask, audit_comparator.
#include "kernel_model/evaluate.hpp"

#include <algorithm>

namespace auopt {

bool audit_comparator(std::uint32_t left, Op op, std::uint32_t right) {
    switch (op) {
        case Op::equal:
            return left == right;
        case Op::not_equal:
            return left != right;
        case Op::less:
            return left < right;
        case Op::less_equal:
            return left <= right;
        case Op::greater:
            return left > right;
        case Op::greater_equal:
            return left >= right;
        case Op::bit_mask:
            return (left & right) != 0;
        case Op::bit_test:
            return (left & right) == right;
    }
    return false;
}

namespace {

// auditfilter.c:audit_uid_comparator and audit_gid_comparator: bit operators are false.
bool compare_id(std::uint32_t left, Op op, std::uint32_t right) {
    return op != Op::bit_mask && op != Op::bit_test && audit_comparator(left, op, right);
}

// gid and egid: = is true for any supplementary group too, != for none of them.
bool compare_gid(const Event& e, std::uint32_t left, Op op, std::uint32_t right) {
    if (op == Op::equal) return left == right || e.groups.contains(right);
    if (op == Op::not_equal) return left != right && !e.groups.contains(right);
    return compare_id(left, op, right);
}

// The name of the hash walk if there is one, else any name of the call.
template <typename Predicate>
bool name_or_any(const Event& e, const EventName* name, Predicate holds) {
    if (name != nullptr) return holds(*name);
    return std::any_of(e.names.begin(), e.names.end(), holds);
}

// auditsc.c:audit_field_compare. The obj variants look at the name first, then at all names of the call.
bool field_compare(const Event& e, Op op, std::uint32_t which, const EventName* name) {
    const auto obj_uid = [&](std::uint32_t id) {
        if (name != nullptr && compare_id(id, op, name->uid)) return true;
        return std::any_of(e.names.begin(), e.names.end(),
                           [&](const EventName& n) { return compare_id(id, op, n.uid); });
    };
    const auto obj_gid = [&](std::uint32_t id) {
        if (name != nullptr && compare_id(id, op, name->gid)) return true;
        return std::any_of(e.names.begin(), e.names.end(),
                           [&](const EventName& n) { return compare_id(id, op, n.gid); });
    };
    switch (which) {
        case 1:
            return obj_uid(e.uid);
        case 2:
            return obj_gid(e.gid);
        case 3:
            return obj_uid(e.euid);
        case 4:
            return obj_gid(e.egid);
        case 5:
            return obj_uid(e.loginuid);
        case 6:
            return obj_uid(e.suid);
        case 7:
            return obj_gid(e.sgid);
        case 8:
            return obj_uid(e.fsuid);
        case 9:
            return obj_gid(e.fsgid);
        case 10:
            return compare_id(e.uid, op, e.loginuid);
        case 11:
            return compare_id(e.uid, op, e.euid);
        case 12:
            return compare_id(e.uid, op, e.fsuid);
        case 13:
            return compare_id(e.uid, op, e.suid);
        case 14:
            return compare_id(e.loginuid, op, e.fsuid);
        case 15:
            return compare_id(e.loginuid, op, e.suid);
        case 16:
            return compare_id(e.loginuid, op, e.euid);
        case 17:
            return compare_id(e.euid, op, e.suid);
        case 18:
            return compare_id(e.euid, op, e.fsuid);
        case 19:
            return compare_id(e.suid, op, e.fsuid);
        case 20:
            return compare_id(e.gid, op, e.egid);
        case 21:
            return compare_id(e.gid, op, e.fsgid);
        case 22:
            return compare_id(e.gid, op, e.sgid);
        case 23:
            return compare_id(e.egid, op, e.fsgid);
        case 24:
            return compare_id(e.egid, op, e.sgid);
        case 25:
            return compare_id(e.sgid, op, e.fsgid);
        default:
            return false;
    }
}

// ACC_MODE of the open flags: O_ACCMODE 0 -> r, 1 -> w, 2 and 3 -> rw.
std::uint32_t access_bits(std::uint64_t flags) {
    constexpr std::uint32_t bits[] = {perm_read, perm_write, perm_read | perm_write, perm_read | perm_write};
    return bits[flags & 3];
}

// auditsc.c:audit_match_perm, after audit_classify_syscall of the context's arch.
bool match_perm(const KernelTables& kernel, const Event& e, std::uint32_t value) {
    const AbiClasses& c = kernel.classes_of_arch(e.arch);  // an io_uring worker is (arch 0, nr 0) and so in no class
    const auto nr = static_cast<unsigned>(e.nr);
    switch (c.kind(nr)) {
        case SyscallKind::open:
            return (value & access_bits(e.args[1])) != 0;
        case SyscallKind::openat:
            return (value & access_bits(e.args[2])) != 0;
        case SyscallKind::openat2:
            return (value & access_bits(e.openat2_flags)) != 0;
        case SyscallKind::execve:
            return (value & perm_exec) != 0;
        case SyscallKind::socketcall:
            return (value & perm_write) != 0 && e.args[0] == 2;  // SYS_BIND
        case SyscallKind::native:
            break;
    }
    if (nr >= c.write.size()) return false;
    return ((value & perm_write) != 0 && c.write.test(nr)) || ((value & perm_read) != 0 && c.read.test(nr)) ||
           ((value & perm_attr) != 0 && c.chattr.test(nr));
}

bool lsm_holds(const Event& e, const FieldTest& test) {
    return std::any_of(e.lsm_true.begin(), e.lsm_true.end(), [&](const LsmAnswer& a) { return a.test == test; });
}

// auditsc.c:audit_in_mask.
bool in_mask(const KernelRule& rule, std::int32_t nr) {
    return nr >= 0 && nr < static_cast<std::int32_t>(mask_syscalls) && rule.mask.test(static_cast<unsigned>(nr));
}

// auditsc.c:audit_filter_rules without the priority: every test, in order.
// `runs`: whether exe= names the program, where the rule's own mark says so.
bool rule_matches(const KernelTables& kernel, const KernelRule& rule, const Event& e, const EventName* name,
                  bool path_is_dir, std::optional<bool> runs, std::size_t& passed) {
    passed = 0;
    for (const FieldTest& test : rule.tests) {
        const bool holds = test.field == Field::exe && runs ? *runs == (test.op != Op::not_equal)
                           : path_is_dir && test.field == Field::path
                               ? test_holds(kernel, {Field::dir, test.op, test.value, test.text}, e, name)
                               : test_holds(kernel, test, e, name);
        if (!holds) return false;
        ++passed;
    }
    return true;
}

// Could the bucket walk for `name` reach this rule? Bucket of an inode= rule is its number, of a path= rule the
// inode its watch is bound to, so a rule bound elsewhere may be reached by a hash collision but can't match.
bool in_bucket(const KernelRule& rule, const EventName& name) {
    if (const FieldTest* inode = find_test(rule, Field::inode)) return (inode->value & 31U) == (name.ino & 31U);
    const FieldTest* path = find_test(rule, Field::path);
    return path != nullptr && name.watches.contains(path->text);
}

struct Context {
    std::optional<std::size_t> prio;  // position of the rule that matched last; empty: every rule may match
    Decision decision;
};

struct Walk {
    const KernelState& state;
    const KernelTables& kernel;
    bool unknown_watch_is_dir;
    std::vector<RuleVisit>* visits;
    const WatchTable* watches = nullptr;  // the order of the hash; nullptr: as loaded

    bool on_hash(const KernelRule& rule) const {
        const Placement p = placement(rule);
        return p == Placement::inode_hash || (p == Placement::either && !unknown_watch_is_dir);
    }
    bool on_exit_list(const KernelRule& rule) const {
        const Placement p = placement(rule);
        return p == Placement::exit_list || (p == Placement::either && unknown_watch_is_dir);
    }

    // One entry of a list or bucket; true ends the walk.
    bool visit(std::size_t i, std::int32_t nr, const Event& e, const EventName* name,
               std::optional<std::size_t> name_index, Context& ctx) const {
        const KernelRule& rule = state.filter[i];
        if (watches != nullptr && watches->gone(i)) return false;
        std::optional<bool> runs;
        if (watches != nullptr && e.program) runs = watches->runs(i, *e.program);
        RuleVisit v{i, in_mask(rule, nr), false, 0, name_index};
        if (v.in_mask && (!ctx.prio || i < *ctx.prio))
            v.matched = rule_matches(kernel, rule, e, name, rule.watch_kind_unknown && unknown_watch_is_dir, runs,
                                     v.tests_passed);
        if (visits != nullptr) visits->push_back(v);
        if (!v.matched) return false;
        // A rule without a key leaves the key of an earlier match where it is.
        if (const auto key = rule_key(rule)) ctx.decision.key = std::string(*key);
        ctx.decision.outcome = rule.action == Action::always ? Outcome::always : Outcome::never;
        ctx.prio = i;
        return true;
    }

    void walk_exit_list(const Event& e, Context& ctx) const {
        for (std::size_t i = 0; i < state.filter.size(); ++i)
            if (on_exit_list(state.filter[i]) && visit(i, e.nr, e, nullptr, std::nullopt, ctx)) return;
    }

    // auditsc.c:audit_filter_uring: the mask holds opcodes.
    void walk_io_uring_list(const Event& e, Context& ctx) const {
        for (std::size_t i = 0; i < state.filter.size(); ++i)
            if (placement(state.filter[i]) == Placement::io_uring_list &&
                visit(i, static_cast<std::int32_t>(*e.uring_op), e, nullptr, std::nullopt, ctx))
                return;
    }

    // The first name that yields a match ends the whole stage.
    void walk_hash(const Event& e, std::size_t first_name, std::size_t last_name, Context& ctx) const {
        const std::size_t rules = watches != nullptr ? watches->order().size() : state.filter.size();
        for (std::size_t n = first_name; n < last_name; ++n)
            for (std::size_t k = 0; k < rules; ++k) {
                const std::size_t i = watches != nullptr ? watches->order()[k] : k;
                if (on_hash(state.filter[i]) && in_bucket(state.filter[i], e.names[n]) &&
                    visit(i, e.nr, e, &e.names[n], n, ctx))
                    return;
            }
    }

    // What is run once the result is known (or the io_uring operation done).
    void walk_at_exit(const Event& e, Context& ctx) const {
        // __audit_uring_exit: a worker (arch 0) has no exit list; an op inside a syscall walks list 7 unless already
        // recorded.
        const bool worker = e.uring_op && e.arch == 0;
        if (!worker) walk_exit_list(e, ctx);
        if (e.uring_op && (worker || ctx.decision.outcome != Outcome::always)) walk_io_uring_list(e, ctx);
        walk_hash(e, 0, e.names.size(), ctx);
    }
};

}  // namespace

bool test_holds(const KernelTables& kernel, const FieldTest& test, const Event& e, const EventName* name) {
    const Op op = test.op;
    const std::uint32_t v = test.value;
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    switch (test.field) {
        case Field::pid:
            return audit_comparator(e.pid, op, v);
        case Field::uid:
            return compare_id(e.uid, op, v);
        case Field::euid:
            return compare_id(e.euid, op, v);
        case Field::suid:
            return compare_id(e.suid, op, v);
        case Field::fsuid:
            return compare_id(e.fsuid, op, v);
        case Field::gid:
            return compare_gid(e, e.gid, op, v);
        case Field::egid:
            return compare_gid(e, e.egid, op, v);
        case Field::sgid:
            return compare_id(e.sgid, op, v);
        case Field::fsgid:
            return compare_id(e.fsgid, op, v);
        case Field::loginuid:
            return compare_id(e.loginuid, op, v);
        case Field::loginuid_set:
            return audit_comparator(e.loginuid != id_unset ? 1 : 0, op, v);
        case Field::sessionid:
            return audit_comparator(e.sessionid, op, v);
        case Field::pers:
            return audit_comparator(e.pers, op, v);
        case Field::ppid:
            return audit_comparator(e.ppid, op, v);
        case Field::arch:
            return audit_comparator(e.arch, op, v);
        case Field::exit:
            return e.return_valid != ReturnValid::invalid && audit_comparator(low(e.return_code), op, v);
        case Field::success:
            if (e.return_valid == ReturnValid::invalid) return false;
            return audit_comparator(e.return_valid == ReturnValid::success ? 1 : 2, op, v != 0 ? 1 : 2);
        case Field::arg0:
            return audit_comparator(low(e.args[0]), op, v);
        case Field::arg1:
            return audit_comparator(low(e.args[1]), op, v);
        case Field::arg2:
            return audit_comparator(low(e.args[2]), op, v);
        case Field::arg3:
            return audit_comparator(low(e.args[3]), op, v);
        case Field::devmajor:
            return name_or_any(e, name, [&](const EventName& n) {
                return audit_comparator(n.dev_major, op, v) || audit_comparator(n.rdev_major, op, v);
            });
        case Field::devminor:
            return name_or_any(e, name, [&](const EventName& n) {
                return audit_comparator(n.dev_minor, op, v) || audit_comparator(n.rdev_minor, op, v);
            });
        case Field::inode:
            return name_or_any(e, name, [&](const EventName& n) { return audit_comparator(low(n.ino), op, v); });
        case Field::obj_uid:
            return name_or_any(e, name, [&](const EventName& n) { return compare_id(n.uid, op, v); });
        case Field::obj_gid:
            return name_or_any(e, name, [&](const EventName& n) { return compare_id(n.gid, op, v); });
        case Field::path:
            return name != nullptr && name->watches.contains(test.text);
        case Field::dir:
            return e.dirs.contains(test.text);
        case Field::perm:
            return match_perm(kernel, e, v) == (op != Op::not_equal);
        case Field::filetype: {  // any resolved name of the call, also in the hash walk; != negates the whole
            const bool any = std::any_of(e.names.begin(), e.names.end(), [&](const EventName& n) {
                constexpr std::uint32_t s_ifmt = 0xF000;
                return n.resolved && (n.mode & s_ifmt) == v;
            });
            return any == (op != Op::not_equal);
        }
        case Field::field_compare:
            return field_compare(e, op, v, name);
        case Field::exe:
            return e.exes.contains(test.text) == (op != Op::not_equal);
        case Field::saddr_fam:
            return e.saddr_fam && audit_comparator(*e.saddr_fam, op, v);
        case Field::subj_user:
        case Field::subj_role:
        case Field::subj_type:
        case Field::subj_sen:
        case Field::subj_clr:
        case Field::obj_user:
        case Field::obj_role:
        case Field::obj_type:
        case Field::obj_lev_low:
        case Field::obj_lev_high:
            return lsm_holds(e, test);
        case Field::key:
            return true;
        case Field::msgtype:
        case Field::fstype:
            return false;
    }
    return false;  // audit_filter_rules' default: a field it does not know
}

Decision evaluate(const KernelState& state, const KernelTables& kernel, const Event& event, bool unknown_watch_is_dir,
                  const EntryState& entry, std::vector<RuleVisit>* visits) {
    const Walk walk{state, kernel, unknown_watch_is_dir, visits};
    Context ctx{entry.prio_position, entry.decision};
    // audit_watch.c:audit_update_watch: names that are deleted are judged before the result is known.
    Event unfinished = event;
    unfinished.return_valid = ReturnValid::invalid;
    for (std::size_t n = 0; n < event.names.size(); ++n)
        if (event.names[n].deleted) walk.walk_hash(unfinished, 0, n + 1, ctx);
    // The watches of deleted names are unbound by then.
    Event at_exit = event;
    for (EventName& n : at_exit.names)
        if (n.deleted) n.watches.clear();
    walk.walk_at_exit(at_exit, ctx);
    return ctx.decision;
}

RunResult evaluate(const KernelState& state, const KernelTables& kernel, const Event& event, WatchTable& watches,
                   const std::vector<NameChange>& changes, const EntryState& entry) {
    const Walk walk{state, kernel, false, nullptr, &watches};
    Context ctx{entry.prio_position, entry.decision};
    const auto bound = [&](ReturnValid valid) {
        Event e = event;
        if (valid == ReturnValid::invalid) e.return_valid = valid;
        for (EventName& n : e.names) n.watches = watches.bound_to({n.dev_major, n.dev_minor, n.ino});
        return e;
    };
    // auditsc_get_stamp: the first record inside a call that no rule has decided makes it recorded.
    const auto log_record = [&] {
        if (!ctx.prio) ctx.decision.outcome = Outcome::always;
    };
    std::vector<Inode> removed;  // audit_killed_trees: their rules go at the exit of the call
    for (const NameChange& change : changes) {
        switch (change.kind) {
            case NameChange::Kind::name:
                break;
            case NameChange::Kind::inode_removed:
                removed.push_back(change.parent);
                [[fallthrough]];
            case NameChange::Kind::directory_moved:
                if (watches.drop_directory(change.parent) != 0) log_record();
                continue;
            case NameChange::Kind::record:
                log_record();
                continue;
        }
        if (!change.file && watches.watched(change.parent, change.name))
            walk.walk_hash(bound(ReturnValid::invalid), 0, std::min(change.names_known, event.names.size()), ctx);
        watches.update(change.parent, change.name, change.file);
    }
    for (const Inode& root : removed)
        if (watches.drop_trees(root) != 0) log_record();
    walk.walk_at_exit(bound(event.return_valid), ctx);
    return {ctx.decision, {ctx.prio, ctx.decision}};
}

}  // namespace auopt
