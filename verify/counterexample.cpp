#include "verify/counterexample.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "kernel_model/evaluate.hpp"
#include "kernel_model/possible.hpp"
#include "verify/smt.hpp"

namespace auopt::proof {
namespace {

bool is_about_names(const KernelRule& r) {
    return std::any_of(r.tests.begin(), r.tests.end(), [](const FieldTest& t) {
        switch (t.field) {
            case Field::path:
            case Field::inode:
            case Field::devmajor:
            case Field::devminor:
            case Field::obj_uid:
            case Field::obj_gid:
            case Field::filetype:
            case Field::field_compare:
                return true;
            default:
                return false;
        }
    });
}

enum class NamesMatter { no, below_directories /* some name has to be found there */, yes };

// Fewest names first. A deleted name is judged in the middle of the call too; two names show what depends
// on the order in which the kernel looks at them.
const std::vector<std::vector<bool>>& name_shapes(NamesMatter matter) {
    static const std::vector<std::vector<bool>> none{{}}, up_to_one{{}, {false}};
    static const std::vector<std::vector<bool>> up_to_two{{},           {false}, {true}, {false, false}, {true, false},
                                                          {false, true}};
    return matter == NamesMatter::yes ? up_to_two : matter == NamesMatter::no ? none : up_to_one;
}

// One of several kernels that classify the call alike.
std::vector<const KernelTables*> distinct_kernels(const std::vector<const KernelTables*>& kernels, std::uint32_t arch,
                                                  unsigned nr) {
    const auto classes = [&](const KernelTables& k) {
        const AbiClasses& c = k.classes_of_arch(arch);
        return std::tuple(c.kind(nr), c.write.test(nr), c.read.test(nr), c.chattr.test(nr));
    };
    std::vector<const KernelTables*> out;
    for (const KernelTables* k : kernels)
        if (std::none_of(out.begin(), out.end(), [&](const KernelTables* o) { return classes(*o) == classes(*k); }))
            out.push_back(k);
    return out;
}

/// Takes away from an event what the difference does not need, so that a person sees what it is about. Every
/// step is kept only if evaluate still decides the event differently.
class Simplifier {
public:
    Simplifier(const Search& s, const KernelTables& kernel, bool is_dir, DifferenceKind kind)
        : search_(s), kernel_(kernel), is_dir_(is_dir), kind_(kind) {}

    Event run(Event e) const {
        for (std::size_t i = e.names.size(); i-- > 0;)
            attempt(e, [&](Event& x) { x.names.erase(x.names.begin() + static_cast<std::ptrdiff_t>(i)); });
        for (std::size_t i = 0; i < e.names.size(); ++i) {
            attempt(e, [&](Event& x) { x.names[i].deleted = false; });
            for (const std::string& w : std::set<std::string>(e.names[i].watches))
                attempt(e, [&](Event& x) { x.names[i].watches.erase(w); });
            for (const auto member : {&EventName::uid, &EventName::gid, &EventName::rdev_major, &EventName::rdev_minor})
                attempt(e, [&](Event& x) { x.names[i].*member = 0; });
            if (!e.names[i].resolved) continue;
            // A plain file on a plain disk.
            attempt(e, [&](Event& x) {
                x.names[i].dev_major = 8;
                x.names[i].dev_minor = 1;
            });
            attempt(e, [&](Event& x) { x.names[i].mode = 0100644; });
        }
        for (const std::string& d : std::set<std::string>(e.dirs)) attempt(e, [&](Event& x) { x.dirs.erase(d); });
        for (const std::string& p : std::set<std::string>(e.exes)) attempt(e, [&](Event& x) { x.exes.erase(p); });
        for (const std::uint32_t g : std::set<std::uint32_t>(e.groups))
            attempt(e, [&](Event& x) { x.groups.erase(g); });
        for (std::size_t i = e.lsm_true.size(); i-- > 0;)
            attempt(e, [&](Event& x) { x.lsm_true.erase(x.lsm_true.begin() + static_cast<std::ptrdiff_t>(i)); });
        attempt(e, [](Event& x) { x.saddr_fam.reset(); });
        for (std::size_t i = 0; i < e.args.size(); ++i) attempt(e, [&](Event& x) { x.args[i] = 0; });
        attempt(e, [](Event& x) { x.openat2_flags = 0; });
        // A usual result before a rare one.
        attempt(e,
                [](Event& x) {
                    x.return_code = static_cast<std::uint64_t>(-1);
                    x.return_valid = ReturnValid::failure;
                }) ||
            attempt(e, [](Event& x) {
                x.return_code = static_cast<std::uint64_t>(-13);
                x.return_valid = ReturnValid::failure;
            });
        attempt(e, [](Event& x) {
            x.return_code = 0;
            x.return_valid = ReturnValid::success;
        });
        // Ids: root or unset, else a plain user, else as found.
        for (const auto id : {&Event::uid, &Event::euid, &Event::suid, &Event::fsuid, &Event::gid, &Event::egid,
                              &Event::sgid, &Event::fsgid})
            attempt(e, [&](Event& x) { x.*id = 0; }) || attempt(e, [&](Event& x) { x.*id = 1000; });
        attempt(e, [](Event& x) { x.loginuid = x.sessionid = id_unset; });
        for (const auto id : {&Event::loginuid, &Event::sessionid})
            if (e.*id != id_unset) attempt(e, [&](Event& x) { x.*id = 1000; });
        attempt(e, [](Event& x) { x.pid = Event{}.pid; });
        attempt(e, [](Event& x) { x.ppid = Event{}.ppid; });
        attempt(e, [](Event& x) { x.pers = 0; });
        return e;
    }

private:
    template <typename Change>
    bool attempt(Event& e, Change change) const {
        Event changed = e;
        change(changed);
        const bool keep =
            !why_impossible(kernel_, changed) &&
            difference_kind(evaluate(search_.before, kernel_, changed, is_dir_),
                            evaluate(search_.after, kernel_, changed, is_dir_), search_.preserve) == kind_;
        if (keep) e = std::move(changed);
        return keep;
    }

    const Search& search_;
    const KernelTables& kernel_;
    bool is_dir_;
    DifferenceKind kind_;
};

// The rule that decided: the last that matched, whether in the middle of the call or at its exit.
std::optional<std::size_t> deciding_rule(const KernelState& state, const KernelTables& kernel, const Event& event,
                                         bool is_dir) {
    std::vector<RuleVisit> visits;
    evaluate(state, kernel, event, is_dir, {}, &visits);
    std::optional<std::size_t> rule;
    for (const RuleVisit& v : visits)
        if (v.matched) rule = v.rule;
    return rule;
}

std::vector<Span> lines_of(const KernelState& state, std::optional<std::size_t> rule) {
    return rule ? state.filter[*rule].sources : std::vector<Span>{};
}

// Paths of unknown kind that the event has as what they are taken for.
std::vector<std::string> deciding_unknown_watches(const Search& s, const KernelTables& kernel, const Event& event,
                                                  bool is_dir) {
    if (decisions_differ(evaluate(s.before, kernel, event, !is_dir), evaluate(s.after, kernel, event, !is_dir),
                         s.preserve))
        return {};
    std::set<std::string> named, all;
    for (const KernelState* state : {&s.before, &s.after})
        for (const KernelRule& r : state->filter) {
            const FieldTest* path = r.watch_kind_unknown ? find_test(r, Field::path) : nullptr;
            if (path == nullptr) continue;
            all.insert(path->text);
            const bool watched = std::any_of(event.names.begin(), event.names.end(),
                                             [&](const EventName& n) { return n.watches.contains(path->text); });
            if (watched || event.dirs.contains(path->text)) named.insert(path->text);
        }
    const std::set<std::string>& out = named.empty() ? all : named;
    return {out.begin(), out.end()};
}

KindSet kinds_of(Preserve preserve) {
    const auto bit = [](DifferenceKind kind) { return 1U << static_cast<unsigned>(kind); };
    KindSet kinds = bit(DifferenceKind::lost) | bit(DifferenceKind::gained);
    if (preserve != Preserve::decision) kinds |= bit(DifferenceKind::rekeyed);
    if (preserve == Preserve::exact) kinds |= bit(DifferenceKind::never);
    return kinds;
}

KindSet worse_than(DifferenceKind kind) { return (1U << static_cast<unsigned>(kind)) - 1; }

bool fits(const CallFacts& facts, const std::vector<bool>& names) {
    const bool deletes = std::count(names.begin(), names.end(), true) != 0;
    switch (facts.names) {
        case CallNames::none:
            return names.empty();
        case CallNames::by_descriptor:
            return names.size() <= 1 && !deletes;
        case CallNames::keeps:
            return !deletes;
        case CallNames::removes:
        case CallNames::any:
            break;
    }
    return true;
}

void try_call(const Search& s, std::uint32_t arch, unsigned nr, std::optional<unsigned> uring_op, Found& best) {
    const auto any_admitted = [&](auto predicate) {
        for (const KernelState* state : {&s.before, &s.after})
            for (const KernelRule& r : state->filter)
                if ((r.mask.test(nr) || r.list == List::io_uring) && predicate(r)) return true;
        return false;
    };
    const auto is_about_directories = [](const KernelRule& r) {
        return r.watch_kind_unknown || find_test(r, Field::dir) != nullptr;
    };
    const NamesMatter names_matter = any_admitted(is_about_names)         ? NamesMatter::yes
                                     : any_admitted(is_about_directories) ? NamesMatter::below_directories
                                                                          : NamesMatter::no;
    const bool unknown_watch = any_admitted([](const KernelRule& r) { return r.watch_kind_unknown; });
    const auto kernels = distinct_kernels(s.kernels, arch, nr);
    const auto search = [&](bool likely, bool possible) {
        for (const std::vector<bool>& names : name_shapes(names_matter))
            for (const KernelTables* kernel : kernels) {
                const CallFacts facts = call_facts(*kernel, arch, static_cast<std::int32_t>(nr), uring_op);
                if (possible && (!facts.may_be_audited || !fits(facts, names))) continue;
                for (const bool is_dir : {false, true}) {
                    if (is_dir && !unknown_watch) continue;
                    if (!best.open()) return;
                    KindSet kinds = kinds_of(s.preserve);
                    if (best.example) {
                        kinds &= worse_than(best.example->kind);
                        if (kinds == 0) return;
                        --best.questions_left;
                    }
                    const Scenario scenario{arch, nr, uring_op, names, is_dir, likely, possible};
                    const auto found = find_differing_event(s.before, s.after, *kernel, scenario, kinds, s.rlimit);
                    if (!found) continue;
                    const auto decided = [&](const Event& e) {
                        return std::pair(evaluate(s.before, *kernel, e, is_dir), evaluate(s.after, *kernel, e, is_dir));
                    };
                    const auto [found_b, found_a] = decided(*found);
                    const auto kind = difference_kind(found_b, found_a, s.preserve);
                    if (!kind) continue;
                    if (!possible) {
                        if (const auto why = why_impossible(*kernel, *found)) best.impossible = *why;
                        return;
                    }
                    if (why_impossible(*kernel, *found)) continue;
                    const Event event = Simplifier(s, *kernel, is_dir, *kind).run(*found);
                    const auto [b, a] = decided(event);
                    const auto rule_b = deciding_rule(s.before, *kernel, event, is_dir);
                    const auto rule_a = deciding_rule(s.after, *kernel, event, is_dir);
                    best.example = Counterexample{event,
                                                  b,
                                                  a,
                                                  kernel->name,
                                                  is_dir,
                                                  {},
                                                  rule_b,
                                                  rule_a,
                                                  lines_of(s.before, rule_b),
                                                  lines_of(s.after, rule_a),
                                                  *kind,
                                                  deciding_unknown_watches(s, *kernel, event, is_dir)};
                }
            }
    };
    search(true, true);
    search(false, true);
    // Nothing: perhaps they differ for events that the call cannot produce, which is worth saying.
    if (!best.example && !best.impossible) search(false, false);
}

// Operations that some rule of the io_uring list names, few of them; one any kernel audits, for hash rules.
std::vector<unsigned> operations(const Search& s) {
    std::vector<unsigned> out{18};  // IORING_OP_OPENAT
    const auto rules_of = [](const KernelState& state, unsigned op) {
        std::vector<const KernelRule*> rules;
        for (const KernelRule& r : state.filter)
            if (placement(r) == Placement::io_uring_list && r.mask.test(op)) rules.push_back(&r);
        return rules;
    };
    for (unsigned op = 0; op < 64 && out.size() < 6; ++op) {
        const auto b = rules_of(s.before, op), a = rules_of(s.after, op);
        const bool same = std::equal(
            b.begin(), b.end(), a.begin(), a.end(),
            [](const KernelRule* x, const KernelRule* y) { return x->action == y->action && x->tests == y->tests; });
        if (!same && op != out.front()) out.push_back(op);
    }
    return out;
}

}  // namespace

std::optional<DifferenceKind> difference_kind(const Decision& before, const Decision& after, Preserve preserve) {
    const bool b = before.outcome == Outcome::always, a = after.outcome == Outcome::always;
    if (b && !a) return DifferenceKind::lost;
    if (b && a && preserve != Preserve::decision && before.key != after.key) return DifferenceKind::rekeyed;
    if (!b && a) return DifferenceKind::gained;
    if (preserve == Preserve::exact && before.outcome != after.outcome) return DifferenceKind::never;
    return std::nullopt;
}

bool decisions_differ(const Decision& before, const Decision& after, Preserve preserve) {
    return difference_kind(before, after, preserve).has_value();
}

void refute(const Search& search, const Group& group, Found& found) {
    const MachineModel& machine = *search.kernels.front()->machine;
    // The calls of a group see the same rules, but for those that kernels to come may classify anew; which of them can
    // produce the event is another matter: the first, one whose facts differ, the last.
    std::vector<Call> calls{group.calls.front()};
    const auto facts = [&](const Call& c) {
        const CallFacts f =
            call_facts(*search.kernels.front(), machine.abi_arch(c.abi), static_cast<std::int32_t>(c.nr), std::nullopt);
        return std::tuple(f.names, f.result, f.copies_address);
    };
    for (const Call& c : group.calls) {
        if (calls.size() == 4) break;
        if (std::none_of(calls.begin(), calls.end(), [&](const Call& known) { return facts(known) == facts(c); }))
            calls.push_back(c);
    }
    if (group.shape == PermShape::new_call && group.calls.size() > 1) {
        calls.push_back(group.calls[1]);
        calls.push_back(group.calls.back());
    }
    for (const Call& call : calls)
        if (found.open()) try_call(search, machine.abi_arch(call.abi), call.nr, std::nullopt, found);
    if (group.in_io_uring())
        for (const unsigned op : operations(search))
            if (found.open())
                try_call(search, machine.abi_arch(group.calls.front().abi), group.calls.front().nr, op, found);
}

void refute_worker(const Search& search, unsigned operation, Found& found) {
    if (found.open()) try_call(search, 0, 0, operation, found);
    for (const unsigned op : operations(search))
        if (found.open()) try_call(search, 0, 0, op, found);
}

}  // namespace auopt::proof
