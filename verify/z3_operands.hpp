// Operands of rules as solver variables, and how the kernel compares them (auditfilter.c:audit_comparator,
// audit_uid_comparator, audit_gid_comparator). Private to verify/: only smt.cpp and list_encoding.cpp include it, as
// no Z3 type leaves them.
#pragma once

#include <z3++.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "verify/meaning.hpp"
#include "verify/smt.hpp"

namespace auopt::proof {

enum : unsigned { word = 32 };

inline z3::expr compare(const z3::expr& left, Op op, const z3::expr& right) {
    switch (op) {
        case Op::equal:
            return left == right;
        case Op::not_equal:
            return left != right;
        case Op::less:
            return z3::ult(left, right);
        case Op::less_equal:
            return z3::ule(left, right);
        case Op::greater:
            return z3::ugt(left, right);
        case Op::greater_equal:
            return z3::uge(left, right);
        case Op::bit_mask:
            return (left & right) != left.ctx().bv_val(0, word);
        case Op::bit_test:
            return (left & right) == right;
    }
    return left.ctx().bool_val(false);
}

// Ids have no bit operators.
inline z3::expr compare_id(const z3::expr& left, Op op, const z3::expr& right) {
    if (op == Op::bit_mask || op == Op::bit_test) return left.ctx().bool_val(false);
    return compare(left, op, right);
}

inline z3::expr all_of(z3::context& ctx, const std::vector<z3::expr>& parts) {
    if (parts.size() == 1) return parts.front();
    z3::expr_vector v(ctx);
    for (const z3::expr& p : parts) v.push_back(p);
    return z3::mk_and(v);
}

inline z3::expr any_of(z3::context& ctx, const std::vector<z3::expr>& parts) {
    if (parts.size() == 1) return parts.front();
    z3::expr_vector v(ctx);
    for (const z3::expr& p : parts) v.push_back(p);
    return z3::mk_or(v);
}

// Names of solver variables are C strings; texts of rules can hold any byte.
inline std::string spelled(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '%' || c == '\0')
            out += c == '%' ? "%25" : "%00";
        else
            out += c;
    }
    return out;
}

/// The operands of one task and call that have one value each.
class Scalars {
public:
    explicit Scalars(z3::context& c) : ctx(c) {}

    z3::expr number(const char* name) const { return ctx.bv_const(name, word); }
    z3::expr value(std::uint32_t v) const { return ctx.bv_val(v, word); }
    z3::expr flag(const std::string& name) const { return ctx.bool_const(spelled(name).c_str()); }
    z3::expr group(std::uint32_t gid) const { return flag("group:" + std::to_string(gid)); }
    z3::expr valid() const { return ctx.bv_const("return_valid", 2); }  // 0 invalid, 1 success, 2 failure
    z3::expr has_result() const { return valid() != ctx.bv_val(0, 2); }

    z3::expr argument(unsigned i) const {
        constexpr const char* names[] = {"a0", "a1", "a2", "a3"};
        return number(names[i]);
    }

    z3::expr credential(Credential c) const {
        switch (c) {
            case Credential::uid:
                return number("uid");
            case Credential::euid:
                return number("euid");
            case Credential::suid:
                return number("suid");
            case Credential::fsuid:
                return number("fsuid");
            case Credential::gid:
                return number("gid");
            case Credential::egid:
                return number("egid");
            case Credential::sgid:
                return number("sgid");
            case Credential::fsgid:
                return number("fsgid");
            default:
                return number("loginuid");
        }
    }

    /// The test, if it is about operands of one value; `result` is the result that exit= and success= see.
    std::optional<z3::expr> holds(const FieldTest& t, const z3::expr& has_result_now) const {
        const z3::expr v = value(t.value);
        switch (t.field) {
            case Field::pid:
                return compare(number("pid"), t.op, v);
            case Field::ppid:
                return compare(number("ppid"), t.op, v);
            case Field::pers:
                return compare(number("pers"), t.op, v);
            case Field::sessionid:
                return compare(number("sessionid"), t.op, v);
            case Field::uid:
                return compare_id(number("uid"), t.op, v);
            case Field::euid:
                return compare_id(number("euid"), t.op, v);
            case Field::suid:
                return compare_id(number("suid"), t.op, v);
            case Field::fsuid:
                return compare_id(number("fsuid"), t.op, v);
            case Field::sgid:
                return compare_id(number("sgid"), t.op, v);
            case Field::fsgid:
                return compare_id(number("fsgid"), t.op, v);
            case Field::gid:
                return group_id(number("gid"), t, v);
            case Field::egid:
                return group_id(number("egid"), t, v);
            case Field::loginuid:
                return compare_id(number("loginuid"), t.op, v);
            case Field::loginuid_set:
                return compare(z3::ite(number("loginuid") == value(id_unset), value(0), value(1)), t.op, v);
            case Field::exit:
                return has_result_now && compare(number("exit"), t.op, v);
            case Field::success:
                return has_result_now && compare(z3::zext(valid(), word - 2), t.op, value(t.value != 0 ? 1 : 2));
            case Field::arg0:
                return compare(argument(0), t.op, v);
            case Field::arg1:
                return compare(argument(1), t.op, v);
            case Field::arg2:
                return compare(argument(2), t.op, v);
            case Field::arg3:
                return compare(argument(3), t.op, v);
            case Field::saddr_fam:
                return flag("saddr") && compare(number("saddr_fam"), t.op, v);
            case Field::field_compare: {
                const auto pair = compared_pair(t.value);
                if (!pair) return ctx.bool_val(false);
                if (pair->right == Credential::object_uid || pair->right == Credential::object_gid) return std::nullopt;
                return compare_id(credential(pair->left), t.op, credential(pair->right));
            }
            case Field::key:
                return ctx.bool_val(true);
            case Field::msgtype:
            case Field::fstype:
                return ctx.bool_val(false);
            default:
                return std::nullopt;
        }
    }

    /// ACC_MODE: flags 0 -> r, 1 -> w, 2 and 3 -> rw.
    z3::expr access(const z3::expr& flags, std::uint32_t perm) const {
        const z3::expr mode = flags.extract(1, 0);
        const z3::expr reads = mode != ctx.bv_val(1, 2);
        const z3::expr writes = mode != ctx.bv_val(0, 2);
        z3::expr result = ctx.bool_val(false);
        if ((perm & perm_read) != 0) result = result || reads;
        if ((perm & perm_write) != 0) result = result || writes;
        return result;
    }

    z3::context& ctx;

private:
    // = holds for any supplementary group too, != for none of them; the other operators ignore them.
    z3::expr group_id(const z3::expr& left, const FieldTest& t, const z3::expr& v) const {
        if (t.op == Op::equal) return left == v || group(t.value);
        if (t.op == Op::not_equal) return left != v && !group(t.value);
        return compare_id(left, t.op, v);
    }
};

inline std::string free_name(const FieldTest& t) {
    return fmt::format("test:{}:{}:{}:{}", static_cast<std::uint32_t>(t.field), static_cast<std::uint32_t>(t.op),
                       t.value, t.text);
}

// Z3 says "unknown" when it gives up; that is no answer. It throws when memory ends: whoever asks for an answer catches that.
inline Answer ask(z3::solver& solver) {
    switch (solver.check()) {
        case z3::unsat:
            return Answer::no;
        case z3::sat:
            return Answer::yes;
        case z3::unknown:
            break;
    }
    return Answer::undecided;
}

/// A context, or an exception where memory does not suffice for one: Z3 then returns null, which z3::context would use.
class SolverContext {
public:
    SolverContext() : raw_(made()), view_(raw_.get()) {}
    z3::context& get() { return view_(); }

private:
    struct Delete {
        void operator()(Z3_context context) const { Z3_del_context(context); }
    };
    static Z3_context made() {
        const Z3_config config = Z3_mk_config();
        if (config == nullptr) throw std::bad_alloc();
        const Z3_context context = Z3_mk_context_rc(config);
        Z3_del_config(config);
        if (context == nullptr) throw std::bad_alloc();
        return context;
    }

    std::unique_ptr<std::remove_pointer_t<Z3_context>, Delete> raw_;
    z3::scoped_context view_;
};

/// Limits what one check may cost, and makes it repeat.
inline void set_limits(const z3::context& ctx, z3::solver& solver, std::uint32_t rlimit) {
    // Not z3::params, which uses what Z3 returns without a look at it.
    const Z3_params params = Z3_mk_params(ctx);
    if (params == nullptr) throw std::bad_alloc();
    Z3_params_inc_ref(ctx, params);
    Z3_params_set_uint(ctx, params, Z3_mk_string_symbol(ctx, "rlimit"), static_cast<unsigned>(rlimit));
    Z3_params_set_uint(ctx, params, Z3_mk_string_symbol(ctx, "random_seed"), 0U);
    Z3_solver_set_params(ctx, solver, params);
    Z3_params_dec_ref(ctx, params);
    solver.check_error();
}

}  // namespace auopt::proof
