// Diagnostics as a person, a compiler log reader, a JSON consumer, a SARIF viewer or a GitHub job reads them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "grammar/diagnostic.hpp"
#include "grammar/source.hpp"

namespace auopt {

enum class DiagnosticFormat { text, gcc, json, sarif, github };

struct RenderOptions {
    DiagnosticFormat format = DiagnosticFormat::text;
    bool color = false;
    /// Text and gcc: at most this many are shown, the worst first chosen, and the rest counted. 0: all.
    std::size_t max_shown = 0;
    std::size_t line_width = 120;  // of an excerpt, in columns
};

std::string_view level_name(Level level);

/// Orders by file, line, column; stable.
void sort_diagnostics(Diagnostics& diagnostics);

/// The whole output, newline-terminated; "" for text formats without diagnostics.
std::string render_diagnostics(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options);

/// "2 errors, 1 warning"; "" when there is nothing.
std::string count_line(const Diagnostics& diagnostics);

// One renderer per format, each in a file of its own.
std::string render_text(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options);
std::string render_gcc(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options);
std::string render_json(const Sources& sources, const Diagnostics& diagnostics);
std::string render_sarif(const Sources& sources, const Diagnostics& diagnostics);
std::string render_github(const Sources& sources, const Diagnostics& diagnostics);

/// Indices of the diagnostics to show, in order, when only `max_shown` may be (0: all).
std::vector<std::size_t> choose_shown(const Diagnostics& diagnostics, std::size_t max_shown);

}  // namespace auopt
