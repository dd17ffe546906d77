#include "cli/reading_groups.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/exit_codes.hpp"
#include "cli/streams.hpp"
#include "compiler/readings.hpp"
#include "report/printable.hpp"

namespace auopt {
namespace {

std::vector<Message> without_user_messages(std::vector<Message> messages) {
    std::erase_if(messages, [](const Message& m) { return std::holds_alternative<UserMessage>(m.body); });
    return messages;
}

struct WholeReading {
    std::vector<Message> messages;
    bool stopped = false;
};

WholeReading read_whole(const Inputs& inputs, CompileOptions options) {
    Diagnostics ignored;
    Program program = compile(inputs.sources, inputs.lines, options, ignored);
    return {without_user_messages(std::move(program.messages)), program.stopped};
}

bool same_whole(const WholeReading& a, const WholeReading& b) {
    return a.stopped == b.stopped &&
           std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(), same_message);
}

/// The lines that the first versions of two of the `ways` read differently.
std::vector<std::size_t> differing_lines(const Inputs& inputs, const CompileOptions& how,
                                         const std::vector<const ReadingWay*>& ways) {
    std::vector<std::vector<LineReading>> readings;
    for (const ReadingWay* way : ways) {
        CompileOptions options = how;
        options.version = way->versions.front();
        readings.push_back(read_lines(inputs.sources, inputs.lines, options));
        for (LineReading& line : readings.back()) line.messages = without_user_messages(std::move(line.messages));
    }
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < inputs.lines.size(); ++i) {
        if (std::any_of(readings.begin() + 1, readings.end(),
                        [&](const auto& other) { return !same_reading(readings[0][i], other[i]); }))
            lines.push_back(i);
    }
    return lines;
}

/// A row of the data file that is a distribution, not "any" and not a kernel alone.
bool is_distribution(const Target& target) {
    return target.kernels.size() == 1 && target.name != target.kernels[0].tables->name;
}

/// The ways to tell apart: those of targets, or all where every target reads alike.
std::vector<const ReadingWay*> told_ways(const ReadingGroups& groups) {
    std::vector<const ReadingWay*> ways;
    for (const ReadingWay& way : groups.ways)
        if (!way.targets.empty()) ways.push_back(&way);
    if (ways.size() > 1) return ways;
    ways.clear();
    for (const ReadingWay& way : groups.ways) ways.push_back(&way);
    return ways;
}

std::string number_word(std::size_t n) {
    constexpr std::array words{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
    return n < words.size() ? words[n] : std::to_string(n);
}

std::string versions_text(const ReadingWay& way) {
    std::vector<std::string_view> names;
    for (const AuditctlVersion v : way.versions) names.push_back(auditctl_version_name(v));
    return fmt::format("auditctl {}", fmt::join(names, ", "));
}

}  // namespace

std::optional<ReadingGroups> reading_groups(const Inputs& inputs, const Setting& setting) {
    const std::vector<AuditctlVersion>& versions = setting.target.writing;
    if (versions.size() < 2 || inputs.lines.empty()) return std::nullopt;
    ReadingGroups groups;
    std::vector<WholeReading> readings;  // one a way
    for (const AuditctlVersion version : versions) {
        CompileOptions options = setting.compile;
        options.version = version;
        WholeReading reading = read_whole(inputs, std::move(options));
        std::size_t way = 0;
        while (way < readings.size() && !same_whole(readings[way], reading)) ++way;
        if (way == readings.size()) {
            readings.push_back(std::move(reading));
            groups.ways.emplace_back();
        }
        groups.ways[way].versions.push_back(version);
    }
    const bool loads = std::any_of(readings.begin(), readings.end(), [](const WholeReading& r) { return !r.stopped; });
    if (groups.ways.size() < 2 || !loads) return std::nullopt;
    for (const Target& target : targets()) {
        if (!is_distribution(target)) continue;
        for (ReadingWay& way : groups.ways)
            if (std::find(way.versions.begin(), way.versions.end(), target.reading) != way.versions.end())
                way.targets.push_back(target.name);
    }
    groups.lines = differing_lines(inputs, setting.compile, told_ways(groups));
    return groups;
}

std::string to_string(const ReadingGroups& groups) {
    const std::vector<const ReadingWay*> told = told_ways(groups);
    const bool all_targets_alike =
        std::count_if(told.begin(), told.end(), [](const ReadingWay* w) { return !w->targets.empty(); }) == 1;
    std::vector<std::string> names;
    for (const ReadingWay* way : told) {
        if (way->targets.empty())
            names.push_back(versions_text(*way));
        else
            names.push_back(all_targets_alike ? "every target" : fmt::format("{}", fmt::join(way->targets, ", ")));
    }
    return fmt::format("read in {} ways: {}; {} line{}; choose with --target or --facts", number_word(told.size()),
                       fmt::join(names, " / "), groups.lines.size(), groups.lines.size() == 1 ? "" : "s");
}

namespace {

void put_details(const ReadingGroups& groups, const Inputs& inputs) {
    for (const ReadingWay& way : groups.ways) put_err(fmt::format("  read alike: {}\n", versions_text(way)));
    for (const std::size_t i : groups.lines) {
        const InputLine& line = inputs.lines[i];
        put_err(fmt::format("  {}:{}: {}\n", printable_text(inputs.sources.name(line.span.file)), line.span.line,
                            printable_text(line.bytes)));
    }
}

}  // namespace

int refuse_readings(std::string_view verb, const CommonOptions& common, const Inputs& inputs, const Setting& setting) {
    const auto groups = reading_groups(inputs, setting);
    if (!groups) return exit_clean;
    fail(verb, exit_usage, fmt::format("{} is {}", inputs.shown_name, to_string(*groups)));
    if (common.verbose) put_details(*groups, inputs);
    return exit_usage;
}

void note_readings(std::string_view verb, const CommonOptions& common, const Inputs& inputs, const Setting& setting) {
    if (common.quiet) return;
    const auto groups = reading_groups(inputs, setting);
    if (!groups) return;
    put_err(fmt::format("auopt {}: {} is {}; this is what auditctl {} reads\n", verb, printable_text(inputs.shown_name),
                        to_string(*groups), auditctl_version_name(setting.target.reading)));
    if (common.verbose) put_details(*groups, inputs);
}

}  // namespace auopt
