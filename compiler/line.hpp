// One line of a rules file while auditctl reads it: the rule that grows, the flags that auditctl and libaudit
// keep per line, and the running result. Private to compiler/: options.cpp drives it, one file per family of
// options changes it. Mirrors setopt() of auditctl as the rule language (section 1.6) describes it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/version.hpp"
#include "grammar/ids.hpp"
#include "grammar/option_scanner.hpp"
#include "grammar/values.hpp"
#include "tables/names.hpp"

namespace auopt {

/// auditctl's running result. Order matters: below `reply` scanning stops.
enum class Running : int { send = 1, reply = 0, error = -1, done = -2, swallow = -3 };

/// The value of an option and where its bytes stand.
struct Argument {
    std::string_view text;
    Span span;

    /// The stretch [offset, offset+length) of the value; the whole where escapes hide the place.
    Span part(std::size_t offset, std::size_t length) const;
};

struct LineState {
    LineState(const CompileOptions& compile_options, const Features& version_features, Machine machine, Span whole)
        : options(compile_options), features(version_features), host(machine), line(whole) {}

    // What does not change within a line.
    const CompileOptions& options;
    const Features& features;
    Machine host;
    Span line;

    // What the line has said so far.
    KernelRule rule;                        // list and action only when the line is finished
    std::optional<std::uint32_t> add, del;  // list number, with 0x10 for -A
    std::optional<Action> action;
    unsigned list_actions = 0;  // -a, -A, -d seen
    bool exclude_named = false;
    bool syscalls_added = false, perm_added = false, exe_added = false, fstype_added = false;
    std::optional<Machine> arch;
    std::string key;
    Span key_span;

    // What it leaves behind.
    Running running = Running::reply;
    bool ended_early = false;  // the option returned at once: nothing after it is even looked at
    std::vector<Message> messages;
    std::vector<Diagnostic> diagnostics;
    std::optional<int> exit_code;    // auditctl ends here with this, whatever -i and -c say
    bool listing = false;            // -l: the key is a search text, not a field
    bool ignore_errors = false;      // -i or -c was on the line
    bool continue_on_error = false;  // -c was

    /// The list that field checks go by, when the line has named one.
    std::optional<std::uint32_t> list() const;

    void fail(std::string_view id, Span span, std::string message, std::string help = {});
    void warn(std::string_view id, Span span, std::string message, std::string help = {});
    void send(const decltype(Message::body)& body);
};

constexpr std::uint32_t list_mask = 0x07;     // AUDIT_FILTER_MASK
constexpr std::uint32_t prepend_flag = 0x10;  // AUDIT_FILTER_PREPEND
constexpr std::uint32_t no_such_list = 0xFFFFFFFF;
constexpr std::size_t max_rule_fields = 63;  // auditctl leaves the last of 64 slots unused
constexpr std::size_t max_key_bytes = 256;
constexpr char key_separator = 0x01;

/// -a, -A, -d.
void apply_list_action(LineState& state, char option, const Argument& argument);
/// -F, but for key=.
void apply_field(LineState& state, const Argument& argument);
/// Adds the test; false when it was refused (and reported). Also used for the key at the end of a line.
bool add_field(LineState& state, const Argument& argument, std::uint32_t list);
/// -C.
void apply_comparison(LineState& state, const Argument& argument);
/// -S.
void apply_syscalls(LineState& state, const Argument& argument);
/// perm= after an arch, where the version replaces it by calls. False when refused.
bool narrow_by_perm(LineState& state, const Argument& argument, std::string_view letters);
/// -w, -W.
void apply_watch(LineState& state, char option, const Argument& argument);
/// -p.
void apply_permissions(LineState& state, const Argument& argument);
/// -k, and -F key=.
void apply_key(LineState& state, const Argument& argument, bool from_field);
/// The KEY of `-D -k KEY` and `-l -k KEY`. False when refused.
bool request_key_is_fine(LineState& state, const Argument& argument);
/// The key field at the end of the line.
void finish_key(LineState& state);
/// -e -f -r -b --backlog_wait_time; `mask` is the member of struct audit_status.
void apply_setting(LineState& state, std::string_view name, std::uint32_t mask, const Argument& argument);

/// One option: changes the state and the running result. `count` is what is left of the number of words after -D,
/// -l and -s have taken their companions.
void apply_option(LineState& state, const ScannedOption& option, const OptionScanner& scanner, std::size_t& count);
/// The options of a version.
const OptionTable& option_table(const Features& features);

/// LO32 of what strtol or strtoul read, with a warning where that is not what was written. `octal_expected`: a
/// leading 0 surprises nobody (modes and flags in a0 to a3).
std::uint32_t read_number(LineState& state, const Argument& argument, std::size_t offset, std::string_view text,
                          bool is_signed, bool octal_expected = false);

}  // namespace auopt
