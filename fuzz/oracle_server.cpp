#include "fuzz/oracle_server.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "fuzz/check.hpp"

namespace auopt::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr int skipped = 77;

[[noreturn]] void skip(const std::string& reason) {
    fmt::print(stderr, "skipped: {}\n", reason);
    std::_Exit(skipped);
}

/// The host of tests/support/traps.py.
void lay_out_host(const fs::path& root) {
    for (const char* dir : {"etc/dir", "etc/dir2", "etc/a b", "tmp"}) fs::create_directories(root / "fs" / dir);
    std::ofstream(root / "fs/etc/file").flush();
    std::error_code there_already;
    fs::create_symlink("dir", root / "fs/etc/ldir", there_already);
    fs::create_symlink("file", root / "fs/etc/lfile", there_already);
    std::ofstream(root / "passwd") << "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n";
    std::ofstream(root / "group") << "root:x:0:\nadm:x:4:\nnogroup:x:65534:\n";
}

/// As facts hold paths: runs of slashes are one, and none is at the end but that of the root.
std::string with_single_slashes(const std::string& path) {
    std::string out;
    for (const char c : path) {
        if (c != '/' || !out.ends_with('/')) out += c;
    }
    if (out.size() > 1 && out.ends_with('/')) out.pop_back();
    return out;
}

void transfer(int fd, void* data, std::size_t size, bool out) {
    auto* at = static_cast<char*>(data);
    while (size > 0) {
        const ssize_t n = out ? write(fd, at, size) : read(fd, at, size);
        if (n < 0 && errno == EINTR) continue;  // libFuzzer's timer
        check(n > 0, "the oracle answers");
        at += n;
        size -= static_cast<std::size_t>(n);
    }
}

/// The number behind `words` in a line of the log, if they are there.
std::optional<std::size_t> number_after(std::string_view line, std::string_view words) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) return std::nullopt;
    return std::strtoul(std::string(line.substr(at + words.size())).c_str(), nullptr, 10);
}

void read_log(OracleAnswer& answer) {
    for (std::string_view rest = answer.log; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        if (line.starts_with("SEND ")) {
            const std::string_view type = line.substr(5, line.find(' ', 5) - 5);
            if (type == "GET" || type == "LIST_RULES" || type == "GET_FEATURE") continue;
            answer.messages.push_back(fmt::format("{} {}", type, line.substr(line.rfind(' ') + 1)));
        } else if (!line.starts_with("STDOUT ")) {
            if (const auto number = number_after(line, "error in line ")) answer.failed_lines.insert(*number);
            if (const auto number = number_after(line, "syscall mismatch in line ")) {
                answer.mismatch_lines.insert(*number);
            }
        }
    }
}

}  // namespace

OracleServer::OracleServer(const std::string& directory, AuditctlVersion version) {
    const fs::path oracle(directory);
    const fs::path root = oracle / fmt::format("auditctl-{}", auditctl_version_name(version)) / "root";
    const fs::path auditctl = root / "sbin/auditctl";
    for (const fs::path& part : {auditctl, oracle / "oracle_exec", oracle / "liboracle_preload.so"}) {
        if (!fs::exists(part)) skip(fmt::format("there is no {}", part.string()));
    }
    lay_out_host(oracle / "host");
    host_ = (oracle / "host/fs").string();

    std::string libraries;
    std::optional<fs::path> loader;  // of a package whose C library is newer than this system's
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string name = entry.path().filename().string();
        if (name == "libaudit.so.1" || name == "libc.so.6") libraries += entry.path().parent_path().string() + ":";
        if (name.starts_with("ld-linux-") && !entry.is_symlink()) loader = entry.path();
    }
    std::array<int, 2> to{}, from{};
    const int log = memfd_create("log", 0);
    check(log >= 0 && pipe2(to.data(), O_CLOEXEC) == 0 && pipe2(from.data(), O_CLOEXEC) == 0, "pipes can be made");

    std::vector<std::string> words{(oracle / "oracle_exec").string(), (oracle / "liboracle_preload.so").string()};
    if (loader) {
        words.push_back(loader->string());
        words.insert(words.end(), {"--library-path", libraries});
    }
    words.push_back(auditctl.string());
    std::vector<std::string> variables{"LC_ALL=C",
                                       "TZ=UTC",
                                       "AUDIT_ORACLE_MACHINE=x86_64",
                                       fmt::format("AUDIT_ORACLE_LOG=/proc/self/fd/{}", log),
                                       fmt::format("AUDIT_ORACLE_SERVE={},{}", to[0], from[1]),
                                       "AUDIT_ORACLE_FSROOT=" + host_,
                                       fmt::format("AUDIT_ORACLE_PASSWD={}", (oracle / "host/passwd").string()),
                                       fmt::format("AUDIT_ORACLE_GROUP={}", (oracle / "host/group").string())};
    if (!loader) variables.push_back("LD_LIBRARY_PATH=" + libraries);
    const auto pointers = [](std::vector<std::string>& texts) {
        std::vector<char*> out;
        for (auto& text : texts) out.push_back(text.data());
        out.push_back(nullptr);
        return out;
    };
    const auto argv = pointers(words), env = pointers(variables);
    const pid_t child = fork();
    check(child >= 0, "a process can be started");
    if (child == 0) {
        // auditctl's words go nowhere but to the log; its end of the pipes stays open.
        const int nothing = open("/dev/null", O_RDWR);
        for (int fd = 0; fd < 3; ++fd) dup2(nothing, fd);
        fcntl(to[0], F_SETFD, 0);
        fcntl(from[1], F_SETFD, 0);
        execve(argv[0], argv.data(), env.data());
        std::_Exit(127);
    }
    close(to[0]);
    close(from[1]);
    requests_ = to[1];
    answers_ = from[0];
}

OracleAnswer OracleServer::ask(std::string_view rules, std::string_view machine) const {
    std::array<std::uint32_t, 2> head{static_cast<std::uint32_t>(rules.size()),
                                      static_cast<std::uint32_t>(machine.size())};
    std::string request(sizeof head, '\0');
    std::memcpy(request.data(), head.data(), sizeof head);
    request.append(rules).append(machine);
    transfer(requests_, request.data(), request.size(), true);

    int status = 0;
    std::uint32_t size = 0;
    transfer(answers_, &status, sizeof status, false);
    transfer(answers_, &size, sizeof size, false);
    OracleAnswer answer;
    answer.log.resize(size);
    transfer(answers_, answer.log.data(), size, false);
    answer.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    read_log(answer);
    return answer;
}

Facts OracleServer::facts_for(const std::vector<InputLine>& lines) const {
    Facts facts;
    facts.users = {{"root", 0}, {"nobody", 65534}};
    facts.groups = {{"root", 0}, {"adm", 4}, {"nogroup", 65534}};
    for (const std::string& path : needed_facts(lines).paths) {
        if (path.empty() || path[0] != '/') continue;
        struct stat kind {};
        if (stat((host_ + path).c_str(), &kind) != 0) continue;
        const std::string plain = with_single_slashes(path);
        if (plain != "/") (S_ISDIR(kind.st_mode) ? facts.directories : facts.files).insert(plain);
    }
    return facts;
}

}  // namespace auopt::fuzz
