// Every option of auditctl: what it does to the line, and with which companions it may stand.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/line.hpp"

namespace auopt {

namespace {

// Codes of the long options; short options are their letters.
constexpr int long_loginuid_immutable = 256;
constexpr int long_backlog_wait_time = 257;
constexpr int long_reset_lost = 258;
constexpr int long_reset_wait_time_actual = 259;
constexpr int long_signal = 260;
constexpr int long_help = 261;

constexpr std::uint32_t status_enabled = 0x1, status_failure = 0x2, status_rate_limit = 0x8,
                        status_backlog_limit = 0x10, status_backlog_wait_time = 0x20, status_lost = 0x40,
                        status_wait_time_actual = 0x80;
constexpr std::uint32_t feature_loginuid_immutable = 2;
constexpr int killed_by_segv = 139;  // as a shell reports it
constexpr int no_auditd = 2;

/// The line is finished with nothing to send; `at_once`: the rest of it is not even looked at.
void finish(LineState& state, bool at_once) {
    state.running = Running::done;
    state.ended_early = at_once;
}

void crash(LineState& state, const Span& span, std::string message, std::string help) {
    state.fail(ids::auditctl_crash, span, std::move(message), std::move(help));
    state.exit_code = killed_by_segv;
    state.ended_early = true;
}

void apply_delete_all(LineState& state, const Span& span, const OptionScanner& scanner, std::size_t& count) {
    std::optional<std::string> key;
    if (count == 4 && scanner.at(scanner.index()) == nullptr) {
        crash(state, span, "auditctl crashes on a line of three words that ends in -D", "give -D a line of its own");
        return;
    }
    if (count == 4 && scanner.at(scanner.index())->text == "-k") {
        const Token& word = *scanner.at(3);
        if (!request_key_is_fine(state, {word.text, word.span})) return;
        key = word.text;
        count -= 2;
    } else if (count != 2) {
        state.fail(ids::bad_companions, span, "-D stands alone, or with -k KEY");
        return;
    }
    state.send(DeleteAll{std::move(key)});
    state.key.clear();
    finish(state, false);
}

void apply_list(LineState& state, const Span& span, const OptionScanner& scanner, std::size_t& count) {
    const Token* next = scanner.at(scanner.index());
    if (count == 3 && next == nullptr) {
        crash(state, span, "auditctl crashes on a line of two words that ends in -l", "give -l a line of its own");
        return;
    }
    if (count == 3 && next != nullptr && next->text == "-i") {
        count -= 1;
    } else if (count == 4 && next != nullptr && next->text == "-k") {
        if (!request_key_is_fine(state, {scanner.at(3)->text, scanner.at(3)->span})) return;
        count -= 2;
    } else if (count > 2) {
        state.fail(ids::bad_companions, span, "-l stands alone, or with -i or -k KEY");
        return;
    }
    state.listing = true;
    state.send(Inert{Inert::Kind::list});
    finish(state, false);
}

void apply_status(LineState& state, const Span& span, const OptionScanner& scanner, std::size_t& count) {
    if (count > 3) {
        state.fail(ids::bad_companions, span, "-s stands alone, or with -i");
        return;
    }
    if (scanner.index() == 2 && count == 3) {
        if (scanner.at(2)->text != "-i") {
            state.fail(ids::bad_companions, span, "-s stands alone, or with -i");
            return;
        }
        count -= 1;
    }
    state.send(Inert{Inert::Kind::status});
    finish(state, false);
}

void apply_message(LineState& state, const Argument& argument, std::size_t count) {
    if (count > 3) {
        state.fail(ids::bad_request, argument.span, "-m takes one word and stands alone on its line",
                   "escape the spaces of a longer text with backslashes");
        return;
    }
    // char is signed on the machines that matter, so bytes from 128 count as below 32.
    const auto bad = std::find_if(argument.text.begin(), argument.text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) >= 128;
    });
    if (bad != argument.text.end()) {
        state.fail(ids::bad_request, argument.part(static_cast<std::size_t>(bad - argument.text.begin()), 1),
                   "a message holds printable ASCII only");
        return;
    }
    state.send(UserMessage{(state.features.message_prefix ? "text=" : "") + std::string(argument.text)});
    finish(state, true);
}

void apply_equivalence(LineState& state, const Argument& argument) {
    if (state.syscalls_added) {
        state.fail(ids::bad_request, argument.span, "-q cannot stand in a rule");
        return;
    }
    const auto pair = parse_pair(argument.text);
    if (!pair || pair->second.text.empty()) {
        state.fail(ids::bad_request, argument.span, "-q takes a mount point and a subtree with one comma between");
        return;
    }
    state.send(MakeEquiv{pair->first.text, pair->second.text});
    finish(state, true);
}

void apply_signal(LineState& state, const Argument& argument) {
    const std::string word = ascii_lower(argument.text);
    const std::vector<std::string_view> names = {"term", "hup", "usr1", "usr2", "cont"};
    const std::vector<std::string_view> words = {"stop", "reload", "rotate", "resume", "state"};
    const auto has = [&](const std::vector<std::string_view>& all) {
        return std::find(all.begin(), all.end(), word) != all.end();
    };
    if (!has(names) && !(state.features.signal_words && has(words))) {
        if (state.features.signal_needs_auditd) {
            state.fail(
                ids::signal_ends_loading, argument.span,
                fmt::format("`{}` is no signal that auditd takes: auditctl {} stops reading here, whatever -i says",
                            argument.text, state.features.name),
                "take --signal out of the rules file");
            state.exit_code = 1;
            return;
        }
        state.fail(ids::bad_request, argument.span, fmt::format("`{}` is no signal that auditd takes", argument.text));
        return;
    }
    state.send(Inert{Inert::Kind::signal});
    // Without an auditd to signal, auditctl goes on to complain about the rest of the line; with one it does not look.
    finish(state, false);
    if (state.features.signal_needs_auditd) {
        // Whether the lines below are read depends on whether auditd runs when this one is.
        state.fail(ids::signal_ends_loading, argument.span,
                   fmt::format("auditctl {} stops reading here when auditd is not running", state.features.name),
                   "take --signal out of the rules file");
        state.exit_code = no_auditd;
    }
}

void apply_field_option(LineState& state, const Argument& argument, const OptionScanner& scanner) {
    if (!state.list()) {
        const Token* next = scanner.at(scanner.index());
        const bool trim_follows =
            next != nullptr && next->text == "-t" && argument.text.find("arch=") != std::string_view::npos;
        if (!trim_follows) {
            state.fail(ids::list_missing, argument.span, "a field test comes before the line has named a list",
                       "put -a LIST,ACTION first");
            return;
        }
    }
    constexpr std::string_view key_prefix = "key=";
    if (argument.text.starts_with(key_prefix)) {
        const Argument key{argument.text.substr(key_prefix.size()),
                           argument.part(key_prefix.size(), argument.text.size() - key_prefix.size())};
        apply_key(state, key, true);
        return;
    }
    apply_field(state, argument);
}

void refuse_option(LineState& state, const ScannedOption& option) {
    using Status = ScannedOption::Status;
    switch (option.status) {
        case Status::unknown:
            state.fail(ids::unknown_option, option.name_span, fmt::format("auditctl has no option {}", option.name));
            break;
        case Status::ambiguous:
            state.fail(ids::unknown_option, option.name_span, fmt::format("{} fits several options", option.name));
            break;
        case Status::missing_argument:
            state.fail(ids::missing_argument, option.name_span, fmt::format("{} lacks its argument", option.name));
            break;
        case Status::unexpected_argument:
            state.fail(ids::unknown_option, option.name_span, fmt::format("{} takes no argument", option.name));
            break;
        case Status::ok:
            break;
    }
}

}  // namespace

const OptionTable& option_table(const Features& features) {
    static const auto make = [](bool signal, bool help) {
        OptionTable table{"hicslDvt", "CefrbaAdSFmRwWkpq", {}};
        table.longs = {{"loginuid-immutable", long_loginuid_immutable, false},
                       {"backlog_wait_time", long_backlog_wait_time, true},
                       {"reset-lost", long_reset_lost, false}};
        if (signal) {
            table.longs.push_back({"reset_backlog_wait_time_actual", long_reset_wait_time_actual, false});
            table.longs.push_back({"signal", long_signal, true});
        }
        if (help) table.longs.push_back({"help", long_help, false});
        return table;
    };
    static const OptionTable plain = make(false, false), with_signal = make(true, false), with_help = make(true, true);
    return features.help_long ? with_help : features.signal_option ? with_signal : plain;
}

void apply_option(LineState& state, const ScannedOption& option, const OptionScanner& scanner, std::size_t& count) {
    if (option.status != ScannedOption::Status::ok) {
        refuse_option(state, option);
        return;
    }
    const Argument argument{option.argument ? std::string_view(*option.argument) : std::string_view(),
                            option.argument_span};
    switch (option.code) {
        case 'a':
        case 'A':
        case 'd':
            apply_list_action(state, static_cast<char>(option.code), argument);
            break;
        case 'w':
        case 'W':
            apply_watch(state, static_cast<char>(option.code), argument);
            break;
        case 'p':
            apply_permissions(state, argument);
            break;
        case 'k':
            apply_key(state, argument, false);
            break;
        case 'F':
            apply_field_option(state, argument, scanner);
            break;
        case 'C':
            apply_comparison(state, argument);
            break;
        case 'S':
            apply_syscalls(state, argument);
            break;
        case 'D':
            apply_delete_all(state, option.name_span, scanner, count);
            break;
        case 'l':
            apply_list(state, option.name_span, scanner, count);
            break;
        case 's':
            apply_status(state, option.name_span, scanner, count);
            break;
        case 'e':
            apply_setting(state, "-e", status_enabled, argument);
            break;
        case 'f':
            apply_setting(state, "-f", status_failure, argument);
            break;
        case 'r':
            apply_setting(state, "-r", status_rate_limit, argument);
            break;
        case 'b':
            apply_setting(state, "-b", status_backlog_limit, argument);
            break;
        case long_backlog_wait_time:
            apply_setting(state, "--backlog_wait_time", status_backlog_wait_time, argument);
            break;
        case long_reset_lost:
            state.send(SetStatus{status_lost, 0});
            finish(state, state.features.long_requests_end_line);
            break;
        case long_reset_wait_time_actual:
            state.send(SetStatus{status_wait_time_actual, 0});
            finish(state, true);
            break;
        case long_loginuid_immutable:
            state.send(SetFeature{feature_loginuid_immutable, feature_loginuid_immutable, feature_loginuid_immutable});
            finish(state, state.features.long_requests_end_line);
            break;
        case 't':
            state.send(Trim{});
            finish(state, true);
            break;
        case 'q':
            apply_equivalence(state, argument);
            break;
        case 'm':
            apply_message(state, argument, count);
            break;
        case long_signal:
            apply_signal(state, argument);
            break;
        case 'i':
            state.ignore_errors = true;
            state.send(Inert{Inert::Kind::ignore_errors});
            finish(state, false);
            break;
        case 'c':
            state.ignore_errors = state.continue_on_error = true;
            state.send(Inert{Inert::Kind::continue_on_error});
            finish(state, false);
            break;
        case 'v':
            state.send(Inert{Inert::Kind::version});
            finish(state, false);
            break;
        case 'h':
        case long_help:
            if (state.features.help_succeeds) {
                finish(state, false);
            } else {
                state.fail(ids::help_in_rules, option.name_span, "the usage text is no rule: this line fails");
            }
            break;
        case 'R':
            state.fail(ids::nested_rules_file, option.name_span, "a rules file cannot read another rules file");
            break;
        default:
            state.fail(ids::unknown_option, option.name_span, fmt::format("auditctl has no option {}", option.name));
            break;
    }
}

}  // namespace auopt
