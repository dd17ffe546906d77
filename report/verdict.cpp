#include "report/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/spelling.hpp"
#include "report/event_json.hpp"
#include "report/printable.hpp"
#include "tables/fields.hpp"

namespace auopt {

using nlohmann::ordered_json;

namespace {

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

std::string verdict_to_text(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions) {
    std::string out;
    if (const auto* proven = std::get_if<Proven>(&verdict)) {
        out = fmt::format("Proven: the same for every event ({}); {} obligations, {} groups, {} solver queries\n",
                          preserve_name(preserve), proven->obligations, proven->groups, proven->queries);
    } else if (const auto* refuted = std::get_if<Refuted>(&verdict)) {
        if (refuted->example) {
            const Counterexample& example = *refuted->example;
            out = fmt::format(
                "Refuted: an event that is decided differently ({}), on {}:\n  event:  {}\n  before: {}\n  after:  "
                "{}\n",
                preserve_name(preserve), example.kernel, printable_text(describe(example.event)),
                printable_text(to_string(example.before)), printable_text(to_string(example.after)));
            if (!example.where_missing.empty())
                out += fmt::format("  where {} is missing, by what each file has loaded when loading stops\n",
                                   printable_text(example.where_missing));
            if (example.unknown_watch_is_dir) out += "  where a watched path that no fact tells about is a directory\n";
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

ordered_json verdict_to_json(const Verdict& verdict, Preserve preserve, const std::vector<std::string>& assumptions) {
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
            j["before"] = decision_to_json(example.before);
            j["after"] = decision_to_json(example.after);
            j["kernel"] = example.kernel;
            j["unknown_watch_is_directory"] = example.unknown_watch_is_dir;
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
