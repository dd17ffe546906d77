// -k and -F key=: all keys of a line are joined with byte 0x01 and become the rule's last test.
#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

namespace {

/// False, and reported, when it is too long or, to some versions, holds the separator.
bool key_is_fine(LineState& state, const Argument& argument, std::size_t bytes_before) {
    if (bytes_before + argument.text.size() > max_key_bytes) {
        state.fail(ids::bad_key, argument.span,
                   fmt::format("all keys of a rule take at most {} bytes together", max_key_bytes));
        return false;
    }
    const auto at = argument.text.find(key_separator);
    if (at == std::string_view::npos) return true;
    if (state.features.keys_checked) {
        state.fail(ids::bad_key, argument.part(at, 1), "a key cannot hold byte 0x01");
        return false;
    }
    state.warn(ids::key_separator, argument.part(at, 1), "byte 0x01 in a key makes it two keys");
    return true;
}

}  // namespace

bool request_key_is_fine(LineState& state, const Argument& argument) {
    return !state.features.keys_checked || key_is_fine(state, argument, 0);
}

void apply_key(LineState& state, const Argument& argument, bool from_field) {
    if (!from_field) {
        const bool possible = state.syscalls_added || state.perm_added || state.exe_added || state.fstype_added;
        if (!possible || (!state.add && !state.del)) {
            state.fail(ids::key_without_test, argument.span,
                       "-k needs system calls, a watch, or a perm, path, dir or exe test before it on the line",
                       "put -k last; add `-S all` if every system call is meant");
            return;
        }
    }
    if (!key_is_fine(state, argument, state.key.empty() ? 0 : state.key.size() + 1)) return;
    if (argument.text.size() > 1 && argument.text[0] == '-') {
        state.warn(ids::key_like_option, argument.span,
                   fmt::format("the key is `{}`, which looks like an option", argument.text),
                   "-k takes the next word whatever it is; write the key directly after -k");
    }
    if (!state.key.empty()) state.key += key_separator;
    state.key += argument.text;
    state.key_span = argument.span;
}

void finish_key(LineState& state) {
    // auditctl builds the text of a field test and reads it again, so the key must survive that.
    const std::string text = "key=" + state.key;
    const Argument argument{text, state.key_span};
    const auto split = split_field(text);
    if (split && split->name.text != "key") {
        state.fail(ids::bad_key, state.key_span,
                   fmt::format("a key cannot hold `{}`: auditctl reads it as an operator", operator_text(split->op)));
        return;
    }
    add_field(state, argument, state.list().value_or(0));
}

}  // namespace auopt
