// Reads the maps that bpftrace prints when it ends: `@[0]: 123` after `@[args.id] = count()`, and what else people use
// as a key: names, probe names, several values. Also the map lines of bpftrace -f json.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "workload/text_lines.hpp"

namespace auopt {
namespace {

struct MapLine {
    std::string map, key;
    std::optional<double> count;
    std::size_t line = 0;
};

/// "@name[key]: value"; nothing for other lines.
std::optional<MapLine> map_line(std::string_view line) {
    if (!line.starts_with('@')) return std::nullopt;
    const std::size_t open = line.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, open);
    if (name.find_first_of(" :=") != std::string_view::npos) return std::nullopt;
    // The key may hold brackets of its own (a program's name).
    const std::size_t close = line.rfind("]:");
    if (close == std::string_view::npos || close < open) return std::nullopt;
    const auto value = words_of(line.substr(close + 2));
    MapLine result{std::string(name), std::string(line.substr(open + 1, close - open - 1)), std::nullopt, 0};
    if (value.size() == 1) result.count = count_of(value[0]);
    // stats(): "count 5, average 3, total 15"
    if (value.size() == 6 && value[0] == "count" && value[1].ends_with(','))
        result.count = count_of(value[1].substr(0, value[1].size() - 1));
    return result;
}

/// {"type": "map", "data": {"@": {"0": 3}}}; other types are skipped.
void json_maps(std::string_view line, std::size_t number, std::vector<MapLine>& out, CallCounter& counter) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
        counter.warn(ids::workload_line_unreadable, number, "not a line of bpftrace's JSON; left out");
        return;
    }
    if (!json.contains("type") || json["type"] != "map" || !json.contains("data") || !json["data"].is_object()) return;
    for (const auto& [map, values] : json["data"].items()) {
        if (!values.is_object()) continue;  // a map without a key
        for (const auto& [key, value] : values.items()) {
            MapLine entry{map, key, std::nullopt, number};
            if (value.is_number_unsigned() && value.get<double>() <= max_count) entry.count = value.get<double>();
            out.push_back(std::move(entry));
        }
    }
}

/// The call in one part of a key, and whether the part says that it is a 32-bit one.
struct KeyCall {
    std::string_view name;
    bool compat = false;
};
KeyCall key_call(std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (const std::size_t colon = part.rfind(':'); colon != std::string_view::npos) part.remove_prefix(colon + 1);
    constexpr std::array<std::string_view, 3> compat{"__ia32_compat_sys_", "__ia32_sys_", "compat_sys_"};
    for (const std::string_view prefix : compat)
        if (part.starts_with(prefix)) return {part.substr(prefix.size()), true};
    constexpr std::array<std::string_view, 7> native{"sys_enter_",   "sys_exit_", "__x64_sys_", "__arm64_sys_",
                                                     "__s390x_sys_", "__se_sys_", "sys_"};
    for (const std::string_view prefix : native)
        if (part.starts_with(prefix)) return {part.substr(prefix.size()), false};
    return {part, false};
}

}  // namespace

std::optional<MeasuredWorkload> read_bpftrace(const Sources& sources, FileId file, Machine machine,
                                              Diagnostics& diagnostics) {
    const auto lines = text_lines(sources.text(file));
    CallCounter counter(file, machine, diagnostics);
    std::vector<MapLine> entries;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].starts_with('{')) json_maps(lines[i], i + 1, entries, counter);
        if (lines[i].starts_with("Lost ") || lines[i].find("WARNING: Lost") != std::string_view::npos)
            counter.warn(ids::workload_incomplete, i + 1, "bpftrace lost events: the counts may be too low");
        if (auto entry = map_line(lines[i])) {
            entry->line = i + 1;
            entries.push_back(std::move(*entry));
        } else if (lines[i].starts_with('@') && lines[i].find('[') != std::string_view::npos)
            counter.warn(ids::workload_line_unreadable, i + 1, "not an entry of a map; left out");
    }

    std::vector<std::string> maps;
    for (const MapLine& entry : entries)
        if (std::find(maps.begin(), maps.end(), entry.map) == maps.end()) maps.push_back(entry.map);
    if (maps.empty()) {
        counter.error(ids::workload_format_unknown, 0,
                      "no map with a key, as bpftrace prints for @[args.id] = count()");
        return std::nullopt;
    }
    std::string chosen = maps.front();
    if (maps.size() > 1) {
        std::vector<std::string> usual;
        for (const std::string_view name : {"@", "@calls", "@call", "@counts", "@count", "@syscalls", "@syscall"})
            if (std::find(maps.begin(), maps.end(), name) != maps.end()) usual.emplace_back(name);
        if (usual.size() != 1) {
            counter.error(ids::workload_ambiguous, entries.front().line,
                          fmt::format("several maps may hold the counts: {}", fmt::join(maps, ", ")),
                          "name the one that counts calls @calls, or leave the others out");
            return std::nullopt;
        }
        chosen = usual.front();
    }

    for (const MapLine& entry : entries) {
        if (entry.map != chosen) continue;
        if (!entry.count) {
            counter.warn(ids::workload_line_unreadable, entry.line, "the value is no count; left out");
            continue;
        }
        // Of several values in a key the call is the last, or else the first: @[comm, args.id], @[args.id, comm].
        const std::size_t comma = entry.key.rfind(',');
        const std::string_view key = entry.key;
        KeyCall call = key_call(comma == std::string::npos ? key : key.substr(comma + 1));
        const auto known = [&](const KeyCall& c) {
            counter.use(c.compat ? machine_companion(machine) : machine);
            return counter.number_of(c.name).has_value();
        };
        if (!known(call) && comma != std::string::npos) {
            if (const KeyCall first = key_call(key.substr(0, key.find(','))); known(first)) call = first;
        }
        counter.use(call.compat ? machine_companion(machine) : machine);
        counter.add(call.name, *entry.count, std::nullopt, entry.line);
    }
    auto calls = counter.finish();
    if (!calls) return std::nullopt;
    MeasuredWorkload workload;
    workload.name = sources.name(file);
    workload.format = WorkloadFormat::bpftrace;
    workload.calls = std::move(*calls);
    workload.cpu_seconds = cpu_seconds_of(lines);
    return workload;
}

}  // namespace auopt
