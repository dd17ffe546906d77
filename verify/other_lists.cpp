// Sources: auditfilter.c:audit_filter, auditsc.c:audit_filter_task; kernel filter specification, section 2.6. What the
// solver is asked: list_encoding.cpp.
#include "verify/other_lists.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <libaudit.h>

#include "compiler/spelling.hpp"
#include "verify/list_encoding.hpp"
#include "verify/meaning.hpp"

namespace auopt::proof {
namespace {

class ListComparison {
public:
    ListComparison(const KernelState& before, const KernelState& after, List list, bool ignore_keys,
                   std::uint32_t rlimit)
        : before_(before), after_(after), list_(list), ignore_keys_(ignore_keys), rlimit_(rlimit) {}

    void run(OtherLists& out) const {
        const std::vector<KernelRule>&b = before_.rules_of(list_), &a = after_.rules_of(list_);
        if (std::equal(b.begin(), b.end(), a.begin(), a.end(),
                       [](const KernelRule& x, const KernelRule& y) { return x.same_as(y); }))
            return;
        if (const auto reason = not_understood()) return leave_open(out, *reason);
        Answer answer = Answer::undecided;
        for (const Likelihood likelihood : {Likelihood::any, Likelihood::usual, Likelihood::possible}) {
            ++out.queries;
            const ListSearch search =
                find_differing_list_event(before_, after_, list_, ignore_keys_, likelihood, rlimit_);
            if (likelihood == Likelihood::any) {
                answer = search.differs;
                if (answer == Answer::no) return;
                if (answer == Answer::undecided) break;
            } else if (search.event && differ(*search.event)) {
                out.differences.push_back(explain(plain(*search.event)));
                return;
            }
        }
        leave_open(out,
                   answer == Answer::undecided
                       ? "the solver gave up"
                       : "they differ if the security module answers one label in several ways, and not otherwise");
    }

private:
    std::optional<std::string> not_understood() const {
        for (const KernelState* state : {&before_, &after_})
            for (const KernelRule& rule : state->rules_of(list_))
                for (const FieldTest& t : rule.tests)
                    if (!is_understood(t))
                        return fmt::format("the meaning of field {} with operator {:#x} is not known",
                                           static_cast<std::uint32_t>(t.field), static_cast<std::uint32_t>(t.op));
        return std::nullopt;
    }

    void leave_open(OtherLists& out, const std::string& reason) const {
        if (!out.unknown) out.unknown = fmt::format("the rules of the {} list differ: {}", word(), reason);
    }

    std::string word() const { return std::string(list_word(list_).value_or("")); }

    bool differ(const ListEvent& e) const {
        const ListDecision b = evaluate_list(before_, e), a = evaluate_list(after_, e);
        return b.outcome != a.outcome || (!ignore_keys_ && b.key != a.key);
    }

    template <typename Change>
    bool attempt(ListEvent& e, Change change) const {
        ListEvent changed = e;
        change(changed);
        const bool keep = differ(changed);
        if (keep) e = std::move(changed);
        return keep;
    }

    /// Takes away what the difference does not need; every step is kept only if the lists still decide differently.
    ListEvent plain(ListEvent e) const {
        for (const std::string& x : std::set<std::string>(e.removed_exes))
            attempt(e, [&](ListEvent& c) { c.removed_exes.erase(x); });
        for (const std::string& x : std::set<std::string>(e.exes)) attempt(e, [&](ListEvent& c) { c.exes.erase(x); });
        for (const std::uint32_t g : std::set<std::uint32_t>(e.groups))
            attempt(e, [&](ListEvent& c) { c.groups.erase(g); });
        for (std::size_t i = e.lsm.size(); i-- > 0;)
            attempt(e, [&](ListEvent& c) { c.lsm.erase(c.lsm.begin() + static_cast<std::ptrdiff_t>(i)); });
        for (const auto id : {&ListEvent::uid, &ListEvent::euid, &ListEvent::suid, &ListEvent::fsuid, &ListEvent::gid,
                              &ListEvent::egid, &ListEvent::sgid, &ListEvent::fsgid})
            attempt(e, [&](ListEvent& c) { c.*id = 0; }) || attempt(e, [&](ListEvent& c) { c.*id = 1000; });
        for (const auto id : {&ListEvent::loginuid, &ListEvent::sessionid})
            attempt(e, [&](ListEvent& c) { c.*id = id_unset; }) || attempt(e, [&](ListEvent& c) { c.*id = 1000; });
        attempt(e, [](ListEvent& c) { c.pid = ListEvent{}.pid; });
        attempt(e, [](ListEvent& c) { c.pers = 0; });
        if (list_ == List::exclude || list_ == List::user) name_the_type(e);
        return e;
    }

    /// A type that has a name, if one will do.
    void name_the_type(ListEvent& e) const {
        const auto has_name = [](std::uint32_t type) {
            return audit_msg_type_to_name(static_cast<int>(type)) != nullptr;
        };
        if (has_name(e.msgtype)) return;
        const bool user = list_ == List::user;
        for (std::uint32_t type = user ? 1100 : 1300; type <= (user ? 1199U : 2999U); ++type)
            if (has_name(type) && attempt(e, [&](ListEvent& c) { c.msgtype = type; })) return;
    }

    std::string place(const KernelState& state, const ListDecision& d) const {
        if (!d.rule) return "no rule matches";
        const KernelRule& rule = state.rules_of(list_)[*d.rule];
        std::string at = fmt::format("rule {} of the list", *d.rule + 1);
        if (!rule.sources.empty()) at = fmt::format("line {}", rule.sources.front().line);
        return d.ended_by_test ? at + ", where the walk ends" : at;
    }

    Difference explain(const ListEvent& e) const {
        const ListDecision b = evaluate_list(before_, e), a = evaluate_list(after_, e);
        return {fmt::format("{} list", word()), fmt::format("{} ({})", to_string(list_, b), place(before_, b)),
                fmt::format("{} ({})", to_string(list_, a), place(after_, a)), describe(e), ListExample{e, b, a}};
    }

    const KernelState& before_;
    const KernelState& after_;
    List list_;
    bool ignore_keys_;
    std::uint32_t rlimit_;
};

}  // namespace

OtherLists compare_other_lists(const KernelState& before, const KernelState& after, Preserve preserve,
                               std::uint32_t rlimit) {
    OtherLists out;
    for (const List list : {List::exclude, List::user, List::task, List::filesystem})
        ListComparison(before, after, list, preserve == Preserve::decision, rlimit).run(out);
    return out;
}

}  // namespace auopt::proof
