#include "verify/counterexample.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "kernel_model/evaluate.hpp"
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

// Fewest names first. A deleted name is judged in the middle of the call too; two names show what depends
// on the order in which the kernel looks at them.
const std::vector<std::vector<bool>>& name_shapes(bool names_matter) {
    static const std::vector<std::vector<bool>> none{{}};
    static const std::vector<std::vector<bool>> up_to_two{{},           {false}, {true}, {false, false}, {true, false},
                                                          {false, true}};
    return names_matter ? up_to_two : none;
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
    Simplifier(const Search& s, const KernelTables& kernel, bool is_dir)
        : search_(s), kernel_(kernel), is_dir_(is_dir) {}

    Event run(Event e) const {
        for (std::size_t i = e.names.size(); i-- > 0;)
            attempt(e, [&](Event& x) { x.names.erase(x.names.begin() + static_cast<std::ptrdiff_t>(i)); });
        for (std::size_t i = 0; i < e.names.size(); ++i) {
            attempt(e, [&](Event& x) { x.names[i].deleted = false; });
            for (const std::string& w : std::set<std::string>(e.names[i].watches))
                attempt(e, [&](Event& x) { x.names[i].watches.erase(w); });
            for (const auto member : {&EventName::uid, &EventName::gid, &EventName::dev_major, &EventName::dev_minor,
                                      &EventName::rdev_major, &EventName::rdev_minor, &EventName::mode})
                attempt(e, [&](Event& x) { x.names[i].*member = 0; });
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
        for (const auto id : {&Event::loginuid, &Event::sessionid})
            attempt(e, [&](Event& x) { x.*id = id_unset; }) || attempt(e, [&](Event& x) { x.*id = 1000; });
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
        const bool keep = decisions_differ(evaluate(search_.before, kernel_, changed, is_dir_),
                                           evaluate(search_.after, kernel_, changed, is_dir_), search_.preserve);
        if (keep) e = std::move(changed);
        return keep;
    }

    const Search& search_;
    const KernelTables& kernel_;
    bool is_dir_;
};

std::optional<Counterexample> try_call(const Search& s, std::uint32_t arch, unsigned nr,
                                       std::optional<unsigned> uring_op) {
    const auto any_admitted = [&](auto predicate) {
        for (const KernelState* state : {&s.before, &s.after})
            for (const KernelRule& r : state->filter)
                if ((r.mask.test(nr) || r.list == List::io_uring) && predicate(r)) return true;
        return false;
    };
    const bool names_matter = any_admitted(is_about_names);
    const bool unknown_watch = any_admitted([](const KernelRule& r) { return r.watch_kind_unknown; });
    const auto kernels = distinct_kernels(s.kernels, arch, nr);
    for (const bool likely : {true, false})
        for (const std::vector<bool>& names : name_shapes(names_matter))
            for (const KernelTables* kernel : kernels)
                for (const bool is_dir : {false, true}) {
                    if (is_dir && !unknown_watch) continue;
                    const Scenario scenario{arch, nr, uring_op, names, is_dir, likely};
                    const auto found = find_differing_event(s.before, s.after, *kernel, scenario, s.preserve, s.rlimit);
                    if (!found) continue;
                    const Event event = Simplifier(s, *kernel, is_dir).run(*found);
                    const Decision b = evaluate(s.before, *kernel, event, is_dir);
                    const Decision a = evaluate(s.after, *kernel, event, is_dir);
                    if (decisions_differ(b, a, s.preserve))
                        return Counterexample{event, b, a, kernel->name, is_dir, {}, {}, {}};
                }
    return std::nullopt;
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

bool decisions_differ(const Decision& before, const Decision& after, Preserve preserve) {
    const bool b = before.outcome == Outcome::always, a = after.outcome == Outcome::always;
    if (preserve == Preserve::exact ? before.outcome != after.outcome : b != a) return true;
    return preserve != Preserve::decision && b && a && before.key != after.key;
}

std::optional<Counterexample> refute(const Search& search, const Group& group) {
    const MachineModel& machine = *search.kernels.front()->machine;
    // The calls of a group see the same rules; only those that kernels to come may classify anew can differ.
    std::vector<Call> calls{group.calls.front()};
    if (group.shape == PermShape::new_call && group.calls.size() > 1) {
        calls.push_back(group.calls[1]);
        calls.push_back(group.calls.back());
    }
    for (const Call& call : calls)
        if (auto found = try_call(search, machine.abi_arch(call.abi), call.nr, std::nullopt)) return found;
    if (group.in_io_uring())
        for (const unsigned op : operations(search))
            if (auto found = try_call(search, machine.abi_arch(group.calls.front().abi), group.calls.front().nr, op))
                return found;
    return std::nullopt;
}

std::optional<Counterexample> refute_worker(const Search& search, unsigned operation) {
    if (auto found = try_call(search, 0, 0, operation)) return found;
    for (const unsigned op : operations(search))
        if (auto found = try_call(search, 0, 0, op)) return found;
    return std::nullopt;
}

}  // namespace auopt::proof
