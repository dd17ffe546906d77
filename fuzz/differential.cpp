// Real auditctl and this compiler read the same file: the same messages in the same order, byte for byte, the same exit,
// the same lines that fail and the same 32/64 bit warnings. The first byte chooses the machine. Inputs that crash
// auditctl or make it read past its own buffers count as agreeing once what came before them agrees.
//
// A difference is made small first (lines, then words, then bytes are taken out while it stays). With
// AUOPT_FUZZ_FINDINGS=DIR it is written there and the run goes on; without, the run ends.
//   AUOPT_ORACLE_DIR   where the oracle is, if not where it was built
//   AUOPT_FUZZ_READING auditctl version to read as, 3.0.9 without
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <tuple>

#include "compiler/compile.hpp"
#include "compiler/version.hpp"
#include "compiler/wire.hpp"
#include "grammar/ids.hpp"
#include "tables/names.hpp"

#include "fuzz/check.hpp"
#include "fuzz/oracle_server.hpp"

namespace {

using namespace auopt;
using fuzz::OracleAnswer;

AuditctlVersion reading() {
    const char* name = std::getenv("AUOPT_FUZZ_READING");
    if (name == nullptr) return AuditctlVersion::v3_0_9;
    const auto version = auditctl_version_named(name);
    fuzz::check(version.has_value(), "AUOPT_FUZZ_READING is a known version");
    return *version;
}

const fuzz::OracleServer& oracle() {
    const char* directory = std::getenv("AUOPT_ORACLE_DIR");
    static const fuzz::OracleServer server(directory != nullptr ? directory : AUOPT_ORACLE_DIR, reading());
    return server;
}

std::string_view machine_of(std::uint8_t choice) {
    constexpr std::string_view machines[] = {"x86_64", "x86_64",  "x86_64",  "x86_64",
                                             "x86_64", "aarch64", "ppc64le", "s390x"};
    if (choice >= 0xF8 && features_of(reading()).names.last_riscv_syscall != 0) return "riscv64";
    return machines[choice % std::size(machines)];
}

struct OurAnswer {
    OracleAnswer answer;
    bool undefined = false;  // from some line on, what auditctl reads is not in the file
};

/// Which line auditctl counts at `span`.
std::size_t counted_line(const std::vector<InputLine>& lines, const Span& span) {
    for (std::size_t i = lines.size(); i > 0; --i) {
        const Span& at = lines[i - 1].span;
        if (std::tie(at.line, at.column) <= std::tie(span.line, span.column)) return i;
    }
    return 0;
}

OurAnswer our_answer(const std::string& text, std::string_view machine) {
    Sources sources;
    const auto lines = split_lines(sources, sources.add("f.rules", text));
    CompileOptions options;
    options.version = reading();
    options.machine = machine;
    options.facts = oracle().facts_for(lines);
    Diagnostics diagnostics;
    const Program program = compile(sources, lines, options, diagnostics);

    OurAnswer our;
    std::size_t known_until = lines.size() + 1;
    for (const Diagnostic& diagnostic : diagnostics.items()) {
        const std::size_t line = counted_line(lines, diagnostic.span);
        if (diagnostic.id == ids::undefined_input) known_until = std::min(known_until, line);
        const IdRow* row = find_id(diagnostic.id);
        // auditctl ends at once there and does not say that the line failed.
        if (diagnostic.id == ids::signal_ends_loading) continue;
        if (row != nullptr && row->level == Level::error) our.answer.failed_lines.insert(line);
        if (diagnostic.id == ids::arch_mismatch) our.answer.mismatch_lines.insert(line);
    }
    our.undefined = known_until <= lines.size();
    for (const Message& message : program.messages) {
        if (counted_line(lines, message.source) >= known_until) break;
        std::string line = message_to_wire_line(message);
        if (!line.empty()) our.answer.messages.push_back(std::move(line));
    }
    our.answer.exit = program.auditctl_exit;
    return our;
}

/// A text for the log ends in who sent it, which is not in the file: ` exe=` and what follows is left out.
std::string comparable(const std::string& message) {
    if (!message.starts_with("USER ")) return message;
    return message.substr(0, message.find("206578653d22"));
}

std::string shown(const std::vector<std::string>& messages, std::size_t at) {
    return at < messages.size() ? messages[at] : std::string("(nothing)");
}

/// What differs, empty if nothing; the part up to the first colon names the kind.
std::string difference(const std::string& text, std::string_view machine) {
    const OracleAnswer theirs = oracle().ask(text, machine);
    const OurAnswer our = our_answer(text, machine);
    const OracleAnswer& ours = our.answer;
    for (std::size_t i = 0; i < std::max(theirs.messages.size(), ours.messages.size()); ++i) {
        if (our.undefined && i >= ours.messages.size()) break;
        const std::string their = shown(theirs.messages, i), mine = shown(ours.messages, i);
        if (comparable(their) == comparable(mine)) continue;
        return fmt::format("message: number {}\n  auditctl {}\n  auopt    {}", i + 1, their, mine);
    }
    if (our.undefined) return {};
    if (theirs.exit != ours.exit) return fmt::format("exit: auditctl {}, auopt {}", theirs.exit, ours.exit);
    if (ours.exit >= 128) return {};  // it had no chance to say which line it was
    const auto lines = [](const std::set<std::size_t>& set) {
        std::string out;
        for (const std::size_t line : set) out += fmt::format(" {}", line);
        return out;
    };
    if (theirs.failed_lines != ours.failed_lines) {
        return fmt::format("lines that fail: auditctl{}, auopt{}", lines(theirs.failed_lines),
                           lines(ours.failed_lines));
    }
    if (theirs.mismatch_lines != ours.mismatch_lines) {
        return fmt::format("32/64 bit warnings: auditctl{}, auopt{}", lines(theirs.mismatch_lines),
                           lines(ours.mismatch_lines));
    }
    return {};
}

std::string kind_of(const std::string& difference) { return difference.substr(0, difference.find(':')); }

/// `text` with whatever is not needed for a difference of this kind taken out.
std::string made_small(std::string text, std::string_view machine, const std::string& kind) {
    const auto still = [&](const std::string& smaller) { return kind_of(difference(smaller, machine)) == kind; };
    const auto without_pieces = [&](std::string_view separators) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find_first_of(separators, at), text.size() - 1) + 1;
            std::string smaller = text;
            smaller.erase(at, end - at);
            if (still(smaller))
                text = std::move(smaller);
            else
                at = end;
        }
    };
    for (std::string before; before != text;) {
        before = text;
        without_pieces("\n");
        without_pieces(" \n");
        for (std::size_t chunk = text.size() / 2; chunk > 0; chunk /= 2) {
            for (std::size_t at = 0; at + chunk <= text.size();) {
                std::string smaller = text;
                smaller.erase(at, chunk);
                if (still(smaller))
                    text = std::move(smaller);
                else
                    at += chunk;
            }
        }
    }
    return text;
}

void write_finding(const std::string& folder, std::uint8_t choice, const std::string& text) {
    const std::string bytes = static_cast<char>(choice) + text;
    const std::string name = fmt::format("{:016x}", std::hash<std::string>{}(bytes));
    std::ofstream(std::filesystem::path(folder) / name, std::ios::binary) << bytes;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view machine = machine_of(data[0]);
    std::string text(data + 1, data + size);
    const std::string first = difference(text, machine);
    if (first.empty()) return 0;
    text = made_small(std::move(text), machine, kind_of(first));
    const std::string what = difference(text, machine);
    const char* folder = std::getenv("AUOPT_FUZZ_FINDINGS");
    fmt::print(stderr, "{}: {}\n--- {} bytes:\n{}\n---\n{}\n", machine, what, text.size(), text,
               oracle().ask(text, machine).log.substr(0, 2000));
    if (folder == nullptr) fuzz::check(false, "auditctl and auopt agree");
    write_finding(folder, data[0], text);
    return 0;
}
