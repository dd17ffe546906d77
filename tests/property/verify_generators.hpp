// Random rules and events over a small world, so that rules match and meet often.
#pragma once

#include <rapidcheck.h>

#include <random>
#include <string>
#include <vector>

#include "kernel_model/evaluate.hpp"
#include "kernel_model/state.hpp"

namespace auopt::test {

/// Where numbers come from: RapidCheck (rules and their mutations, which shrink), or a plain generator (the many
/// events that one pair of files is tried on).
inline std::mt19937* plain_dice = nullptr;
class PlainDice {
public:
    explicit PlainDice(std::uint32_t seed) : dice_(seed) { plain_dice = &dice_; }
    ~PlainDice() { plain_dice = nullptr; }
    PlainDice(const PlainDice&) = delete;
    PlainDice& operator=(const PlainDice&) = delete;

private:
    std::mt19937 dice_;
};

inline unsigned below(unsigned n) {
    return plain_dice != nullptr ? static_cast<unsigned>((*plain_dice)() % n) : *rc::gen::inRange(0U, n);
}
inline bool one_in(unsigned n) { return below(n) == 0; }

template <typename T>
T pick(const std::vector<T>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
}

inline const std::vector<unsigned>& world_calls() {
    // read, open, openat, openat2, execve / ia32 mkdir-like numbers, unlink, chmod, io_uring_enter, socketcall,
    // fchmodat2, link
    static const std::vector<unsigned> calls{0, 2, 5, 257, 437, 59, 87, 90, 426, 102, 452, 86, 10};
    return calls;
}

inline Op any_order() {
    return pick<Op>({Op::equal, Op::not_equal, Op::less, Op::less_equal, Op::greater, Op::greater_equal});
}
inline Op any_equality() { return one_in(2) ? Op::equal : Op::not_equal; }

inline FieldTest random_test() {
    const auto number = [](Field f, Op op, std::uint32_t v) { return FieldTest{f, op, v, {}}; };
    const auto text = [](Field f, Op op, const char* v) { return FieldTest{f, op, 0, v}; };
    switch (below(22)) {
        case 0:
            return number(pick<Field>({Field::uid, Field::euid, Field::suid, Field::fsuid, Field::sgid, Field::fsgid}),
                          any_order(), below(3));
        case 1:
            return number(pick<Field>({Field::gid, Field::egid}), any_order(), below(3));
        case 2:
            return number(Field::loginuid, any_order(), pick<std::uint32_t>({0, 1000, 2000, id_unset}));
        case 3:
            return number(Field::loginuid_set, any_equality(), below(2));
        case 4:
            return number(Field::sessionid, any_order(), pick<std::uint32_t>({1, 2, id_unset}));
        case 5:
            return number(pick<Field>({Field::pid, Field::ppid, Field::pers}), any_order(), below(3));
        case 6:
            return number(Field::exit, any_order(), pick<std::uint32_t>({0, 1, static_cast<std::uint32_t>(-13)}));
        case 7:
            return number(Field::success, pick<Op>({Op::equal, Op::not_equal, Op::greater}), below(3));
        case 8:
            return number(pick<Field>({Field::arg0, Field::arg1, Field::arg2, Field::arg3}),
                          pick<Op>({Op::equal, Op::not_equal, Op::bit_mask, Op::bit_test, Op::less}), below(4));
        case 9:
            return number(Field::saddr_fam, any_order(), below(3));
        case 10:
            return number(Field::field_compare, any_equality(), below(27));
        case 11:
            return text(Field::exe, any_equality(), pick<const char*>({"/bin/a", "/bin/b"}));
        case 12:
            return text(Field::subj_type, any_equality(), pick<const char*>({"s_t", "r_t"}));
        case 13:
            return text(Field::obj_type, any_equality(), "o_t");
        case 14:
            return number(Field::filetype, any_equality(), pick<std::uint32_t>({0x8000, 0x4000}));
        case 15:
            return number(pick<Field>({Field::obj_uid, Field::obj_gid}), any_order(), below(2));
        case 16:
            return number(pick<Field>({Field::devmajor, Field::devminor}), any_order(), below(3));
        case 17:
            return number(Field::perm, one_in(5) ? Op::not_equal : Op::equal, 1 + below(15));
        case 18:
            return number(Field::arch, any_equality(), pick<std::uint32_t>({arch_x86_64, arch_i386}));
        case 19:
            return number(Field::perm, Op::equal,
                          pick<std::uint32_t>({perm_write | perm_attr, perm_read, perm_write, perm_exec}));
        case 20:
            return number(Field::uid, Op::equal, below(2));
        default:
            return number(Field::loginuid, Op::greater_equal, 1000);
    }
}

inline SyscallMask random_mask() {
    SyscallMask m;
    if (one_in(4)) {
        m = SyscallMask::all();
        m.words[mask_words - 1] &= 0xFFFF;
        return m;
    }
    for (unsigned i = 0, n = 1 + below(5); i < n; ++i) m.set(pick(world_calls()));
    return m;
}

inline KernelRule random_rule() {
    KernelRule r;
    r.action = one_in(3) ? Action::never : Action::always;
    r.mask = random_mask();
    for (unsigned i = 0, n = below(3); i < n; ++i) r.tests.push_back(random_test());
    const char* const paths[] = {"/f", "/g", "/d/f"};
    switch (below(8)) {
        case 0:
        case 1:
            r.tests.push_back({Field::path, Op::equal, 0, paths[below(3)]});
            break;
        case 2:
            r.tests.push_back({Field::inode, any_equality(), 5 + below(2), {}});
            break;
        case 3:
            r.tests.push_back({Field::dir, Op::equal, 0, one_in(2) ? "/d" : "/e"});
            break;
        case 4:
            r.tests.insert(r.tests.begin(), {Field::path, Op::equal, 0, paths[below(2)]});
            r.watch_kind_unknown = true;
            break;
        case 5:
            if (one_in(3)) {
                r.list = List::io_uring;
                r.mask = SyscallMask{};
                r.mask.set(18);
                if (one_in(2)) r.mask.set(28);
                std::erase_if(r.tests, [](const FieldTest& t) { return t.field == Field::perm; });
            }
            break;
        default:
            break;
    }
    if (!one_in(4)) r.tests.push_back({Field::key, Op::equal, 0, pick<const char*>({"a", "b", "c"})});
    return r;
}

/// Few fields, few values, few calls: rules that meet nearly always.
inline KernelRule dense_rule() {
    KernelRule r;
    r.action = one_in(3) ? Action::never : Action::always;
    for (const unsigned nr : {87U, 90U, 2U, 437U, 452U})
        if (one_in(2)) r.mask.set(nr);
    switch (below(8)) {
        case 0:
        case 1:
        case 2:
            r.tests.push_back({Field::path, Op::equal, 0, one_in(2) ? "/f" : "/g"});
            break;
        case 3:
            r.tests.push_back({Field::inode, Op::equal, 5, {}});
            break;
        case 4:
            r.tests.push_back({Field::dir, Op::equal, 0, "/d"});
            break;
        case 5:
            r.tests.push_back({Field::path, Op::equal, 0, "/f"});
            r.watch_kind_unknown = true;
            break;
        default:
            break;
    }
    switch (below(8)) {
        case 0:
            r.tests.push_back({Field::loginuid, Op::equal, 1000 + 500 * below(2), {}});
            break;
        case 1:
            r.tests.push_back({Field::uid, Op::equal, below(2), {}});
            break;
        case 2:
            r.tests.push_back({Field::success, Op::equal, below(2), {}});
            break;
        case 3:
            r.tests.push_back({Field::perm, Op::equal, pick<std::uint32_t>({2, 4, 6, 10, 8, 15}), {}});
            break;
        case 4:
            r.tests.push_back({Field::uid, Op::equal, below(2), {}});
            r.tests.push_back({Field::success, Op::equal, 1, {}});
            break;
        default:
            break;
    }
    if (!one_in(5)) r.tests.push_back({Field::key, Op::equal, 0, one_in(3) ? "b" : "a"});
    return r;
}

inline KernelState dense_state(unsigned most) {
    KernelState s;
    for (unsigned i = 0, n = 2 + below(most - 1); i < n; ++i) s.filter.push_back(dense_rule());
    return s;
}

inline KernelState random_state(unsigned most) {
    KernelState s;
    for (unsigned i = 0, n = 1 + below(most); i < n; ++i) s.filter.push_back(random_rule());
    return s;
}

inline EventName random_name() {
    EventName n;
    n.resolved = !one_in(5);
    if (!n.resolved) return n;
    n.ino = 4 + below(4);
    n.dev_major = below(3);
    n.dev_minor = below(3);
    n.rdev_major = below(2);
    n.rdev_minor = below(2);
    n.mode = pick<std::uint32_t>({0x8000, 0x4000, 0x81A4, 0});
    n.uid = below(3);
    n.gid = below(3);
    for (const char* p : {"/f", "/g", "/d/f"})
        if (one_in(2)) n.watches.insert(p);
    n.deleted = one_in(4);
    return n;
}

inline Event random_event() {
    Event e;
    e.arch = one_in(3) ? arch_i386 : arch_x86_64;
    e.nr = static_cast<std::int32_t>(pick(world_calls()));
    if (one_in(12)) {
        e.arch = 0;
        e.nr = 0;
        e.uring_op = one_in(2) ? 18 : 28;
    } else if (e.nr == 426 && one_in(2)) {
        e.uring_op = one_in(2) ? 18 : 28;
    }
    for (auto& a : e.args) a = below(4);
    e.pid = below(3);
    e.ppid = below(3);
    e.pers = below(3);
    for (std::uint32_t* id : {&e.uid, &e.euid, &e.suid, &e.fsuid, &e.gid, &e.egid, &e.sgid, &e.fsgid}) *id = below(3);
    for (unsigned g = 0; g < 3; ++g)
        if (one_in(4)) e.groups.insert(g);
    e.loginuid = pick<std::uint32_t>({0, 999, 1000, 1500, 2000, id_unset});
    e.sessionid = pick<std::uint32_t>({1, 2, 3, id_unset});
    e.return_valid = pick<ReturnValid>({ReturnValid::invalid, ReturnValid::success, ReturnValid::failure});
    e.return_code =
        pick<std::uint64_t>({0, 1, 7, static_cast<std::uint64_t>(-13), static_cast<std::uint64_t>(-1), 0x100000000ULL});
    for (unsigned i = 0, n = below(3); i < n; ++i) e.names.push_back(random_name());
    for (const char* d : {"/d", "/e", "/f", "/g"})
        if (one_in(2)) e.dirs.insert(d);
    for (const char* x : {"/bin/a", "/bin/b"})
        if (one_in(2)) e.exes.insert(x);
    if (one_in(2)) e.saddr_fam = below(3);
    e.openat2_flags = below(4);
    for (const Op op : {Op::equal, Op::not_equal}) {
        if (one_in(3)) e.lsm_true.push_back({{Field::subj_type, op, 0, "s_t"}});
        if (one_in(3)) e.lsm_true.push_back({{Field::subj_type, op, 0, "r_t"}});
        if (one_in(3)) e.lsm_true.push_back({{Field::obj_type, op, 0, "o_t"}});
    }
    return e;
}

}  // namespace auopt::test
