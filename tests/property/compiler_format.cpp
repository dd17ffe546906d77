// Formatting changes nothing that auditctl does, in any version, and formatting again changes nothing at all: over
// the collected cases, the rule files of the tree and generated lines.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/format.hpp"
#include "compiler/wire.hpp"

namespace auopt {
namespace {

namespace fs = std::filesystem;

/// What auditctl sends and how it ends, as text.
std::string effect(const std::string& text, CompileOptions options, AuditctlVersion version) {
    options.version = version;
    Sources sources;
    const FileId file = sources.add("t.rules", text);
    Diagnostics diagnostics;
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    std::string out;
    for (const Message& message : program.messages) {
        out += std::to_string(message.body.index()) + " " + message_to_wire_line(message);
        if (const auto* all = std::get_if<DeleteAll>(&message.body)) out += " " + all->key.value_or("(all)");
        if (const auto* inert = std::get_if<Inert>(&message.body)) out += std::to_string(static_cast<int>(inert->kind));
        if (const auto* add = std::get_if<AddRule>(&message.body); add != nullptr && add->rule.watch_kind_unknown)
            out += " kind unknown";
        out += "\n";
    }
    return out + "exit " + std::to_string(program.auditctl_exit) + (program.stopped ? " stopped" : "");
}

struct Formatted {
    std::string text;
    bool failed = false;
};

Formatted formatted(const std::string& text, const CompileOptions& options, FormatStyle style) {
    Sources sources;
    const FileId file = sources.add("t.rules", text);
    Diagnostics diagnostics;
    const FormattedFile result = format_file(sources, file, options, {style, all_auditctl_versions()}, diagnostics);
    // Errors are shown exactly when a line fails.
    EXPECT_EQ(result.failed, !diagnostics.items().empty()) << text;
    return {result.text, result.failed};
}

/// "" or what formatting broke.
std::string broken(const std::string& text, const CompileOptions& options) {
    for (const FormatStyle style : {FormatStyle::source, FormatStyle::listing}) {
        const Formatted once = formatted(text, options, style);
        for (const AuditctlVersion version : all_auditctl_versions()) {
            const std::string before = effect(text, options, version), after = effect(once.text, options, version);
            if (before != after)
                return std::string(auditctl_version_name(version)) + "\n" + before + "\n" + once.text + "\n" + after;
        }
        const Formatted twice = formatted(once.text, options, style);
        if (twice.text != once.text) return "not idempotent:\n" + once.text + "\n" + twice.text;
    }
    return {};
}

CompileOptions known_host() {
    CompileOptions options;
    options.facts.users = {{"root", 0}, {"nobody", 65534}};
    options.facts.groups = {{"root", 0}, {"adm", 4}};
    options.facts.directories = {"/etc/dir", "/tmp"};
    options.facts.files = {"/etc/file"};
    return options;
}

std::string unescaped(const std::string& line) {
    const std::string letters = "abfnrtv\\", bytes = "\a\b\f\n\r\t\v\\";
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const bool escape = line[i] == '\\' && i + 1 < line.size();
        if (!escape) {
            out += line[i];
            continue;
        }
        const char next = line[++i];
        const auto hex = [](char c) { return std::string_view("0123456789abcdefABCDEF").find(c) != std::string::npos; };
        if (const auto at = letters.find(next); at != std::string::npos) {
            out += bytes[at];
        } else if (next == 'x' && i + 1 < line.size() && hex(line[i + 1])) {
            const std::size_t length = i + 2 < line.size() && hex(line[i + 2]) ? 2U : 1U;
            out += static_cast<char>(std::stoi(line.substr(i + 1, length), nullptr, 16));
            i += length;
        } else if (next >= '0' && next <= '7') {
            std::size_t length = 1;
            const std::size_t most = next == '0' ? 4 : 3;
            while (length < most && i + length < line.size() && line[i + length] >= '0' && line[i + length] <= '7')
                ++length;
            out += static_cast<char>(std::stoi(line.substr(i, length), nullptr, 8));
            i += length - 1;
        } else {
            out += '\\';
            out += next;
        }
    }
    return out;
}

std::vector<std::pair<std::string, std::string>> collected_cases() {
    std::vector<std::pair<std::string, std::string>> cases;
    std::ifstream file(fs::path(AUOPT_SOURCE_DIR) / "tests/oracle/cases/traps.cases", std::ios::binary);
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("### ")) {
            cases.emplace_back(line.substr(4), "");
        } else if (!cases.empty()) {
            cases.back().second += line.starts_with("%") ? unescaped(line.substr(1)) : line + "\n";
        }
    }
    return cases;
}

TEST(Format, CollectedCases) {
    const auto cases = collected_cases();
    ASSERT_GT(cases.size(), 400U);
    for (const auto& [name, text] : cases)
        for (const CompileOptions& options : {CompileOptions{}, known_host()})
            EXPECT_EQ(broken(text, options), "") << name << "\n" << text;
}

TEST(Format, CollectedCasesOfOtherReadings) {
    for (const AuditctlVersion version : {AuditctlVersion::v3_1_2, AuditctlVersion::v4_2_1}) {
        CompileOptions options = known_host();
        options.version = version;
        for (const auto& [name, text] : collected_cases()) EXPECT_EQ(broken(text, options), "") << name << "\n" << text;
    }
}

TEST(Format, OtherMachines) {
    for (const char* machine : {"aarch64", "ppc64le", "s390x", "i686"}) {
        CompileOptions options;
        options.machine = machine;
        for (const auto& [name, text] : collected_cases())
            EXPECT_EQ(broken(text, options), "") << machine << " " << name << "\n" << text;
    }
}

TEST(Format, RuleFilesOfTheTree) {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(AUOPT_SOURCE_DIR)) {
        const std::string path = entry.path().string();
        if (entry.path().extension() != ".rules" || path.find("/build") != std::string::npos) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
        EXPECT_EQ(broken(text, CompileOptions{}), "") << path;
        ++count;
    }
    EXPECT_GT(count, 20U);
}

rc::Gen<std::string> word(std::vector<std::string> words) { return rc::gen::elementOf(std::move(words)); }

/// An option with its argument, glued or apart, in some of the many spellings.
std::string option_text() {
    const char option = *rc::gen::weightedElement<char>({{8, 'F'},
                                                         {4, 'S'},
                                                         {3, 'k'},
                                                         {2, 'C'},
                                                         {2, 'p'},
                                                         {1, 'b'},
                                                         {1, 'a'},
                                                         {1, 'w'},
                                                         {1, 'i'},
                                                         {1, 'e'},
                                                         {1, 'D'},
                                                         {1, 't'}});
    std::string argument;
    switch (option) {
        case 'F':
            argument =
                *word({"arch",    "ARCH",      "auid",          "loginuid",  "uid",       "gid",      "exit",
                       "success", "path",      "dir",           "perm",      "exe",       "a0",       "a1",
                       "key",     "KEY",       "filetype",      "msgtype",   "sessionid", "devmajor", "inode",
                       "fstype",  "saddr_fam", "field_compare", "subj_type", "obj_uid",   "pers"}) +
                *word({"=", "=", "=", "!=", ">=", "&", "<"}) +
                *word({"b64",   "B32",      "b32",       "0xc000003e", "x86_64", "unset",      "-1",   "4294967295",
                       "1000",  "01750",    "root",      "-EPERM",     "eacces", "-13",        "13",   "0X1f",
                       "-5000", "/etc/dir", "/etc/file", "/x\\ y",     "wa",     "AW",         "rwxa", "DIR",
                       "cwd",   "1300",     "tracefs",   "k",          "8192x",  "4294967300", "a=b"});
            break;
        case 'S':
            argument = *word({"open", "OPEN", "all", "59", "chmod,fchmod", "open,59,open,", "2040", "999", "fchmodat2",
                              "452", ",", "283", "timerfd_create", "readv", "010"});
            break;
        case 'k':
            argument = *word({"key", "a\\ b", "-F", "x\\\\y", "two", "a\1b", "k\r"});
            break;
        case 'C':
            argument = *word({"uid!=euid", "EUID=uid", "auid!=obj_uid", "loginuid=uid", "gid=egid"});
            break;
        case 'p':
            argument = *word({"wa", "AW", "x", "rwxa", "xx"});
            break;
        case 'b':
            argument = *word({"8192", "0x20", "010", "64k"});
            break;
        case 'e':
            argument = *word({"1", "2"});
            break;
        case 'a':
            argument = *word({"always,exit", "exit,never"});
            break;
        case 'w':
            argument = *word({"/etc/passwd", "/etc/dir/", "/tmp"});
            break;
        default:
            return std::string("-") + option;
    }
    return std::string("-") + option + *word({" ", " ", "  ", ""}) + argument;
}

std::string line_text() {
    std::string line = *word({"", "", " "}) + *word({"-a always,exit",
                                                     "-a exit,always",
                                                     "-a always,exit -F arch=b64",
                                                     "-aalways,exit",
                                                     "-A never,exit",
                                                     "-a never,exclude",
                                                     "-a always,user",
                                                     "-a always,task",
                                                     "-a always,filesystem",
                                                     "-a always,io_uring",
                                                     "-d always,exit",
                                                     "-w /etc/passwd",
                                                     "-w /etc/file",
                                                     "-W /tmp",
                                                     "-w /",
                                                     "-a always,EXIT",
                                                     "",
                                                     "# note",
                                                     "-i",
                                                     "-c"});
    const int options = *rc::gen::inRange(0, 6);
    for (int i = 0; i < options; ++i) line += *word({" ", " ", "  "}) + option_text();
    return line + *word({"", "", "", " ", "\r"}) + "\n";
}

RC_GTEST_PROP(Format, GeneratedLines, ()) {
    std::string text;
    const int lines = *rc::gen::inRange(1, 4);
    for (int i = 0; i < lines; ++i) text += line_text();
    CompileOptions options = *rc::gen::arbitrary<bool>() ? known_host() : CompileOptions{};
    options.version = *rc::gen::elementOf(all_auditctl_versions());
    const std::string problem = broken(text, options);
    RC_LOG() << text << "\n" << problem << "\n";
    RC_ASSERT(problem.empty());
}

/// Lines that load, so that every draw counts.
RC_GTEST_PROP(Format, GeneratedLinesThatLoad, ()) {
    CompileOptions options = known_host();
    std::string line = *word(
        {"-a always,exit", "-a exit,always -F arch=b32", "-a never,exit -F arch=B64", "-w /etc/file", "-w /etc/new"});
    const auto loads = [&](const std::string& text) {
        return effect(text + "\n", options, AuditctlVersion::v3_0_9).ends_with("exit 0");
    };
    for (int i = 0; i < 12; ++i) {
        const std::string longer = line + *word({" ", "  "}) + option_text();
        if (loads(longer)) line = longer;
    }
    RC_ASSERT(loads(line));
    const std::string problem = broken(line + "\n", options);
    RC_LOG() << line << "\n" << problem << "\n";
    RC_ASSERT(problem.empty());
}

}  // namespace
}  // namespace auopt
