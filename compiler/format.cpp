#include "compiler/format.hpp"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "compiler/line.hpp"
#include "compiler/listing.hpp"
#include "compiler/spelling.hpp"
#include "compiler/wire.hpp"
#include "grammar/tokenizer.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

/// An option of a line as the scanner found it.
struct Option {
    int code = 0;
    std::optional<std::string> argument;
};

/// The options in scanning order; nothing where a word belongs to none or an option is not one.
std::optional<std::vector<Option>> scan(const TokenLine& tokens, const OptionTable& table) {
    std::vector<Option> options;
    OptionScanner scanner(tokens.tokens, table);
    while (auto option = scanner.next()) {
        if (option->status != ScannedOption::Status::ok) return std::nullopt;
        options.push_back({option->code, std::move(option->argument)});
    }
    if (scanner.index() < scanner.count()) return std::nullopt;
    return options;
}

/// Words joined by spaces. A word that no token can carry makes the whole unprintable.
class Words {
public:
    void add(std::string_view word) {
        const auto token = escaped_token(word);
        if (!token || token->empty()) {
            printable_ = false;
            return;
        }
        if (!text_.empty()) text_ += ' ';
        text_ += *token;
    }
    void add(std::string_view option, std::string_view argument) {
        add(option);
        add(argument);
    }
    std::string text() const { return printable_ && text_.size() < max_line_bytes ? text_ : std::string(); }

private:
    std::string text_;
    bool printable_ = true;
};

std::string option_name(int code, const OptionTable& table) {
    for (const LongOption& row : table.longs)
        if (row.code == code) return "--" + std::string(row.name);
    return std::string("-") + static_cast<char>(code);
}

std::uint32_t low32(const CNumber& number, bool is_signed) {
    return static_cast<std::uint32_t>(is_signed ? static_cast<std::uint64_t>(number.as_signed())
                                                : number.as_unsigned());
}

std::string decimal(std::string_view text, bool is_signed) {
    return fmt::format("{}", low32(parse_c_number(text), is_signed));
}

std::string id_text(std::string_view text) {
    const bool minus = starts_with_minus_digit(text);
    if (!minus && !starts_with_digit(text)) return std::string(text);
    const std::uint32_t value = low32(parse_c_number(text), minus);
    return value == id_unset ? "unset" : fmt::format("{}", value);
}

std::string exit_text(std::string_view text) {
    std::int32_t value = 0;
    const bool number = starts_with_digit(text) || starts_with_minus_digit(text);
    if (number) {
        value = static_cast<std::int32_t>(low32(parse_c_number(text), true));
    } else if (const auto named = errno_number(text)) {
        value = *named;
    } else {
        return std::string(text);
    }
    const bool negative = value < 0 && value > -4096;
    const std::string name = negative ? errno_name(-value) : number ? std::string() : errno_name(value);
    if (name.empty()) return number ? fmt::format("{}", value) : std::string(text);
    return (negative ? "-" : "") + name;
}

/// Arguments of system calls keep the base the author chose, as long as the number is one.
std::string argument_text(std::string_view text) {
    const CNumber number = parse_c_number(text);
    const bool plain = number.length == text.size() && !number.overflow && number.magnitude <= 0xFFFFFFFF;
    return plain ? ascii_lower(text) : fmt::format("0x{:x}", low32(number, starts_with_minus_digit(text)));
}

std::string value_text(const FieldRow& row, const std::string& text) {
    switch (row.value_class) {
        case ValueClass::user:
        case ValueClass::session:
            return id_text(text);
        case ValueClass::group:
            return starts_with_digit(text) ? decimal(text, true) : text;
        case ValueClass::exit_code:
            return exit_text(text);
        case ValueClass::argument:
            return argument_text(text);
        case ValueClass::number:
            return decimal(text, true);
        case ValueClass::unsigned_number:
        case ValueClass::address_family:
            return decimal(text, false);
        case ValueClass::message_type: {
            if (starts_with_digit(text)) return decimal(text, true);
            const auto number = message_type_number(text);
            const std::string name = number ? message_type_name(*number) : std::string();
            return name.empty() ? text : name;
        }
        case ValueClass::permissions: {
            const Permissions permissions = parse_permissions(text);
            return permissions.bits ? permission_letters(*permissions.bits) : text;
        }
        case ValueClass::fs_type:
            return starts_with_digit(text) ? decimal(text, false) : ascii_lower(text);
        case ValueClass::arch:
        case ValueClass::file_type:
            return ascii_lower(text);
        case ValueClass::text:
            break;
    }
    return text;
}

std::string field_text(const std::string& argument) {
    const auto split = split_field(argument);
    const FieldRow* row = split ? field_by_name(split->name.text) : nullptr;
    // key= in small letters is not a test but one more key; other spellings of the name stay what they are.
    if (row == nullptr || static_cast<Field>(row->number) == Field::key) return argument;
    return fmt::format("{}{}{}", field_by_number(row->number)->name, operator_text(split->op),
                       value_text(*row, split->value.text));
}

std::string comparison_text(const std::string& argument) {
    const auto split = split_comparison(argument);
    const FieldRow* left = split ? field_by_name(split->name.text) : nullptr;
    const FieldRow* right = split ? field_by_name(split->value.text) : nullptr;
    if (left == nullptr || right == nullptr) return argument;
    const std::string_view a = field_by_number(left->number)->name, b = field_by_number(right->number)->name;
    for (const ComparisonRow& row : comparison_rows())
        if ((row.left == a && row.right == b) || (row.left == b && row.right == a))
            return fmt::format("{}{}{}", row.left, operator_text(split->op), row.right);
    return argument;
}

std::string action_first(const std::string& argument) {
    const auto pair = parse_pair(argument);
    if (!pair) return argument;
    const bool swapped = pair->second.text == "always" || pair->second.text == "never";
    const Word& action = swapped ? pair->second : pair->first;
    const Word& list = swapped ? pair->first : pair->second;
    return fmt::format("{},{}", action.text, ascii_lower(list.text));
}

/// What the printing of calls depends on.
struct CallNames {
    Machine machine = Machine::x86_64;
    bool io_uring = false;
    KnownNames known;            // by every version
    bool timerfd_named = false;  // timerfd_create has another name in some version
};

std::string call_text(const std::string& item, const CallNames& names) {
    if (!starts_with_digit(item)) return item == "all" ? item : ascii_lower(item);
    const std::uint32_t number = low32(parse_c_number(item), true);
    if (names.io_uring) return fmt::format("{}", number);
    const std::string name = syscall_name(number, names.machine, names.known);
    if (name.empty() || (names.timerfd_named && name == "timerfd_create")) return fmt::format("{}", number);
    return name;
}

/// All -S of a line as the one argument that says the same.
std::string calls_text(const std::vector<std::string>& arguments, const CallNames& names) {
    std::vector<std::string> items;
    for (const std::string& argument : arguments) {
        const WordList list = parse_list(argument);
        if (!list.has_comma) {
            items.push_back(call_text(argument, names));
            continue;
        }
        for (const Word& item : list.items) items.push_back(call_text(item.text, names));
    }
    if (!names.io_uring && std::find(items.begin(), items.end(), "all") != items.end()) return "all";
    std::vector<std::string> once;
    for (std::string& item : items)
        if (std::find(once.begin(), once.end(), item) == once.end()) once.push_back(std::move(item));
    return once.empty() ? "," : fmt::format("{}", fmt::join(once, ","));
}

bool is_number_setting(const std::string& name) {
    return name == "-b" || name == "-r" || name == "--backlog_wait_time";
}

/// The options apart, in their order, values untouched but for numbers of settings.
std::string in_written_order(const std::vector<Option>& options, const OptionTable& table) {
    Words words;
    for (const Option& option : options) {
        const std::string name = option_name(option.code, table);
        words.add(name);
        if (!option.argument) continue;
        const bool number = is_number_setting(name) && starts_with_digit(*option.argument);
        words.add(number ? decimal(*option.argument, false) : *option.argument);
    }
    return words.text();
}

/// A rule with its parts where authors put them: watch or list, arch, calls, tests in their order, keys.
std::string rule_in_order(const std::vector<Option>& options, const CallNames& names) {
    Words words;
    std::vector<std::string> calls, keys;
    std::vector<std::pair<std::string_view, std::string>> body;
    const Option *watch = nullptr, *list = nullptr;
    std::string watch_permissions;
    std::size_t calls_at = 0;
    bool arch_seen = false;
    for (const Option& option : options)
        if (option.code == 'w' || option.code == 'W') watch = &option;

    for (const Option& option : options) {
        if (!option.argument) return {};  // something that is no part of a rule
        const std::string& argument = *option.argument;
        switch (option.code) {
            case 'w':
            case 'W':
                if (watch != &option) return {};
                break;
            case 'a':
            case 'A':
            case 'd':
                if (list != nullptr) return {};
                list = &option;
                break;
            case 'S':
                calls.push_back(argument);
                break;
            case 'k':
                keys.push_back(argument);
                break;
            case 'C':
                body.emplace_back("-C", comparison_text(argument));
                break;
            case 'p': {
                const Permissions permissions = parse_permissions(argument);
                const std::string letters = permissions.bits ? permission_letters(*permissions.bits) : argument;
                if (watch != nullptr) {
                    watch_permissions = letters;
                } else {
                    body.emplace_back("-p", letters);
                }
                break;
            }
            case 'F': {
                if (argument.starts_with("key=")) {
                    keys.push_back(argument.substr(4));
                    break;
                }
                const std::string text = field_text(argument);
                body.emplace_back("-F", text);
                // Calls come behind the last arch; without one, never in front of a perm test that they followed,
                // since later versions read perm behind calls as calls.
                const bool arch = text.starts_with("arch");
                arch_seen = arch_seen || arch;
                if (arch || (!arch_seen && calls.empty() && text.starts_with("perm"))) calls_at = body.size();
                break;
            }
            default:
                return {};
        }
    }
    if (watch != nullptr) words.add(watch->code == 'w' ? "-w" : "-W", *watch->argument);
    if (list != nullptr)
        words.add(list->code == 'a' ? "-a" : list->code == 'A' ? "-A" : "-d", action_first(*list->argument));
    if (!watch_permissions.empty()) words.add("-p", watch_permissions);
    for (std::size_t i = 0; i <= body.size(); ++i) {
        if (i == calls_at && !calls.empty()) words.add("-S", calls_text(calls, names));
        if (i < body.size()) words.add(body[i].first, body[i].second);
    }
    for (const std::string& key : keys) words.add("-k", key);
    return words.text();
}

bool begins_rule(const Option& option) {
    return std::string_view("aAdwW").find(static_cast<char>(option.code)) != std::string_view::npos &&
           option.code < 256;
}

Machine host_of(const CompileOptions& options) {
    return machine_by_name(options.facts.machine.value_or(options.machine)).value_or(Machine::x86_64);
}

const KernelRule* rule_of(const Message& message) {
    if (const auto* add = std::get_if<AddRule>(&message.body)) return &add->rule;
    if (const auto* del = std::get_if<DeleteRule>(&message.body)) return &del->rule;
    return nullptr;
}

/// Formats the lines of one file one after the other.
class Formatter {
public:
    Formatter(const Sources& sources, const CompileOptions& compile_options, const FormatOptions& options)
        : sources_(sources), base_(compile_options), style_(options.style) {
        base_.continue_on_error = false;
        for (const AuditctlVersion version : options.versions) {
            if (version == base_.version) continue;
            others_.push_back(base_);
            others_.back().version = version;
        }
        known_ = features_of(base_.version).names;
        for (const CompileOptions& other : others_) {
            known_ = common_names(known_, features_of(other.version).names);
            old_timerfd_ = old_timerfd_ || features_of(other.version).old_timerfd_name;
        }
    }

    /// What a line does by itself. What auditctl reads behind a word depends on whether it is the first that runs.
    Program read(const InputLine& line, const CompileOptions& options, Diagnostics& diagnostics) const {
        if (first_) return compile(sources_, {line}, options, diagnostics);
        return compile(sources_, {{line.span, "-s"}, line}, options, diagnostics);
    }
    Program read(const InputLine& line, Diagnostics& diagnostics) const { return read(line, base_, diagnostics); }
    void line_has_run() { first_ = false; }

    /// The text for a line that loads as `program`.
    std::string text_for(const InputLine& line, const Program& program) const {
        for (const std::string& text : candidates(line, program)) {
            if (text.empty()) continue;
            if (text == line.bytes || reads_alike(line, text)) return text;
        }
        return line.bytes;
    }

    std::vector<std::string> candidates(const InputLine& line, const Program& program) const {
        const TokenLine tokens = tokenize(line.bytes, line.span, TokenLimit::none);
        const bool odd =
            tokens.cut_by_nul || std::any_of(tokens.tokens.begin(), tokens.tokens.end(),
                                             [](const Token& t) { return t.control_byte || t.control_byte_at_end; });
        if (odd) return {};
        std::vector<std::string> found;
        const KernelRule* rule = nullptr;
        for (const Message& message : program.messages)
            if (rule_of(message) != nullptr) rule = rule_of(message);
        const bool only_adds =
            !program.messages.empty() && std::holds_alternative<AddRule>(program.messages.back().body);
        const std::size_t messages = program.messages.size() - (first_ ? 0 : 1);
        if (style_ == FormatStyle::listing && only_adds && messages == 1) {
            const std::string machine(machine_name(host_of(base_)));
            ListingOptions listing{machine, known_, true};
            for (const bool watch_form : {true, false}) {
                listing.watch_form = watch_form;
                if (auto text = rule_to_listing(*rule, listing); text && text->size() < max_line_bytes)
                    found.push_back(std::move(*text));
            }
        }
        const OptionTable& table = option_table(features_of(base_.version));
        const auto options = scan(tokens, table);
        if (!options) return found;
        if (rule != nullptr && std::any_of(options->begin(), options->end(), begins_rule))
            found.push_back(rule_in_order(*options, names_for(*rule)));
        found.push_back(in_written_order(*options, table));
        return found;
    }

private:
    CallNames names_for(const KernelRule& rule) const {
        CallNames names{host_of(base_), rule.list == List::io_uring, known_, old_timerfd_};
        for (const FieldTest& test : rule.tests)
            if (test.field == Field::arch) names.machine = elf_machine(test.value).value_or(names.machine);
        return names;
    }

    bool reads_alike(const InputLine& line, const std::string& text) const {
        const auto alike = [&](const CompileOptions& options) {
            Diagnostics unused;
            return same_messages(read(line, options, unused), read({line.span, text}, options, unused));
        };
        return alike(base_) && std::all_of(others_.begin(), others_.end(), alike);
    }

    const Sources& sources_;
    CompileOptions base_;
    std::vector<CompileOptions> others_;
    FormatStyle style_;
    KnownNames known_;
    bool old_timerfd_ = false;
    bool first_ = true;
};

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(' ');
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

}  // namespace

bool same_messages(const Program& a, const Program& b) {
    const auto same = [](const Message& x, const Message& y) {
        if (x.body.index() != y.body.index() || message_to_wire_line(x) != message_to_wire_line(y)) return false;
        if (const KernelRule* rule = rule_of(x)) return rule->same_as(*rule_of(y));
        if (const auto* all = std::get_if<DeleteAll>(&x.body)) return all->key == std::get<DeleteAll>(y.body).key;
        if (const auto* text = std::get_if<UserMessage>(&x.body))
            return text->text == std::get<UserMessage>(y.body).text;
        if (const auto* inert = std::get_if<Inert>(&x.body)) return inert->kind == std::get<Inert>(y.body).kind;
        return true;
    };
    return a.stopped == b.stopped && a.failed == b.failed && a.errors_ignored == b.errors_ignored &&
           a.auditctl_exit == b.auditctl_exit &&
           std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(), same);
}

FormattedFile format_file(const Sources& sources, FileId file, const CompileOptions& compile_options,
                          const FormatOptions& options, Diagnostics& diagnostics) {
    FormattedFile result;
    Formatter formatter(sources, compile_options, options);
    bool ignoring = compile_options.continue_on_error;
    bool blank_before = false;
    const auto put = [&](std::string_view line) {
        if (blank_before && !result.text.empty()) result.text += '\n';
        blank_before = false;
        result.text += line;
        result.text += '\n';
    };
    // Reads one line as auditctl would; its errors are kept.
    const auto read = [&](const InputLine& line) {
        Diagnostics found;
        Program program = formatter.read(line, found);
        formatter.line_has_run();
        ignoring = ignoring || program.errors_ignored;
        if (!program.failed) return program;
        const bool goes_on = ignoring && !(program.stopped && program.auditctl_exit != 1);
        for (Diagnostic& diagnostic : found.items()) {
            if (diagnostic.level == Level::error && goes_on) diagnostic.level = Level::warning;
            diagnostics.add(std::move(diagnostic));
        }
        result.failed = true;
        result.stopped = result.stopped || !goes_on;
        return program;
    };

    const std::vector<InputLine> lines = split_lines(sources, file);
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t end = i + 1;
        while (end < lines.size() && lines[end].span.line == lines[i].span.line) ++end;
        const InputLine& line = lines[i];
        const TokenLine tokens = tokenize(line.bytes, line.span, TokenLimit::none);
        // A line that auditctl reads in pieces, or only up to a NUL, stays byte for byte.
        const bool as_it_is = end - i > 1 || tokens.cut_by_nul;
        if (as_it_is) {
            for (std::size_t piece = i; piece < end; ++piece) {
                const auto kind = tokenize(lines[piece].bytes, lines[piece].span, TokenLimit::none).kind;
                if (kind == TokenLine::Kind::tokens) read(lines[piece]);
            }
            put(sources.line(file, line.span.line));
        } else if (tokens.kind == TokenLine::Kind::blank) {
            blank_before = true;
        } else if (tokens.kind == TokenLine::Kind::comment) {
            put(trimmed(line.bytes));
        } else {
            // Candidates are compared in the place where the line stands, so before it has run.
            Diagnostics unused;
            const Program alone = formatter.read(line, unused);
            const std::string text = alone.failed ? line.bytes : formatter.text_for(line, alone);
            read(line);
            put(text);
        }
        i = end;
    }

    Sources again;
    const FileId new_file = again.add(sources.name(file), result.text);
    Diagnostics unused;
    const Program before = compile(sources, lines, compile_options, unused);
    const Program after = compile(again, split_lines(again, new_file), compile_options, unused);
    if (!same_messages(before, after)) throw std::logic_error("the formatted text would load as something else");
    return result;
}

}  // namespace auopt
