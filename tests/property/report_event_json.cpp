// What is printed of an event is all of it: read back, it is the same event, byte for byte.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel_model/machine.hpp"
#include "report/event_json.hpp"
#include "tests/property/verify_generators.hpp"
#include "tests/support/other_machines.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;
using test::below;
using test::one_in;
using test::pick;

// Not only events that a kernel would see: every value that the type can hold.
Event any_event() {
    Event e = test::random_event();
    if (one_in(2)) e = test::moved(e, pick(test::other_machines()));
    if (one_in(4)) e.arch = *rc::gen::arbitrary<std::uint32_t>();
    if (one_in(4)) e.nr = *rc::gen::arbitrary<std::int32_t>();
    if (one_in(3)) e.uring_op = *rc::gen::arbitrary<unsigned>();
    for (auto& a : e.args)
        if (one_in(2)) a = *rc::gen::arbitrary<std::uint64_t>();
    for (std::uint32_t* id : {&e.pid, &e.ppid, &e.pers, &e.uid, &e.euid, &e.suid, &e.fsuid, &e.gid, &e.egid, &e.sgid,
                              &e.fsgid, &e.loginuid, &e.sessionid})
        if (one_in(2)) *id = *rc::gen::arbitrary<std::uint32_t>();
    e.return_code = *rc::gen::arbitrary<std::uint64_t>();
    e.openat2_flags = *rc::gen::arbitrary<std::uint64_t>();
    if (one_in(2)) e.saddr_fam = *rc::gen::arbitrary<std::uint32_t>();
    if (one_in(2))
        e.program = Inode{below(300), *rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint64_t>()};
    const auto text = [] { return *rc::gen::arbitrary<std::string>(); };
    if (one_in(2)) e.dirs.insert(text());
    if (one_in(2)) e.exes.insert("/bin/\xff");
    const Op ops[] = {Op::equal,      Op::not_equal,     Op::less,     Op::greater,
                      Op::less_equal, Op::greater_equal, Op::bit_mask, Op::bit_test};
    if (one_in(2))
        e.lsm_true.push_back({{static_cast<Field>(*rc::gen::arbitrary<std::uint32_t>()), ops[below(8)],
                               *rc::gen::arbitrary<std::uint32_t>(), text()}});
    for (EventName& n : e.names) {
        if (one_in(2)) n.watches.insert(text());
        n.ino = *rc::gen::arbitrary<std::uint64_t>();
        for (std::uint32_t* v : {&n.dev_major, &n.dev_minor, &n.rdev_major, &n.rdev_minor, &n.mode, &n.uid, &n.gid})
            if (one_in(2)) *v = *rc::gen::arbitrary<std::uint32_t>();
    }
    return e;
}

RC_GTEST_PROP(EventJson, IsReadBackAsPrinted, ()) {
    const ReadEvent printed{any_event(), one_in(2)};
    const std::string text = event_to_json(printed.event, printed.unknown_watch_is_dir).dump();
    RC_LOG() << text << "\n";
    const auto read = event_from_json(ordered_json::parse(text));
    if (!read) RC_LOG() << read.error() << "\n";
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == printed);
}

// No member is printed for show: taken away or changed, the event is another one or the text is refused.
RC_GTEST_PROP(EventJson, EveryMemberCounts, ()) {
    const ReadEvent printed{any_event(), one_in(2)};
    const ordered_json whole = event_to_json(printed.event, printed.unknown_watch_is_dir);
    for (const auto& [name, value] : whole.items()) {
        ordered_json changed = whole;
        changed[name] = ordered_json::object({{"no", "value"}});
        const auto read = event_from_json(changed);
        RC_ASSERT(!read.has_value());
        RC_ASSERT(read.error().starts_with(name + ":"));
        changed = whole;
        changed["no_" + name] = value;
        RC_ASSERT(!event_from_json(changed).has_value());
    }
}

RC_GTEST_PROP(EventJson, DecisionsAreReadBack, ()) {
    Decision d{pick<Outcome>({Outcome::no_match, Outcome::never, Outcome::always}), std::nullopt};
    if (one_in(2)) d.key = *rc::gen::arbitrary<std::string>() + (one_in(2) ? "\x01\xff" : "");
    const auto read = decision_from_json(ordered_json::parse(decision_to_json(d).dump()));
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == d);
}

}  // namespace
}  // namespace auopt
