// The option scanner over any tokens: it ends, and what it hands out lies in the line.
#include "grammar/option_scanner.hpp"

#include "fuzz/check.hpp"

namespace {

// auditctl's letters; long names that are beginnings of each other.
const auopt::OptionTable table{"hicslDvt",
                               "CefrbaAdSFmRwWkpq",
                               {{"loginuid-immutable", 1, false},
                                {"backlog_wait_time", 2, true},
                                {"reset-lost", 3, false},
                                {"reset_backlog_wait_time_actual", 4, false},
                                {"signal", 5, true}}};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace auopt;
    using fuzz::check;
    const std::string text(data, data + size);
    const Span span{FileId{}, 1, 1, static_cast<std::uint32_t>(size)};
    const TokenLine line = tokenize(text, span, TokenLimit::none);
    OptionScanner scanner(line.tokens, table);
    std::size_t options = 0;
    while (const auto option = scanner.next()) {
        check(++options <= text.size(), "the scanner ends", text);
        check(scanner.index() >= 1 && scanner.index() <= scanner.count(), "the index is a token or the end", text);
        const auto inside = [&](const Span& s) {
            return s.line == 1 && s.column >= 1 && s.column - 1 + s.length <= text.size();
        };
        check(inside(option->name_span), "the name lies in the line", text);
        check(!option->argument || inside(option->argument_span), "the argument lies in the line", text);
        check(!option->name.empty(), "an option has a name", text);
    }
    // Permutation loses no token: options first, then the rest.
    check(scanner.count() == line.tokens.size() + 1, "every token is still there", text);
    for (std::size_t i = 1; i < scanner.count(); ++i)
        check(scanner.at(i) != nullptr, "every index has its token", text);
    check(scanner.at(0) == nullptr && scanner.at(scanner.count()) == nullptr, "nothing outside", text);
    return 0;
}
