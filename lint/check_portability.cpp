// AU501 to AU504: what other auditctl versions make of the same line. Every line is compiled as each version of the
// target reads it and compared with the reading version, messages and failure; a line without such a finding is the
// same bytes in all of them.
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/readings.hpp"
#include "compiler/wire.hpp"
#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

/// The only rule that the line adds; nullptr when that is not what it does.
const KernelRule* added_rule(const LineReading& reading) {
    if (reading.messages.size() != 1) return nullptr;
    const auto* add = std::get_if<AddRule>(&reading.messages.front().body);
    return add == nullptr ? nullptr : &add->rule;
}

/// Calls that the kernel's classes gained after 6.12 was released, alike in every ABI (kernel commits 4f493a6079b5 and
/// those of 6.13; Debian's 6.12.117 against 7.2.13).
struct ClassAddition {
    unsigned nr;
    std::uint32_t perm;
    const char* since;
};
constexpr ClassAddition class_additions[] = {{452, perm_attr, "6.12.75"},
                                             {463, perm_attr, "6.13"},
                                             {464, perm_read, "6.13"},
                                             {465, perm_read, "6.13"},
                                             {466, perm_attr, "6.13"}};

/// Those of them that `here` leaves to perm= and `there` no longer asks for.
void add_lost_additions(const LintContext& context, const KernelRule& here, const KernelRule& there,
                        std::vector<std::string>& lost) {
    if (!context.classes_may_grow) return;
    const FieldTest* perm = find_test(here, Field::perm);
    for (const ClassAddition& call : class_additions) {
        if (perm == nullptr || (perm->value & call.perm) == 0) continue;
        if (!here.mask.test(call.nr) || there.mask.test(call.nr)) continue;
        const std::string name = syscall_name(call.nr, machine_of(context)->names_of(Abi::native));
        if (!name.empty()) lost.push_back(fmt::format("{} (in the kernel's class from {} on)", name, call.since));
    }
}

/// Names of calls that `here` can match and `there` cannot, without repetition.
std::vector<std::string> lost_calls(const LintContext& context, const KernelRule& here, const KernelRule& there) {
    std::vector<std::string> lost;
    for (const Abi abi : admitted_abis(here, *machine_of(context))) {
        const SyscallSet gone =
            admitted_calls(here, abi, context.kernels) & ~admitted_calls(there, abi, context.kernels);
        for (unsigned nr = 0; nr < first_new_syscall; ++nr) {
            if (!gone.test(nr)) continue;
            const std::string name = syscall_name(nr, machine_of(context)->names_of(abi));
            if (!name.empty() && std::find(lost.begin(), lost.end(), name) == lost.end()) lost.push_back(name);
        }
    }
    add_lost_additions(context, here, there, lost);
    return lost;
}

/// The calls that narrowing by perm= takes away: the rule is the same but for its mask. Nothing when it is another
/// difference, or its calls cannot be compared.
std::optional<std::vector<std::string>> narrowed_away(const LintContext& context, const LineReading& here,
                                                      const LineReading& there) {
    const KernelRule *before = added_rule(here), *after = added_rule(there);
    if (context.kernels.empty() || before == nullptr || after == nullptr || there.failed) return std::nullopt;
    if (find_test(*before, Field::perm) == nullptr) return std::nullopt;
    if (before->list != List::exit || after->list != List::exit || before->tests != after->tests) return std::nullopt;
    return lost_calls(context, *before, *after);
}

std::string test_text(const FieldTest& test) {
    const FieldRow* row = field_by_number(static_cast<std::uint32_t>(test.field));
    return row == nullptr ? fmt::format("field {}", static_cast<std::uint32_t>(test.field)) : std::string(row->name);
}

/// The calls of `a` that `b` lacks, by number; only how many when there are more than a few. Empty: none.
std::string calls_text(const SyscallMask& a, const SyscallMask& b) {
    constexpr std::size_t few = 4;
    std::vector<unsigned> numbers;
    for (unsigned nr = 0; nr < mask_words * 32; ++nr) {
        if (a.test(nr) && !b.test(nr)) numbers.push_back(nr);
    }
    if (numbers.empty()) return {};
    if (numbers.size() > few) return fmt::format("{} calls of the mask", numbers.size());
    return fmt::format("call {}", fmt::join(numbers, ", "));
}

std::string rule_change(const KernelRule& here, const KernelRule& there) {
    if (here.list != there.list) {
        return fmt::format("sends list {} in place of {}", static_cast<std::uint32_t>(there.list),
                           static_cast<std::uint32_t>(here.list));
    }
    if (here.action != there.action) return "sends another action";
    if (here.prepend != there.prepend) return "puts the rule elsewhere in its list";
    std::vector<std::string> changes;
    if (here.mask != there.mask) {
        if (const auto gone = calls_text(here.mask, there.mask); !gone.empty()) changes.push_back("without " + gone);
        if (const auto more = calls_text(there.mask, here.mask); !more.empty()) changes.push_back("with " + more);
    }
    for (std::size_t i = 0; i < std::max(here.tests.size(), there.tests.size()); ++i) {
        if (i >= there.tests.size()) {
            changes.push_back(fmt::format("without a test of {}", test_text(here.tests[i])));
        } else if (i >= here.tests.size()) {
            changes.push_back(fmt::format("with a test of {} more", test_text(there.tests[i])));
        } else if (here.tests[i] != there.tests[i]) {
            changes.push_back(fmt::format("with another test of {}", test_text(there.tests[i])));
        }
    }
    return fmt::format("sends the rule {}", fmt::join(changes, ", "));
}

/// What `there` does in place of `here`, both accepting the line or both refusing it.
std::string what_changes(const LineReading& here, const LineReading& there) {
    const KernelRule *before = added_rule(here), *after = added_rule(there);
    if (before != nullptr && after != nullptr) return rule_change(*before, *after);
    if (before != nullptr && there.messages.size() == 1 &&
        std::holds_alternative<DeleteRule>(there.messages.front().body)) {
        return "deletes the rule in place of adding it";
    }
    if (there.messages.empty()) return "does nothing with this line";
    for (std::size_t i = 0; i < there.messages.size(); ++i) {
        if (i < here.messages.size() && same_message(here.messages[i], there.messages[i])) continue;
        const std::string line = message_to_wire_line(there.messages[i]);
        if (!line.empty()) return fmt::format("sends another {} message", line.substr(0, line.find(' ')));
    }
    return "takes another part of the line";
}

/// Versions by what they do, in the order of the versions.
struct Findings {
    std::vector<std::pair<std::string, std::vector<std::string_view>>> kinds;

    void add(const std::string& what, std::string_view version) {
        for (auto& [text, versions] : kinds) {
            if (text != what) continue;
            versions.push_back(version);
            return;
        }
        kinds.push_back({what, {version}});
    }
};

struct LineFindings {
    std::vector<std::string> lost;  // calls
    std::vector<std::string_view> losing, refusing, loading;
    std::string refusal;
    Findings other;
    bool other_matters = false;  // some of it is more than a mask narrowed without loss
};

class Reporter {
public:
    Reporter(const LintContext& context, Diagnostics& diagnostics) : context_(context), diagnostics_(diagnostics) {}

    void report(const InputLine& line, const LineReading& here, const LineFindings& found) {
        const auto add = [&](std::string_view id, Level level, const Span& span, std::string message,
                             std::string help) {
            diagnostics_.add({std::string(id),
                              level,
                              span,
                              std::move(message),
                              {},
                              fmt::format("{}{}auopt explain {}", help, help.empty() ? "" : "; ", id),
                              std::nullopt});
        };
        if (!found.losing.empty()) {
            add(ids::perm_narrowed, Level::warning, field_place(context_.sources, *added_rule(here), {"perm"}),
                fmt::format(
                    "records less in auditctl {}: with arch before it, perm= becomes a list of calls there, without {}",
                    fmt::join(found.losing, ", "), fmt::join(found.lost, ", ")),
                "write -F perm= before -F arch, or leave arch out");
        }
        if (!found.refusing.empty()) {
            add(ids::refused_elsewhere, Level::info, line.span,
                fmt::format("auditctl {} refuses this line{}", fmt::join(found.refusing, ", "),
                            found.refusal.empty() ? std::string() : ": " + found.refusal),
                {});
        }
        if (!found.other.kinds.empty()) {
            std::vector<std::string> parts;
            for (const auto& [what, versions] : found.other.kinds) {
                parts.push_back(fmt::format("auditctl {} {}", fmt::join(versions, ", "), what));
            }
            add(ids::reads_differently, found.other_matters ? Level::warning : Level::info, line.span,
                fmt::format("other versions read this line otherwise: {}", fmt::join(parts, "; ")), {});
        }
        if (!found.loading.empty()) {
            add(ids::loads_elsewhere, Level::info, line.span,
                fmt::format("auditctl {} takes this line", fmt::join(found.loading, ", ")), {});
        }
    }

private:
    const LintContext& context_;
    Diagnostics& diagnostics_;
};

/// Where every host reads the rules alike, what its auditctl takes away from perm= is still lost.
void check_own_reading(const LintContext& context, Diagnostics& diagnostics) {
    CompileOptions leaving = context.compile;
    leaving.version = AuditctlVersion::v3_0_9;  // leaves perm= to the kernel
    const auto kernel = read_lines(context.sources, context.lines, leaving);
    const auto own = read_lines(context.sources, context.lines, context.compile);
    Reporter reporter(context, diagnostics);
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (same_reading(kernel[i], own[i])) continue;
        const auto lost = narrowed_away(context, kernel[i], own[i]);
        if (!lost || lost->empty()) continue;
        LineFindings found;
        found.lost = *lost;
        found.losing.push_back(auditctl_version_name(context.compile.version));
        reporter.report(context.lines[i], kernel[i], found);
    }
}

}  // namespace

void check_portability(const LintContext& context, Diagnostics& diagnostics) {
    const bool others = std::any_of(context.versions.begin(), context.versions.end(),
                                    [&](AuditctlVersion version) { return version != context.compile.version; });
    if (context.lines.empty() || context.versions.empty()) return;
    if (!others) {
        check_own_reading(context, diagnostics);
        return;
    }
    const auto here = read_lines(context.sources, context.lines, context.compile);
    std::vector<LineFindings> findings(context.lines.size());
    for (const AuditctlVersion version : context.versions) {
        if (version == context.compile.version) continue;
        const std::string_view name = auditctl_version_name(version);
        CompileOptions options = context.compile;
        options.version = version;
        const auto there = read_lines(context.sources, context.lines, options);
        for (std::size_t i = 0; i < here.size(); ++i) {
            if (same_reading(here[i], there[i])) continue;
            LineFindings& found = findings[i];
            if (here[i].failed && !there[i].failed) {
                found.loading.push_back(name);
                continue;
            }
            if (!here[i].failed && there[i].failed) {
                found.refusing.push_back(name);
                if (found.refusal.empty()) found.refusal = there[i].reason;
                continue;
            }
            const auto lost = narrowed_away(context, here[i], there[i]);
            if (!lost) {
                found.other.add(what_changes(here[i], there[i]), name);
                found.other_matters = true;
            } else if (lost->empty()) {
                found.other.add(
                    "makes perm= a list of calls, losing none of those that the kernel's class has in this target",
                    name);
            } else {
                found.losing.push_back(name);
                for (const std::string& call : *lost) {
                    if (std::find(found.lost.begin(), found.lost.end(), call) == found.lost.end())
                        found.lost.push_back(call);
                }
            }
        }
    }
    Reporter reporter(context, diagnostics);
    for (std::size_t i = 0; i < findings.size(); ++i) reporter.report(context.lines[i], here[i], findings[i]);
}

}  // namespace auopt
