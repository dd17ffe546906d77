#include "cli/optimize_proven.hpp"

#include <chrono>
#include <deque>

#include <fmt/format.h>

#include "cli/audit_rules_text.hpp"
#include "cli/exit_codes.hpp"
#include "cli/proof_options.hpp"
#include "compiler/wire.hpp"
#include "kernel_model/contention.hpp"
#include "kernel_model/cost.hpp"
#include "kernel_model/output_order.hpp"
#include "kernel_model/unknown_watches.hpp"
#include "report/calls.hpp"

namespace auopt {
namespace {

class Stopwatch {
public:
    double lap_ms() {
        const auto now = std::chrono::steady_clock::now();
        const double ms = std::chrono::duration<double, std::milli>(now - start_).count();
        start_ = now;
        return ms;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What the kernel is told. User messages are left out: they change nothing, and 2.8.5 words them differently.
std::vector<std::string> wire_lines(const Program& program) {
    std::vector<std::string> lines;
    for (const Message& message : program.messages) {
        if (std::holds_alternative<UserMessage>(message.body)) continue;
        if (std::string line = message_to_wire_line(message); !line.empty()) lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<Prediction> predictions(const KernelState& before, const KernelState& after, const Target& target) {
    std::vector<Prediction> result;
    if (target.machine != Machine::x86_64) return result;  // instructions were counted there only
    const KernelState most_before = with_unknown_watches_as_directories(before);
    const KernelState most_after = with_unknown_watches_as_directories(after);
    for (const KernelTables* kernel : target.cost_kernels()) {
        Prediction& prediction = result.emplace_back();
        prediction.kernel = figures_name(target, *kernel);
        for (const char* name : {"getpid", "read", "openat", "close"}) {
            const auto call = find_call(name, arch_x86_64);
            if (!call) continue;
            const Event event = reference_event(call->arch, call->nr);
            prediction.calls.push_back({name, call_cost(before, *kernel, event).filter_instructions,
                                        call_cost(after, *kernel, event).filter_instructions,
                                        call_cost(most_before, *kernel, event).filter_instructions,
                                        call_cost(most_after, *kernel, event).filter_instructions});
        }
    }
    return result;
}

/// The lines that make a rule, in order.
std::vector<std::pair<std::uint32_t, std::uint32_t>> rule_places(const Program& program) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (const Message& message : program.messages) {
        if (std::holds_alternative<AddRule>(message.body))
            places.emplace_back(message.source.file.value, message.source.line);
    }
    return places;
}

/// The versions of the target that take every line of the input that makes a rule: one that refuses such a line
/// (ignoring the error, perhaps) has no file that means the same.
std::vector<AuditctlVersion> versions_for(const OptimizeRequest& request, const Program& read) {
    std::vector<AuditctlVersion> versions;
    const auto places = rule_places(read);
    for (const AuditctlVersion version : request.setting.target.writing) {
        if (version != request.setting.target.reading && !request.inputs.lines.empty()) {
            CompileOptions options = request.setting.compile;
            options.version = version;
            Diagnostics ignored;
            const Program program =
                read_program(request.inputs, options, request.setting.assume_listed_watches, ignored);
            if (program.stopped || rule_places(program) != places) continue;
        }
        versions.push_back(version);
    }
    return versions;
}

std::vector<std::string> user_messages(const Program& program) {
    std::vector<std::string> texts;
    for (const Message& message : program.messages) {
        if (const auto* user = std::get_if<UserMessage>(&message.body)) texts.push_back(user->text);
    }
    return texts;
}

struct Reread {
    Sources sources;
    std::vector<InputLine> lines;
};

Reread reread(const std::string& text) {
    Reread result;
    const FileId file = result.sources.add("<output>", text);
    result.lines = split_lines(result.sources, file);
    return result;
}

std::string first_problem(const Reread& output, const Diagnostics& diagnostics) {
    for (const Diagnostic& d : diagnostics.items()) {
        if (d.level >= Level::warning) {
            return fmt::format("line {} ({}): {}", d.span.line, output.sources.line(d.span.file, d.span.line),
                               d.message);
        }
    }
    return "a line was refused";
}

/// "" or why the output would not load, or not as the same bytes everywhere.
std::string load_problem(const OptimizeRequest& request, const Reread& output,
                         const std::vector<AuditctlVersion>& versions, const std::vector<std::string>& messages,
                         OptimizeOutcome& outcome) {
    CompileOptions options = request.setting.compile;
    options.continue_on_error = false;
    Diagnostics diagnostics;
    const LoadedRules loaded = load_rules(output.sources, output.lines, options, false, diagnostics);
    if (loaded.some_refused() || !loaded.would_load())
        return "the output would not load: " + first_problem(output, diagnostics);
    if (loaded.load.outside_model) return "the output: " + *loaded.load.outside_model;
    if (!(loaded.load.state.settings == outcome.before.settings))
        return "the output's settings differ from the input's";
    if (user_messages(loaded.program) != messages) return "the output's -m messages differ from the input's";
    outcome.after = loaded.load.state;
    outcome.wire_after = wire_lines(loaded.program);
    for (const AuditctlVersion version : versions) {
        if (version == options.version) continue;
        CompileOptions other = options;
        other.version = version;
        Diagnostics ignored;
        const Program program = compile(output.sources, output.lines, other, ignored);
        if (program.failed)
            return fmt::format("the output would not load in auditctl {}: {}", auditctl_version_name(version),
                               first_problem(output, ignored));
        if (wire_lines(program) != outcome.wire_after) {
            return fmt::format("the output would not load as the same bytes in auditctl {}",
                               auditctl_version_name(version));
        }
    }
    return {};
}

}  // namespace

int exit_code_of(OptimizeOutcome::Status status) {
    switch (status) {
        case OptimizeOutcome::Status::proven:
            return exit_clean;
        case OptimizeOutcome::Status::would_not_load:
            return exit_input;
        case OptimizeOutcome::Status::outside_model:
            return exit_unknown;
        case OptimizeOutcome::Status::refuted:
            return exit_refuted;
        case OptimizeOutcome::Status::unknown:
            return exit_unknown;
    }
    return exit_internal;
}

OptimizeOutcome optimize_proven(const OptimizeRequest& request, Diagnostics& diagnostics) {
    using Status = OptimizeOutcome::Status;
    OptimizeOutcome outcome;
    const auto stop = [&](Status status, std::string reason) {
        outcome.status = status;
        outcome.reason = std::move(reason);
        return outcome;
    };
    if (std::string reason = outside_tables(request.setting); !reason.empty())
        return stop(Status::outside_model, std::move(reason));
    Stopwatch watch;

    // Read.
    const LoadedRules loaded = load_rules(request.inputs, request.setting, true, diagnostics);
    if (!loaded.would_load()) return stop(Status::would_not_load, "the input would not load");
    if (loaded.load.outside_model) return stop(Status::outside_model, *loaded.load.outside_model);
    if (auto reason = order_not_kept(loaded.load.state)) return stop(Status::outside_model, *std::move(reason));
    const auto control = control_lines(loaded.program, loaded.load.state);
    if (!control) return stop(Status::outside_model, control.error());
    outcome.before = loaded.load.state;
    outcome.wire_before = wire_lines(loaded.program);
    outcome.times.read_ms = watch.lap_ms();

    // Rewrite.
    KernelState rewritten = outcome.before;
    drop_equal(rewritten);
    OptimizeOptions options;
    options.kernels = request.setting.target.proof_kernels();
    std::deque<KernelTables> shared;  // with the price of the count that exe= shares
    const unsigned cpus = request.cpus != 0 ? request.cpus : request.workload.cpus.value_or(0);
    if (cpus != 0) {
        for (const KernelTables*& kernel : options.kernels)
            kernel = &shared.emplace_back(with_exe_price(*kernel, *find_cpu("generic"), cpus));
    }
    options.workload = request.workload.calls;
    options.passes = request.passes;
    options.after_pass = request.after_pass;
    if (!request.no_passes) outcome.passes = request.rewrite(rewritten, options);
    outcome.times.rewrite_ms = watch.lap_ms();

    // Write, then read the bytes again: what is judged below is the text, not what was meant by it.
    const VerifyOptions proof = proof_options(request.setting, request.preserve, request.assume);
    const auto versions = versions_for(request, loaded.program);
    TextHeader header;
    header.version = AUOPT_VERSION;
    header.inputs = request.inputs.files;
    header.facts = request.setting.facts_source;
    header.target = asked_name(request.setting.target);
    header.not_measured = not_measured(request.setting.target);
    header.unknown_watches = count_unknown_watches(outcome.before);
    header.preserve = request.preserve;
    header.assumptions = assumption_names(request.assume);
    for (const KernelTables* kernel : proof.kernels) header.proven_for.push_back(kernel->name);
    for (const AuditctlVersion version : versions) header.loads_in.emplace_back(auditctl_version_name(version));
    header.predictions = predictions(outcome.before, rewritten, request.setting.target);
    auto text = audit_rules_text(header, *control, outcome.before, rewritten, request.inputs);
    if (!text) return stop(Status::outside_model, "no line can express a rule: " + text.error());
    outcome.unproven_text = std::move(*text);
    if (request.after_writing) request.after_writing(outcome.unproven_text);
    const Reread output = reread(outcome.unproven_text);
    if (std::string problem = load_problem(request, output, versions, user_messages(loaded.program), outcome);
        !problem.empty())
        return stop(Status::unknown, std::move(problem));
    outcome.unproven_sources = output.sources;
    outcome.times.write_ms = watch.lap_ms();

    // Prove.
    outcome.verdict = verify(outcome.before, outcome.after, proof);
    outcome.times.proof_ms = watch.lap_ms();
    if (std::holds_alternative<Refuted>(*outcome.verdict))
        return stop(Status::refuted, "the output is not the same as the input");
    if (const auto* unknown = std::get_if<Unknown>(&*outcome.verdict)) return stop(Status::unknown, unknown->reason);
    outcome.status = Status::proven;
    outcome.text = std::move(outcome.unproven_text);
    return outcome;
}

}  // namespace auopt
