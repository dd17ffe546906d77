// The records that a real kernel wrote for each event, against what kernel_model::evaluate says of it; and the records
// under one rules file against those under another. Reads what lab/workload/live.c printed.
//
//   live_compare SETTINGS.json     settings: see lab/live; the result is JSON on standard output
#include <linux/audit.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "compiler/compile.hpp"
#include "kernel_model/evaluate.hpp"
#include "kernel_model/state.hpp"
#include "lab/live_event.hpp"
#include "lab/live_log.hpp"

namespace auopt::lab {
namespace {

using Json = nlohmann::json;

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) throw std::runtime_error(fmt::format("{}: cannot be read", path));
    return text.str();
}

// @inode:/path@ in a rules file of the workload: the inode number that the guest's file has.
std::string with_inodes(std::string text, const std::map<std::string, Scan>& scans) {
    for (std::size_t at = 0; (at = text.find("@inode:", at)) != std::string::npos;) {
        const std::size_t end = text.find('@', at + 1);
        const auto scan = scans.find(text.substr(at + 7, end - at - 7));
        if (scan == scans.end() || !scan->second.self)
            throw std::runtime_error("no inode for " + text.substr(at, end - at));
        text.replace(at, end + 1 - at, std::to_string(scan->second.self->ino));
    }
    return text;
}

KernelState load_rules(const std::string& name, std::string text, const Facts& facts, AuditctlVersion version) {
    Sources sources;
    const FileId file = sources.add(name, std::move(text));
    CompileOptions options;
    options.facts = facts;
    options.continue_on_error = true;
    options.version = version;
    Diagnostics diagnostics;
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    LoadOptions load_options;
    load_options.ignore_errors = true;
    load_options.facts = &facts;
    LoadResult result = load(program.messages, load_options, diagnostics);
    if (result.outside_model) throw std::runtime_error(fmt::format("{}: {}", name, *result.outside_model));
    return std::move(result.state);
}

struct Seen {
    bool recorded = false;
    std::optional<std::string> key;
    bool foreign = false;  // another part of the kernel wrote a record in the call
};

std::string shown(const std::optional<std::string>& key) {
    if (!key) return "no key";
    std::string text = *key;
    std::replace(text.begin(), text.end(), '\x01', ',');
    return fmt::format("key \"{}\"", text);
}

std::string to_string(const Seen& s) {
    return fmt::format("{}{}", s.recorded ? fmt::format("recorded, {}", shown(s.key)) : "not recorded",
                       s.foreign ? ", with a record from elsewhere" : "");
}

// What must be seen when the filters decide `d` (spec section 3.2).
Seen expected(const Decision& d, bool foreign) {
    if (d.outcome == Outcome::always) return {true, d.key, foreign};
    if (d.outcome == Outcome::no_match && foreign) return {true, d.key, foreign};
    return {false, std::nullopt, foreign};
}

bool has_foreign(const Group& g) {
    return std::any_of(g.records.begin(), g.records.end(), [](const Record& r) { return is_foreign(r.type); });
}

bool same(const Seen& a, const Seen& b) { return a.recorded == b.recorded && (!a.recorded || a.key == b.key); }

// A text value that no run repeats: process and session numbers, inode numbers, results that are one of these.
std::string normal(const Record& r) {
    std::string out = std::to_string(r.type);
    std::istringstream in(r.text);
    for (std::string word; in >> word;) {
        const auto equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (name == "pid" || name == "ppid" || name == "ses" || name == "old-ses" || name == "inode" ||
            name == "opid" || name == "oses")
            word = name;
        if ((name == "exit" || name == "a0" || name == "a1") && word.size() - equals - 1 >= 3 &&
            word[equals + 1] != '-')
            word = name;
        out += " " + word;
    }
    return out;
}

// All records of the event's process, in order, but for the helper's own write (before and after the call).
std::vector<std::string> records_of(const LoggedEvent& event) {
    std::vector<std::string> out;
    for (const Group& g : event.groups) {
        const Record* s = g.find(AUDIT_SYSCALL);
        if (s != nullptr && s->field("pid") != std::to_string(event.pid)) continue;
        // The end of a call that began before the event did.
        if (s == nullptr &&
            std::none_of(g.records.begin(), g.records.end(), [](const Record& r) { return is_foreign(r.type); }))
            continue;
        if (s != nullptr && is_helpers_own(*s)) continue;
        for (const Record& r : g.records) out.push_back(normal(r));
    }
    return out;
}

struct Comparison {
    const Log& log;
    const Json& told_of;
    const KernelTables& kernel;
    Json differences = Json::array();
    std::map<std::string, unsigned> skipped = {};
    unsigned compared = 0, recorded = 0, other_calls = 0;

    Told told(const std::string& event) const {
        const Json& t = told_of.at(event);
        Told out;
        out.arch = t.at("arch");
        out.nr = t.at("nr");
        out.openat2_flags = t.at("openat2_flags");
        out.by_worker = t.at("by_worker");
        for (const Json& g : t.at("groups")) out.groups.insert(g.get<std::uint32_t>());
        return out;
    }

    void differ(const std::string& phase, const std::string& event, const std::string& expects, const std::string& sees,
                const std::string& of) {
        differences.push_back({{"set", phase}, {"event", event}, {"expected", expects}, {"seen", sees}, {"of", of}});
    }

    // The runs of one recorded call under `state`.
    Decision decide(const KernelState& state, Call call, const LoggedEvent& ref,
                    const std::map<std::string, Scan>& at_load, WatchTable& watches) const {
        EntryState entry;
        for (Run& run : call.runs) {
            for (const KernelRule& rule : state.filter)
                for (const FieldTest& t : rule.tests) {
                    if (t.field == Field::exe && plain_path(t.text) == call.exe) run.event.exes.insert(t.text);
                    if (t.field != Field::dir) continue;
                    const auto scan = at_load.find(plain_path(t.text));
                    if (scan == at_load.end() || !scan->second.self) continue;
                    for (const Inode& i : call.inodes) {
                        const auto chain = ref.chains.find(i);
                        if (chain != ref.chains.end() && std::find(chain->second.begin(), chain->second.end(),
                                                                   *scan->second.self) != chain->second.end())
                            run.event.dirs.insert(t.text);
                    }
                }
            entry = evaluate(state, kernel, run.event, watches, run.changes, entry).state;
        }
        return entry.decision;
    }

    void against_model(const Phase& phase, const KernelState& state) {
        const Phase& facts = log.phases.front();
        if (phase.loaded != state.rule_count())
            differ(phase.name, "loading", fmt::format("{} rules", state.rule_count()),
                   fmt::format("{} rules", phase.loaded), "count");
        if (phase.events.size() != facts.events.size()) throw std::runtime_error(phase.name + ": events are missing");
        std::optional<WatchTable> watches;
        std::map<std::string, Scan> at_load;
        for (std::size_t i = 0; i < facts.events.size(); ++i) {
            const LoggedEvent& ref = facts.events[i];
            const LoggedEvent& live = phase.events[i];
            if (ref.loaded_before) {
                at_load = ref.scans;
                watches.emplace(state, [&](const std::string& path) -> std::optional<WatchPlace> {
                    const auto scan = at_load.find(plain_path(path));
                    if (scan == at_load.end() || !scan->second.parent) return std::nullopt;
                    return WatchPlace{*scan->second.parent, scan->second.self};
                });
            }
            for (const Change& c : ref.prepared) watches->update(c.parent, c.name, c.file);
            const Told t = told(ref.name);
            bool several = false;
            const Group* recorded_ref = find_call(ref, ref.pid, t.arch, t.nr, several);
            Call call;
            if (recorded_ref != nullptr) {
                call = read_call(*recorded_ref, t);
            } else if (t.nr < 0 || t.nr >= static_cast<std::int32_t>(mask_syscalls)) {  // no mask has it
                Run run;
                run.event.arch = t.arch;
                run.event.nr = t.nr;
                call.runs.push_back(run);
            } else {
                ++skipped[fmt::format("{}: {}", ref.name,
                                      several ? "more than one call like it" : "not recorded by the reference rules")];
                continue;
            }
            if (ref.status != live.status || !alike(ref.results, live.results)) {
                differ(phase.name, ref.name, ref.status + ref.results, live.status + live.results, "result");
                continue;
            }
            other_calls_of(phase, state, ref, live, t, at_load, *watches);
            const Decision decision = decide(state, call, ref, at_load, *watches);
            one(phase, ref, live, t.arch, t.nr, decision, describe(call.runs.back().event), recorded_ref, true);
        }
    }

    // The calls that the helper makes around the one under observation: each kind once.
    void other_calls_of(const Phase& phase, const KernelState& state, const LoggedEvent& ref, const LoggedEvent& live,
                        const Told& t, const std::map<std::string, Scan>& at_load, WatchTable& watches) {
        const bool native = t.arch == arch_x86_64;
        for (const std::int32_t nr : {native ? 231 : 252}) {  // exit_group
            if (nr == t.nr) continue;
            bool several = false;
            const Group* g = find_call(ref, ref.pid, t.arch, nr, several);
            if (g == nullptr || g->find(AUDIT_PATH) != nullptr) continue;
            Told other;
            other.groups = t.groups;
            const Call call = read_call(*g, other);
            ++other_calls;
            one(phase, ref, live, t.arch, nr, decide(state, call, ref, at_load, watches),
                describe(call.runs.back().event), g, false);
        }
    }

    void one(const Phase& phase, const LoggedEvent& ref, const LoggedEvent& live, std::uint32_t arch, std::int32_t nr,
             const Decision& decision, const std::string& event_text, const Group* recorded_ref, bool observed) {
        bool several = false;
        const Group* g = find_call(live, live.pid, arch, nr, several);
        Seen seen;
        if (g != nullptr) {
            seen.recorded = true;
            seen.key = g->find(AUDIT_SYSCALL)->string("key");
            seen.foreign = has_foreign(*g);
        } else {
            // A record alone, whose call's SYSCALL record was left out. Whose it is, the reference says, which has both; only
            // that a watch went with its directory is not in the reference, and is laid to the call under observation.
            const bool in_reference = recorded_ref != nullptr && has_foreign(*recorded_ref);
            for (const Group& lone : live.groups)
                if (lone.find(AUDIT_SYSCALL) == nullptr && has_foreign(lone))
                    seen.foreign |= in_reference || (observed && lone.find(AUDIT_CONFIG_CHANGE) != nullptr);
        }
        ++compared;
        recorded += seen.recorded ? 1 : 0;
        const Seen want = expected(decision, seen.foreign);
        if (several || !same(seen, want))
            differ(phase.name, ref.name, fmt::format("{} ({})", to_string(want), to_string(decision)),
                   several ? "recorded twice" : to_string(seen), event_text);
    }

    // Results of the same calls in two phases: numbers of processes and descriptors may differ, errors may not.
    static bool alike(const std::string& a, const std::string& b) {
        std::istringstream x(a), y(b);
        for (std::string u, v;;) {
            const bool more = static_cast<bool>(x >> u);
            if (more != static_cast<bool>(y >> v)) return false;
            if (!more) return true;
            if (u != v && (u[0] == '-' || v[0] == '-' || u == "ready" || v == "ready")) return false;
        }
    }

    void against_each_other(const Phase& a, const Phase& b) {
        for (std::size_t i = 0; i < a.events.size() && i < b.events.size(); ++i) {
            const auto x = records_of(a.events[i]), y = records_of(b.events[i]);
            ++compared;
            recorded += x.empty() ? 0 : 1;
            if (x == y) continue;
            std::size_t k = 0;
            while (k < x.size() && k < y.size() && x[k] == y[k]) ++k;
            differ(b.name, a.events[i].name, k < x.size() ? x[k] : "nothing more", k < y.size() ? y[k] : "nothing more",
                   a.name);
        }
        if (a.events.size() != b.events.size()) throw std::runtime_error("phases of different length");
    }
};

const Phase& phase_of(const Log& log, const std::string& name) {
    for (const Phase& p : log.phases)
        if (p.name == name) return p;
    throw std::runtime_error("no phase " + name);
}

Json result_of(const Comparison& c) {
    return {{"compared", c.compared},
            {"recorded", c.recorded},
            {"other_calls", c.other_calls},
            {"skipped", c.skipped},
            {"differences", c.differences}};
}

int run(const char* settings_file) {
    const Json settings = Json::parse(read_file(settings_file));
    const auto log = read_log(read_file(settings.at("log")));
    if (!log) throw std::runtime_error(log.error());
    if (!log->lost || *log->lost != 0) throw std::runtime_error("the kernel lost records");
    const KernelTables* kernel = find_kernel(settings.at("kernel").get<std::string>());
    if (kernel == nullptr) throw std::runtime_error("no such kernel in the tables");
    const auto facts = read_facts(settings.at("facts").get<std::string>());
    if (!facts) throw std::runtime_error(facts.error());
    if (log->phases.empty() || log->phases.front().events.empty()) throw std::runtime_error("no events");
    Json out;
    for (const auto& [phase, file] : settings.at("model").items()) {
        Comparison c{*log, settings.at("events"), *kernel};
        const auto& scans = log->phases.front().events.front().scans;
        const bool by_wire =
            std::find(settings.at("wire").begin(), settings.at("wire").end(), phase) != settings.at("wire").end();
        const Phase& live = phase_of(*log, phase);
        c.against_model(live, load_rules(file, with_inodes(read_file(file), scans), *facts,
                                         by_wire ? AuditctlVersion::v4_2_1 : AuditctlVersion::v3_0_9));
        out["model"][phase] = result_of(c);
        out["model"][phase]["loaded"] = live.loaded;
    }
    for (const Json& pair : settings.at("same")) {
        Comparison c{*log, settings.at("events"), *kernel};
        c.against_each_other(phase_of(*log, pair[0]), phase_of(*log, pair[1]));
        out["same"][pair[1].get<std::string>()] = result_of(c);
    }
    std::cout << out.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
    return 0;
}

}  // namespace
}  // namespace auopt::lab

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: live_compare SETTINGS.json\n";
        return 2;
    }
    try {
        return auopt::lab::run(argv[1]);
    } catch (const std::exception& e) {
        std::cerr << "live_compare: " << e.what() << "\n";
        return 1;
    }
}
