#include "cli/audit_rules_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/emit.hpp"
#include "compiler/overloaded.hpp"
#include "kernel_model/output_order.hpp"
#include "lint/implied.hpp"
#include "report/cost_report.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

// Far below the 6143 bytes where auditctl cuts a line and runs the rest of a comment as a rule.
constexpr std::size_t comment_width = 110;

/// Spaces and backslashes as the tokenizer takes them back.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == ' ' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

bool printable_byte(char c) { return c >= 0x20 && c < 0x7F; }

/// "30-stig.rules:12, 13, 40-more.rules:2"
std::string places(const std::vector<Span>& sources, const Inputs& inputs) {
    std::string out;
    std::optional<FileId> file;
    for (const Span& span : sources) {
        if (!out.empty()) out += ", ";
        if (file != span.file) out += inputs.portable_names[span.file.value] + ":";
        out += fmt::format("{}", span.line);
        file = span.file;
    }
    return out;
}

/// Names of the calls of `abi` that the rule is about: in its mask and, with perm=, in a class of it that the
/// tables know. Numbers that narrowing leaves set for calls that do not exist yet are left out.
std::string names_on(const KernelRule& rule, const MachineModel& machine, Abi abi) {
    std::vector<const KernelTables*> kernels;
    for (const KernelTables& k : kernel_tables(machine.machine)) kernels.push_back(&k);
    const bool perm = find_test(rule, Field::perm) != nullptr;
    const SyscallSet calls = admitted_calls(rule, abi, kernels);
    std::vector<std::string> names;
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (!calls.test(nr) || (perm && nr >= first_new_syscall && nr <= last_new_syscall)) continue;
        std::string name = syscall_name(nr, machine.names_of(abi));
        names.push_back(name.empty() ? fmt::format("{}", nr) : std::move(name));
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string letters(std::uint32_t perm) {
    std::string text;
    for (const auto& [bit, letter] :
         {std::pair{perm_read, 'r'}, {perm_write, 'w'}, {perm_exec, 'x'}, {perm_attr, 'a'}}) {
        if ((perm & bit) != 0) text += letter;
    }
    return text;
}

std::string both_abis(const KernelRule& rule, const MachineModel& machine) {
    std::string out;
    const auto abis = admitted_abis(rule, machine);
    for (const Abi abi : abis) {
        const std::string names = names_on(rule, machine, abi);
        if (names.empty()) continue;
        if (!out.empty()) out += "; ";
        if (abis.size() > 1) out += std::string(abi_word(abi)) + " ";
        out += names;
    }
    return out;
}

/// The calls in words. A rule that has all calls of its perm= says so, and `classes` learns which need a legend.
std::string calls_of(const KernelRule& rule, const MachineModel& machine, std::map<std::string, KernelRule>& classes) {
    if (rule.list != List::exit) return {};
    const FieldTest* perm = find_test(rule, Field::perm);
    if (perm == nullptr || perm->op != Op::equal) return rule.mask.full() ? "every call" : both_abis(rule, machine);
    KernelRule whole_class;
    whole_class.mask = SyscallMask::all();
    whole_class.tests = {*perm};
    KernelRule own_abis = whole_class;
    for (const FieldTest& test : rule.tests) {
        if (test.field == Field::arch) own_abis.tests.push_back(test);
    }
    for (const Abi abi : all_abis) {
        if (names_on(rule, machine, abi) != names_on(own_abis, machine, abi)) return both_abis(rule, machine);
    }
    const std::string name = "perm=" + letters(perm->value);
    classes.emplace(name, std::move(whole_class));
    return "the calls of " + name;
}

/// Lines of rules that came through as their author wrote them need no comment.
bool unchanged(const KernelRule& rule, const std::multimap<std::uint64_t, const KernelRule*>& before) {
    if (rule.sources.size() != 1) return false;
    const Span& at = rule.sources.front();
    const auto [first, last] = before.equal_range((std::uint64_t{at.file.value} << 32U) | at.line);
    return std::any_of(first, last,
                       [&](const auto& entry) { return expressible(*entry.second).same_as(expressible(rule)); });
}

}  // namespace

std::string comment(const std::string& text) {
    std::string clean;
    for (const char c : text)
        clean += printable_byte(c) ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    std::string out;
    bool first_line = true;
    while (true) {
        const std::size_t room = first_line ? comment_width - 2 : comment_width - 6;
        const std::string lead = first_line ? "# " : "#     ";
        if (clean.size() <= room) return out + lead + clean + "\n";
        std::size_t cut = clean.rfind(' ', room);
        if (cut == std::string::npos || cut == 0) cut = room;
        out += lead + clean.substr(0, cut) + "\n";
        clean.erase(0, clean[cut] == ' ' ? cut + 1 : cut);
        first_line = false;
    }
}

KernelRule expressible(KernelRule rule) {
    if (rule.list != List::exit && rule.list != List::io_uring) return rule;
    const auto is_arch = [](const FieldTest& t) { return t.field == Field::arch; };
    const auto first_arch = std::find_if(rule.tests.begin(), rule.tests.end(), is_arch);
    std::stable_partition(first_arch, rule.tests.end(), [](const FieldTest& t) { return t.field == Field::perm; });
    std::stable_partition(rule.tests.begin(), rule.tests.end(),
                          [](const FieldTest& t) { return t.field != Field::key; });
    return rule;
}

tl::expected<ControlLines, std::string> control_lines(const Program& program, const KernelState& state) {
    // Where the rules begin and end.
    std::optional<std::size_t> first_rule;
    std::size_t last_rule = 0;
    for (std::size_t i = 0; i < program.messages.size(); ++i) {
        const auto& body = program.messages[i].body;
        if (std::holds_alternative<AddRule>(body) || std::holds_alternative<DeleteRule>(body)) {
            if (!first_rule) first_rule = i;
            last_rule = i;
        }
    }
    ControlLines lines;
    std::vector<std::string> error_modes, leading;
    std::optional<std::string> problem;
    for (std::size_t i = 0; i < program.messages.size(); ++i) {
        const auto place = [&](std::string line, std::string_view what) {
            if (!first_rule || i < *first_rule)
                leading.push_back(std::move(line));
            else if (i > last_rule)
                lines.last.push_back(std::move(line));
            else if (!problem)
                problem = fmt::format("{} between rules: its place among them cannot be kept", what);
        };
        std::visit(
            Overloaded{
                [&](const Trim&) { place("-t", "-t"); },
                [&](const MakeEquiv& m) { place(fmt::format("-q {},{}", escaped(m.mount), escaped(m.subtree)), "-q"); },
                [&](const UserMessage& m) {
                    // auditctl 3.0 and later put this in front of what the line says.
                    constexpr std::string_view prefix = "text=";
                    const std::string_view text = m.text;
                    place("-m " + escaped(text.starts_with(prefix) ? text.substr(prefix.size()) : text), "-m");
                },
                [&](const Inert& m) {
                    const char* mode = m.kind == Inert::Kind::ignore_errors       ? "-i"
                                       : m.kind == Inert::Kind::continue_on_error ? "-c"
                                                                                  : nullptr;
                    if (mode != nullptr &&
                        std::find(error_modes.begin(), error_modes.end(), mode) == error_modes.end()) {
                        error_modes.emplace_back(mode);
                    }
                    if (m.kind == Inert::Kind::signal && !problem) {
                        problem =
                            "--signal acts on the audit daemon when the file is loaded; send the signal elsewhere";
                    }
                },
                [](const auto&) {},
            },
            program.messages[i].body);
    }
    if (problem) return tl::unexpected(*problem);
    // --continue reads the input as if -c were its first line, and so is the output to be read.
    if (state.errors_ignored_from && error_modes.empty()) error_modes.emplace_back("-c");

    const Settings& s = state.settings;
    if (state.cleared_first) lines.first.emplace_back("-D");
    if (s.backlog_limit) lines.first.push_back(fmt::format("-b {}", *s.backlog_limit));
    if (s.failure) lines.first.push_back(fmt::format("-f {}", *s.failure));
    lines.first.insert(lines.first.end(), error_modes.begin(), error_modes.end());
    if (s.rate_limit) lines.first.push_back(fmt::format("-r {}", *s.rate_limit));
    if (s.backlog_wait_time) lines.first.push_back(fmt::format("--backlog_wait_time {}", *s.backlog_wait_time));
    if (s.reset_lost) lines.first.emplace_back("--reset-lost");
    if (s.reset_backlog_wait_time_actual) lines.first.emplace_back("--reset_backlog_wait_time_actual");
    if (s.loginuid_immutable) lines.first.emplace_back("--loginuid-immutable");
    lines.first.insert(lines.first.end(), leading.begin(), leading.end());
    if (s.enabled) lines.enable = fmt::format("-e {}", *s.enabled);
    return lines;
}

tl::expected<std::string, std::string> audit_rules_text(const TextHeader& header, const ControlLines& control,
                                                        const KernelState& before, const KernelState& after,
                                                        const Inputs& inputs) {
    std::string out = comment(fmt::format(
        "Written by auopt {}. Change the sources and run it again rather than editing this file.", header.version));
    for (const InputFile& input : header.inputs)
        out += comment(fmt::format("input: {} sha256 {}", input.name, input.sha256));
    if (!header.facts.empty()) out += comment("facts: " + header.facts);
    out += comment("target: " + header.target);
    out += comment("preserve: " + header.preserve);
    out += comment(header.assumptions.empty() ? std::string("assumptions: none")
                                              : fmt::format("assumptions: {}", fmt::join(header.assumptions, ", ")));
    out += comment(fmt::format("proof: proven the same as the inputs for {}", fmt::join(header.proven_for, ", ")));
    out += comment(fmt::format("loads as the same bytes in auditctl {}", fmt::join(header.loads_in, ", ")));
    if (after.machine != Machine::x86_64)
        out += comment(fmt::format(
            "cost: not measured on {}; instruction counts of x86_64 chose between rewrites that are equally right",
            machine_name(after.machine)));
    if (!header.not_measured.empty()) out += comment(header.not_measured);
    if (!header.predictions.empty() && header.unknown_watches != 0)
        out += comment(unknown_watches_text(header.unknown_watches));
    for (const Prediction& prediction : header.predictions) {
        std::string line = fmt::format("instructions per call, {}:", prediction.kernel);
        for (std::size_t i = 0; i < prediction.calls.size(); ++i) {
            const PredictedCall& call = prediction.calls[i];
            line += fmt::format("{} {} {} -> {}", i == 0 ? "" : ",", call.name,
                                range_text(call.before, call.most_before), range_text(call.after, call.most_after));
        }
        out += comment(line);
    }

    const MachineModel& machine = machine_model(after.machine);
    std::string body;
    std::map<std::string, KernelRule> classes;
    for (const std::string& line : control.first) body += line + "\n";
    if (!control.first.empty()) body += "\n";

    std::multimap<std::uint64_t, const KernelRule*> by_place;
    for (const auto* rules : {&before.user, &before.task, &before.exclude, &before.filesystem, &before.filter}) {
        for (const KernelRule& rule : *rules) {
            for (const Span& at : rule.sources)
                by_place.emplace((std::uint64_t{at.file.value} << 32U) | at.line, &rule);
        }
    }
    std::vector<std::string> last = control.last;
    if (!control.enable.empty()) last.push_back(control.enable);
    for (const OutputLine& next : output_order(before, after)) {
        if (next.rule == nullptr) {
            body += control.enable + "\n";
            last.pop_back();
            continue;
        }
        const KernelRule& rule = *next.rule;
        const bool same = unchanged(rule, by_place);
        auto line = rule_to_line(expressible(rule), machine_name(machine.machine));
        if (!line) {
            // What the author wrote can say what the canonical spelling cannot. Whether it still means the same
            // is judged on the bytes, like everything else.
            if (!same) return tl::unexpected(fmt::format("{}: {}", places(rule.sources, inputs), line.error()));
            line = std::string(inputs.sources.line(rule.sources.front().file, rule.sources.front().line));
        }
        if (!same) {
            const std::string calls = calls_of(rule, machine, classes);
            body += comment(fmt::format("from {}{}{}", places(rule.sources, inputs), calls.empty() ? "" : ": ", calls));
        }
        body += *line + "\n";
    }
    if (!last.empty()) body += "\n";
    for (const std::string& line : last) body += line + "\n";

    for (const auto& [name, whole_class] : classes)
        out += comment(fmt::format("the calls of {}: {}", name, both_abis(whole_class, machine)));
    return out + "\n" + body;
}

}  // namespace auopt
