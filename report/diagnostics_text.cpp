// The formats for people: text with carets, and one line each as gcc prints them.
#include <algorithm>

#include <fmt/format.h>

#include "report/diagnostics.hpp"
#include "report/printable.hpp"

namespace auopt {
namespace {

struct Palette {
    const char *bold, *red, *magenta, *cyan, *green, *reset;
};
constexpr Palette plain{"", "", "", "", "", ""};
constexpr Palette ansi{"\x1b[1m", "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m", "\x1b[1;32m", "\x1b[0m"};

const char* level_color(const Palette& p, Level level) {
    switch (level) {
        case Level::error:
            return p.red;
        case Level::warning:
            return p.magenta;
        default:
            return p.cyan;
    }
}

std::string place(const Sources& sources, const Span& span) {
    const std::string name = printable_text(sources.name(span.file));
    if (span.line == 0) return name;
    if (span.column == 0) return fmt::format("{}:{}", name, span.line);
    return fmt::format("{}:{}:{}", name, span.line, span.column);
}

/// Notes point at whole lines.
std::string line_place(const Sources& sources, const Span& span) {
    return place(sources, Span{span.file, span.line, 0, 0});
}

void append_rest(std::string& out, std::size_t hidden) {
    if (hidden != 0) out += fmt::format("... and {} more (auopt lint -v shows all)\n", hidden);
}

}  // namespace

std::string render_text(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options) {
    const Palette& p = options.color ? ansi : plain;
    std::string out;
    const auto shown = choose_shown(diagnostics, options.max_shown);
    for (const std::size_t index : shown) {
        const Diagnostic& d = diagnostics.items()[index];
        out += fmt::format("{}{}:{} {}{}[{}]{}: {}{}{}\n", p.bold, place(sources, d.span), p.reset,
                           level_color(p, d.level), level_name(d.level), d.id, p.reset, p.bold,
                           printable_text(d.message), p.reset);
        if (d.span.line != 0) {
            const std::string number = std::to_string(d.span.line);
            const std::size_t gutter = std::max<std::size_t>(5, number.size() + 1);
            const std::string_view line = sources.line(d.span.file, d.span.line);
            const std::size_t from = d.span.column == 0 ? 0 : d.span.column - 1;
            const Excerpt e =
                excerpt_line(line, from, from + std::max<std::uint32_t>(1, d.span.length), options.line_width);
            out += fmt::format("{:>{}} | {}\n", number, gutter, e.text);
            if (d.span.column != 0) {
                out += fmt::format("{:>{}} | {}{}{}{}\n", "", gutter, std::string(e.mark_column, ' '),
                                   level_color(p, d.level), std::string(e.mark_width, '^'), p.reset);
            }
        }
        for (const Note& note : d.notes) {
            out += fmt::format("   {}note:{} {}{}\n", p.cyan, p.reset,
                               note.span ? line_place(sources, *note.span) + ": " : std::string(),
                               printable_text(note.message));
        }
        if (!d.help.empty()) out += fmt::format("   {}help:{} {}\n", p.green, p.reset, printable_text(d.help));
    }
    append_rest(out, diagnostics.items().size() - shown.size());
    return out;
}

std::string render_gcc(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options) {
    std::string out;
    const auto shown = choose_shown(diagnostics, options.max_shown);
    for (const std::size_t index : shown) {
        const Diagnostic& d = diagnostics.items()[index];
        // gcc knows no "info"; log readers take note for it.
        const std::string_view level = d.level == Level::info ? "note" : level_name(d.level);
        out += fmt::format("{}: {}: {} [{}]\n", place(sources, d.span), level, printable_text(d.message), d.id);
        for (const Note& note : d.notes) {
            out +=
                fmt::format("{}: note: {}\n", place(sources, note.span.value_or(d.span)), printable_text(note.message));
        }
    }
    append_rest(out, diagnostics.items().size() - shown.size());
    return out;
}

}  // namespace auopt
