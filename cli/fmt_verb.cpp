// auopt fmt: rules files in their canonical spelling. The formatting and its proof are compiler/format.hpp's.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/held_text.hpp"
#include "cli/install_file.hpp"
#include "cli/load_rules.hpp"
#include "cli/options.hpp"
#include "cli/streams.hpp"
#include "compiler/format.hpp"
#include "compiler/rules_dir.hpp"
#include "report/printable.hpp"
#include "report/unified_diff.hpp"

namespace auopt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view verb_name = "fmt";

/// A folder of its own that goes away with the object.
class ScratchFolder {
public:
    ScratchFolder() {
        std::string name = (fs::temp_directory_path() / "auopt-fmt.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
        path_ = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// augenrules glues a file without a final newline to the next one, and takes control lines out only where they are
/// spelled as it expects. "" when merging the new texts gives what merging the old ones gives, else what does not fit.
std::string merge_changes(const std::string& dir, const std::map<std::string, std::string>& new_texts,
                          const CompileOptions& options, const Augenrules& script) {
    Sources old_sources, new_sources;
    const auto before = merge_rules_dir(old_sources, dir, script);
    if (!before) return before.error();
    const ScratchFolder scratch;
    for (const auto& [name, text] : new_texts) {
        const fs::path path(name);
        if (fs::path(name).parent_path() != fs::path(dir) && fs::path(name).parent_path() / "" != fs::path(dir))
            continue;
        std::ofstream(scratch.path() / path.filename(), std::ios::binary) << text;
    }
    const auto after = merge_rules_dir(new_sources, scratch.path(), script);
    if (!after) return after.error();
    Diagnostics unused;
    if (same_messages(compile(old_sources, before->lines, options, unused),
                      compile(new_sources, after->lines, options, unused)))
        return {};
    return "augenrules would merge the formatted files into other rules: a file lacks its final newline, or a control "
           "line (-b, -f, -e) would move";
}

/// The text that loads as what a kernel holds, in the wanted style.
int format_held(const FmtVerb& verb, const Inputs& inputs, const Setting& setting, const FormatOptions& options,
                Diagnostics& diagnostics) {
    if (verb.check || verb.in_place)
        return fail(verb_name, exit_usage,
                    "what a kernel holds is printed as rules; there is no file to check or rewrite");
    const Program program = read_program(inputs, setting.compile, setting.assume_listed_watches, diagnostics);
    if (program.stopped) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const HeldText held = held_text(inputs, program, setting.compile, options.versions, diagnostics);
    Sources sources;
    const FileId file = sources.add("<held>", held.text);
    Diagnostics of_output;
    const FormattedFile formatted = format_file(sources, file, setting.compile, options, of_output);
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    if (formatted.stopped) {
        report_to_stderr(verb.common, sources, of_output);
        return fail(verb_name, exit_internal, "the text of a held rule would not load; please report it");
    }
    const std::string out =
        verb.diff ? unified_diff(inputs.plain_text, formatted.text, inputs.shown_name, "formatted") : formatted.text;
    if (!put_rules(out)) return fail(verb_name, exit_usage, "standard output cannot be written");
    return held.complete ? exit_clean : exit_unknown;
}

}  // namespace

int run(const FmtVerb& verb) {
    Inputs inputs;
    Diagnostics diagnostics;
    if (!read_inputs(inputs, verb.inputs, merging_script(verb.common), diagnostics)) {
        report_to_stderr(verb.common, inputs.sources, diagnostics);
        return exit_input;
    }
    const Setting setting = make_setting(verb.common, inputs);
    if (setting.exit_code != 0) return fail(verb_name, setting.exit_code, setting.error);

    FormatOptions options;
    options.style = verb.style == "listing" ? FormatStyle::listing : FormatStyle::source;
    options.versions = setting.target.writing;
    if (inputs.held()) {
        if (!inputs.lines.empty())
            return fail(verb_name, exit_usage, "format what a kernel holds and rules files one by one");
        return format_held(verb, inputs, setting, options, diagnostics);
    }
    std::vector<FormattedFile> files;
    std::map<std::string, std::string> new_texts;
    bool stopped = false;
    for (std::uint32_t i = 0; i < inputs.sources.size(); ++i) {
        files.push_back(format_file(inputs.sources, FileId{i}, setting.compile, options, diagnostics));
        new_texts[inputs.sources.name(FileId{i})] = files.back().text;
        stopped = stopped || files.back().stopped;
    }
    report_to_stderr(verb.common, inputs.sources, diagnostics);
    for (const std::string& path : verb.inputs.empty() ? std::vector<std::string>{default_rules_dir} : verb.inputs) {
        std::error_code unreadable;
        if (!fs::is_directory(path, unreadable)) continue;
        if (const std::string problem = merge_changes(path, new_texts, setting.compile, merging_script(verb.common));
            !problem.empty())
            return fail(verb_name, exit_unknown,
                        fmt::format("{}: {}; nothing was written (files named one by one are formatted)",
                                    printable_text(path), problem));
    }

    std::string out;
    bool changed = false;
    for (std::uint32_t i = 0; i < inputs.sources.size(); ++i) {
        const std::string& name = inputs.sources.name(FileId{i});
        const std::string& old_text = inputs.sources.text(FileId{i});
        const std::string& new_text = files[i].text;
        const bool differs = old_text != new_text;
        changed = changed || differs;
        if (verb.diff) {
            out += unified_diff(old_text, new_text, name, "formatted");
        } else if (!verb.check && !verb.in_place) {
            out += new_text;
        }
        if (!differs) continue;
        if (verb.check && !verb.common.quiet) put_err(fmt::format("would change {}\n", printable_text(name)));
        if (verb.in_place) {
            if (const auto written = install_file(name, new_text); !written)
                return fail(verb_name, exit_usage, written.error());
        }
    }
    if (!put_rules(out)) return fail(verb_name, exit_usage, "standard output cannot be written");
    if (stopped) return exit_input;
    return verb.check && changed ? exit_findings : exit_clean;
}

}  // namespace auopt
