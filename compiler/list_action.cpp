// -a, -A, -d: one list and one action with a comma between, in either order.
#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

namespace {

enum class ActionWord { no, possible, never, always };

ActionWord action_word(std::string_view word) {
    if (word == "always") return ActionWord::always;
    if (word == "never") return ActionWord::never;
    if (word == "possible") return ActionWord::possible;
    return ActionWord::no;
}

std::optional<std::uint32_t> list_word(const Features& features, std::string_view word) {
    const std::string name = features.lists_any_case ? ascii_lower(word) : std::string(word);
    if (name == "exit") return 4;
    if (name == "task") return 1;
    if (name == "user") return 0;
    if (name == "exclude") return 5;
    if (name == "filesystem") return 6;
    if (name == "io_uring" && features.last_io_uring_op != 0) return 7;
    return std::nullopt;
}

/// What the words were meant to be, for the help line.
std::string bad_words_help(const Features& features, const Argument& argument) {
    const std::string lower = ascii_lower(argument.text);
    if (lower != argument.text && !features.lists_any_case) return "write the words in lower case";
    if (lower.find("entry") != std::string::npos) return "the entry list is gone; use exit";
    if (lower.find("io_uring") != std::string::npos && features.last_io_uring_op == 0)
        return "auditctl knows the io_uring list from 3.1 on; an exit rule in its place records other events";
    return features.last_io_uring_op == 0
               ? "write -a always,exit (lists: task, exit, user, exclude, filesystem; actions: always, never)"
               : "write -a always,exit (lists: task, exit, user, exclude, filesystem, io_uring; actions: always, "
                 "never)";
}

}  // namespace

void apply_list_action(LineState& state, char option, const Argument& argument) {
    const Features& features = state.features;
    if (option != 'd' && state.syscalls_added && argument.text.find("task") != std::string_view::npos) {
        state.fail(ids::syscalls_not_on_list, argument.span, "the task list has no system calls to select");
        return;
    }
    if (++state.list_actions != 1) {
        state.fail(ids::second_list_action, argument.span, "the line has already named a list and an action");
        return;
    }
    const auto refuse = [&](Span span, const std::string& what) {
        state.fail(ids::bad_list_action, span, what, bad_words_help(features, argument));
    };

    const auto pair = parse_pair(argument.text);
    if (!pair) {
        refuse(argument.span, "a list and an action with one comma between are wanted here");
        return;
    }
    std::optional<std::uint32_t>& list = option == 'd' ? state.del : state.add;
    const auto name_list = [&](std::string_view word) {
        const auto number = list_word(features, word);
        if (number) {
            list = *number;
            if (*number == 5) state.exclude_named = true;
        }
        return number.has_value();
    };
    const auto swallow = [&] {
        state.running = Running::swallow;
        state.ended_early = (option != 'A' || features.prepended_possible_ends_line) &&
                            (option != 'd' || features.deleted_possible_ends_line);
        state.warn(ids::deprecated_possible, argument.span, "the action possible is gone: this line loads nothing");
    };

    const Word& first = pair->first;
    const Word& second = pair->second;
    const ActionWord first_action = action_word(first.text);
    if (first_action == ActionWord::always) state.action = Action::always;
    if (first_action == ActionWord::never) state.action = Action::never;
    if (first_action == ActionWord::possible && features.possible_first_swallowed) {
        swallow();
        return;
    }
    if (first_action == ActionWord::no) {  // `possible` passes as an action and sets none
        if (!name_list(first.text)) {
            refuse(argument.part(first.offset, first.text.size()),
                   fmt::format("`{}` is neither a list nor an action here", first.text));
            return;
        }
    }
    const Span second_span = argument.part(second.offset, second.text.size());
    if (!list) {
        if (!name_list(second.text)) {
            if (features.second_list_unchecked) {
                list = no_such_list;  // built and left to the kernel, which refuses it
            } else {
                refuse(second_span, fmt::format("`{}` is no list", second.text));
                return;
            }
        }
    } else {
        const ActionWord second_action = action_word(second.text);
        if (second_action == ActionWord::possible) {
            swallow();
            return;
        }
        if (second_action == ActionWord::no) {
            refuse(second_span, fmt::format("`{}` is no action", second.text));
            return;
        }
        state.action = second_action == ActionWord::always ? Action::always : Action::never;
    }
    if (!state.action) {
        refuse(argument.span, "no action is named");
        return;
    }
    if (option == 'A') {
        if (features.prepend_deletes) {  // a bug of these versions: the rule is deleted instead
            state.del = *state.add | prepend_flag;
            state.add.reset();
        } else {
            *state.add |= prepend_flag;
        }
    }
    state.running = Running::send;
}

}  // namespace auopt
