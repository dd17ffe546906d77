// The kernel's acceptance checks (spec: kernel filter, section 4), as every kernel of the tables applies them.
#include "kernel_model/accept.hpp"

#include <array>

#include <fmt/format.h>

namespace auopt {
namespace {

enum class Ops { all, comparisons, equality, equal_only };

// audit_field_valid: which operators a field takes; nothing for unknown fields.
std::optional<Ops> operators_of(Field field) {
    switch (field) {
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::pers:
        case Field::devminor:
            return Ops::all;
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::loginuid:
        case Field::obj_uid:
        case Field::gid:
        case Field::egid:
        case Field::sgid:
        case Field::fsgid:
        case Field::obj_gid:
        case Field::pid:
        case Field::msgtype:
        case Field::ppid:
        case Field::devmajor:
        case Field::exit:
        case Field::success:
        case Field::sessionid:
        case Field::subj_sen:
        case Field::subj_clr:
        case Field::obj_lev_low:
        case Field::obj_lev_high:
        case Field::saddr_fam:
            return Ops::comparisons;
        case Field::subj_user:
        case Field::subj_role:
        case Field::subj_type:
        case Field::obj_user:
        case Field::obj_role:
        case Field::obj_type:
        case Field::key:
        case Field::loginuid_set:
        case Field::arch:
        case Field::fstype:
        case Field::perm:
        case Field::filetype:
        case Field::field_compare:
        case Field::exe:
        case Field::inode:
            return Ops::equality;
        case Field::path:
        case Field::dir:
            return Ops::equal_only;
    }
    return std::nullopt;
}

bool takes(Ops ops, Op op) {
    switch (op) {
        case Op::equal:
            return true;
        case Op::not_equal:
            return ops != Ops::equal_only;
        case Op::less:
        case Op::less_equal:
        case Op::greater:
        case Op::greater_equal:
            return ops == Ops::comparisons || ops == Ops::all;
        case Op::bit_mask:
        case Op::bit_test:
            return ops == Ops::all;
    }
    return false;
}

bool is_id(Field f) {
    switch (f) {
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::obj_uid:
        case Field::gid:
        case Field::egid:
        case Field::sgid:
        case Field::fsgid:
        case Field::obj_gid:
        case Field::loginuid:
            return true;
        default:
            return false;
    }
}

std::optional<std::string> refused_text(const FieldTest& t) {
    const std::size_t limit = t.field == Field::key ? 256 : 4096;
    if (t.text.empty()) return "an empty string";
    if (t.text.size() > limit) return fmt::format("a string of more than {} bytes", limit);
    const bool absolute = t.text.front() == '/';
    if (t.field == Field::path) {
        // audit_to_watch and path lookup of the last component.
        if (!absolute) return "path= needs an absolute path";
        if (t.text.back() == '/') return "path= must not end in '/'";
        const std::string last = t.text.substr(t.text.rfind('/') + 1);
        if (last == "." || last == "..") return "the last component of path= is \".\" or \"..\"";
    }
    if (t.field == Field::dir && !absolute) return "dir= needs an absolute path";
    if (t.field == Field::exe && (!absolute || t.text.back() == '/'))
        return "exe= needs an absolute path without a trailing '/'";
    return std::nullopt;
}

}  // namespace

bool selects_classes(const SyscallMask& mask) {
    return (mask.words[mask_words - 1] >> 16) != 0 && mask != SyscallMask::all();
}

std::optional<std::string> refusal(const KernelRule& rule) {
    switch (rule.list) {
        case List::user:
        case List::task:
        case List::exit:
        case List::exclude:
        case List::filesystem:
        case List::io_uring:
            break;
        default:
            return fmt::format("no filter list has number {}", static_cast<std::uint32_t>(rule.list));
    }
    if (rule.action != Action::never && rule.action != Action::always) return "the action is neither never nor always";
    if (rule.tests.size() > max_fields) return "more than 64 fields";
    const bool exit_or_uring = rule.list == List::exit || rule.list == List::io_uring;
    unsigned objects = 0, keys = 0, programs = 0;
    for (const FieldTest& t : rule.tests) {
        const auto ops = operators_of(t.field);
        if (!ops) return fmt::format("unknown field {}", static_cast<std::uint32_t>(t.field));
        if (!takes(*ops, t.op)) return "an operator that this field does not take";
        switch (t.field) {
            case Field::msgtype:
                if (rule.list != List::user && rule.list != List::exclude)
                    return "msgtype= is for the user and exclude lists";
                break;
            case Field::fstype:
                if (rule.list != List::filesystem) return "fstype= is for the filesystem list";
                break;
            case Field::perm:
                if (rule.list == List::io_uring) return "perm= is not for the io_uring list";
                break;
            case Field::inode:
            case Field::path:
            case Field::dir:
                if (!exit_or_uring) return "path=, dir= and inode= are for the exit list";
                ++objects;
                break;
            case Field::key:
                ++keys;
                break;
            case Field::exe:
                ++programs;
                break;
            default:
                break;
        }
        if (rule.list == List::filesystem && t.field != Field::fstype && t.field != Field::key)
            return "the filesystem list takes only fstype= and a key";
        if (is_text_field(t.field))
            if (auto text = refused_text(t)) return text;
        if (is_id(t.field) && t.value == id_unset &&
            !(t.field == Field::loginuid && (t.op == Op::equal || t.op == Op::not_equal)))
            return "4294967295 is not a valid id here";
    }
    if (objects > 1) return "more than one of path=, dir= and inode=";
    if (keys > 1) return "more than one key field";
    if (programs > 1) return "more than one exe=";
    return std::nullopt;
}

}  // namespace auopt
