// Random user, exclude, task and filesystem lists: the encoding decides each event as evaluate_list does, every
// refutation replays, and what is not refuted no event of a random search tells apart.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <iostream>

#include "compiler/spelling.hpp"
#include "kernel_model/accept.hpp"
#include "tests/property/verify_generators.hpp"
#include "verify/list_encoding.hpp"
#include "verify/other_lists.hpp"

namespace auopt {
namespace {

using test::below;
using test::one_in;
using test::pick;

Op any_op(bool order) {
    return order ? pick<Op>({Op::equal, Op::equal, Op::not_equal, Op::less, Op::greater_equal, Op::less_equal})
                 : pick<Op>({Op::equal, Op::equal, Op::not_equal});
}

const std::vector<FieldTest> labels{{Field::subj_type, Op::equal, 0, "t"},
                                    {Field::subj_type, Op::not_equal, 0, "t"},
                                    {Field::subj_role, Op::equal, 0, "r"}};

// Few values, so that rules meet; fields that a list does not know now and then.
FieldTest random_test(List list) {
    if (list == List::filesystem)
        return one_in(8) ? FieldTest{Field::key, Op::equal, 0, "k"}
                         : FieldTest{Field::fstype, any_op(false), below(3), ""};
    const bool filter = list != List::task;
    if (one_in(8)) return pick(labels);
    if (one_in(6)) return {Field::exe, any_op(false), 0, one_in(2) ? "/x" : "/y"};
    if (one_in(filter ? 10 : 20))
        return {pick<Field>({Field::ppid, Field::exit, Field::devmajor}), any_op(true), 1, ""};
    if (one_in(12)) return {pick<Field>({Field::perm, Field::filetype}), any_op(false), 4, ""};
    if (one_in(10)) return {Field::field_compare, any_op(false), pick<std::uint32_t>({10, 11, 15, 20, 1, 99}), ""};
    if (one_in(8)) return {Field::loginuid_set, any_op(false), below(2), ""};
    if (filter && one_in(2)) return {Field::msgtype, any_op(true), pick<std::uint32_t>({1112, 1113, 1307, 2100}), ""};
    if (!filter && one_in(2))
        return {pick<Field>({Field::egid, Field::gid, Field::euid, Field::sessionid}), any_op(true), below(3), ""};
    return {pick<Field>({Field::uid, Field::gid, Field::loginuid, Field::pid}), any_op(true), below(3), ""};
}

KernelRule random_rule(List list) {
    KernelRule rule;
    rule.list = list;
    rule.action = one_in(3) ? Action::always : Action::never;
    rule.mask = SyscallMask::all();
    for (unsigned n = one_in(12) ? 0 : 1 + below(3); n > 0; --n) {
        FieldTest t = random_test(list);
        const bool once = t.field == Field::exe || t.field == Field::key;
        if (!once || find_test(rule, t.field) == nullptr) rule.tests.push_back(std::move(t));
    }
    if (one_in(5) && find_test(rule, Field::key) == nullptr) {
        const auto at =
            rule.tests.begin() + static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(rule.tests.size()) + 1));
        rule.tests.insert(list == List::task ? rule.tests.end() : at,
                          {Field::key, Op::equal, 0, one_in(2) ? "k" : "l"});
    }
    return rule;
}

std::vector<KernelRule>& list_of(KernelState& state, List list) {
    return list == List::user      ? state.user
           : list == List::task    ? state.task
           : list == List::exclude ? state.exclude
                                   : state.filesystem;
}

void mutate(std::vector<KernelRule>& rules, List list) {
    if (rules.empty() || one_in(6)) {
        rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(rules.size()) + 1)),
                     random_rule(list));
        return;
    }
    const auto any = [&] {
        return rules.begin() + static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(rules.size())));
    };
    switch (below(6)) {
        case 0:
            rules.erase(any());
            break;
        case 1:
            std::iter_swap(any(), any());
            break;
        case 2: {  // the same rule again
            KernelRule copy = *any();
            rules.push_back(std::move(copy));
            break;
        }
        case 3: {
            KernelRule& r = *any();
            r.action = r.action == Action::always ? Action::never : Action::always;
            break;
        }
        case 4: {
            KernelRule& r = *any();
            if (r.tests.size() > 1) std::swap(r.tests.front(), r.tests.back());
            break;
        }
        default: {
            KernelRule& r = *any();
            if (!r.tests.empty()) r.tests.pop_back();
            break;
        }
    }
}

ListEvent random_list_event(List list) {
    ListEvent e;
    e.list = list;
    e.msgtype = list == List::user ? pick<std::uint32_t>({1112, 1113, 2100, 1005})
                                   : pick<std::uint32_t>({1112, 1113, 1307, 2100, 1300});
    e.fstype = below(4);
    for (const auto member : {&ListEvent::pid, &ListEvent::uid, &ListEvent::euid, &ListEvent::suid, &ListEvent::gid,
                              &ListEvent::egid, &ListEvent::sessionid})
        e.*member = below(3);
    e.loginuid = one_in(3) ? id_unset : below(3);
    if (one_in(3)) e.groups.insert(below(3));
    for (const char* x : {"/x", "/y"}) {
        if (one_in(2)) e.exes.insert(x);
        if (one_in(6)) e.removed_exes.insert(x);
    }
    for (const FieldTest& t : labels)
        if (one_in(2))
            e.lsm.push_back({t, pick<LsmReply>({LsmReply::yes, LsmReply::yes, LsmReply::unset, LsmReply::error})});
    return e;
}

std::string shown(const std::vector<KernelRule>& rules) {
    std::string out;
    for (const KernelRule& r : rules) {
        out += r.action == Action::never ? "never" : "always";
        for (const FieldTest& t : r.tests)
            out += " " + std::to_string(static_cast<std::uint32_t>(t.field)) + std::string(op_text(t.op)) +
                   (is_text_field(t.field) ? t.text : std::to_string(t.value));
        out += "\n";
    }
    return out;
}

KernelState random_lists(List list, unsigned most) {
    KernelState state;
    for (unsigned n = below(most + 1); n > 0; --n) list_of(state, list).push_back(random_rule(list));
    return state;
}

List any_list() {
    return pick<List>({List::exclude, List::exclude, List::user, List::task, List::task, List::filesystem});
}

RC_GTEST_PROP(OtherLists, TheEncodingAgreesWithEvaluateList, ()) {
    const List list = any_list();
    const KernelState state = random_lists(list, 5);
    for (const KernelRule& r : state.rules_of(list)) RC_ASSERT(!refusal(r).has_value());
    for (int i = 0; i < 5; ++i) {
        const ListEvent event = random_list_event(list);
        const auto encoded = proof::decide_list_by_encoding(state, event);
        RC_ASSERT(encoded.has_value());
        const ListDecision decided = evaluate_list(state, event);
        RC_LOG() << shown(state.rules_of(list)) << describe(event) << ": " << to_string(list, *encoded) << " / "
                 << to_string(list, decided) << "\n";
        RC_ASSERT(encoded->same_as(decided));
    }
}

struct Counts {
    unsigned same = 0, different = 0, open = 0;
    ~Counts() {
        std::cout << "other lists: " << same << " the same, " << different << " refuted, " << open << " unknown\n";
    }
} counts;

RC_GTEST_PROP(OtherLists, VerdictsHoldForEveryEvent, ()) {
    const List list = any_list();
    const KernelState before = random_lists(list, 4);
    KernelState after = before;
    for (unsigned n = 1 + below(2); n > 0; --n) mutate(list_of(after, list), list);
    const Preserve preserve = one_in(3) ? Preserve::decision : Preserve::exact;
    const proof::OtherLists found = proof::compare_other_lists(before, after, preserve, VerifyOptions{}.solver_rlimit);
    RC_LOG() << "before:\n" << shown(before.rules_of(list)) << "after:\n" << shown(after.rules_of(list)) << "\n";
    const auto differ = [&](const ListDecision& b, const ListDecision& a) {
        return b.outcome != a.outcome || (preserve != Preserve::decision && b.key != a.key);
    };
    for (const Difference& d : found.differences) {
        RC_ASSERT(d.example.has_value());
        const ListDecision b = evaluate_list(before, d.example->event), a = evaluate_list(after, d.example->event);
        RC_ASSERT(b == d.example->before);
        RC_ASSERT(a == d.example->after);
        RC_ASSERT(differ(b, a));
    }
    if (!found.differences.empty()) {
        ++counts.different;
        return;
    }
    if (found.unknown) {
        ++counts.open;
        return;
    }
    ++counts.same;
    for (int i = 0; i < 300; ++i) {
        const ListEvent e = random_list_event(list);
        const ListDecision b = evaluate_list(before, e), a = evaluate_list(after, e);
        RC_LOG() << (differ(b, a) ? describe(e) : "");
        RC_ASSERT(!differ(b, a));
    }
}

}  // namespace
}  // namespace auopt
