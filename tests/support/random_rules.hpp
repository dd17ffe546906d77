// RapidCheck generators of small rule sets and of events that such rules can tell apart.
#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include "compiler/ir.hpp"
#include "kernel_model/event.hpp"
#include "kernel_model/state.hpp"

namespace auopt::test {

// Small pools, so that rules meet: calls of several classes, numbers that mean another call in the other ABI.
inline const std::vector<unsigned> call_pool = {0, 2, 10, 39, 59, 62, 82, 87, 90, 92, 257, 262, 295, 426, 437, 452};
inline const std::vector<std::string> path_pool = {"/f", "/g", "/bin/x", "/usr/bin/x"};

inline rc::Gen<SyscallMask> any_mask() {
    return rc::gen::map(
        rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::container<std::vector<unsigned>>(rc::gen::elementOf(call_pool))),
        [](const std::pair<int, std::vector<unsigned>>& choice) {
            SyscallMask mask;
            if (choice.first == 0 || choice.second.empty()) {
                mask = SyscallMask::all();
                mask.words[mask_words - 1] &= 0xFFFFU;
            }
            for (unsigned nr : choice.second) mask.set(nr);
            return mask;
        });
}

inline rc::Gen<FieldTest> any_scalar_test() {
    return rc::gen::map(
        rc::gen::tuple(rc::gen::element(Field::uid, Field::euid, Field::loginuid, Field::exit, Field::success,
                                        Field::arg0, Field::gid, Field::obj_uid, Field::dir, Field::exe,
                                        Field::subj_type, Field::filetype, Field::field_compare),
                       rc::gen::element(Op::equal, Op::not_equal, Op::less, Op::greater_equal),
                       rc::gen::inRange(0U, 3U)),
        [](const std::tuple<Field, Op, std::uint32_t>& choice) {
            FieldTest t{std::get<0>(choice), std::get<1>(choice), std::get<2>(choice), ""};
            const bool equality = t.op == Op::equal || t.op == Op::not_equal;
            switch (t.field) {
                case Field::dir:
                    t = {Field::dir, Op::equal, 0, t.value == 0 ? "/d" : "/e"};
                    break;
                case Field::exe:
                    t = {Field::exe, equality ? t.op : Op::equal, 0, "/bin/p"};
                    break;
                case Field::subj_type:
                    t = {Field::subj_type, equality ? t.op : Op::equal, 0, "x_t"};
                    break;
                case Field::filetype:
                    t = {Field::filetype, equality ? t.op : Op::equal, 0x4000, ""};
                    break;
                case Field::field_compare:
                    t = {Field::field_compare, equality ? t.op : Op::equal, t.value == 0 ? 1U : 11U, ""};
                    break;
                case Field::loginuid:
                    if (t.value == 2) t = {Field::loginuid, equality ? t.op : Op::not_equal, id_unset, ""};
                    break;
                default:
                    break;
            }
            return t;
        });
}

// At most one of dir, path and inode and one exe per rule, as the kernel wants it.
inline KernelRule assemble(Action action, const SyscallMask& mask, int arch, int perm, int object, int key,
                           std::vector<FieldTest> tests) {
    KernelRule rule;
    rule.action = action;
    rule.mask = mask;
    if (arch == 1) rule.tests.push_back({Field::arch, Op::equal, arch_x86_64, ""});
    if (arch == 2) rule.tests.push_back({Field::arch, Op::equal, arch_i386, ""});
    bool has_object = object < 4;
    if (object < 4) rule.tests.push_back({Field::path, Op::equal, 0, path_pool[static_cast<std::size_t>(object)]});
    bool has_program = false;
    for (FieldTest& t : tests) {
        if (t.field == Field::dir && std::exchange(has_object, true)) continue;
        if (t.field == Field::exe && std::exchange(has_program, true)) continue;
        rule.tests.push_back(std::move(t));
    }
    if (perm > 0) rule.tests.push_back({Field::perm, Op::equal, static_cast<std::uint32_t>(perm), ""});
    if (key > 0) rule.tests.push_back({Field::key, Op::equal, 0, key == 1 ? "a" : "b"});
    return rule;
}

inline rc::Gen<KernelRule> any_rule() {
    return rc::gen::apply(assemble, rc::gen::element(Action::always, Action::always, Action::never), any_mask(),
                          rc::gen::inRange(0, 3), rc::gen::inRange(-8, 16), rc::gen::inRange(0, 10),
                          rc::gen::inRange(0, 3),
                          rc::gen::resize(3, rc::gen::container<std::vector<FieldTest>>(any_scalar_test())));
}

/// Rules without repetitions (the kernel refuses those); twins that differ in arch, mask or perm only are frequent.
inline rc::Gen<KernelState> any_state() {
    return rc::gen::map(rc::gen::pair(rc::gen::container<std::vector<KernelRule>>(any_rule()),
                                      rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, 1000U))),
                        [](const std::pair<std::vector<KernelRule>, std::vector<unsigned>>& choice) {
                            std::vector<KernelRule> rules = choice.first;
                            for (unsigned pick : choice.second) {
                                if (choice.first.empty()) break;
                                KernelRule twin = choice.first[pick % choice.first.size()];
                                if (pick % 3 == 0) twin.mask = choice.first[pick / 7 % choice.first.size()].mask;
                                for (FieldTest& t : twin.tests)
                                    if (t.field == Field::arch && pick % 2 == 0)
                                        t.value = t.value == arch_i386 ? arch_x86_64 : arch_i386;
                                rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(pick % (rules.size() + 1)),
                                             std::move(twin));
                            }
                            KernelState state;
                            for (KernelRule& r : rules) {
                                bool repeated = false;
                                for (const KernelRule& other : state.filter) repeated |= other.same_as(r);
                                if (!repeated) state.filter.push_back(std::move(r));
                            }
                            std::uint32_t line = 0;
                            for (KernelRule& r : state.filter) r.sources = {{FileId{0}, ++line, 1, 1}};
                            return state;
                        });
}

/// A rule as a person can read it in a failing property.
inline std::string words(const KernelRule& rule) {
    std::string s =
        fmt::format("{}: {}{}", rule.sources.empty() ? 0 : rule.sources.front().line,
                    rule.action == Action::always ? "always" : "never", rule.mask.full() ? " all" : " calls");
    if (!rule.mask.full())
        for (unsigned nr = 0; nr < mask_syscalls; ++nr)
            if (rule.mask.test(nr)) s += fmt::format(" {}", nr);
    for (const FieldTest& t : rule.tests)
        s += fmt::format(" [{} {} {}]", static_cast<std::uint32_t>(t.field), static_cast<std::uint32_t>(t.op) >> 24,
                         is_text_field(t.field) ? t.text : std::to_string(t.value));
    return s;
}

inline rc::Gen<EventName> any_name() {
    return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 16), rc::gen::inRange(0U, 3U), rc::gen::inRange(0, 4)),
                        [](const std::tuple<int, std::uint32_t, int>& choice) {
                            EventName n;
                            for (std::size_t i = 0; i < path_pool.size(); ++i)
                                if ((std::get<0>(choice) >> i & 1) != 0) n.watches.insert(path_pool[i]);
                            n.resolved = std::get<2>(choice) != 0;
                            n.ino = n.resolved ? 17 : n.ino;
                            n.uid = std::get<1>(choice);
                            n.mode = std::get<2>(choice) == 1 ? 0x41ED : 0x81A4;
                            if (!n.resolved) n.mode = n.uid = 0;
                            n.deleted = std::get<2>(choice) == 2;
                            return n;
                        });
}

inline rc::Gen<Event> any_event() {
    return rc::gen::exec([] {
        Event e;
        e.arch = *rc::gen::element(arch_x86_64, arch_i386);
        e.nr = static_cast<std::int32_t>(*rc::gen::elementOf(call_pool));
        for (std::uint64_t& a : e.args) a = *rc::gen::inRange<std::uint64_t>(0, 4);
        e.uid = *rc::gen::inRange(0U, 3U);
        e.euid = *rc::gen::inRange(0U, 3U);
        e.gid = *rc::gen::inRange(0U, 3U);
        if (*rc::gen::inRange(0, 2) == 1) e.groups = {1};
        e.loginuid = *rc::gen::element(0U, 1U, 2U, id_unset);
        e.return_valid = *rc::gen::element(ReturnValid::success, ReturnValid::failure, ReturnValid::invalid);
        e.return_code = *rc::gen::inRange<std::uint64_t>(0, 3);
        e.openat2_flags = *rc::gen::inRange<std::uint64_t>(0, 4);
        e.names = *rc::gen::resize(3, rc::gen::container<std::vector<EventName>>(any_name()));
        if (*rc::gen::inRange(0, 2) == 1) e.dirs.insert("/d");
        if (*rc::gen::inRange(0, 2) == 1) e.exes.insert("/bin/p");
        if (*rc::gen::inRange(0, 2) == 1)
            e.lsm_true.push_back({{Field::subj_type, *rc::gen::element(Op::equal, Op::not_equal), 0, "x_t"}});
        return e;
    });
}

}  // namespace auopt::test
