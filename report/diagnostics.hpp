// Diagnostics as a person, a compiler log reader, a JSON consumer, a SARIF viewer or a GitHub job reads them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/diagnostic.hpp"
#include "grammar/source.hpp"
#include "lint/lint.hpp"

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

/// The whole output, newline-terminated; "" for text formats without diagnostics. Both lists sorted.
std::string render_diagnostics(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options,
                               const std::vector<SuppressedFinding>& suppressed = {});

/// "2 errors, 1 warning"; "" when there is nothing.
std::string count_line(const Diagnostics& diagnostics);

/// "in.rules:4: AU102 (no 32-bit programs here)"
std::string suppression_text(const Sources& sources, const SuppressedFinding& suppressed);

// One renderer per format, each in a file of its own. JSON and SARIF list what is suppressed too, marked as such with
// the reason; the others know nothing of it.
std::string render_text(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options);
std::string render_gcc(const Sources& sources, const Diagnostics& diagnostics, const RenderOptions& options);
std::string render_json(const Sources& sources, const Diagnostics& diagnostics,
                        const std::vector<SuppressedFinding>& suppressed = {});
std::string render_sarif(const Sources& sources, const Diagnostics& diagnostics,
                         const std::vector<SuppressedFinding>& suppressed = {});
std::string render_github(const Sources& sources, const Diagnostics& diagnostics);

/// Indices of the diagnostics to show, in order, when only `max_shown` may be (0: all).
std::vector<std::size_t> choose_shown(const Diagnostics& diagnostics, std::size_t max_shown);

}  // namespace auopt
