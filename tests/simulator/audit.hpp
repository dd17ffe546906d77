// Auditing in a small world: a file of rules is loaded as auditctl and the kernel load it, and calls are judged as the
// kernel judges them. Written from the kernel's functions and independent of kernel_model/ and verify/, which it is
// there to judge: it takes the rule type and the tables of permission classes from them and nothing else.
//
// Mirrors auditfilter.c (audit_add_rule, audit_del_rule), audit_watch.c, audit_tree.c, audit_fsnotify.c, and from auditsc.c
// __audit_syscall_entry to __audit_syscall_exit, __audit_free and the worker's half of __audit_uring_exit.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"
#include "kernel_model/tables.hpp"
#include "tests/simulator/call.hpp"
#include "tests/simulator/files.hpp"

namespace auopt::simulator {

/// What auditing did with one call.
struct Outcome {
    enum class Decision { none, never, always };
    Decision decision = Decision::none;  // of the rule that matched last
    bool recorded = false;               // a SYSCALL record is written
    const std::string* key = nullptr;    // and carries this key
    bool collected = false;  // PATH, CWD and the like can be written: rules were counted at the call's entry
    bool targets = false;    // OBJ_PID is written

    /// Everything that a reader of the log can tell apart, and never from no match, which the next AVC would tell apart.
    bool same_as(const Outcome& o) const;
    /// Nothing of what a rule recorded here is missing or under another key there.
    bool kept_by(const Outcome& o) const;
};
std::string to_string(const Outcome& outcome);

/// The rules of a file, ready to be loaded into worlds. Keep it as long as what was loaded from it.
class RuleFile {
public:
    /// Error: what the simulator does not model.
    static tl::expected<RuleFile, std::string> read(const std::vector<Message>& messages, const KernelTables& kernel);

    struct Rule {
        KernelRule rule;
        std::optional<std::string> key;
        std::string path, name, directory, program;  // path= and its last component, dir=, exe=
        std::optional<std::uint32_t> inode;
        bool counts_signals = false;
    };
    struct Order {  // one message
        enum class Kind { add, equivalent, trim, ignore_errors } kind = Kind::add;
        std::size_t rule = 0;
        std::string mount, subtree;
    };
    const std::vector<Rule>& rules() const { return *rules_; }
    const std::vector<Order>& orders() const { return orders_; }
    const KernelTables& kernel() const { return *kernel_; }

private:
    std::shared_ptr<std::vector<Rule>> rules_ = std::make_shared<std::vector<Rule>>();
    std::vector<Order> orders_;
    const KernelTables* kernel_ = nullptr;
};

class Audit {
public:
    /// auditctl -R into a kernel without rules.
    Audit(const RuleFile& file, const Files& files);
    /// A message was refused, and what follows was not loaded.
    bool stopped() const { return stopped_; }
    /// Because something was missing, and not because the rule was there already, which it is in every world.
    bool stopped_at_missing_name() const { return stopped_ && missing_; }

    /// Judges a call that does not change files.
    Outcome judge(const Call& call) const;
    /// Judges one that may; `after`: the files once it is done.
    Outcome run(const Call& call, const Files& after);

private:
    using Id = std::uint8_t;  // of a rule in the file
    static constexpr Id none = 0xFF;

    struct Watch {
        std::string_view path, name;
        Ino directory = no_inode, ino = no_inode;
        std::vector<Id> rules;  // the krule list: the last added first
    };
    struct Tree {
        std::string_view path;
        Ino root = no_inode;
        std::vector<Ino> tagged;
        std::vector<Id> rules;
    };
    struct Mark {
        Ino directory = no_inode, ino = no_inode;  // no directory: no mark
    };
    struct Hashed {
        Ino bucket;
        Id rule;
    };
    struct Context;

    bool add(Id id, const Files& files);
    bool make_equivalent(const RuleFile::Order& order, const Files& files);
    void trim(const Files& files);
    std::optional<Mark> new_mark(Id id, const Files& files) const;

    void told(const Step& step, const Files& after, Context& context);
    void rebind(std::size_t watch, Ino ino, const Files& after);
    void directory_gone(Ino directory, Context& context);
    void kill_trees(Context& context);
    void drop(Id id);    // from the lists, without a word to the counters
    void remove(Id id);  // audit_del_rule

    Outcome finish(const Call& call, Context& context) const;
    void walk_list(const std::vector<Id>& list, unsigned bit, const Call& call, Result result, Context& context) const;
    void walk_hash(const Call& call, Result result, Context& context) const;
    bool visit(Id id, unsigned bit, const Call& call, Result result, const Name* name, Context& context) const;
    bool holds(const FieldTest& test, Id id, const Call& call, Result result, const Name* name,
               const Context& context) const;

    const RuleFile* file_;
    std::vector<Id> exit_list_, uring_list_;
    std::vector<Hashed> hash_;         // all 32 buckets; within one, in order
    std::vector<std::uint64_t> prio_;  // by rule
    std::vector<Id> watch_of_, tree_of_;
    std::vector<Mark> marks_;  // by rule
    std::vector<Watch> watches_;
    std::vector<Id> watch_order_;  // the last added or rebound first
    std::vector<Tree> trees_;
    int counted_ = 0, signals_ = 0;  // audit_n_rules, audit_signals
    std::uint64_t prio_low_ = ~std::uint64_t{0} / 2, prio_high_ = ~std::uint64_t{0} / 2 - 1;
    bool stopped_ = false, missing_ = false, repeated_ = false;
};

}  // namespace auopt::simulator
