#include "verify/meaning.hpp"

#include <linux/audit.h>

namespace auopt::proof {
namespace {

bool is_equality(Op op) { return op == Op::equal || op == Op::not_equal; }
bool is_order(Op op) {
    return is_equality(op) || op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}
bool is_operator(Op op) { return is_order(op) || op == Op::bit_mask || op == Op::bit_test; }

}  // namespace

bool is_understood(const FieldTest& test) {
    switch (test.field) {
        case Field::pid:
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::gid:
        case Field::egid:
        case Field::sgid:
        case Field::fsgid:
        case Field::loginuid:
        case Field::pers:
        case Field::ppid:
        case Field::loginuid_set:
        case Field::sessionid:
        case Field::exit:
        case Field::success:
        case Field::saddr_fam:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::arch:
        case Field::msgtype:
        case Field::fstype:
        case Field::key:
        case Field::devmajor:
        case Field::devminor:
        case Field::obj_uid:
        case Field::obj_gid:
        case Field::inode:
            return is_operator(test.op);
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
            return is_order(test.op);
        case Field::perm:
        case Field::filetype:
        case Field::field_compare:
        case Field::exe:
            return is_equality(test.op);
        case Field::path:
        case Field::dir:
            return test.op == Op::equal;
    }
    return false;
}

bool never_true(const FieldTest& test) {
    if (test.field == Field::msgtype || test.field == Field::fstype) return true;
    return test.field == Field::field_compare && !compared_pair(test.value);
}

bool compare_numbers(std::uint32_t left, Op op, std::uint32_t right) {
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

std::optional<ComparedPair> compared_pair(std::uint32_t code) {
    using enum Credential;
    switch (code) {
        case AUDIT_COMPARE_UID_TO_OBJ_UID:
            return ComparedPair{uid, object_uid};
        case AUDIT_COMPARE_GID_TO_OBJ_GID:
            return ComparedPair{gid, object_gid};
        case AUDIT_COMPARE_EUID_TO_OBJ_UID:
            return ComparedPair{euid, object_uid};
        case AUDIT_COMPARE_EGID_TO_OBJ_GID:
            return ComparedPair{egid, object_gid};
        case AUDIT_COMPARE_AUID_TO_OBJ_UID:
            return ComparedPair{loginuid, object_uid};
        case AUDIT_COMPARE_SUID_TO_OBJ_UID:
            return ComparedPair{suid, object_uid};
        case AUDIT_COMPARE_SGID_TO_OBJ_GID:
            return ComparedPair{sgid, object_gid};
        case AUDIT_COMPARE_FSUID_TO_OBJ_UID:
            return ComparedPair{fsuid, object_uid};
        case AUDIT_COMPARE_FSGID_TO_OBJ_GID:
            return ComparedPair{fsgid, object_gid};
        case AUDIT_COMPARE_UID_TO_AUID:
            return ComparedPair{uid, loginuid};
        case AUDIT_COMPARE_UID_TO_EUID:
            return ComparedPair{uid, euid};
        case AUDIT_COMPARE_UID_TO_FSUID:
            return ComparedPair{uid, fsuid};
        case AUDIT_COMPARE_UID_TO_SUID:
            return ComparedPair{uid, suid};
        case AUDIT_COMPARE_AUID_TO_FSUID:
            return ComparedPair{loginuid, fsuid};
        case AUDIT_COMPARE_AUID_TO_SUID:
            return ComparedPair{loginuid, suid};
        case AUDIT_COMPARE_AUID_TO_EUID:
            return ComparedPair{loginuid, euid};
        case AUDIT_COMPARE_EUID_TO_SUID:
            return ComparedPair{euid, suid};
        case AUDIT_COMPARE_EUID_TO_FSUID:
            return ComparedPair{euid, fsuid};
        case AUDIT_COMPARE_SUID_TO_FSUID:
            return ComparedPair{suid, fsuid};
        case AUDIT_COMPARE_GID_TO_EGID:
            return ComparedPair{gid, egid};
        case AUDIT_COMPARE_GID_TO_FSGID:
            return ComparedPair{gid, fsgid};
        case AUDIT_COMPARE_GID_TO_SGID:
            return ComparedPair{gid, sgid};
        case AUDIT_COMPARE_EGID_TO_FSGID:
            return ComparedPair{egid, fsgid};
        case AUDIT_COMPARE_EGID_TO_SGID:
            return ComparedPair{egid, sgid};
        case AUDIT_COMPARE_SGID_TO_FSGID:
            return ComparedPair{sgid, fsgid};
        default:
            return std::nullopt;
    }
}

// exe= is left out on purpose: its mark follows the file in the same notification that ends a watch, so the
// program that deletes its own file is "the program" in the middle of the call and no longer at its exit.
bool is_call_invariant(Field field) {
    switch (field) {
        case Field::pid:
        case Field::ppid:
        case Field::pers:
        case Field::loginuid:
        case Field::loginuid_set:
        case Field::sessionid:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::perm:
            return true;
        default:
            return false;
    }
}

bool is_exit_scalar(Field field) {
    switch (field) {
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::gid:
        case Field::egid:
        case Field::sgid:
        case Field::fsgid:
        case Field::exit:
        case Field::success:
        case Field::saddr_fam:
        case Field::exe:
            return true;
        default:
            return false;
    }
}

}  // namespace auopt::proof
