#include "tests/simulator/audit.hpp"

#include <algorithm>
#include <utility>

namespace auopt::simulator {
namespace {

constexpr Ino buckets = 32;  // AUDIT_INODE_BUCKETS
constexpr unsigned record_priority = 1;

bool in_mask(const KernelRule& rule, unsigned bit) { return bit < mask_syscalls && rule.mask.test(bit); }

// auditfilter.c: audit_comparator; ids know no bit operators.
bool compare(std::uint32_t left, Op op, std::uint32_t right, bool is_id = false) {
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
            return !is_id && (left & right) != 0;
        case Op::bit_test:
            return !is_id && (left & right) == right;
    }
    return false;
}

// audit_match_perm.
bool permission(const KernelTables& kernel, const Call& call, std::uint32_t asked) {
    const AbiClasses& classes = call.arch == arch_i386 ? kernel.compat : kernel.native;
    if (call.arch == 0 || call.nr < 0 || call.nr >= static_cast<std::int32_t>(mask_syscalls)) return false;
    const auto nr = static_cast<unsigned>(call.nr);
    const auto opened = [&](std::uint64_t flags) {
        const unsigned how = static_cast<unsigned>(flags & 3);  // O_RDONLY, O_WRONLY, O_RDWR, both
        const std::uint32_t wants = how == 0 ? perm_read : how == 1 ? perm_write : perm_read | perm_write;
        return (asked & wants) != 0;
    };
    if (const auto special = classes.special.find(nr); special != classes.special.end()) {
        switch (special->second) {
            case SyscallKind::open:
                return opened(call.args[1]);
            case SyscallKind::openat:
                return opened(call.args[2]);
            case SyscallKind::execve:
                return (asked & perm_exec) != 0;
            case SyscallKind::socketcall:
                return (asked & perm_write) != 0 && call.args[0] == 2;
            case SyscallKind::openat2:  // no operation of a world calls it
            case SyscallKind::native:
                break;
        }
    }
    return ((asked & perm_write) != 0 && classes.write.test(nr)) ||
           ((asked & perm_read) != 0 && classes.read.test(nr)) || ((asked & perm_attr) != 0 && classes.chattr.test(nr));
}

bool equal_rules(const KernelRule& a, const KernelRule& b) {  // audit_compare_rule
    return a.list == b.list && a.action == b.action && a.mask == b.mask && a.tests == b.tests;
}

template <typename T>
bool has(const std::vector<T>& all, const T& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

bool Outcome::same_as(const Outcome& o) const {
    if (decision != o.decision || recorded != o.recorded) return false;
    if (!recorded) return true;
    const bool same_key = key == nullptr || o.key == nullptr ? key == o.key : *key == *o.key;
    return same_key && collected == o.collected && targets == o.targets;
}

bool Outcome::kept_by(const Outcome& o) const {
    if (!recorded || decision != Decision::always) return true;
    return o.recorded && (key == nullptr || o.key == nullptr ? key == o.key : *key == *o.key);
}

std::string to_string(const Outcome& o) {
    std::string text = o.decision == Outcome::Decision::always  ? "always"
                       : o.decision == Outcome::Decision::never ? "never"
                                                                : "no rule";
    if (!o.recorded) return text + ", not recorded";
    text += ", recorded";
    text += o.key != nullptr ? " key=" + *o.key : std::string(" without key");
    if (!o.collected) text += ", without PATH";
    if (o.targets) text += ", with OBJ_PID";
    return text;
}

/// struct audit_context, for one call.
struct Audit::Context {
    const Call* call = nullptr;
    bool dummy = false;
    std::uint64_t prio = 0;
    bool record = false;  // current_state == AUDIT_STATE_RECORD
    const std::string* key = nullptr;
    Outcome::Decision decision = Outcome::Decision::none;
    std::vector<Name> names;
    std::vector<Ino> references;   // chunks that were met
    std::vector<Id> killed_trees;  // until the exit of the call
    std::vector<Ino> gone;
    bool collected = false, targets = false;

    // auditsc_get_stamp, and audit_clear_dummy before it.
    void stamp() {
        dummy = false;
        if (prio != 0) return;
        prio = record_priority;
        record = true;
    }
    // The steps that change nothing outside the call.
    void collect(const Step& step, const std::vector<Tree>& trees, bool counts_signals) {
        switch (step.kind) {
            case Step::Kind::name:
                if (!dummy) names.push_back(step.name);
                break;
            case Step::Kind::fill:
                if (!dummy) names.back() = step.name;
                break;
            case Step::Kind::seen:
                if (dummy) break;
                for (const Ino ino : step.inodes)
                    for (const Tree& tree : trees)
                        if (has(tree.tagged, ino) && !has(references, ino)) references.push_back(ino);
                break;
            case Step::Kind::record:
                stamp();
                break;
            case Step::Kind::signal:
                targets |= counts_signals && !dummy;
                break;
            default:
                break;
        }
    }
};

// ---- loading --------------------------------------------------------------------------------------

Audit::Audit(const RuleFile& file, const Files& files) : file_(&file) {
    const std::size_t n = file.rules().size();
    prio_.resize(n);
    watch_of_.resize(n, none);
    tree_of_.resize(n, none);
    marks_.resize(n);
    bool errors_ignored = false;
    for (const RuleFile::Order& order : file.orders()) {
        bool taken = true;
        repeated_ = false;
        switch (order.kind) {
            case RuleFile::Order::Kind::add:
                taken = add(static_cast<Id>(order.rule), files);
                break;
            case RuleFile::Order::Kind::equivalent:
                taken = make_equivalent(order, files);
                break;
            case RuleFile::Order::Kind::trim:
                trim(files);
                break;
            case RuleFile::Order::Kind::ignore_errors:
                errors_ignored = true;
                break;
        }
        if (taken || errors_ignored) continue;
        stopped_ = true;
        missing_ = !repeated_;
        break;
    }
}

// audit_alloc_mark.
std::optional<Audit::Mark> Audit::new_mark(Id id, const Files& files) const {
    const std::string& program = file_->rules()[id].program;
    if (program.empty()) return Mark{};
    const auto there = files.place(program);
    if (!there) return std::nullopt;
    return Mark{there->directory, there->file.value_or(no_inode)};
}

// audit_data_to_entry as far as it looks at files, and audit_add_rule.
bool Audit::add(Id id, const Files& files) {
    const RuleFile::Rule& r = file_->rules()[id];
    const bool on_list = r.rule.list == List::exit || r.rule.list == List::io_uring;
    const auto mark = new_mark(id, files);
    if (!mark) return false;
    // A rule to be prepended carries a flag that no stored rule has, so that it equals none. Rules have ids in the order
    // of the file, and a bucket or list holds all that is like this one.
    if (!r.rule.prepend)
        for (Id other = 0; other < id; ++other)
            if (prio_[other] != 0 && equal_rules(file_->rules()[other].rule, r.rule)) {
                repeated_ = true;
                return false;
            }

    Ino bucket = r.inode ? *r.inode % buckets : buckets;  // buckets: not in the hash
    if (!r.path.empty()) {
        const auto there = files.place(r.path);
        if (!there) return false;
        const Ino ino = there->file.value_or(no_inode);
        const auto known = std::find_if(watch_order_.begin(), watch_order_.end(), [&](Id w) {
            return watches_[w].directory == there->directory && watches_[w].path == r.path;
        });
        if (known != watch_order_.end()) {
            watch_of_[id] = *known;
        } else {
            watch_of_[id] = static_cast<Id>(watches_.size());
            watches_.push_back({r.path, r.name, there->directory, ino, {}});
            watch_order_.insert(watch_order_.begin(), watch_of_[id]);
        }
        Watch& watch = watches_[watch_of_[id]];
        watch.rules.insert(watch.rules.begin(), id);
        bucket = ino % buckets;
    }
    if (!r.directory.empty()) {
        auto known = std::find_if(trees_.begin(), trees_.end(), [&](const Tree& t) { return t.path == r.directory; });
        if (known == trees_.end()) {
            const auto there = files.find(r.directory);
            // "/d/" of something that is no directory: ENOTDIR.
            if (!there || (r.directory.back() == '/' && !files.at(*there).is_directory)) return false;
            trees_.push_back({r.directory, *there, {*there}, {}});
            known = trees_.end() - 1;
        }
        known->rules.insert(known->rules.begin(), id);
        tree_of_[id] = static_cast<Id>(known - trees_.begin());
    }
    marks_[id] = *mark;
    prio_[id] = !on_list ? ~std::uint64_t{0} : r.rule.prepend ? ++prio_high_ : --prio_low_;
    if (on_list) {
        if (bucket < buckets) {
            hash_.insert(r.rule.prepend ? hash_.begin() : hash_.end(), {bucket, id});
        } else {
            std::vector<Id>& list = r.rule.list == List::exit ? exit_list_ : uring_list_;
            list.insert(r.rule.prepend ? list.begin() : list.end(), id);
        }
        ++counted_;
    }
    if (r.counts_signals) ++signals_;
    return true;
}

// audit_tag_tree: the subtree's inode is tagged into every tree that has the mount point below its path.
bool Audit::make_equivalent(const RuleFile::Order& order, const Files& files) {
    const auto subtree = files.find(order.subtree), mount = files.find(order.mount);
    if (!subtree || !mount) return false;
    const std::vector<Ino> above = files.with_ancestors(*mount);
    for (Tree& tree : trees_) {
        const auto there = files.find(tree.path);
        if (there && has(above, *there) && !has(tree.tagged, *subtree)) tree.tagged.push_back(*subtree);
    }
    return true;
}

// audit_trim_trees, where nothing is mounted.
void Audit::trim(const Files& files) {
    for (Tree& tree : trees_)
        if (const auto there = files.find(tree.path))
            std::erase_if(tree.tagged, [&](Ino ino) { return ino != *there; });
}

// ---- rules come and go ------------------------------------------------------------------------------

void Audit::drop(Id id) {
    std::erase(exit_list_, id);
    std::erase(uring_list_, id);
    std::erase_if(hash_, [&](const Hashed& h) { return h.rule == id; });
    marks_[id] = {};
    if (tree_of_[id] != none) std::erase(trees_[tree_of_[id]].rules, id);
    tree_of_[id] = none;
    if (watch_of_[id] != none) {
        Watch& watch = watches_[watch_of_[id]];
        std::erase(watch.rules, id);
        if (watch.rules.empty()) std::erase(watch_order_, watch_of_[id]);
    }
    watch_of_[id] = none;
}

void Audit::remove(Id id) {
    // A tree without rules has no more tags.
    const Id tree = tree_of_[id];
    drop(id);
    if (tree != none && trees_[tree].rules.empty()) {
        trees_[tree].tagged.clear();
        trees_[tree].root = no_inode;
    }
    --counted_;
    if (file_->rules()[id].counts_signals) --signals_;
}

// audit_update_watch, once the watch is found.
void Audit::rebind(std::size_t index, Ino ino, const Files& after) {
    Watch& watch = watches_[index];
    watch.ino = ino;
    const std::vector<Id> rules = std::exchange(watch.rules, {});
    for (const Id id : rules) {
        std::erase_if(hash_, [&](const Hashed& h) { return h.rule == id; });
        const auto mark = new_mark(id, after);  // audit_dupe_exe looks the program up again
        if (!mark) {                            // "error updating watch, removing"
            watch_of_[id] = none;
            marks_[id] = {};
            continue;
        }
        marks_[id] = *mark;
        watch.rules.insert(watch.rules.begin(), id);
        hash_.insert(hash_.begin(), {ino % buckets, id});
    }
    const Id self = static_cast<Id>(index);
    std::erase(watch_order_, self);
    watch_order_.insert(watch_order_.begin(), self);
}

// A directory goes, or is moved: audit_remove_parent_watches, audit_autoremove_mark_rule. The counters follow the marks'
// rules only.
void Audit::directory_gone(Ino directory, Context& context) {
    for (const Id w : std::vector<Id>(watch_order_)) {
        if (watches_[w].directory != directory) continue;
        for (const Id id : std::vector<Id>(watches_[w].rules)) {
            context.stamp();  // CONFIG_CHANGE op=remove_rule
            drop(id);
        }
    }
    for (std::size_t id = 0; id < marks_.size(); ++id) {
        if (marks_[id].directory != directory) continue;
        context.stamp();  // CONFIG_CHANGE op=autoremove_rule
        remove(static_cast<Id>(id));
    }
}

void Audit::told(const Step& step, const Files& after, Context& context) {
    switch (step.kind) {
        case Step::Kind::made:
        case Step::Kind::unmade: {
            const bool invalidates = step.kind == Step::Kind::unmade;
            const auto watch = std::find_if(watch_order_.begin(), watch_order_.end(), [&](Id w) {
                return watches_[w].directory == step.directory && watches_[w].name == step.text;
            });
            if (watch != watch_order_.end()) {
                if (invalidates && !context.dummy) walk_hash(*context.call, Result::none, context);
                rebind(*watch, invalidates ? no_inode : step.ino, after);
            }
            // audit_update_mark: the inode is told with FS_DELETE too, so that a mark stays on what was deleted.
            for (std::size_t id = 0; id < marks_.size(); ++id) {
                const std::string& program = file_->rules()[id].program;
                if (marks_[id].directory == step.directory && program.ends_with("/" + step.text))
                    marks_[id].ino = step.ino;
            }
            break;
        }
        case Step::Kind::inode_gone:
            directory_gone(step.ino, context);
            for (std::size_t t = 0; t < trees_.size(); ++t)
                if (trees_[t].root == step.ino) context.killed_trees.push_back(static_cast<Id>(t));
            context.gone.push_back(step.ino);
            break;
        case Step::Kind::inode_moved:
            directory_gone(step.ino, context);
            break;
        default:
            context.collect(step, trees_, signals_ != 0);
            break;
    }
}

// audit_kill_trees, at the exit of the call.
void Audit::kill_trees(Context& context) {
    for (const Id t : context.killed_trees) {
        for (const Id id : std::vector<Id>(trees_[t].rules)) {
            context.stamp();  // CONFIG_CHANGE op=remove_rule
            drop(id);
        }
        trees_[t].path = {};  // the string is free for another tree
        trees_[t].root = no_inode;
        trees_[t].tagged.clear();
    }
}

// ---- calls ------------------------------------------------------------------------------------------

Outcome Audit::judge(const Call& call) const {
    Context context;
    context.call = &call;
    context.dummy = counted_ == 0;
    context.collected = !context.dummy;
    for (const Step& step : call.steps) context.collect(step, trees_, signals_ != 0);
    return finish(call, context);
}

Outcome Audit::run(const Call& call, const Files& after) {
    Context context;
    context.call = &call;
    context.dummy = counted_ == 0;
    context.collected = !context.dummy;
    for (const Step& step : call.steps) told(step, after, context);
    if (!context.dummy) kill_trees(context);
    const Outcome outcome = finish(call, context);
    // A chunk that the call has met belongs to its trees until the call ends.
    for (Tree& tree : trees_) std::erase_if(tree.tagged, [&](Ino ino) { return has(context.gone, ino); });
    return outcome;
}

Outcome Audit::finish(const Call& call, Context& context) const {
    if (context.dummy) return {};
    if (call.uring_op)
        walk_list(uring_list_, *call.uring_op, call, call.result, context);
    else if (call.nr >= 0)
        walk_list(exit_list_, static_cast<unsigned>(call.nr), call, call.result, context);
    walk_hash(call, call.result, context);
    return {context.decision, context.record, context.record ? context.key : nullptr, context.collected,
            context.targets};
}

void Audit::walk_list(const std::vector<Id>& list, unsigned bit, const Call& call, Result result,
                      Context& context) const {
    for (const Id id : list)
        if (visit(id, bit, call, result, nullptr, context)) return;
}

void Audit::walk_hash(const Call& call, Result result, Context& context) const {
    if (call.nr < 0) return;
    for (const Name& name : context.names)
        for (const Hashed& h : hash_)
            if (h.bucket == name.ino % buckets &&
                visit(h.rule, static_cast<unsigned>(call.nr), call, result, &name, context))
                return;
}

bool Audit::visit(Id id, unsigned bit, const Call& call, Result result, const Name* name, Context& context) const {
    const RuleFile::Rule& r = file_->rules()[id];
    if (!in_mask(r.rule, bit) || prio_[id] <= context.prio) return false;
    for (const FieldTest& test : r.rule.tests)
        if (!holds(test, id, call, result, name, context)) return false;
    if (r.key) context.key = &*r.key;
    context.prio = prio_[id];
    context.record = r.rule.action == Action::always;
    context.decision = context.record ? Outcome::Decision::always : Outcome::Decision::never;
    return true;
}

bool Audit::holds(const FieldTest& t, Id id, const Call& call, Result result, const Name* name,
                  const Context& context) const {
    const auto of_names = [&](auto&& predicate) {
        return name != nullptr ? predicate(*name) : std::any_of(context.names.begin(), context.names.end(), predicate);
    };
    const bool equal = t.op == Op::equal;
    switch (t.field) {
        case Field::uid:
            return compare(call.uid, t.op, t.value, true);
        case Field::euid:
            return compare(call.euid, t.op, t.value, true);
        case Field::loginuid:
            return compare(call.auid, t.op, t.value, true);
        case Field::loginuid_set:
            return compare(call.auid != id_unset, t.op, t.value);
        case Field::arch:
            return compare(call.arch, t.op, t.value);
        case Field::exit:
            return result != Result::none && compare(static_cast<std::uint32_t>(call.code), t.op, t.value);
        case Field::success:
            return result != Result::none && compare(result == Result::success ? 1 : 2, t.op, t.value != 0 ? 1 : 2);
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3: {
            const auto n = static_cast<std::size_t>(t.field) - static_cast<std::size_t>(Field::arg0);
            return compare(static_cast<std::uint32_t>(call.args[n]), t.op, t.value);
        }
        case Field::path: {
            const Watch& watch = watches_[watch_of_[id]];
            return name != nullptr && watch.ino != no_inode && watch.ino == name->ino;
        }
        case Field::dir: {
            const Tree& tree = trees_[tree_of_[id]];
            return std::any_of(context.references.begin(), context.references.end(),
                               [&](Ino ino) { return has(tree.tagged, ino); });
        }
        case Field::inode:
            return of_names([&](const Name& n) { return compare(n.ino, t.op, t.value); });
        case Field::obj_uid:
            return of_names([&](const Name& n) { return compare(n.uid, t.op, t.value, true); });
        case Field::perm:
            return permission(file_->kernel(), call, t.value) == equal;
        case Field::filetype:
            return std::any_of(context.names.begin(), context.names.end(), [&](const Name& n) {
                       return n.ino != no_inode && (n.mode & 0xF000) == t.value;
                   }) == equal;
        case Field::exe:
            return (marks_[id].ino != no_inode && marks_[id].ino == call.exe) == equal;
        case Field::key:
            return true;
        default:
            return false;  // RuleFile::read takes no other
    }
}

}  // namespace auopt::simulator
