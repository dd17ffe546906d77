#include "fuzz/mutate_rules.hpp"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt::fuzz {

namespace {

using Words = std::vector<std::string>;

// Where reading changes: the ends of ranges, other bases, junk behind numbers, signs.
constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "4",
                                        "5",
                                        "59",
                                        "257",
                                        "450",
                                        "451",
                                        "471",
                                        "500",
                                        "511",
                                        "512",
                                        "1000",
                                        "1300",
                                        "2031",
                                        "2032",
                                        "2040",
                                        "2047",
                                        "2048",
                                        "8192",
                                        "-0",
                                        "-1",
                                        "-2",
                                        "-13",
                                        "+5",
                                        "010",
                                        "01750",
                                        "08",
                                        "0x",
                                        "0x10",
                                        "0X1f",
                                        "-0x10",
                                        "1000abc",
                                        "59abc",
                                        "5,6",
                                        "65534",
                                        "65535",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "4294967294",
                                        "4294967295",
                                        "4294967296",
                                        "-4294967295",
                                        "-4294967296",
                                        "9223372036854775807",
                                        "9223372036854775808",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "99999999999999999999",
                                        "-99999999999999999999",
                                        "unset",
                                        "UNSET",
                                        "0b1",
                                        "1e3"};
constexpr std::string_view paths[] = {"/",          "//",          "///",         "/etc/dir",   "/etc/dir/",
                                      "/etc/dir//", "/etc/dir/.",  "/etc/dir/..", "/etc/./dir", "/etc/../etc/dir",
                                      "//etc/dir",  "/etc/ldir",   "/etc/ldir/",  "/etc/lfile", "/etc/file",
                                      "/etc/file/", "/etc/file/x", "/tmp",        "/tmp/..",    "/no",
                                      "/no/",       "rel",         "./rel",       "/a*",        "/a?",
                                      "/a\\ b",     "/etc/a\\ b",  "/etc/a\\ b/", "/a\\\\b",    "/a\\nb",
                                      "/a=b",       "/a!=b",       "/a>=b",       "/a,b",       "\"/q\"",
                                      "'/q'",       "/x#y",        "/proc",       "/.",         "/..",
                                      "/usr/bin/id"};
constexpr std::string_view lists[] = {"exit",  "task", "user", "exclude", "filesystem", "io_uring", "entry",
                                      "watch", "EXIT", "Task", "fs",      "",           "always",   "xtask"};
constexpr std::string_view actions[] = {"always", "never", "possible", "ALWAYS", "exit", "", "neverr"};
constexpr std::string_view operators[] = {"=", "!=", "<", ">", "<=", ">=", "&", "&=", "==", "=>", "=!", "", "=<", "!"};
constexpr std::string_view arches[] = {
    "b64",        "b32",        "B64",      "x86_64",   "i386",   "i486",       "i586",        "i686",
    "aarch64",    "arm",        "armeb",    "armv5tel", "armv7l", "armv8l",     "ppc",         "ppc64",
    "ppc64le",    "s390",       "s390x",    "riscv64",  "uring",  "0xc000003e", "c000003e",    "40000003",
    "0x40000003", "3221225534", "C00000B7", "80000016", "ia64",   "b128",       "0xc000003ex", "b64 "};
constexpr std::string_view calls[] = {"open",         "openat",
                                      "OPEN",         "openat2",
                                      "read",         "write",
                                      "close",        "execve",
                                      "execveat",     "all",
                                      "ALL",          "chmod",
                                      "fchmodat2",    "truncate64",
                                      "chown32",      "socketcall",
                                      "bind",         "rename",
                                      "renameat2",    "unlink",
                                      "mknod",        "ptrace",
                                      "timerfd",      "timerfd_create",
                                      "madvise1",     "madvise",
                                      "stat64",       "io_uring_setup",
                                      "clone3",       "set_mempolicy_home_node",
                                      "file_setattr", "listxattrat",
                                      "sendmsg",      "connect",
                                      "msg_ring",     "send_zc",
                                      "waitid",       "ipc",
                                      "semop",        "none",
                                      "arch"};
constexpr std::string_view keys[] = {"k",
                                     "id",
                                     "a=b",
                                     "a!=b",
                                     "a>=b",
                                     "a<b",
                                     "-p",
                                     "-w",
                                     "\\ ",
                                     "a\\ b",
                                     "a\\\\",
                                     "\x01",
                                     "a\x01"
                                     "b",
                                     "#",
                                     "key=",
                                     ",",
                                     "\"k\"",
                                     "\xc3\xa4",
                                     "-",
                                     "--",
                                     "k\r"};
constexpr std::string_view users[] = {"root",    "nobody", "ROOT",    "unset", "daemon", "adm",
                                      "nogroup", "-1",     "-nobody", "root ", "0root"};
constexpr std::string_view perms[] = {"r", "w", "x", "a", "wa", "rwxa", "WA", "wwa", "rwxar", "", "b", "aaaa", "w\t"};
constexpr std::string_view signals[] = {"TERM", "hup", "USR1", "usr2", "CONT", "reload", "stop", "KILL", "state"};
constexpr std::string_view longs[] = {"--loginuid-immutable",
                                      "--backlog_wait_time",
                                      "--reset-lost",
                                      "--reset_backlog_wait_time_actual",
                                      "--signal",
                                      "--help",
                                      "--version",
                                      "--"};
constexpr std::string_view odd_bytes[] = {"\t",   "\r", "\a", "\x04", "\\", "\\ ", "\\\\",    "#",
                                          ",",    "=",  "!",  "-",    " ",  "  ",  "\x7f",    "\xff",
                                          "\x01", "/",  "\"", "'",    "\v", "\f",  "\xc2\xa0"};
constexpr std::string_view letters = "hicslDvtCefrbaAdSFmRwWkpqxzE-1";

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_()) % n; }
    bool chance(unsigned percent) { return below(100) < percent; }

    template <std::size_t N>
    std::string pick(const std::string_view (&from)[N]) {
        return std::string(from[below(N)]);
    }

    std::string number() {
        if (chance(70)) return pick(numbers);
        return std::to_string(below(2) == 0 ? below(600) : random_());
    }

    std::string text_of(std::size_t length) { return std::string(length, chance(50) ? 'a' : 'b'); }

    std::string path() {
        if (chance(92)) return pick(paths);
        constexpr std::size_t lengths[] = {254, 255, 256, 4094, 4095, 4096, 4097};
        const std::size_t length = lengths[below(std::size(lengths))];
        if (length < 300) return "/" + text_of(length);
        std::string out;
        while (out.size() < length) out += "/" + text_of(std::min<std::size_t>(200, length - out.size() - 1));
        return out.substr(0, length);
    }

    std::string key() {
        if (chance(90)) return pick(keys);
        constexpr std::size_t lengths[] = {127, 128, 255, 256, 257};
        return text_of(lengths[below(std::size(lengths))]);
    }

    std::string call() {
        if (chance(20)) return number();
        if (chance(60)) return pick(calls);
        constexpr Machine machines[] = {Machine::x86_64,  Machine::i386,    Machine::ppc,    Machine::ppc64,
                                        Machine::ppc64le, Machine::s390,    Machine::s390x,  Machine::arm,
                                        Machine::aarch64, Machine::riscv32, Machine::riscv64};
        const std::string name = syscall_name(static_cast<unsigned>(below(472)), machines[below(std::size(machines))]);
        return name.empty() ? "open" : name;
    }

    std::string call_list() {
        std::string out = chance(5) ? "," : "";
        for (std::size_t n = 1 + below(4); n > 0; --n) out += call() + (n > 1 || chance(5) ? "," : "");
        return out;
    }

    std::string field_value(ValueClass value_class) {
        if (chance(8)) return number();
        switch (value_class) {
            case ValueClass::user:
            case ValueClass::group:
                return chance(50) ? number() : pick(users);
            case ValueClass::exit_code: {
                const std::string name = errno_name(static_cast<int>(1 + below(134)));
                const std::string sign = chance(70) ? "-" : "";
                return chance(40) ? number() : sign + (chance(80) ? name : ascii_lower(name));
            }
            case ValueClass::message_type: {
                const std::string name = message_type_name(static_cast<int>(1000 + below(1000)));
                if (chance(10)) return "UNKNOWN[" + number() + "]";
                return name.empty() || chance(20) ? number() : chance(80) ? name : ascii_lower(name);
            }
            case ValueClass::text:
                return chance(60) ? path() : key();
            case ValueClass::arch:
                return pick(arches);
            case ValueClass::permissions:
                return pick(perms);
            case ValueClass::file_type:
                return file_type_name(static_cast<std::uint32_t>(1 + below(15)) << 12);
            case ValueClass::fs_type: {
                constexpr std::string_view types[] = {"tracefs", "debugfs", "DEBUGFS", "cgroup", "cgroup2", "ext4"};
                return pick(types);
            }
            case ValueClass::number:
            case ValueClass::unsigned_number:
            case ValueClass::argument:
            case ValueClass::session:
            case ValueClass::address_family:
                return number();
        }
        return number();
    }

    std::string field() {
        const auto& rows = field_rows();
        const FieldRow& row = rows[below(rows.size())];
        std::string name(row.name);
        if (chance(4))
            std::transform(name.begin(), name.end(), name.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        return name + (chance(60) ? "=" : pick(operators)) + field_value(row.value_class);
    }

    std::string comparison() {
        const auto& rows = comparison_rows();
        const ComparisonRow& row = rows[below(rows.size())];
        std::string left(row.left), right(chance(90) ? row.right : rows[below(rows.size())].right);
        if (chance(40)) std::swap(left, right);
        return left + (chance(45) ? "=" : chance(80) ? "!=" : pick(operators)) + right;
    }

    std::string list_action() {
        if (chance(60)) return chance(70) ? "always,exit" : chance(50) ? "exit,always" : "never,exit";
        const std::string list = pick(lists), action = pick(actions);
        return (chance(50) ? list + "," + action : action + "," + list) + (chance(3) ? ",exit" : "");
    }

    /// One option with its argument, as one or two words, glued to its letter or not.
    Words option() {
        const auto with = [&](std::string_view name, const std::string& argument) {
            if (name.size() == 2 && chance(8)) return Words{std::string(name) + argument};
            return Words{std::string(name), argument};
        };
        switch (below(26)) {
            case 0:
                return with(chance(85) ? "-a" : chance(50) ? "-A" : "-d", list_action());
            case 1:
                return with(chance(85) ? "-w" : "-W", path());
            case 2:
                return with("-p", pick(perms));
            case 3:
            case 4:
                return with("-k", key());
            case 5:
            case 6:
            case 7:
            case 8:
                return with("-F", field());
            case 9:
                return with("-F", "arch" + (chance(90) ? std::string("=") : pick(operators)) + pick(arches));
            case 10:
                return with("-F", "key" + (chance(80) ? std::string("=") : pick(operators)) + key());
            case 11:
                return with("-F", "perm=" + pick(perms));
            case 12:
            case 13:
                return with("-S", call_list());
            case 14:
                return with("-C", comparison());
            case 15:
                return with("-b", number());
            case 16:
                return with(chance(50) ? "-e" : "-f", number());
            case 17:
                return with("-r", number());
            case 18:
                return {"-D"};
            case 19:
                return {chance(50) ? "-i" : "-c"};
            case 20:
                return long_option();
            case 21:
                return with("-q", path() + "," + path());
            case 22:
                return with("-m", key());
            case 23:
                return {chance(30) ? "-l" : chance(40) ? "-s" : chance(50) ? "-v" : "-h"};
            case 24:
                return {"-t"};
            default:
                return {"-" + std::string(1, letters[below(letters.size())])};
        }
    }

    Words long_option() {
        std::string name = pick(longs);
        if (chance(25)) name.resize(2 + below(name.size() - 1));  // an abbreviation
        const std::string argument = chance(50) ? number() : pick(signals);
        if (chance(25)) return {name + "=" + argument};
        if (chance(50)) return {name, argument};
        return {name};
    }

    Words line() {
        Words out;
        if (chance(70)) {
            out = {"-a", list_action()};
            if (chance(50)) append(out, {"-F", "arch=" + std::string(chance(60) ? "b64" : "b32")});
        } else if (chance(60)) {
            out = {"-w", path(), "-p", pick(perms)};
        }
        for (std::size_t n = below(4); n > 0; --n) append(out, option());
        if (chance(4)) {  // near the limit of 63 tests
            for (std::size_t n = 58 + below(7); n > 0; --n) append(out, {"-F", "pid=" + std::to_string(n)});
        }
        if (out.empty()) out = option();
        return out;
    }

    static void append(Words& words, Words more) {
        for (auto& word : more) words.push_back(std::move(word));
    }

    void change_bytes(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        switch (below(6)) {
            case 0:
                text.insert(at, pick(odd_bytes));
                break;
            case 1:
                if (at < text.size()) text.erase(at, 1 + below(3));
                break;
            case 2:
                if (at < text.size()) text[at] = static_cast<char>(below(256));
                break;
            case 3:
                text.insert(at, 1, static_cast<char>(below(256)));
                break;
            case 4:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 0x20);
                break;
            default:
                text.insert(at, 1, '\0');
                break;
        }
    }

    void change_word(std::string& word) {
        const std::size_t op = word.find_first_of("=<>&!");
        switch (below(8)) {
            case 0:
                word = number();
                break;
            case 1:  // another operator
                if (op != std::string::npos) word.replace(op, word.find_last_of("=<>&!") - op + 1, pick(operators));
                break;
            case 2:  // another value
                if (op != std::string::npos) word = word.substr(0, word.find_last_of("=<>&!") + 1) + number();
                break;
            case 3:  // one item more or fewer
                if (const auto comma = word.find_last_of(','); comma != std::string::npos && chance(50))
                    word.resize(comma);
                else
                    word += "," + call();
                break;
            case 4:
                for (char& c : word)
                    if (c >= 'a' && c <= 'z' && chance(50)) c = static_cast<char>(c - 'a' + 'A');
                break;
            case 5:
                word += pick(odd_bytes);
                break;
            case 6:
                word = path();
                break;
            default:
                change_bytes(word);
                break;
        }
    }

    void change_line(Words& words) {
        const std::size_t at = below(words.size());
        const auto place = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
        switch (below(10)) {
            case 0:
            case 1:
            case 2: {  // one option more
                Words more = option();
                words.insert(place(chance(50) ? words.size() : at), more.begin(), more.end());
                break;
            }
            case 3:
                if (!words.empty()) words.erase(place(at));
                break;
            case 4:
                if (!words.empty()) words.insert(place(at), words[below(words.size())]);
                break;
            case 5:
                if (words.size() > 1) std::swap(words[at], words[below(words.size())]);
                break;
            case 6:  // glue two words, or a blank more
                if (at + 1 < words.size() && chance(70)) {
                    words[at] += words[at + 1];
                    words.erase(place(at + 1));
                } else {
                    words.insert(place(at), std::string());
                }
                break;
            case 7:
                if (words.size() > 2) words.resize(1 + below(words.size() - 1));
                break;
            default:
                if (!words.empty()) change_word(words[at]);
                break;
        }
    }

    void change(std::string& text) {
        if (chance(8)) {
            change_bytes(text);
            return;
        }
        std::vector<Words> lines = split(text);
        const std::size_t at = below(lines.size());
        const auto place = [&](std::size_t i) { return lines.begin() + static_cast<std::ptrdiff_t>(i); };
        switch (below(12)) {
            case 0:
                lines.insert(place(at), line());
                break;
            case 1:
                lines.insert(place(at), Words{chance(50) ? "-i" : "-c"});
                break;
            case 2:
                if (lines.size() > 1) lines.erase(place(at));
                break;
            case 3:
                if (lines.size() > 1) lines.insert(place(below(lines.size())), Words(lines[at]));
                break;
            case 4:
                if (lines.size() > 1) std::swap(lines[at], lines[below(lines.size())]);
                break;
            case 5:  // a newline less
                if (at + 1 < lines.size()) {
                    append(lines[at], lines[at + 1]);
                    lines.erase(place(at + 1));
                }
                break;
            case 6:  // near the 6143 bytes that are read at a time
                if (chance(10))
                    lines[at].push_back(text_of(6130 + below(20)));
                else
                    lines[at] = line();
                break;
            default:
                change_line(lines[at]);
                break;
        }
        text = joined(lines);
    }

    static std::vector<Words> split(std::string_view text) {
        std::vector<Words> lines(1, Words(1));
        for (const char c : text) {
            if (c == '\n')
                lines.emplace_back(Words(1));
            else if (c == ' ')
                lines.back().emplace_back();
            else
                lines.back().back() += c;
        }
        return lines;
    }

    static std::string joined(const std::vector<Words>& lines) {
        std::string out;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (i != 0) out += '\n';
            for (std::size_t j = 0; j < lines[i].size(); ++j) {
                if (j != 0) out += ' ';
                out += lines[i][j];
            }
        }
        return out;
    }

private:
    std::mt19937 random_;
};

}  // namespace

std::string mutated_rules(std::string_view text, std::size_t max_size, std::uint32_t seed) {
    Mutator mutator(seed);
    std::string out(text);
    for (std::size_t n = 1 + mutator.below(4); n > 0; --n) mutator.change(out);
    if (out.size() > max_size) out.resize(max_size);
    return out;
}

std::string crossed_rules(std::string_view left, std::string_view right, std::size_t max_size, std::uint32_t seed) {
    Mutator mutator(seed);
    const auto a = Mutator::split(left), b = Mutator::split(right);
    std::vector<Words> lines;
    for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (j >= b.size() || (i < a.size() && mutator.chance(50))) {
            if (mutator.chance(60)) lines.push_back(a[i]);
            ++i;
        } else {
            if (mutator.chance(60)) lines.push_back(b[j]);
            ++j;
        }
    }
    std::string out = Mutator::joined(lines);
    if (out.size() > max_size) out.resize(max_size);
    return out;
}

}  // namespace auopt::fuzz
