#include "compiler/read_listing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "compiler/print_listing.hpp"
#include "compiler/spelling.hpp"
#include "compiler/version.hpp"
#include "compiler/wire.hpp"
#include "grammar/ids.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

constexpr const char* use_loaded = "read the kernel itself: --loaded";

struct Word {
    std::string_view text;
    std::size_t at = 0;  // offset in the line
};

/// Words between single spaces, as they were printed: two spaces in a row make an empty word.
std::vector<Word> words_of(std::string_view line) {
    std::vector<Word> words;
    std::size_t at = 0;
    while (at <= line.size()) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        words.push_back({line.substr(at, end - at), at});
        at = end + 1;
    }
    return words;
}

/// Why a line was not taken.
struct Refusal {
    std::string_view id;
    std::size_t at = 0, length = 0;  // in the line; length 0: the whole line
    std::string message;
    std::string help;
};

using Taken = tl::expected<KernelRule, Refusal>;

tl::unexpected<Refusal> refuse(std::string_view id, const Word& word, std::string message,
                               std::string help = use_loaded) {
    return tl::unexpected(
        Refusal{id, word.at, std::max<std::size_t>(1, word.text.size()), std::move(message), std::move(help)});
}
tl::unexpected<Refusal> no_listing_line(const Word& word, std::string reason) {
    return refuse(ids::no_listing_line, word, fmt::format("auditctl -l prints no such line: {}", reason),
                  "rules as written, not as listed, are read without --from listing");
}
tl::unexpected<Refusal> ambiguous(const Word& word, std::string reason) {
    return refuse(ids::ambiguous_listing, word, std::move(reason));
}

template <class Number>
std::optional<Number> whole_number(std::string_view text, int base = 10) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

struct OpText {
    std::string_view text;
    Op op;
};
// Two bytes before one.
constexpr OpText operators[] = {{"!=", Op::not_equal}, {">=", Op::greater_equal}, {"<=", Op::less_equal},
                                {"&=", Op::bit_test},  {"=", Op::equal},          {">", Op::greater},
                                {"<", Op::less},       {"&", Op::bit_mask}};

/// "name op value" of one word; nothing without an operator.
struct Comparison {
    std::string_view name, value;
    Op op = Op::equal;
};
std::optional<Comparison> split_comparison(std::string_view text) {
    const std::size_t at = text.find_first_of("!=<>&");
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    for (const OpText& row : operators)
        if (text.substr(at).starts_with(row.text))
            return Comparison{text.substr(0, at), text.substr(at + row.text.size()), row.op};
    return std::nullopt;
}

/// A number as listings print the field; whether it is printed just so is checked on the whole line.
std::optional<std::uint32_t> number_of(const FieldRow& row, std::string_view value) {
    switch (row.value_class) {
        case ValueClass::permissions: {
            std::uint32_t bits = 0;
            for (const char c : value)
                bits |= c == 'r' ? perm_read : c == 'w' ? perm_write : c == 'x' ? perm_exec : c == 'a' ? perm_attr : 16;
            if (bits > 15) return std::nullopt;
            return bits;
        }
        case ValueClass::argument:
            return value.starts_with("0x") ? whole_number<std::uint32_t>(value.substr(2), 16) : std::nullopt;
        case ValueClass::unsigned_number:
            return whole_number<std::uint32_t>(value);
        case ValueClass::exit_code:
            if (value.starts_with("-E"))
                if (const auto error = errno_number(value)) return static_cast<std::uint32_t>(*error);
            break;
        case ValueClass::message_type:
            if (!value.empty() && value[0] >= 'A' && value[0] <= 'Z') {
                if (const auto type = message_type_number(value)) return static_cast<std::uint32_t>(*type);
                return std::nullopt;
            }
            break;
        case ValueClass::fs_type:
            if (const auto type = fstype_number(value)) return type;
            break;
        case ValueClass::user:
        case ValueClass::session:
            if (value == "unset") return id_unset;
            break;
        default:
            break;
    }
    if (const auto number = whole_number<std::int32_t>(value)) return static_cast<std::uint32_t>(*number);
    return std::nullopt;
}

bool order_matters(List list) { return list == List::user || list == List::exclude; }

/// Reads the lines of one listing, which share what was printed before.
class Listing {
public:
    Listing(const CompileOptions& options, bool assume_watches)
        : options_(options),
          assume_watches_(assume_watches),
          features_(features_of(options.version)),
          machine_(machine_by_name(options.machine).value_or(Machine::x86_64)),
          printer_(listing_printer(options.version, machine_)),
          names_(machine_) {}

    Taken line(std::string_view text);

private:
    Taken watch(std::string_view text);
    Taken rule(std::string_view text);

    // Parts of a rule; each takes the words it knows and leaves `i` at the next one.
    std::optional<Refusal> list_and_action(KernelRule& rule, const Word& word);
    std::optional<Refusal> arches(KernelRule& rule, const std::vector<Word>& words, std::size_t& i);
    std::optional<Refusal> calls(KernelRule& rule, const std::vector<Word>& words, std::size_t& i);
    std::optional<Refusal> tests(KernelRule& rule, const std::vector<Word>& words, std::size_t& i);
    std::optional<Refusal> field_test(KernelRule& rule, const Word& word);
    std::optional<Refusal> call_list(KernelRule& rule, const Word& word);

    bool printed_so(const KernelRule& rule, std::string_view calls_as_printed, std::string_view text) const;
    static std::optional<Refusal> key(KernelRule& rule, const Word& word, std::string_view text);

    const CompileOptions& options_;
    const bool assume_watches_;
    const Features& features_;
    const Machine machine_;
    const ListingPrinter printer_;
    CallNames names_;              // the table that named the calls of the line before
    bool names_known_ = true;      // false behind a line that could not be read
    std::uint32_t last_list_ = 0;  // lists are printed in order
    bool interpreted_ = false;     // this line was printed by -l -i
};

std::optional<Refusal> error_of(tl::unexpected<Refusal> refusal) { return std::move(refusal.value()); }

bool Listing::printed_so(const KernelRule& rule, std::string_view calls_as_printed, std::string_view text) const {
    ListingPrinter printer = printer_;
    printer.interpreted = interpreted_;
    printer.operators_shown = true;  // where an operator is not shown, the line was refused already
    printer.io_uring_list = true;
    // What this version has no name for is a number; but a name says what it says in every version.
    return std::ranges::any_of(std::array{printer_.known, KnownNames{}}, [&](const KnownNames& known) {
        printer.known = known;
        std::string again;
        CallNames names;
        if (!listed_as_watch(rule)) again = listed_head(rule, printer, names) + std::string(calls_as_printed);
        return again + listed_tests(rule, printer) == text;
    });
}

std::optional<Refusal> Listing::key(KernelRule& rule, const Word& word, std::string_view text) {
    if (text.empty()) return error_of(no_listing_line(word, "an empty key"));
    if (!rule.tests.empty() && rule.tests.back().field == Field::key) {  // one key field, printed in parts
        rule.tests.back().text += '\x01';
        rule.tests.back().text += text;
        return std::nullopt;
    }
    if (find_test(rule, Field::key) != nullptr)
        return error_of(no_listing_line(word, "the kernel holds no rule with two key fields"));
    rule.tests.push_back({Field::key, Op::equal, 0, std::string(text)});
    return std::nullopt;
}

Taken Listing::watch(std::string_view text) {
    const std::vector<Word> words = words_of(text);
    const Word whole{text, 0};
    KernelRule rule;
    rule.mask = SyscallMask::all();
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const std::string_view option = words[i].text;
        if (i + 1 == words.size())
            return ambiguous(words[i], "this word belongs to no option: a path or a key holds a space");
        const Word& value = words[i + 1];
        if (option == "-w" && i == 0) {
            if (!value.text.starts_with('/')) return no_listing_line(value, "a watched path starts with /");
            if (value.text.size() > 1 && value.text.ends_with('/'))
                return ambiguous(value, "old versions print a directory so, where the path has no / at its end");
            // watch-kinds is for paths as an author writes them: listings have lost the slash.
            Facts facts = options_.facts;
            facts.assume_watch_kinds = false;
            const PathKind kind = path_kind(facts, value.text);
            rule.watch_kind_unknown = kind == PathKind::unknown;
            rule.tests.push_back(
                {kind == PathKind::directory ? Field::dir : Field::path, Op::equal, 0, std::string(value.text)});
        } else if (option == "-p" && i != 0) {
            const auto bits = number_of(*field_by_number(static_cast<std::uint32_t>(Field::perm)), value.text);
            if (!bits) return no_listing_line(value, "permissions are letters of rwxa");
            rule.tests.push_back({Field::perm, Op::equal, *bits, ""});
        } else if (option == "-k" && i != 0) {
            if (auto problem = key(rule, value, value.text)) return tl::unexpected(*std::move(problem));
        } else {
            return ambiguous(words[i], "this word belongs to no option: a path or a key holds a space");
        }
    }
    if (find_test(rule, Field::perm) == nullptr) return no_listing_line(whole, "a watch has -p");
    if (!printed_so(rule, "", text)) return no_listing_line(whole, "auditctl prints the letters in the order rwxa");
    if (!assume_watches_)
        return refuse(
            ids::listed_watch, whole,
            fmt::format("a listing prints never rules as -w too: this may be `-a never,exit -S all -F path={} ...`",
                        words[1].text),
            "read the kernel itself (--loaded), or say that it is an always rule: --assume listed-watches");
    return rule;
}

std::optional<Refusal> Listing::list_and_action(KernelRule& rule, const Word& word) {
    const std::size_t comma = word.text.find(',');
    if (comma == std::string_view::npos) return error_of(no_listing_line(word, "-a takes ACTION,LIST"));
    const std::string_view action = word.text.substr(0, comma), list = word.text.substr(comma + 1);
    if (action != "always" && action != "never")
        return error_of(no_listing_line(word, "the action is always or never, and stands first"));
    rule.action = action == "never" ? Action::never : Action::always;
    if (list == "(null)")
        return error_of(ambiguous(
            word, "this auditctl does not know the list: it may be io_uring, printed by a version that has none"));
    for (const List known : {List::user, List::task, List::exit, List::exclude, List::filesystem, List::io_uring}) {
        if (list_word(known) != list) continue;
        rule.list = known;
        return std::nullopt;
    }
    return error_of(no_listing_line(word, fmt::format("`{}` is no list", list)));
}

std::optional<Refusal> Listing::arches(KernelRule& rule, const std::vector<Word>& words, std::size_t& i) {
    for (; i + 1 < words.size() && words[i].text == "-F" && words[i + 1].text.starts_with("arch"); i += 2) {
        const Word& word = words[i + 1];
        const auto comparison = split_comparison(word.text);
        if (!comparison || comparison->name != "arch") break;
        const std::string_view value = comparison->value;
        std::optional<std::uint32_t> elf;
        if (value == "b64") {
            if (const auto wide = machine_64bit(machine_)) elf = machine_elf(*wide);
        } else if (value == "b32") {
            const auto narrow = machine_32bit(machine_);
            if (narrow) elf = machine_elf(*narrow);
        } else if (value.starts_with("0x")) {
            elf = whole_number<std::uint32_t>(value.substr(2), 16);
        } else if (const auto named = machine_by_name(value); named && machine_name(*named) == value) {
            elf = machine_elf(*named);
            interpreted_ = true;
        }
        if (!elf) return error_of(ambiguous(word, fmt::format("`{}` is no arch of {}", value, machine_name(machine_))));
        rule.tests.push_back({Field::arch, comparison->op, *elf, ""});
        names_ = elf_machine(*elf);
        names_known_ = true;
    }
    return std::nullopt;
}

std::optional<Refusal> Listing::call_list(KernelRule& rule, const Word& word) {
    std::optional<unsigned> last;
    std::size_t at = 0;
    while (at <= word.text.size()) {
        const std::size_t end = std::min(word.text.find(',', at), word.text.size());
        const Word item{word.text.substr(at, end - at), word.at + at};
        at = end + 1;
        const auto number = whole_number<std::uint32_t>(item.text);
        unsigned call = 0;
        if (number) {
            if (*number >= mask_syscalls || item.text != fmt::format("{}", *number))
                return error_of(no_listing_line(item, "no rule of the kernel holds such a call"));
            call = *number;
        } else if (!names_known_) {
            return error_of(ambiguous(
                item, "which arch names this call is said by the lines above, and one of them cannot be read"));
        } else if (!names_) {
            return error_of(no_listing_line(item, "behind an arch of no known machine calls are numbers"));
        } else {
            const auto named = syscall_number(item.text, *names_);
            // Some names are spelled in several ways, one of which is printed.
            if (!named || syscall_name(*named, *names_) != item.text)
                return error_of(no_listing_line(
                    item, fmt::format("`{}` is no system call of {}", item.text, machine_name(*names_))));
            call = *named;
        }
        if (last && *last >= call) return error_of(no_listing_line(item, "calls are printed in ascending order"));
        last = call;
        rule.mask.set(call);
    }
    return std::nullopt;
}

std::optional<Refusal> Listing::calls(KernelRule& rule, const std::vector<Word>& words, std::size_t& i) {
    const bool given = i + 1 < words.size() && words[i].text == "-S";
    const Word& value = given ? words[i + 1] : words[0];
    switch (rule.list) {
        case List::exit:
            break;
        case List::io_uring:
            if (!given || value.text != "all")
                return error_of(
                    ambiguous(value, "operations from 37 on are in the kernel's rule but not in a listing"));
            break;
        default:
            if (given) return error_of(no_listing_line(value, "this list has no system calls"));
            rule.mask = rule.list == List::task ? SyscallMask() : SyscallMask::all();
            return std::nullopt;
    }
    if (!given) return std::nullopt;  // none
    i += 2;
    if (value.text == "all") {
        rule.mask = SyscallMask::all();
        return std::nullopt;
    }
    if (auto problem = call_list(rule, value)) return problem;
    if (std::all_of(rule.mask.words.begin(), rule.mask.words.end() - 1, [](auto w) { return w == 0xFFFFFFFF; }))
        return error_of(no_listing_line(value, "every call is printed as all"));
    return std::nullopt;
}

std::optional<Refusal> Listing::field_test(KernelRule& rule, const Word& word) {
    const auto comparison = split_comparison(word.text);
    if (!comparison) return error_of(ambiguous(word, "this is no test: a path or a key before it may hold a space"));
    const FieldRow* row = field_by_name(comparison->name);
    if (row == nullptr || row->name != comparison->name)
        return error_of(no_listing_line(word, fmt::format("`{}` is no field", comparison->name)));
    const auto field = static_cast<Field>(row->number);
    FieldTest test{field, comparison->op, 0, ""};
    if (field == Field::key) return key(rule, word, comparison->value);
    if (row->value_class == ValueClass::text) {
        if (comparison->value.empty()) return error_of(no_listing_line(word, "an empty text"));
        if (comparison->value.starts_with('=') || comparison->op == Op::greater_equal ||
            comparison->op == Op::less_equal)
            return error_of(ambiguous(word, "the = is of the operator or of the text"));
        if (field == Field::exe && comparison->op == Op::equal && !features_.lists_operators)
            return error_of(refuse(
                ids::ambiguous_listing, word,
                fmt::format("auditctl {} prints exe!={} as exe= too", features_.name, comparison->value),
                "read the kernel itself (--loaded), or name a --target whose auditctl shows operators (3.1.5, 4.0.2)"));
        test.text = std::string(comparison->value);
    } else {
        const auto number = number_of(*row, comparison->value);
        if (!number)
            return error_of(no_listing_line(word, fmt::format("not a value that it prints for {}", row->name)));
        if (comparison->value == "unset") interpreted_ = true;
        test.value = *number;
    }
    rule.tests.push_back(std::move(test));
    return std::nullopt;
}

std::optional<Refusal> Listing::tests(KernelRule& rule, const std::vector<Word>& words, std::size_t& i) {
    while (i < words.size()) {
        const std::string_view option = words[i].text;
        if (option == "-F" && i + 1 < words.size()) {
            if (auto problem = field_test(rule, words[i + 1])) return problem;
            i += 2;
        } else if (option == "-C" && i + 1 < words.size()) {
            const auto comparison = split_comparison(words[i + 1].text);
            const ComparisonRow* found = nullptr;
            for (const ComparisonRow& row : comparison_rows())
                if (comparison && row.left == comparison->name && row.right == comparison->value) found = &row;
            if (found == nullptr) return error_of(no_listing_line(words[i + 1], "no such comparison"));
            rule.tests.push_back({Field::field_compare, comparison->op, found->number, ""});
            i += 2;
        } else if (option.starts_with('f')) {  // a field without a name
            const auto comparison = split_comparison(option);
            const auto number =
                comparison ? whole_number<std::uint32_t>(comparison->name.substr(1)) : std::optional<std::uint32_t>();
            const auto value =
                comparison ? whole_number<std::int32_t>(comparison->value) : std::optional<std::int32_t>();
            if (!number || !value)
                return error_of(ambiguous(words[i], "this word belongs to no option: a path or a key holds a space"));
            if (*number != static_cast<std::uint32_t>(Field::loginuid_set))
                return error_of(ambiguous(words[i], fmt::format("field {} is not known", *number)));
            rule.tests.push_back({Field::loginuid_set, comparison->op, static_cast<std::uint32_t>(*value), ""});
            ++i;
        } else {
            return error_of(ambiguous(words[i], "this word belongs to no option: a path or a key holds a space"));
        }
    }
    return std::nullopt;
}

Taken Listing::rule(std::string_view text) {
    const std::vector<Word> words = words_of(text);
    const Word whole{text, 0};
    KernelRule rule;
    if (words.size() < 2) return no_listing_line(whole, "-a takes ACTION,LIST");
    std::size_t i = 2;
    if (auto problem = list_and_action(rule, words[1])) return tl::unexpected(*std::move(problem));
    if (auto problem = arches(rule, words, i)) return tl::unexpected(*std::move(problem));
    const std::size_t calls_from = i;
    if (auto problem = calls(rule, words, i)) return tl::unexpected(*std::move(problem));
    const std::string calls_as_printed = i == calls_from ? std::string() : fmt::format(" -S {}", words[i - 1].text);
    const std::size_t n_arches = rule.tests.size();
    if (auto problem = tests(rule, words, i)) return tl::unexpected(*std::move(problem));

    if (rule.tests.size() > max_fields)
        return no_listing_line(whole, fmt::format("no rule has more than {} tests", max_fields));
    if (order_matters(rule.list) && n_arches != 0 && rule.tests.size() != n_arches)
        return ambiguous(words[3],
                         "on this list the order of the tests matters, and arch is printed first wherever it stands");
    const bool one_call = rule.mask.count() <= 1;
    if (interpreted_ && one_call)
        for (const FieldTest& test : rule.tests)
            if (test.field >= Field::arg0 && test.field <= Field::arg3)
                return ambiguous(whole, "-i prints the arguments of a single call in words");
    if (listed_as_watch(rule)) return no_listing_line(whole, "it prints this rule with -w and -p");
    if (!printed_so(rule, calls_as_printed, text)) return no_listing_line(whole, "it spells a value in another way");
    return rule;
}

Taken Listing::line(std::string_view text) {
    const Word whole{text, 0};
    interpreted_ = false;
    if (text.starts_with(" -p") || text.starts_with(" -k"))
        return ambiguous(whole, "action, list and operators of this rule are not printed");
    const bool watched = text.starts_with("-w ");
    if (!watched && !text.starts_with("-a ")) return no_listing_line(whole, "it begins with -a or -w");
    Taken taken = watched ? watch(text) : rule(text);
    if (!taken) {
        if (text.find("-F arch") != std::string_view::npos) names_known_ = false;
        return taken;
    }
    const auto list = static_cast<std::uint32_t>(taken->list);
    if (list < last_list_)
        return no_listing_line(whole,
                               "the lists are printed in the order user, task, exit, exclude, filesystem, io_uring");
    last_list_ = list;
    return taken;
}

}  // namespace

std::vector<InputLine> listing_lines(const Sources& sources, FileId file) {
    std::vector<InputLine> lines;
    const std::string_view text = sources.text(file);
    std::size_t at = 0;
    for (std::uint32_t number = 1; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view bytes = text.substr(at, end - at);
        lines.push_back({Span{file, number, 1, static_cast<std::uint32_t>(bytes.size())}, std::string(bytes)});
        at = end + 1;
    }
    return lines;
}

Program read_listing(const std::vector<InputLine>& lines, const CompileOptions& options, bool assume_listed_watches,
                     Diagnostics& diagnostics) {
    Program program;
    std::optional<Listing> listing;
    std::unordered_map<std::string, const InputLine*> seen;  // rules in wire form
    const auto error = [&](const InputLine& line, Refusal refusal, std::vector<Note> notes) {
        Span span = line.span;
        span.column += static_cast<std::uint32_t>(refusal.at);
        if (refusal.length != 0) span.length = static_cast<std::uint32_t>(refusal.length);
        diagnostics.add({std::string(refusal.id), Level::error, span, std::move(refusal.message), std::move(notes),
                         std::move(refusal.help), std::nullopt});
        program.failed = program.stopped = true;
        program.auditctl_exit = 1;
    };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const InputLine& line = lines[i];
        // One listing a file.
        if (i == 0 || lines[i - 1].span.file != line.span.file) {
            listing.emplace(options, assume_listed_watches);
            seen.clear();
            const bool alone = i + 1 == lines.size() || lines[i + 1].span.file != line.span.file;
            if (line.bytes == "No rules" && alone) continue;
        }
        Taken taken = listing->line(line.bytes);
        if (!taken) {
            error(line, std::move(taken.error()), {});
            continue;
        }
        const auto wire = rule_to_wire(*taken);
        if (const auto [before, fresh] = seen.emplace(std::string(wire.begin(), wire.end()), &line); !fresh) {
            error(
                line,
                {ids::repeated_listing, 0, line.bytes.size(),
                 "the same rule twice: the kernel holds no two equal rules, so that they differ in what is not printed",
                 use_loaded},
                {{before->second->span, "printed here before"}});
            continue;
        }
        taken->sources = {line.span};
        program.messages.push_back({AddRule{*std::move(taken)}, line.span});
    }
    return program;
}

}  // namespace auopt
