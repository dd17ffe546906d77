// The rules to work on: files, rules.d directories (read as augenrules does) and standard input, concatenated.
#pragma once

#include <string>
#include <vector>

#include "compiler/compile.hpp"
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
    std::vector<InputLine> lines;
    std::vector<InputFile> files;
    std::vector<std::string> portable_names;  // by FileId: the same on every machine, for comments in an output
    std::string plain_text;                   // the bytes auditctl would be given
    std::string shown_name;                   // for tables and JSON
};

constexpr const char* default_rules_dir = "/etc/audit/rules.d";

/// Reads `paths` (none: the default directory), a directory as `script` merges it. False: an AU08x error is in
/// `diagnostics`.
bool read_inputs(Inputs& inputs, const std::vector<std::string>& paths, const Augenrules& script,
                 Diagnostics& diagnostics);

/// Reads a whole regular file. Error: the reason (no name in it).
tl::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace auopt
