// auopt augenrules: the step before or in place of augenrules. With --fallback passthrough there are never fewer rules
// than augenrules itself would leave, whatever happens to us:
//   1. merge rules.d;
//   2. look how the merge would load (in a child). Where it would lose lines and the installed file loses none, that
//      file stays;
//   3. else install the merge, byte for byte what augenrules installs;
//   4. optimize and prove (in a child, within limits);
//   5. what is proven replaces the merge;
//   6. --load: auditctl -R, and back to what was there where that fails half-way.
// Signals wait until the merge is in place; they end the child.
#include <algorithm>
#include <cstring>
#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/augenrules_plan.hpp"
#include "cli/exit_codes.hpp"
#include "cli/install_file.hpp"
#include "cli/load_into_kernel.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/output_file.hpp"
#include "cli/stop_signals.hpp"
#include "cli/streams.hpp"
#include "compiler/rules_dir.hpp"
#include "report/printable.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

constexpr std::string_view verb_name = "augenrules";

void say(std::string_view message) { put_err(fmt::format("auopt {}: {}\n", verb_name, printable_text(message))); }

/// The file to install into, and what it and its neighbour .prev held before we came.
struct Installed {
    std::string path;
    std::optional<std::string> text;
    bool is_safe = false;  // of the mode and owner that we give
    bool kept_previous = false;
    std::optional<std::string> older;  // what .prev held

    std::string previous_path() const { return path + ".prev"; }
};

/// Error: nothing can be written there.
tl::expected<Installed, std::string> look_at(const std::string& path) {
    Installed installed;
    installed.path = path;
    const auto place = find_write_place(path);
    if (!place) return tl::unexpected(fmt::format("{}: {}", path, place.error()));
    if (!place->old) return installed;
    installed.is_safe = (place->old->st_mode & 07777U) == 0640 && place->old->st_uid == geteuid();
    if (auto text = read_old(*place)) {
        installed.text = *std::move(text);
    } else {
        say(fmt::format("warning: {}: {}; it cannot be kept as .prev", path, text.error()));
    }
    return installed;
}

/// As augenrules does: the file that was there stays beside it. Trouble with that is no reason to do without new rules.
void keep_previous(Installed& installed) {
    if (!installed.text || installed.kept_previous) return;
    if (const auto place = find_write_place(installed.previous_path()); place && place->old) {
        if (auto older = read_old(*place)) installed.older = *std::move(older);
    }
    const auto kept = install_file(installed.previous_path(), *installed.text, FileKind::audit_rules);
    if (!kept) say("warning: the previous rules are not kept: " + kept.error());
    installed.kept_previous = kept.has_value();
}

/// When all is done and nothing has changed, .prev is again what it was.
void restore_older(const Installed& installed) {
    if (!installed.kept_previous) return;
    const std::string path = installed.previous_path();
    const auto place = find_write_place(path);
    if (!place) return say(fmt::format("warning: {}: {}", path, place.error()));
    if (installed.older) {
        if (const auto done = install_file(*place, path, *installed.older, FileKind::audit_rules); !done)
            say("warning: " + done.error());
    } else if (unlinkat(place->directory.get(), place->name.c_str(), 0) != 0) {
        say(fmt::format("warning: {}: {}", path, std::strerror(errno)));
    }
}

tl::expected<void, std::string> install(Installed& installed, const std::string& text) {
    keep_previous(installed);
    return install_file(installed.path, text, FileKind::audit_rules);
}

/// What augenrules does where it has no rules to merge: the installed file is loaded all the same.
int without_new_rules(const AugenrulesVerb& verb, int code, const std::string& reason) {
    say(reason + "; nothing was installed");
    if (!verb.load || verb.check) return code;
    if (access(verb.output.c_str(), F_OK) != 0) {
        say(fmt::format("{}: {}; nothing was loaded", verb.output, std::strerror(errno)));
        return code;
    }
    say(fmt::format("loading {} as it is", verb.output));
    if (const int loaded = load_into_kernel(verb.auditctl, verb.output); loaded != 0)
        say(fmt::format("auditctl exits {}", loaded));
    return code;
}

/// One text that can be installed and loaded again.
struct Candidate {
    const std::string* text;
    std::string name;
    bool clears_first;
};

/// After a load that failed: the candidates in turn, each from an empty kernel. The code to leave with.
int load_again(const AugenrulesVerb& verb, int code, bool failed_one_clears, const std::vector<Candidate>& candidates) {
    say(fmt::format("auditctl exits {}", code));
    if (rules_are_locked()) {
        say(fmt::format("the kernel takes no rules until the next boot (-e 2); {} is for then", verb.output));
        return code;
    }
    if (candidates.empty()) return code;
    if (!failed_one_clears) {
        // What was loaded before is still there, and cannot be told from what has been added.
        say(
            fmt::format("{} does not begin with -D: the rules that were loaded before are still there, those in front "
                        "of the failure were added, and nothing is loaded again",
                        verb.output));
        return code;
    }
    for (const Candidate& candidate : candidates) {
        if (const auto done = install_file(verb.output, *candidate.text, FileKind::audit_rules); !done) {
            say(done.error());
            continue;
        }
        if (!candidate.clears_first) {
            say(
                fmt::format("{} has no -D: the kernel is emptied first, and rules that were in it besides cannot be "
                            "restored",
                            candidate.name));
            if (const int emptied = run_auditctl(verb.auditctl, {"-D"}); emptied != 0)
                say(fmt::format("auditctl -D exits {}", emptied));
        }
        const int again = load_into_kernel(verb.auditctl, verb.output);
        if (again == 0) {
            say(candidate.name + " is installed and loaded instead");
            return code;
        }
        say(fmt::format("auditctl exits {} for {} too", again, candidate.name));
        code = again;
    }
    return code;
}

void name_lost_lines(const LoadCheck& check, bool all) {
    constexpr std::size_t shown = 20;
    const std::size_t n = all ? check.lost.size() : std::min(check.lost.size(), shown);
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += "  " + printable_text(check.lost[i]) + "\n";
    if (n < check.lost.size()) text += fmt::format("  and {} more (-v)\n", check.lost.size() - n);
    put_err(text);
}

}  // namespace

int run(const AugenrulesVerb& verb) {
    const bool passthrough = verb.fallback == "passthrough";
    if (const std::string error = unwise_output(verb.output, {verb.rules_dir}); !error.empty())
        return fail(verb_name, exit_usage, error);
    const StopSignals signals;

    // 1. Merge.
    Inputs inputs;
    auto merged = merge_rules_dir(inputs.sources, verb.rules_dir, merging_script(verb.common, true, verb.auditctl));
    if (!merged) return without_new_rules(verb, exit_input, merged.error());
    inputs.shown_name = verb.rules_dir;
    inputs.plain_text = merged->plain_text;
    inputs.lines = merged->lines;
    for (std::size_t i = 0; i < inputs.sources.size(); ++i) {
        const FileId file{static_cast<std::uint32_t>(i)};
        const std::string& name = inputs.sources.name(file);
        inputs.portable_names.push_back(name.substr(name.rfind('/') + 1));
        inputs.files.push_back({inputs.portable_names.back(), sha256_hex(inputs.sources.text(file))});
    }
    auto installed = look_at(verb.output);
    if (!installed) return fail(verb_name, exit_usage, installed.error() + "; nothing was installed");

    // 2. How would it load? Where that cannot be told, the merge is as good as with augenrules.
    const auto check = check_loading(verb, inputs, installed->text, signals);
    bool loses = check && !check->lost.empty();
    for (const std::string& reason : merged->skipped) {
        say("cannot be read: " + reason);
        loses = true;
    }
    const bool same_as_installed = installed->text == inputs.plain_text;
    const bool keep = loses && !same_as_installed && !verb.accept_lost && check && check->installed_is_whole;
    if (check && !check->lost.empty()) {
        put_err(check->diagnostics);
        say(fmt::format("{} {} of the merge would not be loaded:", check->lost.size(),
                        check->lost.size() == 1 ? "line" : "lines"));
        name_lost_lines(*check, verb.common.verbose);
    }

    // 3. The plain merge first.
    const bool writes = passthrough && !verb.check;
    if (writes && !keep && !(same_as_installed && installed->is_safe)) {
        if (const auto done = install(*installed, inputs.plain_text); !done)
            return without_new_rules(verb, exit_usage, done.error());
    }

    // 4. Optimize.
    Plan plan;
    const bool repairable = merged->skipped.empty() && check && check->repeats_only;
    if (!merged->skipped.empty()) {
        plan.exit_code = exit_input;
        plan.reason = "cannot be read: " + merged->skipped.back();
    } else if (keep && !repairable) {
        plan.exit_code = exit_input;
        plan.reason = "the merge would lose lines";
    } else if (const int signal = signals.pending(); signal != 0) {
        plan = {"", fmt::format("stopped by a signal ({})", strsignal(signal)), 128 + signal, true};
    } else {
        plan = make_plan(verb, inputs, signals);
    }
    const bool optimized = !plan.text.empty();
    int code = plan.exit_code;
    // Whatever else cannot be decided about rules that do not load: that they do not is the reason.
    if (code == exit_unknown && !plan.interrupted && check && !check->lost.empty() && !check->repeats_only)
        code = exit_input;
    if (!optimized && !passthrough && !keep) return fail(verb_name, code, plan.reason + "; nothing was installed");

    // 5. Replace.
    const std::string& text = optimized ? plan.text : keep ? *installed->text : inputs.plain_text;
    if (keep && !optimized) {
        code = exit_input;
        say(fmt::format("{} loads whole and stays as it is (--accept-lost installs the merge all the same)",
                        verb.output));
    } else if (!optimized) {
        say(plan.reason + "; falling back to what augenrules installs");
    }
    const bool unchanged = installed->text == text;
    if (verb.check) {
        const bool written = put_out(unchanged ? "no change\n" : "rules have changed and should be updated\n");
        if (!written) return fail(verb_name, exit_usage, "standard output cannot be written");
        return code != exit_clean ? code : unchanged ? exit_clean : exit_findings;
    }
    bool replaced = true;
    if (optimized && !(unchanged && !writes && installed->is_safe)) {
        if (const auto done = install(*installed, text); !done) {
            say(done.error());
            replaced = false;
            code = exit_usage;
        }
    }
    if (!replaced && (!passthrough || keep))
        return without_new_rules(verb, code, "the optimized rules cannot be written");
    if (unchanged && replaced) restore_older(*installed);
    static_cast<void>(put_out(unchanged && replaced ? fmt::format("{}: no change\n", verb.output)
                              : optimized && replaced
                                  ? fmt::format("{}: optimized rules installed ({})\n", verb.output, plan.reason)
                                  : fmt::format("{}: plain merge installed\n", verb.output)));

    // 6. Load. A signal has not stopped augenrules, which would have loaded by now; nor does it stop us.
    if (!verb.load) return code;
    const int loaded = load_into_kernel(verb.auditctl, verb.output);
    if (loaded == 0) return code;
    std::vector<Candidate> candidates;
    if (optimized && replaced && passthrough && !keep)
        candidates.push_back({&inputs.plain_text, "the plain merge", clears_first(inputs.plain_text)});
    const bool known_broken = check && !check->installed_is_whole;
    if (installed->text && !known_broken && !verb.accept_lost && *installed->text != text &&
        *installed->text != inputs.plain_text)
        candidates.push_back({&*installed->text, "the previous file", clears_first(*installed->text)});
    return load_again(verb, loaded, clears_first(replaced ? text : inputs.plain_text), candidates);
}

}  // namespace auopt
