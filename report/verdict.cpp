#include "report/verdict.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/spelling.hpp"
#include "report/event_json.hpp"
#include "report/printable.hpp"
#include "tables/fields.hpp"

namespace auopt {

using nlohmann::ordered_json;

namespace {

ordered_json list_event_to_json(const ListEvent& e) {
    ordered_json j{{"description", describe(e)}, {"list", std::string(list_word(e.list).value_or(""))}};
    if (e.list == List::filesystem) {
        j["fstype"] = e.fstype;
        return j;
    }
    if (e.list != List::task) j["msgtype"] = e.msgtype;
    j.update({{"pid", e.pid}, {"uid", e.uid}, {"gid", e.gid}, {"auid", e.loginuid}});
    if (e.list == List::task)
        j.update({{"euid", e.euid},
                  {"suid", e.suid},
                  {"fsuid", e.fsuid},
                  {"egid", e.egid},
                  {"sgid", e.sgid},
                  {"fsgid", e.fsgid},
                  {"groups", e.groups},
                  {"session", e.sessionid},
                  {"personality", e.pers}});
    j["exe"] = e.exes;
    j["removed_exe"] = e.removed_exes;
    ordered_json lsm = ordered_json::array();
    for (const ListLsmReply& r : e.lsm) {
        const FieldRow* row = field_by_number(static_cast<std::uint32_t>(r.test.field));
        lsm.push_back({{"field", row != nullptr ? std::string(row->name) : ""},
                       {"op", std::string(op_text(r.test.op))},
                       {"text", r.test.text},
                       {"reply", std::string(reply_word(r.reply))}});
    }
    j["lsm"] = lsm;
    return j;
}

ordered_json list_decision_to_json(List list, const ListDecision& decision) {
    ordered_json j{{"decision", to_string(list, decision)}, {"key", nullptr}, {"rule", nullptr}};
    if (decision.key) j["key"] = *decision.key;
    if (decision.rule) j["rule"] = *decision.rule + 1;  // in the order of the walk
    return j;
}

ordered_json list_example_to_json(const ListExample& example) {
    return {{"event", list_event_to_json(example.event)},
            {"before", list_decision_to_json(example.event.list, example.before)},
            {"after", list_decision_to_json(example.event.list, example.after)}};
}

}  // namespace

std::string_view preserve_name(Preserve preserve) {
    switch (preserve) {
        case Preserve::exact:
            return "exact";
        case Preserve::recorded:
            return "recorded";
        case Preserve::decision:
            return "decision";
    }
    return "exact";
}

std::string_view verdict_name(const Verdict& verdict) {
    if (std::holds_alternative<Proven>(verdict)) return "proven";
    if (std::holds_alternative<Refuted>(verdict)) return "refuted";
    return "unknown";
}

namespace {

std::string_view kind_name(DifferenceKind kind) {
    switch (kind) {
        case DifferenceKind::lost:
            return "lost";
        case DifferenceKind::rekeyed:
            return "re-keyed";
        case DifferenceKind::gained:
            return "gained";
        case DifferenceKind::never:
            break;
    }
    return "never";
}

std::string what_became(const Counterexample& e) {
    const auto key = [](const Decision& d) {
        std::string shown = d.key.value_or("");
        std::replace(shown.begin(), shown.end(), '\x01', ',');  // several keys of one rule
        return d.key ? fmt::format("under key \"{}\"", shown) : std::string("without a key");
    };
    switch (e.kind) {
        case DifferenceKind::lost:
            return fmt::format("recorded before {}, lost after", key(e.before));
        case DifferenceKind::rekeyed:
            return fmt::format("recorded before {}, after {}", key(e.before), key(e.after));
        case DifferenceKind::gained:
            return fmt::format("not recorded before, after {}", key(e.after));
        case DifferenceKind::never:
            break;
    }
    return "recorded by neither; a never rule also keeps the SYSCALL record from the records of others (AVC, LOGIN)";
}

// Where the rule stands and what it says: "a.rules:3: -w /etc/passwd -p wa".
std::string deciding_line(const std::vector<Span>& lines, const Sources* sources) {
    if (lines.empty() || sources == nullptr) return {};
    const Span& first = lines.front();
    std::string out = fmt::format("          {}:{}: {}", printable_text(sources->name(first.file)), first.line,
                                  printable_text(sources->line(first.file, first.line)));
    if (lines.size() > 1) out += fmt::format(" (and {} more lines of the same rule)", lines.size() - 1);
    return out + "\n";
}

ordered_json side_to_json(const Decision& decision, const std::vector<Span>& lines, const Sources* sources) {
    ordered_json j = decision_to_json(decision);
    j["file"] = nullptr;
    j["line"] = nullptr;
    if (lines.empty() || sources == nullptr) return j;
    j["file"] = bytes_to_json(sources->name(lines.front().file));
    j["line"] = lines.front().line;
    return j;
}

}  // namespace

std::string verdict_to_text(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions,
                            const VerdictSources& sources) {
    std::string out;
    if (const auto* proven = std::get_if<Proven>(&verdict)) {
        out = fmt::format("Proven: the same for every event ({}); {} obligations, {} groups, {} solver queries\n",
                          preserve_name(preserve), proven->obligations, proven->groups, proven->queries);
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
        if (refuted->example) {
            const Counterexample& example = *refuted->example;
            out = fmt::format("Refuted: an event that is decided differently ({}), on {}: {}\n  event:  {}\n",
                              preserve_name(preserve), example.kernel, printable_text(what_became(example)),
                              printable_text(describe(example.event)));
            out += fmt::format("  before: {}\n", printable_text(to_string(example.before)));
            out += deciding_line(example.lines_before, sources.before);
            out += fmt::format("  after:  {}\n", printable_text(to_string(example.after)));
            out += deciding_line(example.lines_after, sources.after);
            if (!example.where_missing.empty())
                out += fmt::format("  where {} is missing, by what each file has loaded when loading stops\n",
                                   printable_text(example.where_missing));
            if (!example.unknown_watches.empty())
                out += fmt::format(
                    "  where {} {}, which nothing here tells: the answer rests on it; --facts or --target host "
                    "settles it\n",
                    printable_text(fmt::format("{}", fmt::join(example.unknown_watches, ", "))),
                    example.unknown_watch_is_dir ? "is a directory" : "is no directory");
        } else {
            out = fmt::format("Refuted ({}); the rules: {}\n", preserve_name(preserve), printable_text(refuted->rules));
        }
        for (const Difference& d : refuted->differences) {
            out += fmt::format("  {}: {} -> {}", printable_text(d.what), printable_text(d.before),
                               printable_text(d.after));
            out += d.meaning.empty() ? "\n" : fmt::format(": {}\n", printable_text(d.meaning));
        }
    } else {
        out = fmt::format("Unknown: {}\n", printable_text(std::get<Unknown>(verdict).reason));
    }
    if (!assumptions.empty()) out += fmt::format("assuming: {}\n", fmt::join(assumptions, ", "));
    return out;
}

ordered_json verdict_to_json(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions,
                             const VerdictSources& sources) {
    ordered_json j{{"result", verdict_name(verdict)},
                   {"preserve", preserve_name(preserve)},
                   {"assumptions", assumptions},
                   {"obligations", 0},
                   {"event", nullptr},
                   {"before", nullptr},
                   {"after", nullptr}};
    if (const auto* proven = std::get_if<Proven>(&verdict)) {
        j["obligations"] = proven->obligations;
        j["groups"] = proven->groups;
        j["queries"] = proven->queries;
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
        if (refuted->example) {
            const Counterexample& example = *refuted->example;
            j["event"] = event_to_json(example.event, example.unknown_watch_is_dir);
            j["before"] = side_to_json(example.before, example.lines_before, sources.before);
            j["after"] = side_to_json(example.after, example.lines_after, sources.after);
            j["kind"] = kind_name(example.kind);
            j["kernel"] = example.kernel;
            j["unknown_watch_is_directory"] = example.unknown_watch_is_dir;
            ordered_json unknown = ordered_json::array();
            for (const std::string& path : example.unknown_watches) unknown.push_back(bytes_to_json(path));
            j["unknown_watches"] = std::move(unknown);
            if (!example.where_missing.empty()) j["where_missing"] = example.where_missing;
        } else {
            j["rules"] = refuted->rules;
        }
        ordered_json differences = ordered_json::array();
        for (const Difference& d : refuted->differences) {
            differences.push_back({{"what", d.what}, {"before", d.before}, {"after", d.after}, {"meaning", d.meaning}});
            if (d.example) differences.back()["list"] = list_example_to_json(*d.example);
        }
        j["differences"] = std::move(differences);
    } else {
        j["reason"] = std::get<Unknown>(verdict).reason;
    }
    return j;
}

}  // namespace auopt
