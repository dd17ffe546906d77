#include "cli/held_text.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cli/audit_rules_text.hpp"
#include "compiler/emit.hpp"
#include "compiler/listing.hpp"
#include "compiler/overloaded.hpp"
#include "compiler/wire.hpp"

namespace auopt {
namespace {

/// The one rule that the line adds, as this version reads it.
std::optional<KernelRule> rule_of_line(const std::string& line, const CompileOptions& options) {
    Sources sources;
    Diagnostics ignored;
    const FileId file = sources.add("<line>", line + "\n");
    const Program program = compile(sources, split_lines(sources, file), options, ignored);
    if (program.failed || program.messages.size() != 1) return std::nullopt;
    const auto* add = std::get_if<AddRule>(&program.messages.front().body);
    return add == nullptr ? std::nullopt : std::optional(add->rule);
}

/// A version that does not know a field or list at all refuses the line, as it would refuse any other of this rule; but
/// no version reads another rule, and the target's own reads this one.
bool loads_as(const std::string& line, const KernelRule& rule, const CompileOptions& options,
              const std::vector<AuditctlVersion>& versions) {
    const auto own = rule_of_line(line, options);
    return own && own->same_as(rule) && std::all_of(versions.begin(), versions.end(), [&](AuditctlVersion version) {
               CompileOptions other = options;
               other.version = version;
               const auto read = rule_of_line(line, other);
               return !read || read->same_as(rule);
           });
}

/// Readable first; the spelling with numbers where names are not read alike everywhere.
tl::expected<std::string, std::string> exact_line(const KernelRule& rule, const CompileOptions& options,
                                                  const std::vector<AuditctlVersion>& versions) {
    const std::string& machine = options.machine;
    const auto numbers = rule_to_line(rule, machine);
    for (const auto& line : {rule_to_listing(rule, {.machine = machine}),
                             rule_to_listing(rule, {.machine = machine, .watch_form = false}), numbers})
        if (line && loads_as(*line, rule, options, versions)) return *line;
    if (!numbers) return numbers;
    return tl::unexpected(fmt::format("`{}` is read as another rule by an auditctl of the target", *numbers));
}

}  // namespace

HeldText held_text(const Inputs& inputs, const Program& program, const CompileOptions& options,
                   const std::vector<AuditctlVersion>& versions, Diagnostics& diagnostics) {
    HeldText result;
    std::string last;
    std::vector<const KernelRule*> written;
    const auto cannot_say = [&](const Span& at, const std::string& what) {
        result.complete = false;
        diagnostics.add({"AU084", Level::error, at, what, {}, "", std::nullopt});
    };
    const auto add = [&](const KernelRule& rule, const Span& at) {
        const std::string place = fmt::format("{}:{}", inputs.portable_names[at.file.value], at.line);
        if (std::any_of(written.begin(), written.end(), [&](const KernelRule* r) { return r->same_as(rule); })) {
            // Only -A makes two equal rules; the second never takes an event, and a file that has both does not load.
            result.text += comment(place + ": left out, equal to a rule above");
            return;
        }
        written.push_back(&rule);
        auto line = exact_line(rule, options, versions);
        if (const KernelRule other = expressible(rule); !line && !other.same_as(rule)) {
            if (auto second = exact_line(other, options, versions)) line = std::move(second);
        }
        if (!line) {
            cannot_say(at, "no line of a rules file loads as this rule: " + line.error());
            result.text += comment(place + ": " + line.error());
            return;
        }
        result.text += *line + "\n";
    };
    for (const Message& message : program.messages) {
        std::visit(Overloaded{[&](const AddRule& m) { add(m.rule, message.source); },
                              [&](const DeleteAll&) { result.text += "-D\n"; },
                              [&](const SetStatus& m) {
                                  switch (m.mask) {
                                      case 0x01:
                                          last = fmt::format("-e {}\n", m.value);
                                          break;
                                      case 0x02:
                                          result.text += fmt::format("-f {}\n", m.value);
                                          break;
                                      case 0x08:
                                          result.text += fmt::format("-r {}\n", m.value);
                                          break;
                                      case 0x10:
                                          result.text += fmt::format("-b {}\n", m.value);
                                          break;
                                      case 0x20:
                                          result.text += fmt::format("--backlog_wait_time {}\n", m.value);
                                          break;
                                      default:
                                          cannot_say(message.source, "no line of a rules file is this setting alone");
                                  }
                              },
                              [&](const SetFeature&) { result.text += "--loginuid-immutable\n"; },
                              [&](const auto&) { cannot_say(message.source, "a kernel holds no such message"); }},
                   message.body);
    }
    result.text += last;
    return result;
}

}  // namespace auopt
