// Our own format (docs/WORKLOAD.md): counts by name, the CPU time they were made in, where they come from; and the
// workloads that ship with the program, which are files of this format.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tables/embedded.hpp"
#include "workload/text_lines.hpp"

namespace auopt {

extern const EmbeddedFile embedded_workloads[];
extern const std::size_t embedded_workloads_count;

namespace {

using nlohmann::json;

/// 1-based line of a byte of `text`.
std::size_t line_of(const std::string& text, std::size_t byte) {
    std::size_t line = 1;
    for (std::size_t i = 0; i < byte && i < text.size(); ++i) line += text[i] == '\n' ? 1 : 0;
    return line;
}

struct Reader {
    const std::string& text;
    Machine machine;
    CallCounter& counter;  // for messages
    bool failed = false;

    /// The first place that holds the quoted word; the parser keeps no places.
    std::size_t line(std::string_view word) const {
        const std::size_t at = text.find(fmt::format("\"{}\"", word));
        return at == std::string::npos ? 0 : line_of(text, at);
    }
    void wrong(std::string_view member, const std::string& what) {
        failed = true;
        counter.error(ids::workload_member, line(member), fmt::format("{}: {}", member, what));
    }
    std::optional<double> number(const json& object, const char* member, double least) {
        const auto at = object.find(member);
        if (at == object.end()) return std::nullopt;
        if (at->is_number()) {
            const double value = at->get<double>();
            if (std::isfinite(value) && value >= least && value <= max_count) return value;
        }
        wrong(member, "not a number in range");
        return std::nullopt;
    }
    std::string string(const json& object, const char* member) {
        const auto at = object.find(member);
        if (at == object.end()) return {};
        if (at->is_string()) return at->get<std::string>();
        wrong(member, "not a text");
        return {};
    }
    std::optional<Machine> machine_of(const std::string& arch) const {
        if (arch.empty() || arch == "b64") return machine;
        if (arch == "b32") return machine_companion(machine);
        const auto named = machine_by_name(arch);
        return named == machine || named == machine_companion(machine) ? named : std::nullopt;
    }
    void call(const json& object, CallCounter& counts) {
        if (!object.is_object()) return wrong("calls", "an entry is no object");
        const std::string arch = string(object, "arch");
        const auto where = machine_of(arch);
        if (!where) return wrong("arch", fmt::format("{} makes no calls of {}", machine_name(machine), arch));
        std::string name;
        if (const auto at = object.find("nr"); at != object.end()) {
            if (!at->is_number_unsigned()) return wrong("nr", "not a call's number");
            name = fmt::format("{}", at->get<std::uint64_t>());
        } else
            name = string(object, "name");
        if (name.empty()) return wrong("calls", "an entry has neither name nor nr");
        const auto calls = number(object, "calls", 0);
        if (!calls) return failed ? void() : wrong("calls", fmt::format("{} has no member calls", name));
        const auto bad = number(object, "failed", 0);
        counts.use(*where);
        counts.add(name, *calls, bad, line(name));
    }
    /// "calls": an array of {"name", "arch", "calls", "failed"}, or an object {"read": 12}.
    std::optional<Workload> calls(const json& object, FileId file, Diagnostics& diagnostics) {
        CallCounter counts(file, machine, diagnostics);
        const auto at = object.find("calls");
        if (at == object.end() || !(at->is_array() || at->is_object())) {
            wrong("calls", "missing, or neither a list nor an object");
            return std::nullopt;
        }
        if (at->is_array())
            for (const json& entry : *at) call(entry, counts);
        else
            for (const auto& [name, value] : at->items()) {
                if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > max_count)
                    wrong(name, "not a number in range");
                else
                    counts.add(name, value.get<double>(), std::nullopt, line(name));
            }
        if (failed) return std::nullopt;
        return counts.finish();
    }
};

/// Calls per CPU second of the whole, part by part; a part's share is its share of the CPU time.
std::optional<MeasuredWorkload> read_parts(Reader& reader, const json& parts, FileId file, Diagnostics& diagnostics) {
    if (!parts.is_array() || parts.empty()) {
        reader.wrong("parts", "not a list of parts");
        return std::nullopt;
    }
    MeasuredWorkload whole;
    double shares = 0;
    std::vector<MeasuredWorkload> read;
    std::vector<double> share;
    for (const json& part : parts) {
        if (!part.is_object()) {
            reader.wrong("parts", "a part is no object");
            return std::nullopt;
        }
        const auto seconds = reader.number(part, "cpu_seconds", 0);
        if (!seconds || *seconds <= 0) {
            if (!reader.failed) reader.wrong("parts", "a part has no cpu_seconds above 0");
            return std::nullopt;
        }
        share.push_back(reader.number(part, "share", 0).value_or(1));
        shares += share.back();
        auto calls = reader.calls(part, file, diagnostics);
        if (!calls) return std::nullopt;
        MeasuredWorkload& one = read.emplace_back();
        one.calls = std::move(*calls);
        one.cpu_seconds = *seconds;
    }
    if (!(shares > 0)) {
        reader.wrong("share", "the shares add up to 0");
        return std::nullopt;
    }
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (share[i] <= 0) continue;
        const double scale = share[i] / shares / *read[i].cpu_seconds;
        for (CallWeight& call : read[i].calls) call.weight *= scale;
        read[i].cpu_seconds = share[i] / shares;
        whole = whole.calls.empty() ? std::move(read[i]) : join_workloads(std::move(whole), read[i]);
    }
    return whole;
}

}  // namespace

std::optional<MeasuredWorkload> read_workload_json(const Sources& sources, FileId file, Machine machine,
                                                   Diagnostics& diagnostics) {
    const std::string& text = sources.text(file);
    CallCounter counter(file, machine, diagnostics);
    json root;
    try {
        root = json::parse(text);
    } catch (const json::parse_error& error) {
        counter.error(ids::workload_member, line_of(text, error.byte > 0 ? error.byte - 1 : 0), "this is not JSON");
        return std::nullopt;
    } catch (const json::out_of_range&) {
        counter.error(ids::workload_member, 0, "a number of this JSON is out of range");
        return std::nullopt;
    }
    Reader reader{text, machine, counter};
    if (!root.is_object()) {
        reader.wrong("calls", "the file is no JSON object");
        return std::nullopt;
    }
    MeasuredWorkload workload;
    if (const auto parts = root.find("parts"); parts != root.end()) {
        auto whole = read_parts(reader, *parts, file, diagnostics);
        if (!whole) return std::nullopt;
        workload = std::move(*whole);
    } else {
        auto calls = reader.calls(root, file, diagnostics);
        if (!calls) return std::nullopt;
        workload.calls = std::move(*calls);
        workload.cpu_seconds = reader.number(root, "cpu_seconds", 0);
        if (workload.cpu_seconds && *workload.cpu_seconds <= 0) reader.wrong("cpu_seconds", "not above 0");
    }
    workload.name = sources.name(file);
    workload.format = WorkloadFormat::json;
    workload.source = reader.string(root, "source");
    if (const auto audited = root.find("audited"); audited != root.end()) {
        if (!audited->is_boolean())
            reader.wrong("audited", "neither true nor false");
        else
            workload.audited = audited->get<bool>();
    }
    workload.ns_per_instruction = reader.number(root, "ns_per_instruction", 0);
    if (const auto cpus = reader.number(root, "cpus", 1)) {
        if (*cpus > most_cpus || *cpus != std::floor(*cpus))
            reader.wrong("cpus", "not a number of CPUs");
        else
            workload.cpus = static_cast<unsigned>(*cpus);
    }
    if (reader.failed) return std::nullopt;
    return workload;
}

namespace {

std::vector<MeasuredWorkload> read_shipped() {
    std::vector<MeasuredWorkload> all;
    for (std::size_t i = 0; i < embedded_workloads_count; ++i) {
        const std::string_view name = embedded_workloads[i].name;
        Sources sources;
        Diagnostics diagnostics;
        const FileId file = sources.add(std::string(name), std::string(embedded_workloads[i].text));
        auto workload = read_workload_json(sources, file, Machine::x86_64, diagnostics);
        // The data is part of the program: a mistake in it is a broken build, not a user's error.
        if (!workload || !diagnostics.items().empty()) {
            fmt::print(stderr, "auopt: embedded workload {} cannot be read\n", name);
            std::abort();
        }
        workload->name = name.substr(0, name.find('.'));
        all.push_back(std::move(*workload));
    }
    return all;
}

const std::vector<MeasuredWorkload>& shipped() {
    static const std::vector<MeasuredWorkload> all = read_shipped();
    return all;
}

}  // namespace

const MeasuredWorkload* shipped_workload(std::string_view name) {
    for (const MeasuredWorkload& workload : shipped())
        if (workload.name == name) return &workload;
    return nullptr;
}

std::vector<std::string> shipped_workload_names() {
    std::vector<std::string> names;
    for (const MeasuredWorkload& workload : shipped()) names.push_back(workload.name);
    return names;
}

}  // namespace auopt
