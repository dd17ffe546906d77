#include "compiler/line.hpp"

#include <fmt/format.h>

namespace auopt {

Span Argument::part(std::size_t offset, std::size_t length) const {
    if (text.size() != span.length || offset > text.size()) return span;
    return Span{span.file, span.line, span.column + static_cast<std::uint32_t>(offset),
                static_cast<std::uint32_t>(length == 0 ? 1 : length)};
}

std::optional<std::uint32_t> LineState::list() const {
    if (add) return *add & list_mask;
    if (del) return *del & list_mask;
    return std::nullopt;
}

void LineState::fail(std::string_view id, Span span, std::string message, std::string help) {
    running = Running::error;
    diagnostics.push_back({std::string(id), Level::error, span, std::move(message), {}, std::move(help), {}});
}

void LineState::warn(std::string_view id, Span span, std::string message, std::string help) {
    diagnostics.push_back({std::string(id), Level::warning, span, std::move(message), {}, std::move(help), {}});
}

void LineState::send(const decltype(Message::body)& body) { messages.push_back(Message{body, line}); }

std::uint32_t read_number(LineState& state, const Argument& argument, std::size_t offset, std::string_view text,
                          bool is_signed, bool octal_expected) {
    const CNumber number = parse_c_number(text, state.features.binary_numbers);
    const auto value =
        static_cast<std::uint32_t>(is_signed ? static_cast<std::uint64_t>(number.as_signed()) : number.as_unsigned());
    const Span span = argument.part(offset, text.size());
    if (number.length < text.size()) {
        state.warn(ids::value_reads_differently, span,
                   fmt::format("the number ends before the word does: it is read as {}", value));
    } else if (number.overflow || number.magnitude > 0xFFFFFFFF) {
        state.warn(ids::value_reads_differently, span,
                   fmt::format("the number does not fit in 32 bits: it is read as {}", value));
    } else if (!octal_expected && number.magnitude > 7 && number.length > 1 &&
               text.find_first_not_of("-+") < text.size() && text[text.find_first_not_of("-+")] == '0' &&
               text.find_first_of(state.features.binary_numbers ? "xXbB" : "xX") == std::string_view::npos) {
        state.warn(ids::value_reads_differently, span,
                   fmt::format("a leading 0 makes the number octal: it is read as {}", value));
    }
    return value;
}

}  // namespace auopt
