// auopt: parses the command line and runs one verb. Nothing else happens here.
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/options.hpp"

int main(int argc, char** argv) {
    using namespace auopt;
    // A closed pipe or a file that may not grow is a write error that the verbs report, not a silent death half-way.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        const CommandLine line =
            parse_command_line(argc > 0 ? argv[0] : "auopt", {argv + (argc > 0 ? 1 : 0), argv + argc});
        std::fwrite(line.out.data(), 1, line.out.size(), stdout);
        std::fwrite(line.err.data(), 1, line.err.size(), stderr);
        if (!line.verb) return line.exit_code;
        return std::visit([](const auto& verb) { return run(verb); }, *line.verb);
    } catch (const std::bad_alloc&) {
        // Nothing was decided, and nothing is wrong with the program: a limit (ulimit -v, a control group) was met.
        std::fputs("auopt: out of memory; nothing was decided\n", stderr);
        return exit_unknown;
    } catch (const std::exception& error) {
        fmt::print(stderr,
                   "auopt: internal error: {}\nauopt: this is a bug; please report it with the command and the rules "
                   "that led here\n",
                   error.what());
        return exit_internal;
    }
}
