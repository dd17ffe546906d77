// The encoding. Mirrors auditsc.c:audit_filter_rules test by test; written apart from kernel_model::evaluate,
// which a property test holds against it.
#include "verify/smt.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <set>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "kernel_model/possible.hpp"
#include "verify/meaning.hpp"
#include "verify/z3_operands.hpp"

namespace auopt::proof {

// ---- the proof's questions ------------------------------------------------------------------------

struct Solver::Impl {
    Impl(const Vocabulary& v, std::uint32_t rlimit) : vocabulary(v), ctx(context.get()), scalars(ctx), solver(ctx) {
        set_limits(ctx, solver, rlimit);
        solver.add(z3::ule(scalars.valid(), ctx.bv_val(2, 2)));
        solver.push();
    }

    const Vocabulary& vocabulary;
    SolverContext context;
    z3::context& ctx;
    Scalars scalars;
    z3::solver solver;
    std::size_t queries = 0;
    std::map<std::pair<TestId, PermShape>, z3::expr> tests;
    std::map<std::pair<ConditionId, PermShape>, z3::expr> conditions;

    z3::expr perm(const FieldTest& t, PermShape shape) {
        z3::expr result = ctx.bool_val(false);
        switch (shape) {
            case PermShape::constant:
                break;  // resolved by the projection
            case PermShape::open:
                result = scalars.access(scalars.argument(1), t.value);
                break;
            case PermShape::openat:
                result = scalars.access(scalars.argument(2), t.value);
                break;
            case PermShape::openat2:
                result =
                    scalars.flag("kernel knows openat2") && scalars.access(scalars.number("openat2 flags"), t.value);
                break;
            case PermShape::socketcall:
                // The kernel compares all 64 bits of the argument, a0= only the low ones.
                if ((t.value & perm_write) != 0)
                    result = scalars.argument(0) == scalars.value(2) && scalars.flag("a0 has no high bits");
                break;
            case PermShape::new_call:
                if ((t.value & perm_write) != 0) result = result || scalars.flag("new call writes");
                if ((t.value & perm_read) != 0) result = result || scalars.flag("new call reads");
                if ((t.value & perm_attr) != 0) result = result || scalars.flag("new call changes attributes");
                break;
        }
        return t.op == Op::not_equal ? !result : result;
    }

    z3::expr encode_test(const FieldTest& t, PermShape shape) {
        if (const auto scalar = scalars.holds(t, scalars.has_result())) return *scalar;
        switch (t.field) {
            case Field::perm:
                return perm(t, shape);
            case Field::exe: {
                // A rule goes away with the parent directory of its program; != does not outlive it.
                const z3::expr same = scalars.flag("exe:" + t.text);
                return scalars.flag("exe rule alive:" + t.text) && (t.op == Op::not_equal ? !same : same);
            }
            case Field::path:
                return scalars.flag("path:" + t.text);
            case Field::dir:
                return scalars.flag("dir:" + t.text);
            default:
                return scalars.flag(free_name(t));
        }
    }

    z3::expr test(TestId id, PermShape shape) {
        const auto key = std::pair(id, vocabulary.test(id).field == Field::perm ? shape : PermShape::constant);
        const auto found = tests.find(key);
        if (found != tests.end()) return found->second;
        z3::expr e = encode_test(vocabulary.test(id), shape);
        tests.emplace(key, e);
        return e;
    }

    z3::expr guard(Guard g) {
        if (g == 0) return ctx.bool_val(true);
        const z3::expr is_dir = scalars.flag("is a directory:" + std::to_string(g < 0 ? -g : g));
        return g > 0 ? is_dir : !is_dir;
    }

    z3::expr condition(ConditionId id, PermShape shape) {
        const auto found = conditions.find({id, shape});
        if (found != conditions.end()) return found->second;
        const Condition& c = vocabulary.condition(id);
        std::vector<z3::expr> parts;
        if (c.guard != 0) parts.push_back(guard(c.guard));
        for (const TestId t : c.tests) parts.push_back(test(t, shape));
        z3::expr e = parts.empty() ? ctx.bool_val(true) : all_of(ctx, parts);
        conditions.emplace(std::pair(id, shape), e);
        return e;
    }

    z3::expr some(const std::vector<ConditionId>& ids, PermShape shape) {
        std::vector<z3::expr> parts;
        for (const ConditionId id : ids) parts.push_back(condition(id, shape));
        return parts.empty() ? ctx.bool_val(false) : any_of(ctx, parts);
    }

    /// What follows for the operands at the exit of the call when hash rule `id` matches at some time in it.
    /// Credentials may be overridden, and there is no result, while a watched name is being deleted: they
    /// count only for rules that test the result and so match at the exit.
    z3::expr constraint_on_call(ConditionId id, PermShape shape) {
        const Condition& c = vocabulary.condition(id);
        const bool only_at_exit = std::any_of(c.tests.begin(), c.tests.end(), [&](TestId t) {
            const Field f = vocabulary.test(t).field;
            return f == Field::exit || f == Field::success;
        });
        std::vector<z3::expr> parts;
        parts.push_back(guard(c.guard));
        for (const TestId t : c.tests) {
            const FieldTest& ft = vocabulary.test(t);
            const bool credentials_only =
                ft.field == Field::field_compare && scalars.holds(ft, scalars.has_result()).has_value();
            if (is_call_invariant(ft.field) || (only_at_exit && (is_exit_scalar(ft.field) || credentials_only)))
                parts.push_back(test(t, shape));
        }
        return all_of(ctx, parts);
    }

    Answer check(const std::vector<z3::expr>& assertions) {
        ++queries;
        solver.push();
        for (const z3::expr& a : assertions) solver.add(a);
        const Answer answer = ask(solver);
        solver.pop();
        return answer;
    }

    z3::expr first_outcome(const std::vector<Ranked>& rules, PermShape shape, std::uint32_t nothing_matches) {
        z3::expr result = scalars.value(nothing_matches);
        for (auto it = rules.rbegin(); it != rules.rend(); ++it)
            result = z3::ite(condition(it->condition, shape), scalars.value(it->outcome), result);
        return result;
    }
};

Solver::Solver(const Vocabulary& vocabulary, std::uint32_t rlimit) {
    try {
        impl_ = std::make_unique<Impl>(vocabulary, rlimit);
    } catch (const z3::exception&) {  // no memory: see answer_of()
    } catch (const std::bad_alloc&) {}
}
Solver::~Solver() = default;
std::size_t Solver::queries() const { return impl_ ? impl_->queries : 0; }

/// Memory that ends in the middle of a question leaves assertions behind that no later question may see: from then on
/// nothing is decided.
template <class Question>
Answer Solver::answer_of(const Question& question) {
    if (!impl_) return Answer::undecided;
    try {
        return question();
    } catch (const z3::exception&) {
    } catch (const std::bad_alloc&) {}
    impl_.reset();
    return Answer::undecided;
}

Answer Solver::first_match_can_differ(const std::vector<Ranked>& before, const std::vector<Ranked>& after,
                                      PermShape shape) {
    return answer_of([&] {
        // Rules that lead both lists do not matter for events that match one of them.
        std::size_t lead = 0;
        std::vector<z3::expr> assertions;
        while (lead < before.size() && lead < after.size() && before[lead].condition == after[lead].condition &&
               before[lead].outcome == after[lead].outcome) {
            assertions.push_back(!impl_->condition(before[lead].condition, shape));
            ++lead;
        }
        const std::vector<Ranked> b(before.begin() + static_cast<std::ptrdiff_t>(lead), before.end());
        const std::vector<Ranked> a(after.begin() + static_cast<std::ptrdiff_t>(lead), after.end());
        // Rules that end both lists decide alike whatever reaches them: first without them, which asks for more
        // (and then "matches nothing" is not the same as a match of outcome 0, which keeps the end from deciding).
        std::size_t tail = 0;
        while (tail < b.size() && tail < a.size() &&
               b[b.size() - 1 - tail].condition == a[a.size() - 1 - tail].condition &&
               b[b.size() - 1 - tail].outcome == a[a.size() - 1 - tail].outcome)
            ++tail;
        if (tail != 0) {
            constexpr std::uint32_t falls_through = 0xFFFFFFFF;
            std::vector<z3::expr> stronger = assertions;
            stronger.push_back(
                impl_->first_outcome({b.begin(), b.end() - static_cast<std::ptrdiff_t>(tail)}, shape, falls_through) !=
                impl_->first_outcome({a.begin(), a.end() - static_cast<std::ptrdiff_t>(tail)}, shape, falls_through));
            if (impl_->check(stronger) == Answer::no) return Answer::no;
        }
        assertions.push_back(impl_->first_outcome(b, shape, 0) != impl_->first_outcome(a, shape, 0));
        return impl_->check(assertions);
    });
}

Answer Solver::some_match_can_differ(const std::vector<ConditionId>& before, const std::vector<ConditionId>& after,
                                     PermShape shape, const std::vector<ConditionId>* given) {
    return answer_of([&] {
        const std::set<ConditionId> b(before.begin(), before.end()), a(after.begin(), after.end());
        std::vector<ConditionId> only_before, only_after, both;
        std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(only_before));
        std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_after));
        std::set_intersection(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(both));
        std::vector<z3::expr> assertions;
        for (const ConditionId c : both) assertions.push_back(!impl_->condition(c, shape));
        assertions.push_back(impl_->some(only_before, shape) != impl_->some(only_after, shape));
        if (given != nullptr) {
            std::vector<z3::expr> hash;
            for (const ConditionId c : *given) hash.push_back(impl_->constraint_on_call(c, shape));
            assertions.push_back(hash.empty() ? impl_->ctx.bool_val(false) : any_of(impl_->ctx, hash));
        }
        return impl_->check(assertions);
    });
}

Answer Solver::can_match_in_one_call(ConditionId hash, const std::vector<ConditionId>& exits, PermShape shape) {
    return answer_of([&] {
        if (exits.empty()) return Answer::no;
        return impl_->check({impl_->constraint_on_call(hash, shape), impl_->some(exits, shape)});
    });
}

Answer Solver::hash_rules_can_meet(ConditionId left, ConditionId right, PermShape shape) {
    return answer_of([&] {
        // Both constraints speak of operands that are the same at any two times; a rule that tests the result is
        // held to its operands at the exit, and the other one, which may match earlier, is not.
        return impl_->check({impl_->constraint_on_call(left, shape), impl_->constraint_on_call(right, shape)});
    });
}

Answer Solver::disjunctions_can_differ(const std::vector<ConditionId>& left, const std::vector<ConditionId>& right,
                                       PermShape shape) {
    return answer_of([&] { return impl_->check({impl_->some(left, shape) != impl_->some(right, shape)}); });
}

Answer Solver::can_match(ConditionId condition, PermShape shape) {
    return answer_of([&] { return impl_->check({impl_->condition(condition, shape)}); });
}

// ---- the search for a concrete event --------------------------------------------------------------

namespace {

constexpr std::uint32_t s_ifmt = 0xF000;

/// One name of the call, symbolic.
class Name {
public:
    Name(const Scalars& s, std::size_t i, bool is_deleted) : deleted(is_deleted), scalars_(s), index_(i) {}
    z3::expr number(const char* what) const { return scalars_.number(fmt::format("name{}:{}", index_, what).c_str()); }
    z3::expr resolved() const { return scalars_.flag(fmt::format("name{}:resolved", index_)); }
    z3::expr watched(const std::string& path) const {
        return scalars_.flag(fmt::format("name{}:watch:{}", index_, path));
    }
    bool deleted;

private:
    const Scalars& scalars_;
    std::size_t index_;
};

/// kernel_model::evaluate's algorithm over symbolic operands, for one scenario.
class Model {
public:
    Model(z3::context& c, const KernelTables& k, const Scenario& s) : ctx(c), scalars(c), kernel_(k), scenario_(s) {
        for (std::size_t i = 0; i < s.names.size(); ++i) names.emplace_back(scalars, i, s.names[i]);
    }

    struct Result {
        z3::expr outcome;  // Outcome
        z3::expr key;      // index into `keys`, 0: none
    };

    Result decide(const KernelState& state) {
        Run run{state, ctx.bv_val(static_cast<unsigned>(state.filter.size()), word), outcome(Outcome::no_match),
                scalars.value(0)};
        for (std::size_t n = 0; n < names.size(); ++n)
            if (names[n].deleted) hash(run, n + 1, true);
        const bool worker = scenario_.uring_op && scenario_.arch == 0;
        if (!worker) {
            z3::expr open = ctx.bool_val(true);
            walk(run, open, Placement::exit_list, static_cast<int>(scenario_.nr), nullptr, false);
        }
        if (scenario_.uring_op) {
            z3::expr open = worker ? ctx.bool_val(true) : run.outcome != outcome(Outcome::always);
            walk(run, open, Placement::io_uring_list, static_cast<int>(*scenario_.uring_op), nullptr, false);
        }
        hash(run, names.size(), false);
        return {run.outcome, run.key};
    }

    z3::expr outcome(Outcome o) const { return ctx.bv_val(static_cast<unsigned>(o), word); }

    /// What any real event satisfies; with `likely` also what a usual one does.
    std::vector<z3::expr> realistic(const KernelState& before, const KernelState& after) {
        std::vector<z3::expr> out{z3::ule(scalars.valid(), ctx.bv_val(2, 2))};
        for (const Name& n : names) {
            std::vector<z3::expr> unset;
            for (const char* what : {"dev_major", "dev_minor", "rdev_major", "rdev_minor", "mode", "uid", "gid"})
                unset.push_back(n.number(what) == scalars.value(0));
            unset.push_back(n.number("ino") == scalars.value(0xFFFFFFFFU));
            for (const KernelState* s : {&before, &after})
                for (const KernelRule& r : s->filter)
                    if (const FieldTest* path = find_test(r, Field::path)) unset.push_back(!n.watched(path->text));
            out.push_back(z3::implies(!n.resolved(), all_of(ctx, unset)));
            out.push_back(z3::implies(n.resolved(), n.number("ino") != scalars.value(0xFFFFFFFFU)));
            for (const char* what : {"dev_major", "rdev_major"})
                out.push_back(z3::ult(n.number(what), scalars.value(1U << 12)));
            for (const char* what : {"dev_minor", "rdev_minor"})
                out.push_back(z3::ult(n.number(what), scalars.value(1U << 20)));
            out.push_back(z3::ult(n.number("mode"), scalars.value(1U << 16)));
            if (n.deleted) out.push_back(n.resolved());
        }
        if (!scenario_.possible) return out;
        const CallFacts facts =
            call_facts(kernel_, scenario_.arch, static_cast<std::int32_t>(scenario_.nr), scenario_.uring_op);
        possible_result(facts, out);
        z3::expr looked_up = ctx.bool_val(false);
        for (const Name& n : names) looked_up = looked_up || n.resolved();
        for (const Name& n : names) {
            if (facts.names == CallNames::by_descriptor) out.push_back(n.resolved());
            if (facts.names == CallNames::removes && n.deleted) out.push_back(scalars.valid() != ctx.bv_val(2, 2));
        }
        if (!facts.worker)
            for (const std::string& d : dirs) out.push_back(z3::implies(scalars.flag("dir:" + d), looked_up));
        if (!facts.copies_address) out.push_back(!scalars.flag("saddr"));
        out.push_back(z3::ule(scalars.number("saddr_fam"), scalars.value(0xFFFF)));
        for (const char* id : {"uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid"})
            out.push_back(scalars.number(id) != scalars.value(id_unset));
        out.push_back((scalars.number("loginuid") == scalars.value(id_unset)) ==
                      (scalars.number("sessionid") == scalars.value(id_unset)));
        out.push_back(scalars.number("pid") != scalars.value(0));
        for (const char* pid : {"pid", "ppid"}) out.push_back(z3::ule(scalars.number(pid), scalars.value(last_pid)));
        return out;
    }

    /// success= and exit= as the call can return them. `exit` is the low half of the result: a success may have an error's
    /// low half, where the high half is not an error's.
    void possible_result(const CallFacts& facts, std::vector<z3::expr>& out) {
        const z3::expr exit = scalars.number("exit");
        const auto code = [&](std::int64_t c) { return scalars.value(static_cast<std::uint32_t>(c)); };
        const z3::expr failed = scalars.valid() == ctx.bv_val(2, 2), succeeded = scalars.valid() == ctx.bv_val(1, 2);
        const z3::expr error = z3::uge(exit, code(last_error));
        out.push_back(z3::implies(!scalars.has_result(), exit == code(0)));
        if (facts.uring) {
            out.push_back(z3::implies(succeeded, exit == code(0)));
            out.push_back(z3::implies(failed, scenario_.likely ? error : exit != code(0)));
        } else {
            out.push_back(z3::implies(failed, error));
            if (scenario_.likely) out.push_back(z3::implies(succeeded, !error));
        }
        for (const std::int64_t restart : {-512, -513, -514, -516})
            out.push_back(z3::implies(failed, exit != code(restart)));
        switch (facts.result) {
            case CallResult::any:
                break;
            case CallResult::zero:
                out.push_back(z3::implies(succeeded, exit == code(0)));
                break;
            case CallResult::never_fails:
                out.push_back(!failed);
                break;
            case CallResult::never_returns:
                out.push_back(!scalars.has_result());
                break;
            case CallResult::no_such_call:
                out.push_back(failed && exit == code(not_implemented));
                break;
        }
    }

    /// Programs and labels: one task has one label per kind, so of its tests for equality at most one holds.
    std::vector<z3::expr> one_label(const KernelState& before, const KernelState& after) {
        std::map<Field, std::vector<FieldTest>> subject;
        for (const KernelState* s : {&before, &after})
            for (const KernelRule& r : s->filter)
                for (const FieldTest& t : r.tests) {
                    const auto f = static_cast<std::uint32_t>(t.field);
                    if (f < 13 || f > 17) continue;
                    auto& seen = subject[t.field];
                    if (std::none_of(seen.begin(), seen.end(),
                                     [&](const FieldTest& x) { return x.op == t.op && x.text == t.text; }))
                        seen.push_back(t);
                }
        std::vector<z3::expr> out;
        for (const auto& [field, tests] : subject)
            for (std::size_t i = 0; i < tests.size(); ++i)
                for (std::size_t j = i + 1; j < tests.size(); ++j) {
                    const bool both_equal = tests[i].op == Op::equal && tests[j].op == Op::equal;
                    const bool opposite = tests[i].text == tests[j].text;
                    if (both_equal || opposite)
                        out.push_back(!(scalars.flag(free_name(tests[i])) && scalars.flag(free_name(tests[j]))));
                }
        return out;
    }

    z3::context& ctx;
    Scalars scalars;
    std::vector<Name> names;
    std::vector<std::string> keys{std::string{}};  // [0] unused
    std::set<std::string> dirs, exes, paths;
    std::set<std::uint32_t> groups;
    std::vector<FieldTest> labels;

private:
    struct Run {
        const KernelState& state;
        z3::expr priority;  // position of the last match: only rules before it can match
        z3::expr outcome, key;
    };

    std::uint32_t key_index(std::string_view key) {
        for (std::size_t i = 1; i < keys.size(); ++i)
            if (keys[i] == key) return static_cast<std::uint32_t>(i);
        keys.emplace_back(key);
        return static_cast<std::uint32_t>(keys.size() - 1);
    }

    template <typename Predicate>
    z3::expr any_name(Predicate holds) {
        z3::expr result = ctx.bool_val(false);
        for (const Name& n : names) result = result || holds(n);
        return result;
    }

    z3::expr test(const FieldTest& t, const Name* name, bool mid_call, bool path_is_dir) {
        if (t.field == Field::gid || t.field == Field::egid) groups.insert(t.value);
        if (t.field == Field::arch) return ctx.bool_val(compare_numbers(scenario_.arch, t.op, t.value));
        if (const auto scalar = scalars.holds(t, mid_call ? ctx.bool_val(false) : scalars.has_result())) return *scalar;
        const z3::expr v = scalars.value(t.value);
        const auto this_or_any = [&](auto holds) { return name != nullptr ? holds(*name) : any_name(holds); };
        switch (t.field) {
            case Field::path:
                if (path_is_dir) {
                    dirs.insert(t.text);
                    return scalars.flag("dir:" + t.text);
                }
                paths.insert(t.text);
                // At the exit the watches of deleted names are unbound.
                if (name == nullptr || (name->deleted && !mid_call)) return ctx.bool_val(false);
                return name->watched(t.text);
            case Field::dir:
                dirs.insert(t.text);
                return scalars.flag("dir:" + t.text);
            case Field::exe: {
                exes.insert(t.text);
                const z3::expr same = scalars.flag("exe:" + t.text);
                return t.op == Op::not_equal ? !same : same;
            }
            case Field::perm: {
                const z3::expr result = perm(t.value);
                return t.op == Op::not_equal ? !result : result;
            }
            case Field::inode:
                return this_or_any([&](const Name& n) { return compare(n.number("ino"), t.op, v); });
            case Field::devmajor:
                return this_or_any([&](const Name& n) {
                    return compare(n.number("dev_major"), t.op, v) || compare(n.number("rdev_major"), t.op, v);
                });
            case Field::devminor:
                return this_or_any([&](const Name& n) {
                    return compare(n.number("dev_minor"), t.op, v) || compare(n.number("rdev_minor"), t.op, v);
                });
            case Field::obj_uid:
                return this_or_any([&](const Name& n) { return compare_id(n.number("uid"), t.op, v); });
            case Field::obj_gid:
                return this_or_any([&](const Name& n) { return compare_id(n.number("gid"), t.op, v); });
            case Field::filetype: {
                const z3::expr any = any_name(
                    [&](const Name& n) { return n.resolved() && (n.number("mode") & scalars.value(s_ifmt)) == v; });
                return t.op == Op::not_equal ? !any : any;
            }
            case Field::field_compare: {
                const auto pair = compared_pair(t.value);
                const char* owner = pair->right == Credential::object_uid ? "uid" : "gid";
                return any_name(
                    [&](const Name& n) { return compare_id(scalars.credential(pair->left), t.op, n.number(owner)); });
            }
            default:
                if (std::none_of(labels.begin(), labels.end(), [&](const FieldTest& x) { return x == t; }))
                    labels.push_back(t);
                return scalars.flag(free_name(t));
        }
    }

    z3::expr perm(std::uint32_t value) {
        const AbiClasses& c = kernel_.classes_of_arch(scenario_.arch);
        switch (c.kind(scenario_.nr)) {
            case SyscallKind::open:
                return scalars.access(scalars.argument(1), value);
            case SyscallKind::openat:
                return scalars.access(scalars.argument(2), value);
            case SyscallKind::openat2:
                return scalars.access(scalars.number("openat2 flags"), value);
            case SyscallKind::execve:
                return ctx.bool_val((value & perm_exec) != 0);
            case SyscallKind::socketcall:
                if ((value & perm_write) == 0) return ctx.bool_val(false);
                return scalars.argument(0) == scalars.value(2);
            case SyscallKind::native:
                break;
        }
        return ctx.bool_val(((value & perm_write) != 0 && c.write.test(scenario_.nr)) ||
                            ((value & perm_read) != 0 && c.read.test(scenario_.nr)) ||
                            ((value & perm_attr) != 0 && c.chattr.test(scenario_.nr)));
    }

    bool visited(const KernelRule& rule, Placement walk) const {
        const Placement p = placement(rule);
        if (p != Placement::either) return p == walk;
        return walk == (scenario_.unknown_watch_is_dir ? Placement::exit_list : Placement::inode_hash);
    }

    // One walk of one list, or of the bucket of `name`; `open` is false once a rule has matched.
    void walk(Run& run, z3::expr& open, Placement list, int nr, const Name* name, bool mid_call) {
        const z3::expr priority = run.priority;
        for (std::size_t i = 0; i < run.state.filter.size(); ++i) {
            const KernelRule& rule = run.state.filter[i];
            if (!visited(rule, list) || nr >= static_cast<int>(mask_syscalls) ||
                !rule.mask.test(static_cast<unsigned>(nr)))
                continue;
            std::vector<z3::expr> parts{open, z3::ult(scalars.value(static_cast<std::uint32_t>(i)), priority)};
            const bool path_is_dir = rule.watch_kind_unknown && scenario_.unknown_watch_is_dir;
            for (const FieldTest& t : rule.tests) parts.push_back(test(t, name, mid_call, path_is_dir));
            const z3::expr matches = all_of(ctx, parts).simplify();
            if (matches.is_false()) continue;
            run.priority = z3::ite(matches, scalars.value(static_cast<std::uint32_t>(i)), run.priority);
            run.outcome = z3::ite(matches, outcome(rule.action == Action::always ? Outcome::always : Outcome::never),
                                  run.outcome);
            if (const auto key = rule_key(rule)) run.key = z3::ite(matches, scalars.value(key_index(*key)), run.key);
            open = open && !matches;
        }
    }

    // The first name that yields a match ends the stage.
    void hash(Run& run, std::size_t count, bool mid_call) {
        z3::expr open = ctx.bool_val(true);
        for (std::size_t n = 0; n < count; ++n)
            walk(run, open, Placement::inode_hash, static_cast<int>(scenario_.nr), &names[n], mid_call);
    }

    const KernelTables& kernel_;
    const Scenario& scenario_;
};

/// Reads an event out of a solver model.
class Reader {
public:
    Reader(const Model& m, const z3::model& values) : model_(m), values_(values) {}

    Event event(const Scenario& scenario) const {
        Event e;
        e.arch = scenario.arch;
        e.nr = static_cast<std::int32_t>(scenario.nr);
        e.uring_op = scenario.uring_op;
        for (unsigned i = 0; i < 4; ++i) e.args[i] = number(model_.scalars.argument(i), 0);
        e.pid = named("pid", e.pid);
        e.ppid = named("ppid", e.ppid);
        e.pers = named("pers", e.pers);
        e.uid = named("uid", 0);
        e.euid = named("euid", 0);
        e.suid = named("suid", 0);
        e.fsuid = named("fsuid", 0);
        e.gid = named("gid", 0);
        e.egid = named("egid", 0);
        e.sgid = named("sgid", 0);
        e.fsgid = named("fsgid", 0);
        e.loginuid = named("loginuid", id_unset);
        e.sessionid = named("sessionid", id_unset);
        e.openat2_flags = named("openat2 flags", 0);
        if (truth("saddr")) e.saddr_fam = named("saddr_fam", 0);
        const std::uint32_t valid = number(model_.scalars.valid(), 1);
        e.return_valid = valid == 0 ? ReturnValid::invalid : valid == 1 ? ReturnValid::success : ReturnValid::failure;
        const std::uint32_t exit = named("exit", 0);
        e.return_code = exit;
        const bool looks_like_error = exit >= static_cast<std::uint32_t>(-4095);
        if (e.return_valid == ReturnValid::failure && looks_like_error) e.return_code |= 0xFFFFFFFF00000000ULL;
        for (const std::uint32_t g : model_.groups)
            if (truth("group:" + std::to_string(g))) e.groups.insert(g);
        for (const std::string& d : model_.dirs)
            if (truth("dir:" + d)) e.dirs.insert(d);
        for (const std::string& x : model_.exes)
            if (truth("exe:" + x)) e.exes.insert(x);
        for (const FieldTest& t : model_.labels)
            if (truth(free_name(t))) e.lsm_true.push_back({t});
        for (const Name& n : model_.names) e.names.push_back(name(n));
        return e;
    }

private:
    EventName name(const Name& n) const {
        EventName out;
        out.resolved = values_.eval(n.resolved(), true).is_true();
        out.deleted = n.deleted;
        if (!out.resolved) return out;
        out.ino = number(n.number("ino"), 0);
        out.dev_major = number(n.number("dev_major"), 0);
        out.dev_minor = number(n.number("dev_minor"), 0);
        out.rdev_major = number(n.number("rdev_major"), 0);
        out.rdev_minor = number(n.number("rdev_minor"), 0);
        out.mode = number(n.number("mode"), 0);
        out.uid = number(n.number("uid"), 0);
        out.gid = number(n.number("gid"), 0);
        for (const std::string& p : model_.paths)
            if (values_.eval(n.watched(p), true).is_true()) out.watches.insert(p);
        return out;
    }

    /// The value the model gives, or `otherwise` where it does not care.
    std::uint32_t number(const z3::expr& e, std::uint32_t otherwise) const {
        const z3::expr v = values_.eval(e, false);
        return v.is_numeral() ? static_cast<std::uint32_t>(v.get_numeral_uint64()) : otherwise;
    }
    std::uint32_t named(const char* what, std::uint32_t otherwise) const {
        return number(model_.scalars.number(what), otherwise);
    }
    bool truth(const std::string& flag) const { return values_.eval(model_.scalars.flag(flag), true).is_true(); }

    const Model& model_;
    const z3::model& values_;
};

}  // namespace

std::optional<Event> find_differing_event(const KernelState& before, const KernelState& after,
                                          const KernelTables& kernel, const Scenario& scenario, KindSet kinds,
                                          std::uint32_t rlimit) try {
    SolverContext context;
    z3::context& ctx = context.get();
    Model model(ctx, kernel, scenario);
    const Model::Result b = model.decide(before);
    const Model::Result a = model.decide(after);
    const z3::expr always = model.outcome(Outcome::always);
    const z3::expr recorded_before = b.outcome == always, recorded_after = a.outcome == always;
    const auto of_kind = [&](DifferenceKind kind) {
        switch (kind) {
            case DifferenceKind::lost:
                return recorded_before && !recorded_after;
            case DifferenceKind::rekeyed:
                return recorded_before && recorded_after && b.key != a.key;
            case DifferenceKind::gained:
                return !recorded_before && recorded_after;
            case DifferenceKind::never:
                break;
        }
        return !recorded_before && !recorded_after && b.outcome != a.outcome;
    };
    std::vector<z3::expr> wanted;  // worst first
    for (const DifferenceKind kind : all_difference_kinds)
        if ((kinds >> static_cast<unsigned>(kind) & 1U) != 0)
            if (z3::expr e = of_kind(kind).simplify(); !e.is_false()) wanted.push_back(std::move(e));
    if (wanted.empty()) return std::nullopt;
    z3::solver solver(ctx);
    set_limits(ctx, solver, rlimit);
    for (const z3::expr& e : model.realistic(before, after)) solver.add(e);
    for (const z3::expr& e : model.one_label(before, after)) solver.add(e);
    // All at once first: most of what is asked about has no event at all.
    if (wanted.size() > 1) {
        solver.push();
        solver.add(any_of(ctx, wanted));
        const Answer some = ask(solver);
        solver.pop();
        if (some != Answer::yes) return std::nullopt;
    }
    for (const z3::expr& kind : wanted) {
        solver.push();
        solver.add(kind);
        if (ask(solver) == Answer::yes) {
            const z3::model values = solver.get_model();
            return Reader(model, values).event(scenario);
        }
        solver.pop();
    }
    return std::nullopt;
} catch (const z3::exception&) {
    return std::nullopt;  // no memory to look for one
}

std::optional<Decision> decide_by_encoding(const KernelState& state, const KernelTables& kernel, const Event& event,
                                           bool unknown_watch_is_dir) {
    SolverContext context;
    z3::context& ctx = context.get();
    Scenario scenario;
    scenario.arch = event.arch;
    scenario.nr = static_cast<unsigned>(event.nr);
    scenario.uring_op = event.uring_op;
    scenario.unknown_watch_is_dir = unknown_watch_is_dir;
    for (const EventName& n : event.names) scenario.names.push_back(n.deleted);
    Model model(ctx, kernel, scenario);
    const Model::Result result = model.decide(state);
    const Scalars& s = model.scalars;
    z3::solver solver(ctx);
    const auto number = [&](const z3::expr& e, std::uint64_t v) {
        solver.add(e == s.value(static_cast<std::uint32_t>(v)));
    };
    const auto flag = [&](const z3::expr& e, bool v) { solver.add(v ? e : !e); };
    for (unsigned i = 0; i < 4; ++i) number(s.argument(i), event.args[i]);
    const std::pair<const char*, std::uint64_t> scalars[] = {{"pid", event.pid},
                                                             {"ppid", event.ppid},
                                                             {"pers", event.pers},
                                                             {"uid", event.uid},
                                                             {"euid", event.euid},
                                                             {"suid", event.suid},
                                                             {"fsuid", event.fsuid},
                                                             {"gid", event.gid},
                                                             {"egid", event.egid},
                                                             {"sgid", event.sgid},
                                                             {"fsgid", event.fsgid},
                                                             {"loginuid", event.loginuid},
                                                             {"sessionid", event.sessionid},
                                                             {"openat2 flags", event.openat2_flags},
                                                             {"saddr_fam", event.saddr_fam.value_or(0)},
                                                             {"exit", event.return_code}};
    for (const auto& [name, v] : scalars) number(s.number(name), v);
    flag(s.flag("saddr"), event.saddr_fam.has_value());
    const unsigned valid = event.return_valid == ReturnValid::invalid   ? 0
                           : event.return_valid == ReturnValid::success ? 1
                                                                        : 2;
    solver.add(s.valid() == ctx.bv_val(valid, 2));
    for (const std::uint32_t g : model.groups) flag(s.group(g), event.groups.contains(g));
    for (const std::string& d : model.dirs) flag(s.flag("dir:" + d), event.dirs.contains(d));
    for (const std::string& x : model.exes) flag(s.flag("exe:" + x), event.exes.contains(x));
    for (const FieldTest& t : model.labels)
        flag(s.flag(free_name(t)), std::any_of(event.lsm_true.begin(), event.lsm_true.end(),
                                               [&](const LsmAnswer& l) { return l.test == t; }));
    for (std::size_t i = 0; i < event.names.size(); ++i) {
        const EventName& n = event.names[i];
        const Name& m = model.names[i];
        flag(m.resolved(), n.resolved);
        number(m.number("ino"), n.ino);
        number(m.number("dev_major"), n.dev_major);
        number(m.number("dev_minor"), n.dev_minor);
        number(m.number("rdev_major"), n.rdev_major);
        number(m.number("rdev_minor"), n.rdev_minor);
        number(m.number("mode"), n.mode);
        number(m.number("uid"), n.uid);
        number(m.number("gid"), n.gid);
        for (const std::string& path : model.paths) flag(m.watched(path), n.watches.contains(path));
    }
    if (ask(solver) != Answer::yes) return std::nullopt;
    const z3::model values = solver.get_model();
    const auto value = [&](const z3::expr& e) {
        return static_cast<unsigned>(values.eval(e, true).get_numeral_uint());
    };
    Decision decision;
    decision.outcome = static_cast<Outcome>(value(result.outcome));
    if (const unsigned key = value(result.key); key != 0) decision.key = model.keys[key];
    // The encoding of a concrete event has one value; another one would mean a forgotten operand.
    solver.add(result.outcome != values.eval(result.outcome, true) || result.key != values.eval(result.key, true));
    if (ask(solver) != Answer::no) return std::nullopt;
    return decision;
}

}  // namespace auopt::proof
