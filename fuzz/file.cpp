// A whole file: compiled as some auditctl version reads it, loaded, and every rule of it written as a line that has to
// load as the same rule again, in that version and in the newest. The first byte chooses version, machine and facts.
#include "compiler/compile.hpp"
#include "compiler/emit.hpp"
#include "compiler/wire.hpp"
#include "kernel_model/state.hpp"

#include "fuzz/check.hpp"
#include "fuzz/chosen_options.hpp"

namespace {

using namespace auopt;
using fuzz::check;

constexpr std::size_t wire_header = 1040;

Program compile_text(const std::string& text, const CompileOptions& options) {
    Sources sources;
    const FileId file = sources.add("f.rules", text);
    Diagnostics diagnostics;
    Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    check(!program.stopped || program.failed, "only a failure stops");
    check(!program.stopped || diagnostics.has_errors(), "a stop has an error that says why", text);
    return program;
}

void check_written(const KernelRule& rule, CompileOptions options) {
    const auto line = rule_to_line(rule, options.machine);
    if (!line) {
        check(!line.error().empty(), "a rule that cannot be written has a reason");
        return;
    }
    check(line->find('\n') == std::string::npos, "one line");
    options.continue_on_error = false;
    for (const AuditctlVersion version : {options.version, AuditctlVersion::v4_2_1}) {
        options.version = version;
        const Program again = compile_text(*line + "\n", options);
        const auto* add = again.messages.empty() ? nullptr : std::get_if<AddRule>(&again.messages.front().body);
        check(!again.failed && again.messages.size() == 1 && add != nullptr && add->rule.same_as(rule),
              "a written rule loads as the same rule", fmt::format("{}: {}", auditctl_version_name(version), *line));
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const CompileOptions options = fuzz::chosen_options(data[0]);
    const std::string text(data + 1, data + size);
    const Program program = compile_text(text, options);

    std::size_t rules = 0;
    for (const Message& message : program.messages) {
        const std::string line = message_to_wire_line(message);
        check(line.find('\n') == std::string::npos, "a message is one line");
        if (const auto* add = std::get_if<AddRule>(&message.body)) {
            check(rule_to_wire(add->rule).size() >= wire_header, "a rule is at least its header");
            if (++rules <= 8) check_written(add->rule, options);  // enough for one input
        }
    }
    Diagnostics diagnostics;
    LoadOptions load_options;
    load_options.ignore_errors = program.errors_ignored;
    load_options.facts = &options.facts;
    const LoadResult loaded = load(program.messages, load_options, diagnostics);
    check(loaded.outside_model || loaded.state.rule_count() <= program.messages.size(), "no rule comes from nowhere");
    return 0;
}
