#include "verify/project.hpp"

#include <fmt/format.h>

#include "verify/meaning.hpp"

namespace auopt::proof {
namespace {

constexpr std::uint32_t rwa = perm_write | perm_read | perm_attr;

Truth negate(Truth t) { return t == Truth::depends ? t : t == Truth::yes ? Truth::no : Truth::yes; }

// A test without the spellings that mean the same: auditfilter.c rewrites auid=-1 to loginuid_set=0, any
// nonzero success= means "yes", and loginuid_set compares with 0 or 1.
FieldTest plain(FieldTest t) {
    const bool equality = t.op == Op::equal || t.op == Op::not_equal;
    if (t.field == Field::loginuid && t.value == id_unset && equality) {
        t.field = Field::loginuid_set;
        t.value = 0;
    }
    if (t.field == Field::loginuid_set && t.value == 1 && equality) {
        t.value = 0;
        t.op = t.op == Op::equal ? Op::not_equal : Op::equal;
    }
    if (t.field == Field::success) t.value = t.value != 0 ? 1 : 0;
    return t;
}

class RuleProjector {
public:
    RuleProjector(const KernelRule& rule, const PermModel& perms, bool ignore_keys, Vocabulary& vocabulary)
        : rule_(rule), perms_(perms), vocabulary_(vocabulary) {
        const auto key = rule_key(rule);
        if (key && !ignore_keys) key_ = vocabulary.intern_key(*key);
    }

    ProjectedRule run(std::size_t index) {
        ProjectedRule out;
        out.rule = index;
        const Placement place = placement(rule_);
        if (place == Placement::io_uring_list) {
            // Walked by operation, inside calls with either arch and by workers with arch 0: kept as a whole.
            const ItemId item = whole();
            out.worker = item;
            for (auto& items : out.items) items = {item};
            for (auto& calls : out.admits) calls.set(io_uring_enter).set(io_uring_register);
            return out;
        }
        for (const FieldTest& t : rule_.tests) {
            if (t.field == Field::perm) out.tests_perm = true;
            if (never_true(t)) return out;  // admits nothing
        }
        for (const Abi abi : all_abis) out.admits[index_of(abi)] = admitted(abi);
        for (std::size_t s = 0; s < perm_shapes; ++s) {
            const auto shape = static_cast<PermShape>(s);
            if (place != Placement::inode_hash) out.items[s].push_back(item(Walk::exit_list, place, shape));
            if (place != Placement::exit_list) out.items[s].push_back(item(Walk::inode_hash, place, shape));
        }
        if (place != Placement::exit_list && rule_.mask.test(0) && worker_admits())
            out.worker = item(Walk::inode_hash, place, PermShape::constant);
        return out;
    }

private:
    bool arch_holds(std::uint32_t arch) const {
        for (const FieldTest& t : rule_.tests)
            if (t.field == Field::arch && !compare_numbers(arch, t.op, t.value)) return false;
        return true;
    }

    SyscallSet admitted(Abi abi) const {
        SyscallSet calls;
        if (!arch_holds(perms_.machine().abi_arch(abi))) return calls;
        for (unsigned nr = 0; nr < mask_syscalls; ++nr)
            if (rule_.mask.test(nr)) calls.set(nr);
        for (const FieldTest& t : rule_.tests) {
            if (t.field != Field::perm) continue;
            for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
                if (!calls.test(nr)) continue;
                const Truth truth = perms_.truth(abi, nr, t.value);
                if ((t.op == Op::not_equal ? negate(truth) : truth) == Truth::no) calls.reset(nr);
            }
        }
        return calls;
    }

    // (arch 0, nr 0) is in no class, so that perm= is false and perm!= is true.
    bool worker_admits() const {
        if (!arch_holds(0)) return false;
        for (const FieldTest& t : rule_.tests)
            if (t.field == Field::perm && t.op != Op::not_equal) return false;
        return true;
    }

    ItemId item(Walk walk, Placement place, PermShape shape) {
        Condition condition;
        for (FieldTest t : rule_.tests) {
            if (t.field == Field::key || t.field == Field::arch) continue;
            if (t.field == Field::perm) {
                if (shape == PermShape::constant) continue;  // true, or the call is not admitted
                t.value = PermModel::relevant(shape, t.value);
                const bool always =
                    (shape == PermShape::open || shape == PermShape::openat) && t.value == (perm_read | perm_write);
                if (always || t.value == 0) continue;  // decided by the shape alone: see admitted()
            }
            if (place == Placement::either && t.field == Field::path) {
                const Guard watch = vocabulary_.intern_watch(t.text);
                condition.guard = walk == Walk::exit_list ? watch : -watch;
                if (walk == Walk::exit_list) t.field = Field::dir;
            }
            condition.tests.push_back(vocabulary_.intern(plain(t)));
        }
        return vocabulary_.intern(Item{walk, vocabulary_.intern(std::move(condition)), rule_.action, key_, 0});
    }

    ItemId whole() {
        Condition condition;
        for (const FieldTest& t : rule_.tests)
            if (t.field != Field::key) condition.tests.push_back(vocabulary_.intern(plain(t)));
        return vocabulary_.intern(Item{Walk::io_uring_list, vocabulary_.intern(std::move(condition)), rule_.action,
                                       key_, vocabulary_.intern_mask(rule_.mask)});
    }

    const KernelRule& rule_;
    const PermModel& perms_;
    Vocabulary& vocabulary_;
    KeyId key_ = 0;
};

}  // namespace

PermModel::PermModel(const KernelTables& kernel) : machine_(kernel.machine) {
    for (const Abi abi : all_abis) {
        const AbiClasses& classes = kernel.classes(abi);
        auto& shapes = shapes_[index_of(abi)];
        auto& bits = bits_[index_of(abi)];
        for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
            if (nr >= first_new_syscall && nr <= last_new_syscall) {
                shapes[nr] = PermShape::new_call;
                continue;
            }
            switch (classes.kind(nr)) {
                case SyscallKind::open:
                    shapes[nr] = PermShape::open;
                    break;
                case SyscallKind::openat:
                    shapes[nr] = PermShape::openat;
                    break;
                case SyscallKind::openat2:
                    shapes[nr] = PermShape::openat2;
                    break;
                case SyscallKind::socketcall:
                    shapes[nr] = PermShape::socketcall;
                    break;
                case SyscallKind::execve:
                    bits[nr] = perm_exec;
                    break;
                case SyscallKind::native:
                    bits[nr] = static_cast<std::uint8_t>((classes.write.test(nr) ? perm_write : 0) |
                                                         (classes.read.test(nr) ? perm_read : 0) |
                                                         (classes.chattr.test(nr) ? perm_attr : 0));
                    break;
            }
        }
    }
}

std::uint32_t PermModel::relevant(PermShape shape, std::uint32_t value) {
    switch (shape) {
        case PermShape::constant:
            return value & (rwa | perm_exec);
        case PermShape::open:
        case PermShape::openat:
        case PermShape::openat2:
            return value & (perm_read | perm_write);
        case PermShape::socketcall:
            return value & perm_write;
        case PermShape::new_call:
            return value & rwa;
    }
    return value;
}

Truth PermModel::truth(Abi abi, unsigned nr, std::uint32_t value) const {
    const PermShape s = shape(abi, nr);
    const std::uint32_t v = relevant(s, value);
    if (s == PermShape::constant) return (v & bits_[index_of(abi)][nr]) != 0 ? Truth::yes : Truth::no;
    if (v == 0) return Truth::no;
    // Every access mode has r or w; openat2 is judged so only by kernels that know it (>= 5.16).
    if ((s == PermShape::open || s == PermShape::openat) && v == (perm_read | perm_write)) return Truth::yes;
    return Truth::depends;
}

tl::expected<Projection, std::string> project(const KernelState& state, const PermModel& perms, bool ignore_keys,
                                              Vocabulary& vocabulary) {
    Projection out;
    for (std::size_t i = 0; i < state.filter.size(); ++i) {
        const KernelRule& rule = state.filter[i];
        for (const FieldTest& t : rule.tests)
            if (!is_understood(t))
                return tl::unexpected(fmt::format("{}: the meaning of field {} with operator {:#x} is not known",
                                                  where(state, i), static_cast<std::uint32_t>(t.field),
                                                  static_cast<std::uint32_t>(t.op)));
        out.rules.push_back(RuleProjector(rule, perms, ignore_keys, vocabulary).run(i));
    }
    return out;
}

std::string where(const KernelState& state, std::size_t rule) {
    const auto& sources = state.filter[rule].sources;
    if (sources.empty()) return fmt::format("rule {}", rule + 1);
    std::string text = sources.size() == 1 ? "line " : "lines ";
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (i == 4 && sources.size() > 5) return text + fmt::format(" and {} more", sources.size() - i);
        text += fmt::format("{}{}", i == 0 ? "" : ", ", sources[i].line);
    }
    return text;
}

}  // namespace auopt::proof
