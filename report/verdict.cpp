#include "report/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/spelling.hpp"
#include "kernel_model/machine.hpp"
#include "report/calls.hpp"
#include "report/printable.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;

std::string call_of(const Event& event) {
    const auto machine = elf_machine(event.arch);
    if (!machine) return "io_uring worker";
    const std::string name = event.nr < 0 ? "" : syscall_name(static_cast<unsigned>(event.nr), *machine);
    return name.empty() ? fmt::format("{}", event.nr) : name;
}

std::string arch_of(std::uint32_t arch) { return elf_machine(arch) ? arch_word(arch) : "io_uring"; }

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

ordered_json decision_to_json(const Decision& decision) {
    const char* outcome = decision.outcome == Outcome::always  ? "always"
                          : decision.outcome == Outcome::never ? "never"
                                                               : "no match";
    ordered_json j{{"decision", outcome}, {"key", nullptr}};
    if (decision.key) j["key"] = *decision.key;
    return j;
}

ordered_json event_to_json(const Event& event) {
    ordered_json j{{"description", describe(event)},
                   {"arch", arch_of(event.arch)},
                   {"syscall", call_of(event)},
                   {"nr", event.nr},
                   {"args", event.args},
                   {"pid", event.pid},
                   {"ppid", event.ppid},
                   {"personality", event.pers},
                   {"uid", event.uid},
                   {"euid", event.euid},
                   {"suid", event.suid},
                   {"fsuid", event.fsuid},
                   {"gid", event.gid},
                   {"egid", event.egid},
                   {"sgid", event.sgid},
                   {"fsgid", event.fsgid},
                   {"groups", event.groups},
                   {"auid", event.loginuid},
                   {"session", event.sessionid}};
    switch (event.return_valid) {
        case ReturnValid::invalid:
            j["success"] = nullptr;
            break;
        case ReturnValid::success:
            j["success"] = true;
            break;
        case ReturnValid::failure:
            j["success"] = false;
            break;
    }
    j["exit"] = static_cast<std::int64_t>(event.return_code);
    ordered_json names = ordered_json::array();
    for (const EventName& name : event.names) {
        ordered_json n{{"resolved", name.resolved}, {"inode", name.ino},      {"dev", {name.dev_major, name.dev_minor}},
                       {"mode", name.mode},         {"uid", name.uid},        {"gid", name.gid},
                       {"watches", name.watches},   {"deleted", name.deleted}};
        names.push_back(n);
    }
    j["names"] = names;
    j["directories"] = event.dirs;
    j["exe"] = event.exes;
    j["saddr_fam"] = nullptr;
    if (event.saddr_fam) j["saddr_fam"] = *event.saddr_fam;
    j["openat2_flags"] = event.openat2_flags;
    ordered_json lsm = ordered_json::array();
    for (const LsmAnswer& answer : event.lsm_true) {
        const FieldRow* row = field_by_number(static_cast<std::uint32_t>(answer.test.field));
        lsm.push_back({{"field", row != nullptr ? std::string(row->name) : ""}, {"text", answer.test.text}});
    }
    j["lsm_true"] = lsm;
    return j;
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
            j["event"] = event_to_json(example.event);
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
