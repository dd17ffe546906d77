// Any text as a listing: each line is refused, or is a rule that prints as a line which is read as that rule again. The
// first byte chooses version, machine and whether -w lines are taken.
#include "compiler/print_listing.hpp"
#include "compiler/read_listing.hpp"

#include "fuzz/check.hpp"
#include "fuzz/chosen_options.hpp"

namespace {

using namespace auopt;
using fuzz::check;

struct ReadRules {
    std::vector<KernelRule> rules;
    std::size_t refused = 0;
};

ReadRules read(const std::string& text, const CompileOptions& options, bool assume) {
    Sources sources;
    const FileId file = sources.add("listing", text);
    Diagnostics diagnostics;
    const std::vector<InputLine> lines = listing_lines(sources, file);
    const Program program = read_listing(lines, options, assume, diagnostics);
    ReadRules result;
    for (const Message& message : program.messages) {
        const auto* add = std::get_if<AddRule>(&message.body);
        check(add != nullptr, "a listing holds rules alone", text);
        result.rules.push_back(add->rule);
    }
    for (const Diagnostic& diagnostic : diagnostics.items()) {
        if (diagnostic.level == Level::error) ++result.refused;
    }
    check(program.stopped == (result.refused > 0), "a line that is refused stops", text);
    check(result.rules.size() + result.refused <= lines.size(), "a line is a rule, or is refused once", text);
    return result;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    CompileOptions options = fuzz::chosen_options(data[0]);
    const bool assume = (data[0] & 0x40) != 0;
    const std::string text(data + 1, data + size);
    const ReadRules first = read(text, options, assume);
    if (first.rules.empty()) return 0;
    const Machine machine = machine_by_name(options.machine).value_or(Machine::x86_64);
    // As the newest prints it, which leaves out the least; and b64 and b32 say less than a machine's name.
    options.version = AuditctlVersion::v4_2_1;
    ListingPrinter printer = listing_printer(options.version, machine);
    printer.interpreted = true;
    const std::string printed = print_listing(first.rules, printer);
    const ReadRules again = read(printed, options, assume);
    const bool same = again.refused == 0 && again.rules.size() == first.rules.size() &&
                      std::equal(first.rules.begin(), first.rules.end(), again.rules.begin(),
                                 [](const KernelRule& a, const KernelRule& b) { return a.same_as(b); });
    check(same, "a rule that was read is printed and read again", text + "\n--- printed:\n" + printed);
    return 0;
}
