#include "cli/streams.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "report/printable.hpp"

namespace auopt {

bool put_out(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

void put_err(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

bool put_rules(std::string_view text) { return isatty(1) == 1 ? put_out(terminal_text(text)) : put_out(text); }

void put_rules_err(std::string_view text) {
    if (isatty(2) == 1)
        put_err(terminal_text(text));
    else
        put_err(text);
}

bool use_color(ColorMode mode, int fd) {
    if (mode != ColorMode::automatic) return mode == ColorMode::always;
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color != nullptr && *no_color != '\0') return false;
    const char* term = std::getenv("TERM");
    if (term != nullptr && std::string_view(term) == "dumb") return false;
    return isatty(fd) == 1;
}

void report_to_stderr(const CommonOptions& common, const Sources& sources, Diagnostics diagnostics) {
    if (common.quiet) {
        std::erase_if(diagnostics.items(), [](const Diagnostic& d) { return d.level != Level::error; });
    }
    RenderOptions options;
    options.color = use_color(common.color, 2);
    options.max_shown = common.verbose ? 0 : 20;
    if (common.format == Format::gcc) options.format = DiagnosticFormat::gcc;
    if (common.format == Format::github) options.format = DiagnosticFormat::github;
    put_err(render_diagnostics(sources, diagnostics, options));
}

int fail(std::string_view verb, int code, std::string_view message) {
    put_err(fmt::format("auopt {}: {}\n", verb, printable_text(message)));
    return code;
}

void tell_target(const CommonOptions& common, const Target& target) {
    const bool chosen = target.origin == TargetOrigin::flag || target.origin == TargetOrigin::nobody;
    if (!common.quiet && !chosen) put_err(fmt::format("target {}\n", printable_text(asked_name(target))));
}

}  // namespace auopt
