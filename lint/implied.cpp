#include "lint/implied.hpp"

#include <algorithm>
#include <set>

#include "kernel_model/evaluate.hpp"

namespace auopt {
namespace {

/// Fields that have one value per event. gid and egid have several (supplementary groups), names and owners too.
bool single_valued(Field field) {
    switch (field) {
        case Field::pid:
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::sgid:
        case Field::fsgid:
        case Field::loginuid:
        case Field::pers:
        case Field::arch:
        case Field::msgtype:
        case Field::ppid:
        case Field::sessionid:
        case Field::exit:
        case Field::success:
        case Field::saddr_fam:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
            return true;
        default:
            return false;
    }
}

bool is_bit_op(Op op) { return op == Op::bit_mask || op == Op::bit_test; }

/// The forms in which tests on one value are compared: auid set or unset as a test of auid, success as 1 or 2.
FieldTest normal_form(FieldTest test) {
    if (test.field == Field::loginuid_set && (test.op == Op::equal || test.op == Op::not_equal)) {
        const bool set = (test.value == 1) == (test.op == Op::equal);
        if (test.value <= 1) return {Field::loginuid, set ? Op::not_equal : Op::equal, id_unset, {}};
    }
    if (test.field == Field::success) test.value = test.value != 0 ? 1 : 2;  // AUDITSC_SUCCESS, AUDITSC_FAILURE
    return test;
}

std::vector<FieldTest> normal_forms(const std::vector<FieldTest>& tests) {
    std::vector<FieldTest> result;
    for (const FieldTest& test : tests) {
        if (test.field != Field::key) result.push_back(normal_form(test));
    }
    return result;
}

/// One value out of every stretch on which no comparison with a constant of `tests` changes.
std::vector<std::uint32_t> representatives(Field field, const std::vector<FieldTest>& tests) {
    if (field == Field::success) return {1, 2};
    std::set<std::uint32_t> values{0, 0xFFFFFFFF};
    for (const FieldTest& test : tests) {
        if (test.field != field) continue;
        values.insert(test.value);
        if (test.value != 0) values.insert(test.value - 1);
        if (test.value != 0xFFFFFFFF) values.insert(test.value + 1);
    }
    return {values.begin(), values.end()};
}

/// `value` satisfies every comparison of `tests` on `field`. Bit tests count only where asked for.
bool satisfies(Field field, const std::vector<FieldTest>& tests, std::uint32_t value, bool with_bits) {
    return std::all_of(tests.begin(), tests.end(), [&](const FieldTest& test) {
        return test.field != field || (is_bit_op(test.op) && !with_bits) ||
               audit_comparator(value, test.op, test.value);
    });
}

bool implied(const FieldTest& test, const std::vector<FieldTest>& given) {
    if (std::find(given.begin(), given.end(), test) != given.end()) return true;
    if (test.field == Field::perm && test.op == Op::equal) {
        return std::any_of(given.begin(), given.end(), [&](const FieldTest& g) {
            return g.field == Field::perm && g.op == Op::equal && (g.value & ~test.value) == 0;
        });
    }
    if (!single_valued(test.field)) return false;
    // Without a test of its own the other rule also matches events that have no such value (no result yet).
    if (std::none_of(given.begin(), given.end(), [&](const FieldTest& g) { return g.field == test.field; }))
        return false;
    std::vector<FieldTest> both = given;
    both.push_back(test);
    if (is_bit_op(test.op)) {
        // Only where the other rule pins the value: then its constants are the whole story.
        return std::any_of(given.begin(), given.end(), [&](const FieldTest& g) {
            return g.field == test.field && g.op == Op::equal && audit_comparator(g.value, test.op, test.value);
        });
    }
    const auto values = representatives(test.field, both);
    return std::all_of(values.begin(), values.end(), [&](std::uint32_t value) {
        return !satisfies(test.field, given, value, false) || audit_comparator(value, test.op, test.value);
    });
}

std::uint32_t perm_bits_of(const AbiClasses& classes, unsigned nr) {
    switch (classes.kind(nr)) {
        case SyscallKind::open:
        case SyscallKind::openat:
        case SyscallKind::openat2:
            return perm_read | perm_write;
        case SyscallKind::execve:
            return perm_exec;
        case SyscallKind::socketcall:
            return perm_write;
        case SyscallKind::native:
            break;
    }
    return (classes.write.test(nr) ? perm_write : 0U) | (classes.read.test(nr) ? perm_read : 0U) |
           (classes.chattr.test(nr) ? perm_attr : 0U);
}

}  // namespace

const FieldTest* contradiction(const std::vector<FieldTest>& tests) {
    const std::vector<FieldTest> normal = normal_forms(tests);
    for (const FieldTest& original : tests) {
        if (original.field == Field::key) continue;
        const Field field = normal_form(original).field;
        if (!single_valued(field)) continue;
        const auto values = representatives(field, normal);
        // A bit test can be decided only where a comparison pins the value.
        const bool pinned = std::any_of(normal.begin(), normal.end(),
                                        [&](const FieldTest& t) { return t.field == field && t.op == Op::equal; });
        const bool possible = std::any_of(values.begin(), values.end(),
                                          [&](std::uint32_t value) { return satisfies(field, normal, value, pinned); });
        if (!possible) return &original;
    }
    return nullptr;
}

bool implied_by(const std::vector<FieldTest>& wide, const std::vector<FieldTest>& narrow) {
    const auto needed = normal_forms(wide), given = normal_forms(narrow);
    return std::all_of(needed.begin(), needed.end(), [&](const FieldTest& test) { return implied(test, given); });
}

std::vector<Abi> admitted_abis(const KernelRule& rule, const MachineModel& machine) {
    std::vector<Abi> result;
    for (const Abi abi : all_abis) {
        const bool ok = std::all_of(rule.tests.begin(), rule.tests.end(), [&](const FieldTest& test) {
            return test.field != Field::arch || audit_comparator(machine.abi_arch(abi), test.op, test.value);
        });
        if (ok) result.push_back(abi);
    }
    return result;
}

SyscallSet admitted_calls(const KernelRule& rule, Abi abi, const std::vector<const KernelTables*>& kernels) {
    SyscallSet calls;
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (!rule.mask.test(nr)) continue;
        const bool admitted = std::all_of(rule.tests.begin(), rule.tests.end(), [&](const FieldTest& test) {
            if (test.field != Field::perm || test.op != Op::equal) return true;
            if (nr >= first_new_syscall && nr <= last_new_syscall) return true;
            return std::any_of(kernels.begin(), kernels.end(), [&](const KernelTables* k) {
                return (perm_bits_of(k->classes(abi), nr) & test.value) != 0;
            });
        });
        if (admitted) calls.set(nr);
    }
    return calls;
}

}  // namespace auopt
