#include "verify/kept.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel_model/named_objects.hpp"

namespace auopt::proof {
namespace {

using Kind = NamedObject::Kind;

struct First {
    NamedObject object;
    const KernelRule* rule = nullptr;
};

std::vector<First> first_rules(const KernelState& state) {
    std::vector<First> out;
    std::map<NamedObject, bool> seen;
    for (const KernelRule* rule : in_loading_order(state))
        for (NamedObject& object : named_objects(*rule))
            if (object.kind != Kind::label && seen.emplace(object, true).second)
                out.push_back({std::move(object), rule});
    return out;
}

/// The same object, as far as is known: a watch of unknown kind may be either. What follows from the kind is the calls' business.
bool same_object(const NamedObject& a, const NamedObject& b) {
    if (a.text != b.text) return false;
    const auto may_be = [](Kind unknown, Kind known) {
        return unknown == Kind::either && (known == Kind::watch || known == Kind::tree);
    };
    return a.kind == b.kind || may_be(a.kind, b.kind) || may_be(b.kind, a.kind);
}

std::string line_of(const KernelRule& rule) {
    return rule.sources.empty() ? std::string("some rule") : fmt::format("line {}", rule.sources.front().line);
}

std::string meaning(const NamedObject& object) {
    switch (object.kind) {
        case Kind::watch:
        case Kind::either:
            return "while a rule names it, deleting or replacing the file runs the path= and inode= rules in the "
                   "middle of "
                   "the call, and the end of its directory is logged inside the call, which then is recorded";
        case Kind::tree:
            return "while a rule names it, the end of the directory is logged inside the call, which then is recorded";
        case Kind::mark:
        case Kind::label:
            return "while a rule names it, the end of the program's directory is logged inside the call, which then is "
                   "recorded";
    }
    return {};
}

std::string what(const NamedObject& object) {
    const char* const kind = object.kind == Kind::tree   ? "the tree of "
                             : object.kind == Kind::mark ? "the mark of "
                                                         : "the watch of ";
    return kind + to_string(object);
}

using WatchOrder = std::map<std::string, std::vector<std::string>>;

WatchOrder watch_order(const KernelState& state) {
    WatchOrder by_name;
    for (const First& first : first_rules(state)) {
        const NamedObject& o = first.object;
        if (o.kind == Kind::watch || o.kind == Kind::either)
            by_name[o.text.substr(o.text.rfind('/') + 1)].push_back(o.text);
    }
    // A watch alone has no other to give way to.
    std::erase_if(by_name, [](const auto& entry) { return entry.second.size() < 2; });
    return by_name;
}

}  // namespace

std::vector<Difference> compare_objects(const KernelState& before, const KernelState& after) {
    const std::vector<First> b = first_rules(before), a = first_rules(after);
    // By text: of one text there are few objects.
    const auto by_text = [](const std::vector<First>& all) {
        std::multimap<std::string, const First*> out;
        for (const First& f : all) out.emplace(f.object.text, &f);
        return out;
    };
    const auto texts_before = by_text(b), texts_after = by_text(a);
    const auto missing_in = [](const auto& others, const First& f) {
        const auto [from, to] = others.equal_range(f.object.text);
        return std::none_of(from, to, [&](const auto& o) { return same_object(o.second->object, f.object); });
    };
    std::vector<Difference> out;
    for (const First& f : b)
        if (missing_in(texts_after, f)) out.push_back({what(f.object), line_of(*f.rule), "none", meaning(f.object)});
    for (const First& f : a)
        if (missing_in(texts_before, f)) out.push_back({what(f.object), "none", line_of(*f.rule), meaning(f.object)});
    return out;
}

std::optional<std::string> compare_watch_creation(const KernelState& before, const KernelState& after) {
    const WatchOrder b = watch_order(before), a = watch_order(after);
    if (b == a) return std::nullopt;
    for (const auto* side : {&b, &a})
        for (const auto& [name, paths] : *side) {
            const auto in_b = b.find(name), in_a = a.find(name);
            if (in_b == b.end() || in_a == a.end() || in_b->second != in_a->second)
                return fmt::format(
                    "the watches of files called \"{}\" come in another order; which of them follows a replaced file "
                    "may change",
                    name);
        }
    return std::nullopt;
}

std::optional<std::string> compare_counters(const KernelState& before, const KernelState& after) {
    const auto differs = [](const CountedRules& b, const CountedRules& a, const std::string& counter,
                            const std::string& rule) -> std::optional<std::string> {
        if (b == a) return std::nullopt;
        if (b.any != a.any)
            return fmt::format("only the file {} has a rule that {} ({})", b.any ? "before" : "after", rule, counter);
        if (b.without_exe != a.without_exe)
            return fmt::format(
                "only the file {} has a rule without exe= that {}: in the other one none is left ({}) when the "
                "directory of "
                "a program goes",
                b.without_exe ? "before" : "after", rule, counter);
        return fmt::format(
            "every rule that {} names a program, and not the same ones (before: {}; after: {}): whether one is left "
            "({}) "
            "when the directory of a program goes may change",
            rule, fmt::join(b.exe, ", "), fmt::join(a.exe, ", "), counter);
    };
    if (auto reason =
            differs(counted_in_n_rules(before), counted_in_n_rules(after), "audit_n_rules", "arms the filters"))
        return reason;
    for (const bool with_compat : {true, false})
        if (auto reason =
                differs(counted_in_signals(before, with_compat), counted_in_signals(after, with_compat),
                        with_compat ? "audit_signals" : "audit_signals, on a kernel built without 32-bit programs",
                        "touches kill, tkill or tgkill, on which the OBJ_PID records of signal events depend"))
            return reason;
    return std::nullopt;
}

}  // namespace auopt::proof
