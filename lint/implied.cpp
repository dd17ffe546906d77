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

constexpr std::uint32_t first_error = 0xFFFFF001;  // -4095 as the comparison sees it

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

/// One value out of every stretch on which no comparison with a constant of `tests` changes, its last one among them;
/// and for each of these the values of which every smaller one is a part, bit for bit: where b has a bit, the value
/// that agrees with b above it, lacks it, and has all bits below. Bit tests that hold for a value hold for every value
/// that has more bits, so that if any number passes all tests, one of these does.
std::vector<std::uint32_t> representatives(Field field, const std::vector<FieldTest>& tests) {
    if (field == Field::success) return {1, 2};
    std::set<std::uint32_t> ends{0, 0xFFFFFFFF};
    bool bits = false;
    for (const FieldTest& test : tests) {
        if (test.field != field) continue;
        bits = bits || is_bit_op(test.op);
        ends.insert(test.value);
        if (test.value != 0) ends.insert(test.value - 1);
        if (test.value != 0xFFFFFFFF) ends.insert(test.value + 1);
    }
    std::set<std::uint32_t> values = ends;
    for (unsigned bit = 0; bits && bit < 32; ++bit) {
        for (const std::uint32_t end : ends) {
            const std::uint32_t one = 1U << bit;
            if ((end & one) != 0) values.insert((end & ~one) | (one - 1));
        }
    }
    return {values.begin(), values.end()};
}

/// Some value passes every test of `tests` on `field`.
bool possible(Field field, const std::vector<FieldTest>& tests) {
    const auto values = representatives(field, tests);
    return std::any_of(values.begin(), values.end(), [&](std::uint32_t value) {
        return std::all_of(tests.begin(), tests.end(), [&](const FieldTest& test) {
            return test.field != field || audit_comparator(value, test.op, test.value);
        });
    });
}

/// Of a comparison, not of a bit test.
Op opposite(Op op) {
    switch (op) {
        case Op::equal:
            return Op::not_equal;
        case Op::not_equal:
            return Op::equal;
        case Op::less:
            return Op::greater_equal;
        case Op::greater_equal:
            return Op::less;
        case Op::greater:
            return Op::less_equal;
        case Op::less_equal:
            return Op::greater;
        case Op::bit_mask:
        case Op::bit_test:
            break;
    }
    return op;
}

/// A bit test that follows from an exact value, from bits that are known to be set, or from a narrower question.
bool bits_implied(const FieldTest& test, const std::vector<FieldTest>& given) {
    std::uint32_t set = 0;
    for (const FieldTest& g : given) {
        if (g.field != test.field) continue;
        if (g.op == Op::equal && audit_comparator(g.value, test.op, test.value)) return true;
        if (g.op == Op::bit_test) set |= g.value;
        if (g.op == Op::bit_mask && test.op == Op::bit_mask && (g.value & ~test.value) == 0) return true;
    }
    return audit_comparator(set, test.op, test.value);
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
    if (is_bit_op(test.op)) return bits_implied(test, given);
    std::vector<FieldTest> but_not = given;
    but_not.push_back({test.field, opposite(test.op), test.value, {}});
    return !possible(test.field, but_not);
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
    std::vector<FieldTest> normal = normal_forms(tests);
    // A call that failed returned -4095 to -1 (__audit_syscall_exit's callers: is_syscall_success), and the low half of
    // that is what exit is compared with. The other way round it is not so: the low half of a large offset may look so.
    std::vector<FieldTest> succeeded = normal;
    succeeded.push_back({Field::success, Op::equal, 1, {}});
    const bool asks_success =
        std::any_of(normal.begin(), normal.end(), [](const FieldTest& t) { return t.field == Field::success; });
    if (asks_success && !possible(Field::success, succeeded))
        normal.push_back({Field::exit, Op::greater_equal, first_error, {}});
    for (const FieldTest& original : tests) {
        if (original.field == Field::key) continue;
        const Field field = normal_form(original).field;
        if (single_valued(field) && !possible(field, normal)) return &original;
    }
    return nullptr;
}

bool only_errors(const std::vector<FieldTest>& tests) {
    std::vector<FieldTest> no_error = normal_forms(tests);
    if (std::none_of(no_error.begin(), no_error.end(), [](const FieldTest& t) { return t.field == Field::exit; }))
        return false;
    no_error.push_back({Field::exit, Op::less, first_error, {}});
    return !possible(Field::exit, no_error);
}

bool only_success(const std::vector<FieldTest>& tests) {
    std::vector<FieldTest> failed = normal_forms(tests);
    if (std::none_of(failed.begin(), failed.end(), [](const FieldTest& t) { return t.field == Field::success; }))
        return false;
    failed.push_back({Field::success, Op::equal, 2, {}});
    return !possible(Field::success, failed);
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
