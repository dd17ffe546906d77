// -e -f -r -b --backlog_wait_time: one member of struct audit_status.
#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

void apply_setting(LineState& state, std::string_view name, std::uint32_t mask, const Argument& argument) {
    const bool word = mask == 0x1 || mask == 0x2;
    if (word) {
        if (argument.text != "0" && argument.text != "1" && argument.text != "2") {
            state.fail(ids::bad_setting, argument.span, fmt::format("{} takes 0, 1 or 2", name));
            return;
        }
        state.send(SetStatus{mask, static_cast<std::uint32_t>(argument.text[0] - '0')});
        return;
    }
    if (!starts_with_digit(argument.text)) {
        state.fail(ids::bad_setting, argument.span, fmt::format("{} takes a number that starts with a digit", name));
        return;
    }
    if (parse_c_number(argument.text, state.features.binary_numbers).overflow) {
        state.fail(ids::bad_setting, argument.span, "the number does not fit in 64 bits");
        return;
    }
    state.send(SetStatus{mask, read_number(state, argument, 0, argument.text, false)});
}

}  // namespace auopt
