// The encoding of the user, exclude, task and filesystem lists. Each rule becomes entries of a first-match list: "the
// rule matches", and before it, on the user and exclude lists, "the walk ends inside the rule" (a field that
// auditfilter.c:audit_filter does not know, or an error of the security module). Written apart from
// kernel_model::evaluate_list, which a property test and the truth tables hold against it.
#include "verify/list_encoding.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "verify/z3_operands.hpp"

namespace auopt::proof {
namespace {

bool is_subject(Field f) { return f >= Field::subj_user && f <= Field::subj_clr; }

class ListModel {
public:
    ListModel(z3::context& c, List list) : ctx(c), scalars(c), list_(list) {}

    struct Result {
        z3::expr outcome;  // ListOutcome
        z3::expr key;      // index into `keys`, 0: none
    };

    Result decide(const KernelState& state, bool ignore_keys) {
        Result result{outcome(ListOutcome::passes), scalars.value(0)};
        // From the last rule up: each one takes what it decides away from those below.
        const std::vector<KernelRule>& rules = state.rules_of(list_);
        for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule) {
            note(*rule);
            const Ends ends = list_ == List::filesystem ? name_event(*rule)
                              : list_ == List::task     ? task(*rule)
                                                        : filter(*rule);
            ListOutcome o = ListOutcome::dropped;
            std::uint32_t key = 0;
            if (list_ == List::user && rule->action == Action::always) o = ListOutcome::passes;
            if (list_ == List::task) {
                o = rule->action == Action::never ? ListOutcome::never_audited : ListOutcome::always_recorded;
                const auto text = rule_key(*rule);
                if (rule->action == Action::always && text && !ignore_keys) key = key_index(*text);
            }
            result.outcome = z3::ite(ends.with_match, outcome(o), result.outcome);
            result.key = z3::ite(ends.with_match, scalars.value(key), result.key);
            result.outcome = z3::ite(ends.without_match, outcome(ListOutcome::passes), result.outcome);
        }
        return result;
    }

    /// What holds of every event, and of those of a likelihood.
    std::vector<z3::expr> realistic(Likelihood likelihood) const {
        std::vector<z3::expr> out;
        const z3::expr type = scalars.number("msgtype");
        const auto between = [&](const z3::expr& e, std::uint32_t low, std::uint32_t high) {
            return z3::uge(e, scalars.value(low)) && z3::ule(e, scalars.value(high));
        };
        // audit.c:audit_receive_msg asks the user list about these only.
        if (list_ == List::user)
            out.push_back(type == scalars.value(1005) || between(type, 1100, 1199) || between(type, 2100, 2999));
        for (const FieldTest& t : labels_)
            out.push_back(z3::ule(reply(t), ctx.bv_val(static_cast<unsigned>(LsmReply::error), 2)));
        if (likelihood == Likelihood::any) return out;

        if (list_ == List::exclude) out.push_back(between(type, 1000, 2999));
        for (const char* id : {"uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid"})
            out.push_back(scalars.number(id) != scalars.value(id_unset));
        out.push_back(between(scalars.number("pid"), 1, 1U << 22));
        for (std::size_t i = 0; i < labels_.size(); ++i)
            for (std::size_t j = i + 1; j < labels_.size(); ++j) {
                const FieldTest &a = labels_[i], &b = labels_[j];
                if (a.field != b.field) continue;
                if (a.text == b.text) {
                    // A label is known or not, a module errs or not, whatever the operator asks.
                    for (const LsmReply r : {LsmReply::unset, LsmReply::error})
                        out.push_back(answers(a, r) == answers(b, r));
                    const bool opposite =
                        (a.op == Op::equal && b.op == Op::not_equal) || (a.op == Op::not_equal && b.op == Op::equal);
                    if (opposite) out.push_back(!(answers(a, LsmReply::yes) && answers(b, LsmReply::yes)));
                    if (opposite) out.push_back(!(answers(a, LsmReply::no) && answers(b, LsmReply::no)));
                } else {
                    out.push_back(answers(a, LsmReply::error) == answers(b, LsmReply::error));
                }
            }
        if (likelihood == Likelihood::possible) return out;

        for (const std::string& x : exes_) out.push_back(!scalars.flag("removed:" + x));
        for (std::size_t i = 0; i < labels_.size(); ++i) {
            out.push_back(answers(labels_[i], LsmReply::yes) || answers(labels_[i], LsmReply::no));
            for (std::size_t j = i + 1; j < labels_.size(); ++j)
                if (labels_[i].field == labels_[j].field && labels_[i].op == Op::equal && labels_[j].op == Op::equal)
                    out.push_back(!(answers(labels_[i], LsmReply::yes) && answers(labels_[j], LsmReply::yes)));
        }
        return out;
    }

    ListEvent read(const z3::model& values) const {
        ListEvent e;
        e.list = list_;
        const auto number = [&](const char* name, std::uint32_t otherwise) {
            const z3::expr v = values.eval(scalars.number(name), false);
            return v.is_numeral() ? static_cast<std::uint32_t>(v.get_numeral_uint64()) : otherwise;
        };
        const auto truth = [&](const z3::expr& flag) { return values.eval(flag, true).is_true(); };
        for (const auto& [name, member] : numbers()) e.*member = number(name, e.*member);
        for (const std::uint32_t g : groups_)
            if (truth(scalars.group(g))) e.groups.insert(g);
        for (const std::string& x : exes_) {
            if (truth(scalars.flag("exe:" + x))) e.exes.insert(x);
            if (truth(scalars.flag("removed:" + x))) e.removed_exes.insert(x);
        }
        for (const FieldTest& t : labels_) {
            const auto r = static_cast<LsmReply>(values.eval(reply(t), true).get_numeral_uint());
            if (r != LsmReply::no) e.lsm.push_back({t, r});
        }
        return e;
    }

    void assume(z3::solver& solver, const ListEvent& e) const {
        for (const auto& [name, member] : numbers()) solver.add(scalars.number(name) == scalars.value(e.*member));
        const auto flag = [&](const z3::expr& f, bool v) { solver.add(v ? f : !f); };
        for (const std::uint32_t g : groups_) flag(scalars.group(g), e.groups.contains(g));
        for (const std::string& x : exes_) {
            flag(scalars.flag("exe:" + x), e.exes.contains(x));
            flag(scalars.flag("removed:" + x), e.removed_exes.contains(x));
        }
        for (const FieldTest& t : labels_) {
            LsmReply r = LsmReply::no;
            for (const ListLsmReply& known : e.lsm)
                if (known.test == t) r = known.reply;
            solver.add(answers(t, r));
        }
    }

    z3::context& ctx;
    Scalars scalars;
    std::vector<std::string> keys{std::string{}};  // [0] unused

private:
    struct Ends {
        z3::expr with_match, without_match;
    };

    static std::vector<std::pair<const char*, std::uint32_t ListEvent::*>> numbers() {
        return {{"msgtype", &ListEvent::msgtype},   {"fstype", &ListEvent::fstype},
                {"pid", &ListEvent::pid},           {"pers", &ListEvent::pers},
                {"uid", &ListEvent::uid},           {"euid", &ListEvent::euid},
                {"suid", &ListEvent::suid},         {"fsuid", &ListEvent::fsuid},
                {"gid", &ListEvent::gid},           {"egid", &ListEvent::egid},
                {"sgid", &ListEvent::sgid},         {"fsgid", &ListEvent::fsgid},
                {"loginuid", &ListEvent::loginuid}, {"sessionid", &ListEvent::sessionid}};
    }

    z3::expr outcome(ListOutcome o) const { return ctx.bv_val(static_cast<unsigned>(o), word); }
    z3::expr yes() const { return ctx.bool_val(true); }
    z3::expr no() const { return ctx.bool_val(false); }

    z3::expr reply(const FieldTest& t) const { return ctx.bv_const(spelled("reply:" + free_name(t)).c_str(), 2); }
    z3::expr answers(const FieldTest& t, LsmReply r) const {
        return reply(t) == ctx.bv_val(static_cast<unsigned>(r), 2);
    }

    std::uint32_t key_index(std::string_view key) {
        const auto found = std::find(keys.begin() + 1, keys.end(), key);
        if (found != keys.end()) return static_cast<std::uint32_t>(found - keys.begin());
        keys.emplace_back(key);
        return static_cast<std::uint32_t>(keys.size() - 1);
    }

    void note(const KernelRule& rule) {
        for (const FieldTest& t : rule.tests) {
            if (t.field == Field::exe) exes_.insert(t.text);
            if (t.field == Field::gid || t.field == Field::egid) groups_.insert(t.value);
            if (is_subject(t.field) && std::find(labels_.begin(), labels_.end(), t) == labels_.end())
                labels_.push_back(t);
        }
    }

    z3::expr alive(const KernelRule& rule) const {
        const FieldTest* exe = find_test(rule, Field::exe);
        return exe == nullptr ? yes() : !scalars.flag("removed:" + exe->text);
    }

    z3::expr program(const FieldTest& t) const {
        const z3::expr runs = scalars.flag("exe:" + t.text);
        return t.op == Op::not_equal ? !runs : runs;
    }

    // audit_filter: `passed` is that the result of the last test is positive.
    Ends filter(const KernelRule& rule) const {
        z3::expr reached = alive(rule), passed = no(), ends = no();
        for (const FieldTest& t : rule.tests) {
            const z3::expr v = scalars.value(t.value);
            switch (t.field) {
                case Field::pid:
                    passed = compare(scalars.number("pid"), t.op, v);
                    break;
                case Field::uid:
                    passed = compare_id(scalars.number("uid"), t.op, v);
                    break;
                case Field::gid:
                    passed = compare_id(scalars.number("gid"), t.op, v);
                    break;
                case Field::loginuid:
                case Field::loginuid_set:
                    passed = *scalars.holds(t, no());
                    break;
                case Field::msgtype:
                    passed = compare(scalars.number("msgtype"), t.op, v);
                    break;
                case Field::exe:
                    passed = program(t);
                    break;
                case Field::subj_user:
                case Field::subj_role:
                case Field::subj_type:
                case Field::subj_sen:
                case Field::subj_clr:
                    ends = ends || (reached && answers(t, LsmReply::error));
                    reached = reached && !answers(t, LsmReply::error);
                    passed = answers(t, LsmReply::yes) || (answers(t, LsmReply::unset) && passed);
                    break;
                default:
                    return {no(), ends || reached};
            }
            reached = reached && passed;
        }
        return {rule.tests.empty() ? no() : reached, ends};
    }

    z3::expr task_test(const FieldTest& t) const {
        switch (t.field) {
            // There is no context and there are no names.
            case Field::ppid:
            case Field::arch:
            case Field::exit:
            case Field::success:
            case Field::arg0:
            case Field::arg1:
            case Field::arg2:
            case Field::arg3:
            case Field::devmajor:
            case Field::devminor:
            case Field::inode:
            case Field::obj_uid:
            case Field::obj_gid:
            case Field::path:
            case Field::dir:
            case Field::saddr_fam:
            case Field::obj_user:
            case Field::obj_role:
            case Field::obj_type:
            case Field::obj_lev_low:
            case Field::obj_lev_high:
                return no();
            case Field::perm:
            case Field::filetype:
                return t.op == Op::not_equal ? yes() : no();
            case Field::exe:
                return program(t);
            case Field::subj_user:
            case Field::subj_role:
            case Field::subj_type:
            case Field::subj_sen:
            case Field::subj_clr:
                return answers(t, LsmReply::yes) || answers(t, LsmReply::error);
            default:
                break;
        }
        // What is left has one value; of field comparisons those with a file's owner have none.
        return scalars.holds(t, no()).value_or(no());
    }

    Ends task(const KernelRule& rule) const {
        std::vector<z3::expr> parts{alive(rule)};
        for (const FieldTest& t : rule.tests) parts.push_back(task_test(t));
        return {all_of(ctx, parts), no()};
    }

    // One true fstype test of a never rule is enough; always does nothing.
    Ends name_event(const KernelRule& rule) const {
        std::vector<z3::expr> parts{no()};
        if (rule.action == Action::never)
            for (const FieldTest& t : rule.tests)
                if (t.field == Field::fstype)
                    parts.push_back(compare(scalars.number("fstype"), t.op, scalars.value(t.value)));
        return {any_of(ctx, parts), no()};
    }

    List list_;
    std::set<std::uint32_t> groups_;
    std::set<std::string> exes_;
    std::vector<FieldTest> labels_;
};

}  // namespace

ListSearch find_differing_list_event(const KernelState& before, const KernelState& after, List list, bool ignore_keys,
                                     Likelihood likelihood, std::uint32_t rlimit) try {
    SolverContext context;
    z3::context& ctx = context.get();
    ListModel model(ctx, list);
    const ListModel::Result b = model.decide(before, ignore_keys), a = model.decide(after, ignore_keys);
    z3::solver solver(ctx);
    set_limits(ctx, solver, rlimit);
    for (const z3::expr& e : model.realistic(likelihood)) solver.add(e);
    solver.add(b.outcome != a.outcome || b.key != a.key);
    ListSearch search{ask(solver), std::nullopt};
    if (search.differs == Answer::yes) search.event = model.read(solver.get_model());
    return search;
} catch (const z3::exception&) {
    return {Answer::undecided, std::nullopt};  // no memory
}

std::optional<ListDecision> decide_list_by_encoding(const KernelState& state, const ListEvent& event) {
    SolverContext context;
    z3::context& ctx = context.get();
    ListModel model(ctx, event.list);
    const ListModel::Result result = model.decide(state, false);
    z3::solver solver(ctx);
    model.assume(solver, event);
    if (ask(solver) != Answer::yes) return std::nullopt;
    const z3::model values = solver.get_model();
    const auto value = [&](const z3::expr& e) { return values.eval(e, true).get_numeral_uint(); };
    ListDecision decision;
    decision.outcome = static_cast<ListOutcome>(value(result.outcome));
    if (const unsigned key = value(result.key); key != 0) decision.key = model.keys[key];
    // A concrete event has one answer; another one would mean a forgotten operand.
    solver.add(result.outcome != values.eval(result.outcome, true) || result.key != values.eval(result.key, true));
    if (ask(solver) != Answer::no) return std::nullopt;
    return decision;
}

}  // namespace auopt::proof
