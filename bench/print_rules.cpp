// Prints the generated rule set of N rules, for the comparison with auditctl.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "bench/generate.hpp"

int main(int argc, char** argv) {
    const unsigned long rules = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
    if (rules == 0 || rules > 1'000'000) {
        std::fputs("usage: print_rules N\n", stderr);
        return EXIT_FAILURE;
    }
    const std::string text = auopt::generate_rules(static_cast<unsigned>(rules));
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? EXIT_SUCCESS : EXIT_FAILURE;
}
