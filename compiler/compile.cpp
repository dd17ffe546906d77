#include "compiler/compile.hpp"

#include <utility>

#include <fmt/format.h>

#include "compiler/line.hpp"
#include "grammar/tokenizer.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

TokenLimit token_limit(const Features& features) {
    return features.token_limit ? TokenLimit::third_of_length : TokenLimit::none;
}

/// Warnings about bytes that auditctl reads otherwise than they look.
void check_tokens(LineState& state, const TokenLine& tokens) {
    if (tokens.cut_by_nul) {
        state.warn(ids::nul_cuts_line, state.line, "a NUL byte ends this line; the rest of it is ignored");
    }
    if (tokens.kind != TokenLine::Kind::tokens) return;
    if (state.line.column > 1) {
        state.warn(ids::long_line_split, state.line,
                   fmt::format("auditctl reads {} bytes at a time: this is the next line to it", max_line_bytes));
    }
    if (!tokens.dropped.empty()) {
        state.warn(ids::tokens_dropped, tokens.dropped.front().span,
                   fmt::format("auditctl {} keeps {} words of a line this short and drops the rest",
                               state.features.name, tokens.tokens.size()),
                   "write options and arguments as one word (-kname)");
    }
    for (const auto& token : tokens.tokens) {
        if (token.escape_kept) {
            state.warn(ids::escape_in_first_token, token.span,
                       "escapes in the first word of a line stay two control bytes",
                       "write the option and its argument as two words");
        }
        if (token.control_byte) {
            state.warn(ids::control_byte, token.span,
                       "a byte 0x07 or 0x04 is read as an escape and swallows the next byte");
        }
        if (token.text.find('\t') != std::string::npos) {
            state.warn(ids::tab_in_token, token.span, "a TAB does not separate words: it is part of this one",
                       "use spaces");
        }
    }
    const Token& last = tokens.tokens.back();
    if (last.text.ends_with('\r')) {
        state.warn(ids::trailing_cr, last.span, "the carriage return at the end of the line is part of this word",
                   "save the file with Unix line ends");
    }
}

/// The first token whose text auditctl takes from memory behind it; nullptr if none. Before any line has run, that
/// memory is still zero behind the copy of a short last token, which so gets a space or a backslash; a longer one lies
/// where the C library left something or fills its chunk to the end, and later all hold remains of earlier lines.
const Token* undefined_token(const TokenLine& tokens, bool first_line) {
    constexpr std::size_t longest_harmless = 22;  // with its NUL one byte less than the smallest chunk of malloc holds
    for (std::size_t i = 0; i < tokens.tokens.size(); ++i) {
        const bool last = i + 1 == tokens.tokens.size() && tokens.dropped.empty();
        const bool harmless = last && first_line && tokens.tokens[i].span.length <= longest_harmless;
        if (tokens.tokens[i].control_byte_at_end && !harmless) return &tokens.tokens[i];
    }
    return nullptr;
}

/// Scans the options until the running result turns negative, then applies what auditctl checks at the end.
void run_options(LineState& state, const TokenLine& tokens) {
    OptionScanner scanner(tokens.tokens, option_table(state.features));
    std::size_t count = scanner.count();
    while (state.running >= Running::reply) {
        const auto option = scanner.next();
        if (!option) break;
        apply_option(state, *option, scanner, count);
        if (state.ended_early) break;
    }
    const bool has_rule = state.add || state.del;
    if (state.ended_early) {
        if (state.running == Running::done && (has_rule || scanner.index() < scanner.count())) {
            state.warn(ids::rule_swallowed, state.line,
                       "an option on this line ends it at once: nothing else on it takes effect",
                       "give each its own line");
        }
        return;
    }
    if (scanner.index() == 1) {
        if (state.running != Running::error) {
            state.fail(ids::no_option, tokens.tokens.front().span, "the line does not start with a finished option");
        }
        state.running = Running::error;
    } else if (scanner.index() < count && state.running != Running::error) {
        const Token* stray = scanner.at(scanner.index());
        state.fail(ids::stray_parameter, stray->span, fmt::format("`{}` belongs to no option", stray->text),
                   stray->text.starts_with('#')   ? "a comment needs a line of its own"
                   : stray->text.starts_with('-') ? "an option before it has already ended the line"
                                                  : "");
    }
    if (!state.key.empty() && !state.listing && state.running != Running::error) finish_key(state);
    if (state.running == Running::done && has_rule) {
        state.warn(ids::rule_swallowed, state.line,
                   "the rule on this line is never sent, because another option ends the line",
                   "give each its own line");
    }
}

/// The add or delete that the line amounts to.
void send_rule(LineState& state) {
    if (state.running == Running::reply && state.syscalls_added) {
        state.fail(ids::nothing_to_send, state.line, "system calls are named, but no list and action",
                   "put -a always,exit on the line");
        return;
    }
    if (state.running != Running::send) return;
    if (state.add && state.del) {
        state.warn(ids::add_wins, state.line, "the line says both add and delete: auditctl adds");
    }
    constexpr std::uint32_t task = 1;
    if (state.list() != task && !state.syscalls_added) state.rule.mask = SyscallMask::all();
    const std::uint32_t flags = state.add ? *state.add : *state.del;
    state.rule.list = static_cast<List>(flags == no_such_list ? flags : flags & list_mask);
    state.rule.prepend = flags != no_such_list && (flags & prepend_flag) != 0;
    state.rule.action = state.action.value_or(Action::never);
    state.rule.sources = {state.line};
    if (state.add) {
        state.send(AddRule{state.rule});
    } else {
        state.send(DeleteRule{state.rule});
    }
}

Machine host_machine(const CompileOptions& options) {
    const std::string& name = options.facts.machine ? *options.facts.machine : options.machine;
    return machine_by_name(name).value_or(Machine::x86_64);
}

}  // namespace

std::vector<InputLine> split_lines(const Sources& sources, FileId file) {
    std::vector<InputLine> lines;
    for (auto& piece : split_pieces(sources, file)) lines.push_back({piece.span, std::move(piece.text)});
    return lines;
}

Program compile(const Sources&, const std::vector<InputLine>& lines, const CompileOptions& options,
                Diagnostics& diagnostics) {
    const Features& features = features_of(options.version);
    const Machine host = host_machine(options);
    Program program;
    program.errors_ignored = options.continue_on_error;
    // auditctl's own three values: -c is off, on, or on with a failure behind it.
    enum class Continue { off, on, failed } keep_going = options.continue_on_error ? Continue::on : Continue::off;

    bool any_line_run = false;
    for (const auto& line : lines) {
        const TokenLine tokens = tokenize(line.bytes, line.span, token_limit(features));
        LineState state(options, features, host, line.span);
        check_tokens(state, tokens);
        if (tokens.kind == TokenLine::Kind::tokens) {
            const bool first_line = !std::exchange(any_line_run, true);
            if (const Token* token = undefined_token(tokens, first_line)) {
                state.fail(ids::undefined_input, token->span,
                           "auditctl reads past the end of a word that ends in byte 0x07 or 0x04");
            } else {
                run_options(state, tokens);
                send_rule(state);
            }
        }
        if (state.ignore_errors) program.errors_ignored = true;
        if (state.continue_on_error) {
            if (keep_going == Continue::failed) {
                state.warn(ids::failure_forgotten, line.span,
                           "this second -c makes auditctl forget that a line has failed");
            }
            keep_going = Continue::on;
        }
        for (auto& message : state.messages) program.messages.push_back(std::move(message));

        const bool error = state.running == Running::error;
        const bool goes_on = program.errors_ignored && !state.exit_code;
        for (auto& diagnostic : state.diagnostics) {
            if (diagnostic.level == Level::error && goes_on) diagnostic.level = Level::warning;
            diagnostics.add(std::move(diagnostic));
        }
        if (!error) continue;
        program.failed = true;
        if (!goes_on) {
            program.stopped = true;
            program.auditctl_exit = state.exit_code.value_or(1);
            return program;
        }
        if (keep_going == Continue::on) keep_going = Continue::failed;
    }
    program.auditctl_exit = keep_going == Continue::failed ? 1 : 0;
    return program;
}

NeededFacts needed_facts(const std::vector<InputLine>& lines) {
    NeededFacts needed;
    const Features& features = features_of(AuditctlVersion::v4_2_1);
    for (const auto& line : lines) {
        const TokenLine tokens = tokenize(line.bytes, line.span, TokenLimit::none);
        OptionScanner scanner(tokens.tokens, option_table(features));
        while (const auto option = scanner.next()) {
            if (!option->argument) continue;
            if (option->code == 'w' || option->code == 'W') needed.paths.insert(*option->argument);
            if (option->code != 'F') continue;
            const auto field = split_field(*option->argument);
            if (!field || field->value.text.empty()) continue;
            const FieldRow* row = field_by_name(field->name.text);
            if (row == nullptr) continue;
            const std::string& value = field->value.text;
            const bool number = starts_with_digit(value) || starts_with_minus_digit(value);
            if (row->value_class == ValueClass::user && !number && value != "unset") needed.users.insert(value);
            if (row->value_class == ValueClass::group && !number) needed.groups.insert(value);
            const Field number_of_field = static_cast<Field>(row->number);
            if (number_of_field == Field::path || number_of_field == Field::dir || number_of_field == Field::exe) {
                needed.paths.insert(value);
            }
        }
    }
    return needed;
}

}  // namespace auopt
