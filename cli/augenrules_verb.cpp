// auopt augenrules: the step before or in place of augenrules. Merges rules.d, optimizes, proves, installs. With
// --fallback passthrough whatever fails on our side, be it a defect of this program, ends in the file augenrules
// itself would have installed, byte for byte, so that there are never fewer rules than without us.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/install_file.hpp"
#include "cli/optimize_proven.hpp"
#include "cli/optimize_summary.hpp"
#include "cli/options.hpp"
#include "cli/proof_options.hpp"
#include "cli/reading_groups.hpp"
#include "cli/streams.hpp"
#include "compiler/rules_dir.hpp"
#include "report/printable.hpp"
#include "report/sha256.hpp"
#include "report/verdict.hpp"

extern char** environ;

namespace auopt {
namespace {

constexpr std::string_view verb_name = "augenrules";

/// What to install, and why it is not the optimized text where it is not.
struct Plan {
    std::string text;
    bool optimized = false;
    bool clears_first = false;   // the rules start from an empty kernel
    int exit_code = exit_clean;  // for --fallback fail
    std::string reason;          // or, of an optimized text, what was gained
};

bool is_directory(const std::string& path) {
    struct stat st {};
    return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

bool exists(const std::string& path) {
    struct stat st {};
    return lstat(path.c_str(), &st) == 0;
}

/// "" or a path without which the kernel refuses a rule on this host. Loading stops there, so a file in another order
/// could load less than the plain merge; only asked where errors are not ignored.
std::string missing_path(const KernelState& state) {
    for (const KernelRule& rule : state.filter) {
        for (const FieldTest& test : rule.tests) {
            if (test.field == Field::dir && !exists(test.text)) return test.text;
            if (test.field != Field::path && test.field != Field::exe) continue;
            const std::size_t slash = test.text.rfind('/');
            const std::string parent = slash == std::string::npos || slash == 0 ? "/" : test.text.substr(0, slash);
            if (!is_directory(parent)) return parent;
        }
    }
    return {};
}

/// Tries to optimize the merge. Never throws away a reason: what does not work is in the plan.
Plan make_plan(const AugenrulesVerb& verb, Inputs& inputs) {
    Plan plan;
    const Setting setting = make_setting(verb.common, inputs.lines, true, verb.auditctl);
    if (setting.exit_code != 0) {
        plan.exit_code = setting.exit_code;
        plan.reason = setting.error;
        return plan;
    }
    if (const auto groups = reading_groups(inputs, setting)) {
        plan.exit_code = exit_usage;
        plan.reason = fmt::format("{} is {}", inputs.shown_name, to_string(*groups));
        return plan;
    }
    OptimizeRequest request(inputs, setting);
    request.assume = verb.common.assume;
    request.passes = {verb.passes.begin(), verb.passes.end()};
    request.no_passes = verb.passes_given && verb.passes.empty();
    Diagnostics diagnostics;
    OptimizeOutcome outcome = optimize_proven(request, diagnostics);
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    plan.exit_code = exit_code_of(outcome.status);
    plan.clears_first = outcome.before.cleared_first;
    if (outcome.status != OptimizeOutcome::Status::proven) {
        plan.reason = outcome.reason;
        if (outcome.status == OptimizeOutcome::Status::refuted) {
            put_err(verdict_to_text(*outcome.verdict, Preserve::exact, assumption_names(verb.common.assume)));
            plan.reason = "the optimized rules are not the same as the merge; this is a bug in auopt, please report it";
        }
        return plan;
    }
    const bool host_is_known = verb.common.facts_file.empty();
    Diagnostics repeated;
    const bool errors_ignored = compile(inputs.sources, inputs.lines, setting.compile, repeated).errors_ignored;
    if (host_is_known && !errors_ignored) {
        if (const std::string path = missing_path(outcome.before); !path.empty()) {
            plan.exit_code = exit_input;
            plan.reason =
                fmt::format("{} is missing on this host: the kernel will refuse a rule, and loading stops there", path);
            return plan;
        }
    }
    if (verb.common.verbose || verb.common.stats)
        put_err(optimize_summary(outcome, request, {verb.common.stats, verb.common.verbose}));
    plan.reason =
        fmt::format("{} -> {} rules, proven the same", outcome.before.rule_count(), outcome.after.rule_count());
    plan.text = std::move(outcome.text);
    plan.optimized = true;
    return plan;
}

tl::expected<void, std::string> install(const std::string& output, const std::string& text) {
    // As augenrules does: the file that was there stays beside it as .prev.
    if (exists(output)) {
        const auto old = read_file(output);
        if (!old) return tl::unexpected(fmt::format("{}: {}", output, old.error()));
        if (const auto kept = install_file(output + ".prev", *old, FileKind::audit_rules); !kept) return kept;
    }
    return install_file(output, text, FileKind::audit_rules);
}

/// Runs `auditctl -R FILE`; its exit code, or 128 + signal.
int load_into_kernel(const std::string& auditctl, const std::string& file) {
    std::string option = "-R", path = file, program = auditctl;
    char* arguments[] = {program.data(), option.data(), path.data(), nullptr};
    pid_t child = 0;
    // What main ignores, auditctl need not.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawnp(&child, program.c_str(), nullptr, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) {
        return fail(verb_name, exit_input, fmt::format("{} cannot be run: {}", auditctl, std::strerror(error)));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail(verb_name, exit_internal, std::strerror(errno));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string absolute_output(const std::string& path) {
    return path.empty() || path[0] == '/' || path[0] == '.' ? path : "./" + path;
}

}  // namespace

int run(const AugenrulesVerb& verb) {
    const bool passthrough = verb.fallback == "passthrough";
    Inputs inputs;
    auto merged = merge_rules_dir(inputs.sources, verb.rules_dir, merging_script(verb.common, true, verb.auditctl));
    if (!merged) return fail(verb_name, exit_input, merged.error());
    inputs.shown_name = verb.rules_dir;
    inputs.plain_text = merged->plain_text;
    inputs.lines = merged->lines;
    for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
        const FileId file{static_cast<std::uint32_t>(i)};
        const std::string& name = inputs.sources.name(file);
        inputs.portable_names.push_back(name.substr(name.rfind('/') + 1));
        inputs.files.push_back({inputs.portable_names.back(), sha256_hex(inputs.sources.text(file))});
    }

    Plan plan;
    for (const std::string& reason : merged->skipped) {
        plan.exit_code = exit_input;
        plan.reason = "cannot be read: " + reason;
    }
    if (plan.exit_code == exit_clean) {
        if (passthrough) {
            // Even a defect that throws must not keep the rules from being installed.
            try {
                plan = make_plan(verb, inputs);
            } catch (const std::exception& error) {
                plan = Plan{};
                plan.exit_code = exit_internal;
                plan.reason = fmt::format("internal error: {} (a bug in auopt, please report it)", error.what());
            }
        } else {
            plan = make_plan(verb, inputs);
        }
    }
    if (!plan.optimized) {
        if (!passthrough) return fail(verb_name, plan.exit_code, plan.reason + "; nothing was installed");
        put_err(fmt::format("auopt augenrules: {}; falling back to what augenrules installs\n",
                            printable_text(plan.reason)));
        plan.text = inputs.plain_text;
    }

    const auto installed = read_file(verb.output);
    const bool unchanged = installed && *installed == plan.text;
    if (verb.check) {
        const bool written = put_out(unchanged ? "no change\n" : "rules have changed and should be updated\n");
        if (!written) return fail(verb_name, exit_usage, "standard output cannot be written");
        return unchanged ? exit_clean : exit_findings;
    }
    if (!unchanged) {
        if (const auto done = install(verb.output, plan.text); !done) return fail(verb_name, exit_usage, done.error());
    }
    static_cast<void>(put_out(unchanged ? fmt::format("{}: no change\n", verb.output)
                              : plan.optimized
                                  ? fmt::format("{}: optimized rules installed ({})\n", verb.output, plan.reason)
                                  : fmt::format("{}: plain merge installed\n", verb.output)));
    if (!verb.load) return exit_clean;

    const std::string file = absolute_output(verb.output);
    int code = load_into_kernel(verb.auditctl, file);
    if (code != 0 && plan.optimized && passthrough && plan.clears_first) {
        // The kernel may hold fewer rules now than the plain merge would have left: load that one. It begins with -D,
        // so what is there already does not stand in its way.
        put_err(fmt::format("auopt augenrules: auditctl exits {}; falling back to what augenrules installs\n", code));
        if (const auto done = install_file(verb.output, inputs.plain_text, FileKind::audit_rules); !done)
            return fail(verb_name, exit_usage, done.error());
        code = load_into_kernel(verb.auditctl, file);
    }
    return code;
}

}  // namespace auopt
