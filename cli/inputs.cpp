#include "cli/inputs.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/file_descriptor.hpp"
#include "compiler/listing.hpp"
#include "compiler/read_listing.hpp"
#include "compiler/wire.hpp"
#include "report/sha256.hpp"

namespace auopt {
namespace {

void input_error(Inputs& inputs, Diagnostics& diagnostics, const std::string& name, std::string id, std::string message,
                 std::string help = "") {
    const FileId file = inputs.sources.add(name, "");
    inputs.portable_names.resize(inputs.sources.size(), name);
    diagnostics.add(
        {std::move(id), Level::error, Span{file, 0, 0, 0}, std::move(message), {}, std::move(help), std::nullopt});
}

/// A name that is the same on every machine that has the same folder: relative names as given, of absolute
/// names the last component (for a directory's files, the directory's and the file's).
std::string portable_name(const std::string& path, bool keep_parent) {
    if (path.empty() || path[0] != '/') return path;
    const std::size_t slash = path.rfind('/');
    if (!keep_parent) return path.substr(slash + 1);
    const std::size_t parent = slash == 0 ? 0 : path.rfind('/', slash - 1) + 1;
    return path.substr(parent);
}

bool is_directory(const std::string& path) {
    struct stat st {};
    return stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode);
}

/// The file's place among the sources; its text is for `inputs.plain_text` too.
FileId add_source(Inputs& inputs, const std::string& name, std::string text) {
    inputs.files.push_back({portable_name(name, false), sha256_hex(text)});
    inputs.plain_text += text;
    if (!text.empty() && text.back() != '\n') inputs.plain_text += '\n';
    const FileId file = inputs.sources.add(name, std::move(text));
    inputs.portable_names.resize(inputs.sources.size(), portable_name(name, false));
    return file;
}

bool add_text(Inputs& inputs, const std::string& name, std::string text, bool listing, Diagnostics& diagnostics) {
    if (listing && text.empty()) {
        input_error(inputs, diagnostics, name, "AU060",
                    "an empty listing says nothing: for an empty table auditctl -l prints No rules");
        return false;
    }
    const FileId file = add_source(inputs, name, std::move(text));
    std::vector<InputLine>& lines = listing ? inputs.listing_lines : inputs.lines;
    for (InputLine& line : listing ? listing_lines(inputs.sources, file) : split_lines(inputs.sources, file))
        lines.push_back(std::move(line));
    return true;
}

/// What the kernel holds. Its rules have no text of their own: line N of the source "kernel" shows rule N as
/// auditctl -l should print it.
bool add_loaded(Inputs& inputs, Diagnostics& diagnostics) {
    const auto socket = open_audit_socket();
    auto held = socket ? read_loaded_rules(*socket) : tl::unexpected(socket.error());
    if (!held) {
        input_error(inputs, diagnostics, "kernel", "AU083", "the loaded rules cannot be read: " + held.error(),
                    "auditctl -l > FILE as root, then --from listing FILE");
        return false;
    }
    const std::string machine = running_machine();
    std::string text;
    for (const KernelRule& rule : held->rules) {
        const auto line = rule_to_listing(rule, {.machine = machine});
        text += line ? *line : fmt::format("# {}: {}", line.error(), message_to_wire_line({AddRule{rule}, {}}));
        text += "\n";
    }
    const FileId file = add_source(inputs, "kernel", std::move(text));
    inputs.from_kernel = true;
    std::vector<Message> last;
    for (const SetStatus& setting : held->settings)
        (setting.mask == 1 ? last : inputs.loaded).push_back({setting, Span{file, 0, 0, 0}});
    if (held->loginuid_immutable) inputs.loaded.push_back({SetFeature{2, 2, 2}, Span{file, 0, 0, 0}});
    for (std::uint32_t i = 0; i < held->rules.size(); ++i) {
        KernelRule& rule = held->rules[i];
        const auto size = static_cast<std::uint32_t>(inputs.sources.line(file, i + 1).size());
        rule.sources = {Span{file, i + 1, 1, size}};
        const Span at = rule.sources.front();
        inputs.loaded.push_back({AddRule{std::move(rule)}, at});
    }
    for (Message& message : last) inputs.loaded.push_back(std::move(message));
    return true;
}

bool add_directory(Inputs& inputs, const std::string& path, const Augenrules& script, Diagnostics& diagnostics) {
    const std::size_t first_source = inputs.sources.size();
    auto merged = merge_rules_dir(inputs.sources, path, script);
    if (!merged) {
        input_error(inputs, diagnostics, path, "AU082", merged.error());
        return false;
    }
    if (!merged->skipped.empty()) {
        // augenrules would go on without them; a rule set with a hole in it is not one to optimize or to pass.
        for (const std::string& reason : merged->skipped) {
            input_error(inputs, diagnostics, path, "AU080", "cannot be read: " + reason);
        }
        return false;
    }
    for (std::size_t i = first_source; i < inputs.sources.size(); ++i) {
        const FileId file{static_cast<std::uint32_t>(i)};
        inputs.portable_names.push_back(portable_name(inputs.sources.name(file), true));
        inputs.files.push_back({inputs.portable_names.back(), sha256_hex(inputs.sources.text(file))});
    }
    inputs.plain_text += merged->plain_text;
    for (InputLine& line : merged->lines) inputs.lines.push_back(std::move(line));
    return true;
}

}  // namespace

std::string running_machine() {
    utsname name{};
    return uname(&name) == 0 ? name.machine : "x86_64";
}

bool is_listing(const std::string& input) { return input.starts_with(listing_prefix); }

std::string shown_input(const std::string& input) { return input == loaded_input ? "--loaded" : input; }

std::vector<InputLine> Inputs::all_lines() const {
    std::vector<InputLine> all = listing_lines;
    all.insert(all.end(), lines.begin(), lines.end());
    return all;
}

tl::expected<std::string, std::string> read_file(const std::string& path) {
    const FileDescriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    return read_all(fd.get());
}

tl::expected<std::string, std::string> read_all(int fd) {
    if (fd < 0) return tl::unexpected(std::string(std::strerror(errno)));
    struct stat st {};
    if (fstat(fd, &st) != 0) return tl::unexpected(std::string(std::strerror(errno)));
    if (!S_ISREG(st.st_mode)) return tl::unexpected(std::string("not a regular file"));
    std::string text;
    std::string buffer(1U << 16U, '\0');
    for (;;) {
        const ssize_t n = read(fd, buffer.data(), buffer.size());
        if (n == 0) return text;
        if (n < 0) {
            if (errno == EINTR) continue;
            return tl::unexpected(std::string(std::strerror(errno)));
        }
        text.append(buffer, 0, static_cast<std::size_t>(n));
    }
}

bool read_inputs(Inputs& inputs, const std::vector<std::string>& given, const Augenrules& script,
                 Diagnostics& diagnostics) {
    const std::vector<std::string> paths = given.empty() ? std::vector<std::string>{default_rules_dir} : given;
    for (const std::string& path : paths) {
        if (!inputs.shown_name.empty()) inputs.shown_name += " ";
        inputs.shown_name += shown_input(path);
    }
    bool ok = true;
    for (const std::string& input : paths) {
        if (input == loaded_input) {
            ok = add_loaded(inputs, diagnostics) && ok;
            continue;
        }
        const bool listing = is_listing(input);
        const std::string path = listing                           ? input.substr(listing_prefix.size())
                                 : input.starts_with(rules_prefix) ? input.substr(rules_prefix.size())
                                                                   : input;
        if (path == "-") {
            std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
            if (std::cin.bad()) {
                input_error(inputs, diagnostics, "<stdin>", "AU080", "cannot be read");
                ok = false;
                continue;
            }
            ok = add_text(inputs, "<stdin>", std::move(text), listing, diagnostics) && ok;
        } else if (!listing && is_directory(path)) {
            ok = add_directory(inputs, path, script, diagnostics) && ok;
        } else if (auto text = read_file(path)) {
            ok = add_text(inputs, path, std::move(*text), listing, diagnostics) && ok;
        } else {
            input_error(inputs, diagnostics, path, text.error() == "not a regular file" ? "AU081" : "AU080",
                        "cannot be read: " + text.error(),
                        given.empty() ? "name a rules file or a rules.d directory" : "");
            ok = false;
        }
    }
    return ok;
}

}  // namespace auopt
