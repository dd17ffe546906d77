// The rules to work on: files, rules.d directories (read as augenrules does), standard input, listings (what
// auditctl -l printed) and the running kernel, concatenated: first what a kernel holds, then what is loaded on top.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/loaded.hpp"
#include "compiler/rules_dir.hpp"
#include "grammar/diagnostic.hpp"
#include "grammar/source.hpp"

namespace auopt {

/// One text that was read, for the header of an output.
struct InputFile {
    std::string name;  // without leading machine-dependent folders
    std::string sha256;
};

struct Inputs {
    Sources sources;
    std::vector<InputLine> lines;          // of rules files
    std::vector<InputLine> listing_lines;  // of listings
    std::vector<Message> loaded;           // the running kernel's rules and settings, -e last
    std::vector<InputFile> files;
    std::vector<std::string> portable_names;  // by FileId: the same on every machine, for comments in an output
    std::string plain_text;                   // the bytes auditctl would be given
    std::string shown_name;                   // for tables and JSON

    /// Something here is what a kernel holds, not what a file would load.
    bool held() const { return !listing_lines.empty() || from_kernel; }
    bool from_kernel = false;
    /// Every line that may name users, groups or paths.
    std::vector<InputLine> all_lines() const;
};

constexpr const char* default_rules_dir = "/etc/audit/rules.d";

/// Inputs that are no paths. No argument of a program holds a NUL, so that no file can be called so; as a C string, in
/// error messages of libraries, it still says what it is.
inline const std::string loaded_input{" --loaded\0", 10};
constexpr std::string_view listing_prefix = "listing:", rules_prefix = "rules:";
bool is_listing(const std::string& input);
/// As the command line has it.
std::string shown_input(const std::string& input);

/// Reads `paths` (none: the default directory), a directory as `script` merges it. False: an AU08x error is in
/// `diagnostics`.
bool read_inputs(Inputs& inputs, const std::vector<std::string>& paths, const Augenrules& script,
                 Diagnostics& diagnostics);

/// uname -m.
std::string running_machine();

/// Reads a whole regular file. Error: the reason (no name in it).
tl::expected<std::string, std::string> read_file(const std::string& path);
/// The same of a file just opened; `fd` -1: the reason is in errno.
tl::expected<std::string, std::string> read_all(int fd);

}  // namespace auopt
