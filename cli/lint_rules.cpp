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
    if (const IdRow* row = find_id(d.id)) return row->level == Level::error;
    return d.id >= "AU091" && d.id <= "AU099";  // the kernel's refusals (kernel_model/load.cpp)
}

/// Loading stops at the first refused line: says there how many rules are lost behind it.
void tell_what_is_lost(const Inputs& inputs, const Program& whole, const Span& stop, Diagnostics& diagnostics) {
    std::map<Line, std::size_t> order;
    for (std::size_t i = 0; i < inputs.lines.size(); ++i) order.emplace(line_key(inputs.lines[i].span), i);
    const auto at = order.find(line_key(stop));
    if (at == order.end()) return;
    std::size_t lost = 0;
    bool lock_lost = false;
    for (const Message& message : whole.messages) {
        const auto place = order.find(line_key(message.source));
        if (place == order.end() || place->second <= at->second) continue;
        lost += std::holds_alternative<AddRule>(message.body) ? 1 : 0;
        if (const auto* set = std::get_if<SetStatus>(&message.body))
            lock_lost = lock_lost || (set->mask == 1 && set->value == 2);
    }
    for (Diagnostic& d : diagnostics.items()) {
        if (line_key(d.span) != line_key(stop) || d.level != Level::error) continue;
        std::string note = "loading stops here";
        if (lost != 0) note += fmt::format(": {} later rule{} never loaded", lost, lost == 1 ? " is" : "s are");
        if (lock_lost) note += lost != 0 ? ", nor is the -e 2 lock applied" : ": the -e 2 lock is never applied";
        d.notes.push_back({std::nullopt, std::move(note)});
        return;
    }
}

}  // namespace

LintOutcome lint_rules(const Inputs& inputs, const Setting& setting) {
    LintOutcome outcome;
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
        const auto stop = std::find_if(strict.items().begin(), strict.items().end(),
                                       [](const Diagnostic& d) { return d.level == Level::error; });
        if (stop != strict.items().end()) tell_what_is_lost(inputs, loaded.program, stop->span, outcome.diagnostics);
    }

    LintContext context{inputs.sources,    inputs.lines, setting.compile,       loaded.program,
                        loaded.load.state, {},           setting.target.writing};
    if (inputs.held()) context.versions.clear();  // what is held was read by nobody
    if (outside_tables(setting).empty()) context.kernels = setting.target.cost_kernels();
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
    apply_suppressions(inputs.sources, outcome.diagnostics);
    outcome.unknown_watches =
        static_cast<std::size_t>(std::count_if(loaded.load.state.filter.begin(), loaded.load.state.filter.end(),
                                               [](const KernelRule& r) { return r.watch_kind_unknown; }));
    return outcome;
}

}  // namespace auopt
