// Mutations of random and of realistic rule sets. Whatever the verdict: Refuted must come with an event that
// evaluate decides differently, and Proven must hold on many events, also on histories that evaluate does not
// know: watches rebound (which reverses their rules), and runs of the hash in the middle of the call under
// overridden credentials.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "kernel_model/possible.hpp"
#include "report/event_json.hpp"
#include "report/verdict.hpp"
#include "tests/property/verify_generators.hpp"
#include "tests/unit/verify_support.hpp"
#include "verify/counterexample.hpp"
#include "verify/loading.hpp"
#include "verify/verify.hpp"

namespace auopt {
namespace {

using test::below;
using test::one_in;
using test::pick;

// ---- histories: a third evaluator, over test_holds, with bucket order and several runs -------------

struct History {
    std::vector<std::string> rebound;  // watches replaced before the call, in this order
    std::vector<Event> mid_call;       // hash runs while the call goes on
    Event at_exit;
    bool unknown_watch_is_dir = false;
};

class HistoryWalk {
public:
    HistoryWalk(const KernelState& s, const KernelTables& k, const History& h) : state_(s), kernel_(k), history_(h) {
        for (std::size_t i = 0; i < s.filter.size(); ++i)
            if (walked(i, Placement::inode_hash)) hash_order_.push_back(i);
        for (const std::string& path : h.rebound) {
            // list_add_rcu to the head of the bucket, one rule after the other.
            std::vector<std::size_t> moved, rest;
            for (const std::size_t i : hash_order_) {
                const FieldTest* watch = find_test(s.filter[i], Field::path);
                (watch != nullptr && watch->text == path ? moved : rest).push_back(i);
            }
            hash_order_.assign(moved.rbegin(), moved.rend());
            hash_order_.insert(hash_order_.end(), rest.begin(), rest.end());
        }
    }

    Decision run() {
        for (const Event& e : history_.mid_call) hash(e);
        for (std::size_t i = 0; i < state_.filter.size(); ++i)
            if (walked(i, Placement::exit_list) && visit(i, history_.at_exit, nullptr)) break;
        hash(history_.at_exit);
        return decision_;
    }

private:
    bool walked(std::size_t i, Placement where) const {
        const Placement p = placement(state_.filter[i]);
        if (p != Placement::either) return p == where;
        return where == (history_.unknown_watch_is_dir ? Placement::exit_list : Placement::inode_hash);
    }
    bool visit(std::size_t i, const Event& e, const EventName* name) {
        const KernelRule& rule = state_.filter[i];
        if (i >= priority_ || !rule.mask.test(static_cast<unsigned>(e.nr))) return false;
        for (FieldTest t : rule.tests) {
            if (t.field == Field::path && rule.watch_kind_unknown && history_.unknown_watch_is_dir)
                t.field = Field::dir;
            if (!test_holds(kernel_, t, e, name)) return false;
        }
        priority_ = i;
        decision_.outcome = rule.action == Action::always ? Outcome::always : Outcome::never;
        if (const auto key = rule_key(rule)) decision_.key = std::string(*key);
        return true;
    }
    void hash(const Event& e) {
        for (const EventName& n : e.names)
            for (const std::size_t i : hash_order_)
                if (visit(i, e, &n)) return;
    }

    const KernelState& state_;
    const KernelTables& kernel_;
    const History& history_;
    std::vector<std::size_t> hash_order_;
    std::size_t priority_ = ~std::size_t{0};
    Decision decision_;
};

History random_history(std::uint32_t arch, unsigned nr) {
    History h;
    h.unknown_watch_is_dir = one_in(2);
    h.at_exit = test::random_event();
    h.at_exit.arch = arch;
    h.at_exit.nr = static_cast<std::int32_t>(nr);
    h.at_exit.uring_op.reset();
    for (unsigned i = 0, n = below(3); i < n; ++i) h.rebound.push_back(pick<std::string>({"/f", "/g", "/d/f"}));
    for (unsigned i = 0, n = below(3); i < n; ++i) {
        Event e = test::random_event();
        // What does not change inside a call.
        e.arch = arch;
        e.nr = h.at_exit.nr;
        e.uring_op.reset();
        e.args = h.at_exit.args;
        e.pid = h.at_exit.pid;
        e.ppid = h.at_exit.ppid;
        e.pers = h.at_exit.pers;
        e.loginuid = h.at_exit.loginuid;
        e.sessionid = h.at_exit.sessionid;
        e.openat2_flags = h.at_exit.openat2_flags;
        e.return_valid = ReturnValid::invalid;
        h.mid_call.push_back(std::move(e));
    }
    return h;
}

// ---- mutations ------------------------------------------------------------------------------------

void set_key(KernelRule& r, const char* key) {
    std::erase_if(r.tests, [](const FieldTest& t) { return t.field == Field::key; });
    if (key != nullptr) r.tests.push_back({Field::key, Op::equal, 0, key});
}

// `exact`: only those that are often, or always, exact.
void mutate(KernelState& s, bool exact = false) {
    auto& rules = s.filter;
    if (rules.empty()) return;
    const std::size_t i = below(static_cast<unsigned>(rules.size()));
    KernelRule& r = rules[i];
    switch (exact ? 5 + below(8) : below(13)) {
        case 0:
            rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i));
            break;
        case 1:
            r.action = r.action == Action::always ? Action::never : Action::always;
            break;
        case 2: {
            const unsigned nr = pick(test::world_calls());
            if (r.mask.test(nr))
                r.mask.clear(nr);
            else
                r.mask.set(nr);
            break;
        }
        case 3:
            set_key(r, pick<const char*>({"a", "b", nullptr}));
            break;
        case 4:
            if (!r.tests.empty() && !r.watch_kind_unknown)
                r.tests.erase(r.tests.begin() + below(static_cast<unsigned>(r.tests.size())));
            break;
        // Here begin those that may be exact.
        case 5:
        case 6:
            if (i + 1 < rules.size()) std::swap(rules[i], rules[i + 1]);
            break;
        case 7: {  // split by calls
            KernelRule other = r;
            for (unsigned w = 0; w < mask_words; ++w) {
                const std::uint32_t part = w % 2 == 0 ? 0x55555555U : 0xAAAAAAAAU;
                other.mask.words[w] &= part;
                r.mask.words[w] &= ~part;
            }
            rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(rules.size() + 1))),
                         other);
            break;
        }
        case 8: {  // twins
            if (find_test(r, Field::arch) != nullptr) break;
            KernelRule other = r;
            r.tests.push_back({Field::arch, Op::equal, arch_x86_64, {}});
            other.tests.push_back({Field::arch, Op::equal, arch_i386, {}});
            rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(i) + 1, other);
            break;
        }
        case 9: {  // split by permission
            const auto perm = std::find_if(r.tests.begin(), r.tests.end(), [](const FieldTest& t) {
                return t.field == Field::perm && t.op == Op::equal;
            });
            if (perm == r.tests.end() || (perm->value & (perm->value - 1)) == 0) break;
            const std::uint32_t low = perm->value & (0U - perm->value);
            KernelRule other = r;
            perm->value &= ~low;
            std::find_if(other.tests.begin(), other.tests.end(), [](const FieldTest& t) {
                return t.field == Field::perm && t.op == Op::equal;
            })->value = low;
            rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(one_in(2) ? i + 1 : rules.size()), other);
            break;
        }
        case 10: {  // narrowed to the calls its permissions can match
            const FieldTest* perm = find_test(r, Field::perm);
            if (perm == nullptr || perm->op != Op::equal) break;
            for (const unsigned nr : {0U, 90U, 10U, 59U, 426U, 102U})
                if (one_in(2)) r.mask.clear(nr);
            break;
        }
        case 11:  // shadowed
        {
            KernelRule other = r;
            other.tests.insert(other.tests.begin(), test::random_test());
            rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(one_in(2) ? i + 1 : rules.size()), other);
            break;
        }
        default:
            std::reverse(r.tests.begin(), r.tests.end());
            break;
    }
}

// The output shall not hold equal rules, and the counters are their own obligation: keep both out of the way.
void make_loadable(KernelState& s) {
    std::vector<KernelRule> kept;
    for (const KernelRule& r : s.filter)
        if (std::none_of(kept.begin(), kept.end(), [&](const KernelRule& k) { return k.same_as(r); }))
            kept.push_back(r);
    s.filter = std::move(kept);
    KernelRule pin;
    pin.mask.set(62);
    pin.mask.set(37);
    pin.tests = {{Field::pers, Op::equal, 77, {}}, {Field::key, Op::equal, 0, "pin"}};
    s.filter.push_back(pin);
}

struct Tally {
    unsigned proven = 0, refuted = 0, unknown = 0;
};

std::string show(const KernelState& s) {
    std::ostringstream out;
    for (const KernelRule& r : s.filter) {
        out << (r.action == Action::always ? "always" : "never") << " list " << static_cast<int>(r.list)
            << (r.watch_kind_unknown ? " unknown-watch" : "") << " calls";
        if (r.mask.full())
            out << " all";
        else
            for (unsigned nr = 0; nr < mask_syscalls; ++nr)
                if (r.mask.test(nr)) out << " " << nr;
        for (const FieldTest& t : r.tests)
            out << " [" << static_cast<unsigned>(t.field) << " " << std::hex << static_cast<std::uint32_t>(t.op)
                << std::dec << " " << t.value << t.text << "]";
        out << "\n";
    }
    return out.str();
}

std::string confirmed(const KernelState& before, const KernelState& after, const Counterexample& example,
                      Preserve preserve) {
    // From the printed text alone: nothing that decides may be left out of it.
    const auto printed =
        nlohmann::ordered_json::parse(verdict_to_json(Refuted{example, {}, {}}, preserve, {}, {}).dump());
    const auto read = event_from_json(printed.at("event"));
    if (!read) return "the printed event cannot be read: " + read.error();
    const auto said_before = decision_from_json(printed.at("before")),
               said_after = decision_from_json(printed.at("after"));
    if (!said_before || !said_after) return "the printed decisions cannot be read";
    const KernelTables* kernel = find_kernel(printed.at("kernel").get<std::string>());
    if (kernel == nullptr) return "the printed kernel is not known";
    std::vector<RuleVisit> visits_before, visits_after;
    const Decision b = evaluate(before, *kernel, read->event, read->unknown_watch_is_dir, {}, &visits_before);
    const Decision a = evaluate(after, *kernel, read->event, read->unknown_watch_is_dir, {}, &visits_after);
    if (b != *said_before || a != *said_after) return "the printed event is decided in another way than printed";
    const auto kind = proof::difference_kind(b, a, preserve);
    if (!kind || *kind != example.kind) return "a refutation that evaluate does not confirm";
    if (const auto why = why_impossible(*kernel, read->event)) return "no call produces the event: " + *why;
    if (!example.where_missing.empty()) return "";
    const auto deciding = [](const std::vector<RuleVisit>& visits) {
        std::optional<std::size_t> rule;
        for (const RuleVisit& v : visits)
            if (v.matched) rule = v.rule;
        return rule;
    };
    return deciding(visits_before) == example.rule_before && deciding(visits_after) == example.rule_after
               ? ""
               : "another rule decides than the one named";
}

std::vector<NamedObject> stops_of(const KernelState& before, const KernelState& after) {
    std::vector<NamedObject> out;
    for (const KernelState* state : {&before, &after})
        for (const LoadingStop& stop : loading_stops(*state, in_loading_order(*state))) out.push_back(stop.object);
    return out;
}

/// Empty when the verdict stands, else what is wrong with it.
std::string judge(const KernelState& before, const KernelState& after, Preserve preserve, std::uint32_t seed,
                  Tally& tally) {
    VerifyOptions options;
    options.preserve = preserve;
    const Verdict v = verify(before, after, options);
    if (const auto* r = std::get_if<Refuted>(&v)) {
        ++tally.refuted;
        if (!r->example) return r->differences.empty() ? "a refutation that names no difference" : "";
        const Counterexample& example = *r->example;
        if (example.where_missing.empty()) return confirmed(before, after, example, preserve);
        const proof::Loading loading(before, after);
        for (const NamedObject& object : stops_of(before, after))
            if (to_string(object) == example.where_missing)
                return confirmed(loading.loaded_without(object, false), loading.loaded_without(object, true), example,
                                 Preserve::recorded);
        return "a refutation by a stop that no file has";
    }
    if (test::unknown(v)) {
        ++tally.unknown;
        return "";
    }
    ++tally.proven;
    const test::PlainDice dice(seed);
    for (const std::uint32_t arch : {arch_x86_64, arch_i386})
        for (const unsigned nr : test::world_calls())
            for (int i = 0; i < 40; ++i) {
                const KernelTables& kernel = kernel_tables()[below(static_cast<unsigned>(kernel_tables().size()))];
                const History h = random_history(arch, nr);
                const Decision b = HistoryWalk(before, kernel, h).run(), a = HistoryWalk(after, kernel, h).run();
                if (proof::decisions_differ(b, a, preserve))
                    return "Proven, but " + describe(h.at_exit) + ": " + to_string(b) + " / " + to_string(a) +
                           " with " + std::to_string(h.mid_call.size()) + " runs before, " +
                           std::to_string(h.rebound.size()) + " rebinds, on " + kernel.name;
                Event e = test::random_event();
                if (one_in(2) && e.arch != 0) {
                    e.arch = arch;
                    e.nr = static_cast<std::int32_t>(nr);
                    if (nr != 426) e.uring_op.reset();
                }
                const bool is_dir = one_in(2);
                const Decision eb = evaluate(before, kernel, e, is_dir), ea = evaluate(after, kernel, e, is_dir);
                if (proof::decisions_differ(eb, ea, preserve))
                    return "Proven, but evaluate says of " + describe(e) + ": " + to_string(eb) + " / " + to_string(ea);
            }
    return "";
}

TEST(VerifyHistories, TheThirdEvaluatorAgreesWithTheFirst) {
    const test::PlainDice dice(11);
    for (int i = 0; i < 3000; ++i) {
        const KernelState s = test::random_state(6);
        const KernelTables& kernel = kernel_tables().front();
        History h = random_history(one_in(2) ? arch_i386 : arch_x86_64, pick(test::world_calls()));
        h.rebound.clear();
        h.mid_call.clear();
        for (EventName& n : h.at_exit.names) n.deleted = false;
        EXPECT_EQ(HistoryWalk(s, kernel, h).run(), evaluate(s, kernel, h.at_exit, h.unknown_watch_is_dir));
    }
}

Tally random_tally;

struct Teller {
    ~Teller() {
        std::cout << "random rules: " << random_tally.proven << " proven, " << random_tally.refuted << " refuted, "
                  << random_tally.unknown << " unknown\n";
    }
} teller;

RC_GTEST_PROP(VerifyMutations, OfRandomRules, ()) {
    KernelState before = test::random_state(5);
    KernelState after = before;
    for (unsigned i = 0, n = 1 + below(3); i < n; ++i) mutate(after);
    make_loadable(before);
    make_loadable(after);
    const Preserve preserve =
        pick<Preserve>({Preserve::exact, Preserve::exact, Preserve::recorded, Preserve::decision});
    const std::string wrong = judge(before, after, preserve, below(1000000), random_tally);
    RC_LOG() << "before:\n"
             << show(before) << "after:\n"
             << show(after) << "level " << static_cast<int>(preserve) << "\n"
             << wrong << "\n";
    RC_ASSERT(wrong.empty());
}

// Splits, merges and moves among rules that nearly all meet: most of what is proven here is proven only just.
RC_GTEST_PROP(VerifyMutations, RewritesOfDenseRules, ()) {
    KernelState before = test::dense_state(6);
    KernelState after = before;
    for (unsigned i = 0, n = 1 + below(2); i < n; ++i) mutate(after, true);
    make_loadable(before);
    make_loadable(after);
    if (one_in(2)) std::swap(before, after);
    const Preserve preserve = pick<Preserve>({Preserve::exact, Preserve::exact, Preserve::recorded});
    const std::string wrong = judge(before, after, preserve, below(1000000), random_tally);
    RC_LOG() << "before:\n"
             << show(before) << "after:\n"
             << show(after) << "level " << static_cast<int>(preserve) << "\n"
             << wrong << "\n";
    RC_ASSERT(wrong.empty());
}

// ---- realistic sets -------------------------------------------------------------------------------

const char* const realistic =
    "-a always,exit -F arch=b32 -S chmod,fchmod,fchmodat -F auid>=1000 -F auid!=unset -k perm_mod\n"
    "-a always,exit -F arch=b64 -S chmod,fchmod,fchmodat -F auid>=1000 -F auid!=unset -k perm_mod\n"
    "-a always,exit -F arch=b32 -S open,openat,creat -F exit=-EACCES -F auid>=1000 -F auid!=unset -k access\n"
    "-a always,exit -F arch=b64 -S open,openat,creat -F exit=-EACCES -F auid>=1000 -F auid!=unset -k access\n"
    "-a always,exit -F arch=b64 -S open,openat,creat -F exit=-EPERM -F auid>=1000 -F auid!=unset -k access\n"
    "-a always,exit -F arch=b64 -S unlink,rename -F auid>=1000 -F auid!=unset -k delete\n"
    "-w /etc/passwd -p wa -k identity\n"
    "-w /etc/shadow -p wa -k identity\n"
    "-w /d -p wa -k actions\n"
    "-a never,exit -F arch=b64 -S openat -F auid=1500\n"
    "-a always,exit -F path=/usr/bin/su -F perm=x -F auid>=1000 -F auid!=unset -k privileged\n"
    "-a always,exit -F arch=b64 -S execve -C uid!=euid -F euid=0 -k execpriv\n"
    "-a always,exit -F arch=b64 -S kill -k signals\n"
    "-a always,exit -F dir=/etc -F perm=wa -k etc\n";

TEST(VerifyMutations, OfRealisticRulesOneAtATime) {
    const KernelState before = test::load_text(realistic);
    Tally tally;
    const auto check = [&](const KernelState& after, const std::string& what) {
        const std::string wrong = judge(before, after, Preserve::exact, 5, tally);
        EXPECT_EQ(wrong, "") << what;
    };
    const Verdict itself = verify(before, before, {});
    EXPECT_TRUE(test::proven(itself)) << test::words(itself);
    for (std::size_t i = 0; i < before.filter.size(); ++i) {
        const std::string at = " of rule " + std::to_string(i + 1);
        KernelState dropped = before;
        dropped.filter.erase(dropped.filter.begin() + static_cast<std::ptrdiff_t>(i));
        check(dropped, "drop" + at);
        KernelState flipped = before;
        flipped.filter[i].action = flipped.filter[i].action == Action::always ? Action::never : Action::always;
        check(flipped, "action" + at);
        KernelState keyed = before;
        set_key(keyed.filter[i], "other");
        check(keyed, "key" + at);
        for (std::size_t t = 0; t < before.filter[i].tests.size(); ++t) {
            KernelState removed = before;
            removed.filter[i].tests.erase(removed.filter[i].tests.begin() + static_cast<std::ptrdiff_t>(t));
            check(removed, "test " + std::to_string(t) + at);
        }
        for (const unsigned nr : {0U, 2U, 59U, 62U, 90U, 257U, 452U}) {
            KernelState bit = before;
            if (bit.filter[i].mask.test(nr))
                bit.filter[i].mask.clear(nr);
            else
                bit.filter[i].mask.set(nr);
            check(bit, "bit " + std::to_string(nr) + at);
        }
    }
    // Most mutations break something, and most of what they break shows in one event.
    EXPECT_GT(tally.refuted, 3 * tally.unknown)
        << tally.proven << " proven, " << tally.refuted << " refuted, " << tally.unknown << " unknown";
    EXPECT_GT(tally.proven, 0U);
}

}  // namespace
}  // namespace auopt
