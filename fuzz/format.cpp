// fmt of any file: a file that loads compiles to the same messages afterwards, and formatting it again changes nothing.
#include "compiler/format.hpp"

#include "fuzz/check.hpp"
#include "fuzz/chosen_options.hpp"

namespace {

using namespace auopt;
using fuzz::check;

struct Formatted {
    Program program;
    FormattedFile file;
};

Formatted formatted(const std::string& text, const CompileOptions& options, FormatStyle style) {
    Sources sources;
    const FileId file = sources.add("f.rules", text);
    Diagnostics diagnostics;
    FormatOptions format;
    format.style = style;
    format.versions = {options.version, AuditctlVersion::v3_0_9, AuditctlVersion::v4_2_1};
    Formatted result;
    result.program = compile(sources, split_lines(sources, file), options, diagnostics);
    result.file = format_file(sources, file, options, format, diagnostics);
    return result;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const CompileOptions options = fuzz::chosen_options(data[0]);
    const std::string text(data + 1, data + size);
    for (const FormatStyle style : {FormatStyle::source, FormatStyle::listing}) {
        const Formatted once = formatted(text, options, style);
        check(once.file.failed || !once.program.failed, "fmt sees every line that fails", text);
        const Formatted twice = formatted(once.file.text, options, style);
        check(same_messages(once.program, twice.program), "fmt keeps the messages", once.file.text);
        check(twice.file.text == once.file.text, "fmt twice is fmt once",
              once.file.text + "\n--- again:\n" + twice.file.text);
    }
    return 0;
}
