// -w, -W: a watch on a path, and -p, its permissions.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

namespace {

constexpr std::size_t max_path_bytes = 4096;  // PATH_MAX, the final NUL included
constexpr std::size_t max_name_bytes = 255;
constexpr std::uint32_t all_permissions = 15;

/// The last component as POSIX basename() cuts it, trailing slashes aside.
std::string_view last_component(std::string_view path) {
    const std::size_t end = path.find_last_not_of('/');
    if (end == std::string_view::npos) return "/";
    path = path.substr(0, end + 1);
    return path.substr(path.find_last_of('/') + 1);
}

bool check_path(LineState& state, const Argument& argument) {
    const std::string_view path = argument.text;
    if (path.size() >= max_path_bytes) {
        state.fail(ids::bad_watch_path, argument.span,
                   fmt::format("a watched path has at most {} bytes", max_path_bytes - 1));
        return false;
    }
    if (path.empty() || path[0] != '/') {
        const bool quoted = !path.empty() && (path[0] == '"' || path[0] == '\'');
        state.fail(ids::bad_watch_path, argument.span, "a watched path starts with /",
                   quoted ? "quotes are ordinary bytes here; escape spaces with a backslash" : "");
        return false;
    }
    const std::string_view last = last_component(path);
    if (last.size() > max_name_bytes) {
        state.fail(ids::bad_watch_path, argument.part(static_cast<std::size_t>(last.data() - path.data()), last.size()),
                   fmt::format("a file name has at most {} bytes", max_name_bytes));
        return false;
    }
    if (const auto at = path.find(".."); at != std::string_view::npos) {
        state.warn(ids::watch_pattern, argument.part(at, 2), "`..` in a watch is followed once, when the rule loads");
    }
    if (const auto at = path.find_first_of("*?"); at != std::string_view::npos) {
        state.warn(ids::watch_pattern, argument.part(at, 1), "a watch knows no patterns: this byte is part of the name",
                   "watch the directory instead");
    }
    return true;
}

std::string without_trailing_slashes(std::string_view path) {
    std::size_t length = path.size();
    if (length > 2) {
        while (length > 1 && path[length - 1] == '/') --length;
    }
    return std::string(path.substr(0, length));
}

}  // namespace

void apply_watch(LineState& state, char option, const Argument& argument) {
    if (option == 'w' && (state.add || state.del)) {
        state.fail(ids::watch_in_rule, argument.span, "the line has already begun a rule",
                   "use -F path= or -F dir= with -F perm= in a rule that starts with -a");
        return;
    }
    (option == 'w' ? state.add : state.del) = 4;
    state.action = Action::always;
    state.syscalls_added = true;
    if (!check_path(state, argument)) return;

    const bool begun = !state.rule.tests.empty() || (state.features.watch_needs_empty_rule && !state.rule.mask.none());
    if (begun) {
        state.fail(ids::watch_in_rule, argument.span, "a watch must be the first thing in its rule");
        return;
    }
    const Facts& facts = state.options.facts;
    const PathKind kind = path_kind(facts, argument.text);
    state.rule.watch_kind_unknown = kind == PathKind::unknown;
    FieldTest watched;
    watched.field = kind == PathKind::directory ? Field::dir : Field::path;
    watched.text = without_trailing_slashes(argument.text);
    FieldTest perm;
    perm.field = Field::perm;
    perm.value = all_permissions;
    state.rule.mask = SyscallMask::all();
    state.rule.tests = {std::move(watched), perm};
    state.perm_added = true;
    state.running = Running::send;
}

void apply_permissions(LineState& state, const Argument& argument) {
    if (!state.add && !state.del) {
        state.fail(ids::permissions_without_watch, argument.span,
                   "permissions come before anything they could apply to", "put -w PATH before -p");
        return;
    }
    const Permissions perms = parse_permissions(argument.text);
    if (!perms.bits) {
        state.fail(ids::bad_permissions, argument.part(perms.bad_offset, 1),
                   "permissions are at most four of the letters r, w, x and a");
        return;
    }
    auto& tests = state.rule.tests;
    if (tests.empty()) {
        state.fail(ids::permissions_without_watch, argument.span,
                   "the rule has no test yet that permissions could go with");
        return;
    }
    bool found = false;
    for (auto& test : tests) {
        if (test.field != Field::perm) continue;
        test.value = *perms.bits;
        found = true;
    }
    if (!found) {
        if (tests.size() >= max_rule_fields) {
            state.fail(ids::too_many_fields, argument.span,
                       fmt::format("the rule already has {} tests", max_rule_fields));
            return;
        }
        FieldTest perm;
        perm.field = Field::perm;
        perm.value = *perms.bits;
        tests.push_back(perm);
    }
    state.perm_added = true;
    state.running = Running::send;
}

}  // namespace auopt
