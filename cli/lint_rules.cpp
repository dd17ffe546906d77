#include "cli/lint_rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "lint/lint.hpp"

namespace auopt {
namespace {

using Line = std::pair<std::uint32_t, std::uint32_t>;
Line line_key(const Span& span) { return {span.file.value, span.line}; }

bool is_load_error(const Diagnostic& d) {
    // An id of an error stays what it is where -i or -c makes a warning of it.
    if (const IdRow* row = find_id(d.id)) return row->level == Level::error;
    return d.id >= "AU091" && d.id <= "AU099";  // the kernel's refusals (kernel_model/load.cpp)
}

/// Lines in the order in which auditctl meets them (of several files, and of what augenrules hoists and sinks).
class LineOrder {
public:
    explicit LineOrder(const std::vector<InputLine>& lines) {
        for (std::size_t i = 0; i < lines.size(); ++i) order_.emplace(line_key(lines[i].span), i);
    }
    std::size_t of(const Span& span) const {
        const auto at = order_.find(line_key(span));
        return at == order_.end() ? order_.size() : at->second;
    }

private:
    std::map<Line, std::size_t> order_;
};

/// Where loading ends. auditctl sends each line before it reads the next, so that what the kernel refuses comes before
/// what auditctl itself would refuse further down, though reading is done first here.
std::optional<Span> first_stop(const Diagnostics& strict, const LineOrder& order) {
    const Diagnostic* first = nullptr;
    for (const Diagnostic& d : strict.items()) {
        if (d.level != Level::error) continue;
        if (first == nullptr || order.of(d.span) < order.of(first->span)) first = &d;
    }
    if (first == nullptr) return std::nullopt;
    return first->span;
}

/// Says at the line where loading stops how much is lost behind it.
void tell_what_is_lost(const Program& whole, const Span& stop, const LineOrder& order, LintOutcome& outcome) {
    bool lock_lost = false;
    for (const Message& message : whole.messages) {
        if (order.of(message.source) <= order.of(stop)) continue;
        outcome.rules_behind_stop += std::holds_alternative<AddRule>(message.body) ? 1 : 0;
        if (const auto* set = std::get_if<SetStatus>(&message.body))
            lock_lost = lock_lost || (set->mask == 1 && set->value == 2);
    }
    const std::size_t lost = outcome.rules_behind_stop;
    for (Diagnostic& d : outcome.diagnostics.items()) {
        if (line_key(d.span) != line_key(stop) || d.level != Level::error) continue;
        std::string note = "loading stops here";
        if (lost != 0) note += fmt::format(": {} later rule{} never loaded", lost, lost == 1 ? " is" : "s are");
        if (lock_lost) note += lost != 0 ? ", nor is the -e 2 lock applied" : ": the -e 2 lock is never applied";
        d.notes.push_back({std::nullopt, std::move(note)});
        return;
    }
}

std::vector<RefusedLine> refused_lines(const Diagnostics& diagnostics, const std::optional<Span>& stop,
                                       const LineOrder& order) {
    std::vector<const Diagnostic*> refusals;
    for (const Diagnostic& d : diagnostics.items()) {
        if (is_load_error(d) && (!stop || order.of(d.span) <= order.of(*stop))) refusals.push_back(&d);
    }
    std::stable_sort(refusals.begin(), refusals.end(),
                     [&](const Diagnostic* a, const Diagnostic* b) { return order.of(a->span) < order.of(b->span); });
    std::vector<RefusedLine> lost;
    std::set<Line> seen;
    for (const Diagnostic* d : refusals) {
        if (seen.insert(line_key(d->span)).second) lost.push_back({d->span, d->message});
    }
    return lost;
}

}  // namespace

LintOutcome lint_rules(const Inputs& inputs, const Setting& setting, bool suppressions) {
    LintOutcome outcome;
    const LineOrder order(inputs.all_lines());
    std::optional<Span> stop;
    // As auditctl would go: is there a line where it stops?
    Diagnostics strict;
    LoadedRules loaded = load_rules(inputs, setting, false, strict);
    outcome.some_refused = loaded.some_refused();
    outcome.would_stop = !loaded.would_load();
    if (!outcome.would_stop) {
        outcome.diagnostics = std::move(strict);
    } else {
        // The same again, past that line, so that one run shows everything.
        CompileOptions options = setting.compile;
        options.continue_on_error = true;
        loaded = load_rules(inputs, options, setting.assume_listed_watches, false, outcome.diagnostics);
        for (Diagnostic& d : outcome.diagnostics.items()) {
            if (d.level == Level::warning && is_load_error(d)) d.level = Level::error;
        }
        stop = first_stop(strict, order);
        // What a kernel holds is not loaded line by line.
        if (stop && !inputs.held()) tell_what_is_lost(loaded.program, *stop, order, outcome);
    }
    outcome.lost = refused_lines(outcome.diagnostics, stop, order);

    LintContext context{inputs.sources,    inputs.lines, setting.compile,       loaded.program,
                        loaded.load.state, {},           setting.target.writing};
    if (inputs.held()) context.versions.clear();  // what is held was read by nobody
    if (outside_tables(setting).empty()) context.kernels = setting.target.cost_kernels();
    context.classes_may_grow =
        std::any_of(setting.target.kernels.begin(), setting.target.kernels.end(),
                    [](const TargetKernel& k) { return !k.measured || k.tables->name != "linux-6.1"; });
    Diagnostics found;
    run_checks(context, found);
    // AU101 says what AU048 says, and more.
    std::set<Line> told;
    for (const Diagnostic& d : found.items()) {
        if (d.id == ids::missing_arch) told.insert(line_key(d.span));
    }
    std::erase_if(outcome.diagnostics.items(),
                  [&](const Diagnostic& d) { return d.id == ids::arch_mismatch && told.contains(line_key(d.span)); });
    for (Diagnostic& d : found.items()) outcome.diagnostics.add(std::move(d));
    if (suppressions) outcome.suppressed = apply_suppressions(inputs.sources, outcome.diagnostics);
    outcome.unknown_watches =
        static_cast<std::size_t>(std::count_if(loaded.load.state.filter.begin(), loaded.load.state.filter.end(),
                                               [](const KernelRule& r) { return r.watch_kind_unknown; }));
    return outcome;
}

}  // namespace auopt
