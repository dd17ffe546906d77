// -S: system calls into the mask, by the table of the rule's arch; and the calls that later auditctl versions
// put in place of -F perm=.
#include <array>

#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

namespace {

constexpr unsigned mask_bits = 2048;
constexpr unsigned first_class_bit = 2032;

std::optional<unsigned> call_number(const Features& features, std::string_view name, Machine machine) {
    std::string lower = ascii_lower(name);
    if (features.old_timerfd_name) {
        if (lower == "timerfd_create") return std::nullopt;
        if (lower == "timerfd") lower = "timerfd_create";
    }
    return syscall_number(lower, machine, features.names);
}

std::optional<unsigned> io_uring_number(const Features& features, std::string_view name) {
    const auto number = io_uring_op_number(name);
    if (!number || *number > features.last_io_uring_op) return std::nullopt;
    if (*number == 47 && !features.send_zc_op) return std::nullopt;
    return number;
}

/// `all` of the io_uring list: the operations with a name below 37.
void add_all_io_uring(SyscallMask& mask) {
    for (const unsigned op : {9U, 10U, 13U, 16U, 17U, 18U, 19U, 28U, 34U, 35U, 36U}) mask.set(op);
}

/// Adds one item; false when it is unknown.
bool add_item(const Features& features, SyscallMask& mask, std::string_view item, Machine machine, bool io_uring) {
    if (item == "all") {
        if (io_uring) {
            add_all_io_uring(mask);
        } else {
            mask = SyscallMask::all();
        }
        return true;
    }
    std::optional<unsigned> number = io_uring ? io_uring_number(features, item) : call_number(features, item, machine);
    if (!number && starts_with_digit(item)) {
        const auto value = static_cast<std::int32_t>(
            static_cast<std::uint32_t>(parse_c_number(item, features.binary_numbers).as_signed()));
        if (value >= 0) number = static_cast<unsigned>(value);
    }
    if (!number || *number >= mask_bits) return false;
    mask.set(*number);
    return true;
}

struct Replacement {
    std::string_view call, instead;
};
// What programs make where a machine lacks a call: younger architectures (aarch64) have the forms with a directory only,
// 64-bit ones need no forms for large files and 32-bit ids.
constexpr Replacement replacements[] = {
    {"open", "openat"},
    {"creat", "openat"},
    {"mkdir", "mkdirat"},
    {"rmdir", "unlinkat"},
    {"unlink", "unlinkat"},
    {"rename", "renameat"},
    {"link", "linkat"},
    {"symlink", "symlinkat"},
    {"readlink", "readlinkat"},
    {"mknod", "mknodat"},
    {"chmod", "fchmodat"},
    {"chown", "fchownat"},
    {"lchown", "fchownat"},
    {"access", "faccessat"},
    {"stat", "newfstatat"},
    {"lstat", "newfstatat"},
    {"utime", "utimensat"},
    {"utimes", "utimensat"},
    {"futimesat", "utimensat"},
    {"pipe", "pipe2"},
    {"dup2", "dup3"},
    {"fork", "clone"},
    {"vfork", "clone"},
    {"select", "pselect6"},
    {"poll", "ppoll"},
    {"epoll_create", "epoll_create1"},
    {"epoll_wait", "epoll_pwait"},
    {"inotify_init", "inotify_init1"},
    {"eventfd", "eventfd2"},
    {"signalfd", "signalfd4"},
    {"getdents", "getdents64"},
    {"stime", "clock_settime"},
    {"umount", "umount2"},
    {"truncate64", "truncate"},
    {"ftruncate64", "ftruncate"},
    {"chown32", "chown"},
    {"fchown32", "fchown"},
    {"lchown32", "lchown"},
    {"fstatat64", "newfstatat"},
    {"setuid32", "setuid"},
    {"setgid32", "setgid"},
    {"setreuid32", "setreuid"},
    {"setregid32", "setregid"},
    {"setresuid32", "setresuid"},
    {"setresgid32", "setresgid"},
};

/// "; unlinkat does it there", or nothing.
std::string instead_of(const Features& features, std::string_view item, Machine machine) {
    const std::string lower = ascii_lower(item);
    for (const Replacement& r : replacements)
        if (r.call == lower && call_number(features, r.instead, machine))
            return fmt::format("; there it is {}", r.instead);
    return {};
}

std::string unknown_call_help(const Features& features, std::string_view item, Machine machine) {
    if (const auto number = syscall_number(item, machine); number && !syscall_number(item, machine, features.names)) {
        return fmt::format("auditctl {} does not know the name yet; its number {} works", features.name, *number);
    }
    for (const Machine other : {Machine::x86_64, Machine::i386}) {
        if (other != machine && call_number(features, item, other)) {
            return fmt::format("{} has this call, {} has not{}", machine_name(other), machine_name(machine),
                               instead_of(features, item, machine));
        }
    }
    return {};
}

/// The 32-bit reading of the same words: do the numbers differ?
void warn_mismatch(LineState& state, const Argument& argument, const WordList& list, Machine guessed) {
    const Machine other = machine_companion(guessed);
    SyscallMask rebuilt;
    if (list.has_comma) {
        for (const auto& item : list.items) add_item(state.features, rebuilt, item.text, other, false);
    } else {
        add_item(state.features, rebuilt, argument.text, other, false);
    }
    const std::size_t words = state.features.mismatch_whole_mask ? mask_words : 16;
    for (std::size_t i = 0; i < words; ++i) {
        if (rebuilt.words[i] == state.rule.mask.words[i]) continue;
        state.warn(ids::arch_mismatch, argument.span,
                   fmt::format("without an arch these are the numbers of {}, and other calls in {} programs",
                               machine_name(guessed), machine_name(other)),
                   "add -F arch=b64 before -S, and a second rule with -F arch=b32");
        return;
    }
}

void warn_numbers(LineState& state, const Argument& argument, const Word& item) {
    if (!starts_with_digit(item.text)) return;
    const CNumber number = parse_c_number(item.text, state.features.binary_numbers);
    const Span span = argument.part(item.offset, item.text.size());
    const auto value = static_cast<std::uint32_t>(number.as_signed());
    if (number.length < item.text.size() || number.magnitude > 0xFFFFFFFF ||
        (number.magnitude > 7 && item.text[0] == '0' &&
         item.text.find_first_of(state.features.binary_numbers ? "xXbB" : "xX") == std::string::npos)) {
        state.warn(ids::value_reads_differently, span, fmt::format("this is read as call number {}", value));
    }
    if (value >= first_class_bit && value < mask_bits) {
        state.warn(ids::class_selector, span,
                   fmt::format("the kernel takes number {} as a class of system calls", value));
    }
}

struct PermCalls {
    char letter;
    PermNames since;
    std::string_view name;
};

// What each letter of perm= stands for in auditctl's own table, by the version that brought the name.
constexpr auto base = PermNames::base;
constexpr auto xattrat = PermNames::with_xattrat;
constexpr auto file_attr = PermNames::with_file_attr;
constexpr auto with_stat = PermNames::with_stat;
constexpr PermCalls perm_calls[] = {
    {'x', base, "execve"},
    {'x', with_stat, "execveat"},

    {'w', base, "rename"},
    {'w', base, "mkdir"},
    {'w', base, "rmdir"},
    {'w', base, "creat"},
    {'w', base, "link"},
    {'w', base, "unlink"},
    {'w', base, "symlink"},
    {'w', base, "mknod"},
    {'w', base, "mkdirat"},
    {'w', base, "mknodat"},
    {'w', base, "unlinkat"},
    {'w', base, "renameat"},
    {'w', base, "linkat"},
    {'w', base, "symlinkat"},
    {'w', base, "renameat2"},
    {'w', base, "acct"},
    {'w', base, "swapon"},
    {'w', base, "quotactl"},
    {'w', base, "truncate"},
    {'w', base, "ftruncate"},
    {'w', base, "bind"},
    {'w', base, "fallocate"},
    {'w', base, "open"},
    {'w', base, "openat"},
    {'w', base, "openat2"},
    {'w', file_attr, "quotactl_fd"},

    {'r', base, "readlink"},
    {'r', base, "quotactl"},
    {'r', base, "listxattr"},
    {'r', base, "llistxattr"},
    {'r', base, "flistxattr"},
    {'r', base, "getxattr"},
    {'r', base, "lgetxattr"},
    {'r', base, "fgetxattr"},
    {'r', base, "readlinkat"},
    {'r', base, "open"},
    {'r', base, "openat"},
    {'r', base, "openat2"},
    {'r', xattrat, "listxattrat"},
    {'r', xattrat, "getxattrat"},
    {'r', file_attr, "file_getattr"},
    {'r', with_stat, "quotactl_fd"},
    {'r', with_stat, "stat"},
    {'r', with_stat, "lstat"},
    {'r', with_stat, "fstat"},
    {'r', with_stat, "newfstatat"},
    {'r', with_stat, "statx"},

    {'a', base, "chmod"},
    {'a', base, "fchmod"},
    {'a', base, "chown"},
    {'a', base, "lchown"},
    {'a', base, "fchown"},
    {'a', base, "setxattr"},
    {'a', base, "lsetxattr"},
    {'a', base, "fsetxattr"},
    {'a', base, "removexattr"},
    {'a', base, "lremovexattr"},
    {'a', base, "fremovexattr"},
    {'a', base, "fchownat"},
    {'a', base, "fchmodat"},
    {'a', base, "link"},
    {'a', base, "linkat"},
    {'a', xattrat, "setxattrat"},
    {'a', xattrat, "removexattrat"},
    {'a', file_attr, "fchmodat2"},
    {'a', file_attr, "file_setattr"},
};

}  // namespace

void apply_syscalls(LineState& state, const Argument& argument) {
    const auto list = state.list();
    const auto listless = [](const std::optional<std::uint32_t>& flags) {
        return flags && ((*flags & list_mask) == 0 || (*flags & list_mask) == 1 || (*flags & list_mask) == 6);
    };
    if (listless(state.add) || listless(state.del) || state.exclude_named) {
        state.fail(ids::syscalls_not_on_list, argument.span, "this list has no system calls to select");
        state.ended_early = true;
        return;
    }
    const bool guessed = !state.arch;
    if (guessed) state.arch = state.host;
    const auto flags = state.add ? state.add : state.del;
    const bool io_uring = list == std::uint32_t{7} && *flags != no_such_list;

    const WordList words = parse_list(argument.text);
    const auto refuse = [&](const Word& item) {
        state.fail(ids::unknown_syscall, argument.part(item.offset, item.text.size()),
                   fmt::format("`{}` is no {} of {}", item.text, io_uring ? "io_uring operation" : "system call",
                               io_uring ? fmt::format("auditctl {}", state.features.name)
                                        : std::string(machine_name(*state.arch))),
                   io_uring ? std::string() : unknown_call_help(state.features, item.text, *state.arch));
    };
    const Word whole{0, std::string(argument.text)};
    for (const auto& item : words.has_comma ? words.items : std::vector<Word>{whole}) {
        if (!add_item(state.features, state.rule.mask, item.text, *state.arch, io_uring)) {
            refuse(item);
            return;
        }
        warn_numbers(state, argument, item);
    }
    if (words.has_comma && words.items.empty() && state.rule.mask.none()) {
        state.warn(ids::empty_mask, argument.span, "no system call is named here: the rule matches nothing");
    }
    state.syscalls_added = true;
    if (guessed && state.add && !io_uring) warn_mismatch(state, argument, words, *state.arch);
}

bool narrow_by_perm(LineState& state, const Argument& argument, std::string_view letters) {
    const Features& features = state.features;
    if (features.perm_narrowing == PermNarrowing::none || !state.arch) return true;
    for (const char written : letters) {
        const char letter = ascii_lower(std::string_view(&written, 1))[0];
        for (const auto& call : perm_calls) {
            if (call.letter != letter || call.since > features.perm_names) continue;
            const auto number = call_number(features, call.name, *state.arch);
            if (number) {
                state.rule.mask.set(*number);
            } else if (features.perm_narrowing == PermNarrowing::strict) {
                state.fail(ids::perm_calls_missing, argument.span,
                           fmt::format("auditctl {} wants the call {} for `{}`, which {} lacks", features.name,
                                       call.name, letter, machine_name(*state.arch)));
                return false;
            }
        }
    }
    state.syscalls_added = true;
    return true;
}

}  // namespace auopt
