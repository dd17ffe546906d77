#include "kernel_model/output_order.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "kernel_model/named_objects.hpp"

namespace auopt {

std::vector<OutputLine> output_order(const KernelState& before, const KernelState& after) {
    std::map<NamedObject, std::size_t> stops;
    std::vector<std::uint32_t> stop_added;
    if (!before.errors_ignored_from) {
        const std::vector<const KernelRule*> order = in_loading_order(before);
        for (const LoadingStop& stop : loading_stops(before, order)) {
            stops.emplace(stop.object, stops.size());
            stop_added.push_back(order[stop.position]->added);
        }
    }
    // How many stops come before what was added as number `added`.
    const auto rank = [&](std::uint32_t added) {
        return static_cast<std::size_t>(std::lower_bound(stop_added.begin(), stop_added.end(), added) -
                                        stop_added.begin());
    };
    std::vector<std::pair<std::size_t, OutputLine>> pending;
    for (const auto* rules : {&after.exclude, &after.user, &after.task, &after.filesystem})
        for (const KernelRule& rule : *rules) pending.emplace_back(rank(rule.added), OutputLine{&rule});
    if (before.settings.enabled && rank(before.enabled_at) < stop_added.size())
        pending.emplace_back(rank(before.enabled_at), OutputLine{});
    std::stable_sort(pending.begin(), pending.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

    std::vector<OutputLine> lines;
    auto next = pending.begin();
    const auto write_up_to = [&](std::size_t last_rank) {
        for (; next != pending.end() && next->first <= last_rank; ++next) lines.push_back(next->second);
    };
    write_up_to(0);
    for (const KernelRule& rule : after.filter) {
        for (const NamedObject& object : fallible_objects(rule))
            if (const auto stop = stops.find(object); stop != stops.end()) write_up_to(stop->second);
        lines.push_back({&rule});
    }
    write_up_to(stop_added.size());
    return lines;
}

std::optional<std::string> order_not_kept(const KernelState& before) {
    if (before.errors_ignored_from) return std::nullopt;
    const std::vector<const KernelRule*> order = in_loading_order(before);
    const std::vector<LoadingStop> stops = loading_stops(before, order);
    if (stops.empty()) return std::nullopt;
    const std::string first = to_string(stops.front().object);
    if (before.deleted_own)
        return fmt::format(
            "rules are added and deleted again, and loading can stop in between (where {} is missing); -c at the top "
            "of the "
            "file makes it go on",
            first);
    const std::uint32_t stop = order[stops.front().position]->added;
    std::uint32_t last = 0;
    for (const KernelRule& rule : before.filter) {
        if (rule.added < last && last > stop)
            return fmt::format(
                "a rule is put in front of others (-A) behind one at which loading can stop (where {} is missing): "
                "written in "
                "the order of the walk, other rules would be loaded there; use -a in that order, or -c at the top of "
                "the file",
                first);
        last = std::max(last, rule.added);
    }
    return std::nullopt;
}

void number_as_output(const KernelState& before, KernelState& after) {
    std::map<const KernelRule*, std::uint32_t> numbers;
    after.enabled_at = static_cast<std::uint32_t>(after.rule_count());
    for (const OutputLine& line : output_order(before, after)) {
        const auto number = static_cast<std::uint32_t>(numbers.size());
        if (line.rule == nullptr)
            after.enabled_at = number;
        else
            numbers.emplace(line.rule, number);
    }
    for (auto* rules : {&after.exclude, &after.user, &after.task, &after.filesystem, &after.filter})
        for (KernelRule& rule : *rules) rule.added = numbers.at(&rule);
    if (after.errors_ignored_from) after.errors_ignored_from = 0;  // -i and -c come first
}

}  // namespace auopt
