#include "report/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "report/printable.hpp"

namespace auopt {

std::string_view level_name(Level level) {
    switch (level) {
        case Level::note:
            return "note";
        case Level::info:
            return "info";
        case Level::warning:
            return "warning";
        case Level::error:
            return "error";
    }
    return "error";
}

void sort_diagnostics(Diagnostics& diagnostics) {
    std::stable_sort(diagnostics.items().begin(), diagnostics.items().end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                         return std::tuple(a.span.file.value, a.span.line, a.span.column) <
                                std::tuple(b.span.file.value, b.span.line, b.span.column);
                     });
}

std::vector<std::size_t> choose_shown(const Diagnostics& diagnostics, std::size_t max_shown) {
    std::vector<std::size_t> order(diagnostics.items().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (max_shown == 0 || order.size() <= max_shown) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return diagnostics.items()[a].level > diagnostics.items()[b].level;
    });
    order.resize(max_shown);
    std::sort(order.begin(), order.end());
    return order;
}

std::string count_line(const Diagnostics& diagnostics) {
    std::string line;
    for (const Level level : {Level::error, Level::warning, Level::info}) {
        const std::size_t n = diagnostics.count(level);
        if (n == 0) continue;
        if (!line.empty()) line += ", ";
        line += level == Level::info ? fmt::format("{} info", n)
                                     : fmt::format("{} {}{}", n, level_name(level), n == 1 ? "" : "s");
    }
    return line;
}

std::string suppression_text(const Sources& sources, const SuppressedFinding& suppressed) {
    const Span& at = suppressed.finding.span;
    return fmt::format("{}:{}: {} ({})", printable_text(sources.name(at.file)), at.line, suppressed.finding.id,
                       printable_text(suppressed.reason));
}

std::string render_diagnostics(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options,
                               const std::vector<SuppressedFinding>& suppressed) {
    switch (options.format) {
        case DiagnosticFormat::text:
            return render_text(sources, diagnostics, options);
        case DiagnosticFormat::gcc:
            return render_gcc(sources, diagnostics, options);
        case DiagnosticFormat::json:
            return render_json(sources, diagnostics, suppressed);
        case DiagnosticFormat::sarif:
            return render_sarif(sources, diagnostics, suppressed);
        case DiagnosticFormat::github:
            return render_github(sources, diagnostics);
    }
    return {};
}

}  // namespace auopt
