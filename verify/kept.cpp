#include "verify/kept.hpp"

#include <algorithm>
#include <map>
#include <tuple>

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

std::string shown(const NameSet& names) {
    if (names.empty()) return "no file, directory or program";
    std::vector<std::string> words;
    for (const NamedObject& object : names) words.push_back(to_string(object));
    return fmt::format("{}", fmt::join(words, " and "));
}

using WatchOrder = std::map<std::string, std::vector<std::string>>;

WatchOrder watch_order(const KernelState& state) {
    WatchOrder by_name;
    for (const First& first : first_rules(state)) {
        const NamedObject& o = first.object;
        if (o.kind != Kind::watch && o.kind != Kind::either) continue;
        std::vector<std::string>& paths = by_name[o.text.substr(o.text.rfind('/') + 1)];
        if (std::find(paths.begin(), paths.end(), o.text) == paths.end()) paths.push_back(o.text);
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
    const auto counted = [](const KernelState& state, const auto& counts) {
        NameSets sets;
        for (const KernelRule* rule : in_loading_order(state))
            if (counts(*rule)) sets.add(name_set(*rule));
        return sets.minimal();
    };
    const auto differs = [&](const auto& counts, const std::string& counter,
                             const std::string& rule) -> std::optional<std::string> {
        const std::set<NameSet> b = counted(before, counts), a = counted(after, counts);
        if (b == a) return std::nullopt;
        if (b.empty() || a.empty())
            return fmt::format("only the file {} has a rule that {} ({})", a.empty() ? "before" : "after", rule,
                               counter);
        for (const auto& [own, other, side] : {std::tuple(&b, &a, "before"), std::tuple(&a, &b, "after")})
            for (const NameSet& names : *own)
                if (!other->contains(names))
                    return fmt::format(
                        "in the file {} a rule that {} needs {}; in the other one no such rule does ({} is zero in one "
                        "of "
                        "them where the rest is missing or goes)",
                        side, rule, shown(names), counter);
        return std::nullopt;
    };
    const auto arms = [](const KernelRule& r) {
        return r.list == List::exit || r.list == List::io_uring || r.list == List::task;
    };
    if (auto reason = differs(arms, "audit_n_rules", "arms the filters")) return reason;
    for (const bool with_compat : {true, false}) {
        const auto signals = [&](const KernelRule& r) { return counts_as_signal(r, before.machine, with_compat); };
        if (auto reason = differs(
                signals, with_compat ? "audit_signals" : "audit_signals, on a kernel built without 32-bit programs",
                "touches kill, tkill or tgkill, on which the OBJ_PID records of signal events depend,"))
            return reason;
    }
    return std::nullopt;
}

std::optional<std::string> compare_companions(const KernelState& before, const KernelState& after) {
    const auto by_object = [](const KernelState& state) {
        std::map<NamedObject, NameSets> out;
        for (const KernelRule* rule : in_loading_order(state)) {
            const NameSet names = name_set(*rule);
            for (const NamedObject& object : names)
                if (object.kind != Kind::label) out[object].add(names);
        }
        return out;
    };
    const auto b = by_object(before), a = by_object(after);
    for (const auto& [object, sets] : b) {
        const auto other = a.find(object);
        if (other != a.end() && sets.minimal() != other->second.minimal())
            return fmt::format(
                "the rules that name {} name other things besides in the two files: it may outlive its rules in one of "
                "them when one of these goes",
                to_string(object));
    }
    // What only one file names is a difference (compare_objects), unless it may be what the other one names.
    for (const auto& [own, other] : {std::pair(&b, &a), std::pair(&a, &b)})
        for (const auto& entry : *own)
            if (entry.first.kind == Kind::either && !other->contains(entry.first))
                return fmt::format(
                    "whether {} is a file or a directory is not known (--facts), and only one file has a -w for it",
                    entry.first.text);
    return std::nullopt;
}

}  // namespace auopt::proof
