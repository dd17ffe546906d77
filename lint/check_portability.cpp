// AU501 and AU502: what other auditctl versions make of the same line. They narrow -F perm rules by tables of their
// own once they know an arch, and older ones refuse what later ones take.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Place place_of(const Span& span) { return {span.file.value, span.line, span.column}; }

std::map<Place, KernelRule> rules_by_place(const Program& program) {
    std::map<Place, KernelRule> result;
    for (const Message& message : program.messages) {
        if (const auto* add = std::get_if<AddRule>(&message.body)) result.emplace(place_of(message.source), add->rule);
    }
    return result;
}

/// Names of calls that `here` can match and `there` cannot, "b32 " in front where only that ABI is meant.
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
    return lost;
}

struct Loss {
    std::vector<std::string> calls;
    std::vector<std::string_view> versions;
};

}  // namespace

void check_portability(const LintContext& context, Diagnostics& diagnostics) {
    if (context.kernels.empty()) return;  // a machine without tables
    const auto here = rules_by_place(context.program);
    std::map<Place, Loss> losses;
    std::map<Place, std::pair<std::vector<std::string_view>, std::string>> refused;
    for (const AuditctlVersion version : context.versions) {
        if (version == context.compile.version) continue;
        CompileOptions options = context.compile;
        options.version = version;
        options.continue_on_error = true;
        Diagnostics problems;
        const auto there = rules_by_place(compile(context.sources, context.lines, options, problems));
        for (const auto& [place, rule] : here) {
            const auto other = there.find(place);
            if (other == there.end()) {
                auto& [versions, reason] = refused[place];
                versions.push_back(auditctl_version_name(version));
                for (const Diagnostic& d : problems.items()) {
                    if (reason.empty() && d.span.file.value == std::get<0>(place) && d.span.line == std::get<1>(place))
                        reason = d.message;
                }
                continue;
            }
            if (other->second.mask == rule.mask || rule.list != List::exit) continue;
            for (std::string& name : lost_calls(context, rule, other->second)) {
                Loss& loss = losses[place];
                if (loss.versions.empty() || loss.versions.back() != auditctl_version_name(version)) {
                    loss.versions.push_back(auditctl_version_name(version));
                }
                if (std::find(loss.calls.begin(), loss.calls.end(), name) == loss.calls.end())
                    loss.calls.push_back(std::move(name));
            }
        }
    }
    for (const auto& [place, loss] : losses) {
        diagnostics.add(
            {std::string(ids::perm_narrowed),
             Level::warning,
             field_place(context.sources, here.at(place), {"perm"}),
             fmt::format(
                 "records less in auditctl {}: with arch before it, perm= becomes a list of calls there, without {}",
                 fmt::join(loss.versions, ", "), fmt::join(loss.calls, ", ")),
             {},
             "write -F perm= before -F arch, or leave arch out; auopt explain AU501",
             std::nullopt});
    }
    for (const auto& [place, entry] : refused) {
        diagnostics.add({std::string(ids::refused_elsewhere),
                         Level::info,
                         line_of(here.at(place)),
                         fmt::format("auditctl {} refuses this line{}", fmt::join(entry.first, ", "),
                                     entry.second.empty() ? std::string() : ": " + entry.second),
                         {},
                         "auopt explain AU502",
                         std::nullopt});
    }
}

}  // namespace auopt
