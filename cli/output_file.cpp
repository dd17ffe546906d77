#include "cli/output_file.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/inputs.hpp"
#include "cli/write_place.hpp"

namespace auopt {
namespace {

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::string path_of(const std::string& input) {
    for (const std::string_view prefix : {listing_prefix, rules_prefix})
        if (input.starts_with(prefix)) return input.substr(prefix.size());
    return input;
}

bool is_path(const std::string& input) { return input != loaded_input && path_of(input) != "-"; }

}  // namespace

std::string unwise_output(const std::string& output, const std::vector<std::string>& given) {
    if (output.empty()) return {};
    const auto place = find_write_place(output);
    if (!place) return {};  // writing says why
    struct stat directory {};
    if (fstat(place->directory.get(), &directory) != 0) return {};
    const std::vector<std::string> inputs = given.empty() ? std::vector<std::string>{default_rules_dir} : given;
    for (const std::string& input : inputs) {
        struct stat st {};
        if (!is_path(input) || stat(path_of(input).c_str(), &st) != 0) continue;
        if (S_ISDIR(st.st_mode) && same_file(st, directory))
            return fmt::format("{} is inside {}, which is read: write elsewhere, or it would be an input next time",
                               output, path_of(input));
        if (place->old && same_file(st, *place->old))
            return fmt::format("{} is what is read: write elsewhere{}", output,
                               path_of(input) == output ? ", or rewrite a rules file with --in-place" : "");
    }
    return {};
}

std::string unfit_for_in_place(const std::vector<std::string>& inputs) {
    if (inputs.size() != 1 || !is_path(inputs.front())) return "--in-place rewrites one rules file; name it";
    struct stat st {};
    const std::string& path = inputs.front();
    if (path_of(path) != path) return "--in-place rewrites a rules file, not a listing; name it without a prefix";
    if (stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode))
        return fmt::format("{} is a directory: its files are merged into one, which auopt augenrules installs", path);
    return {};
}

tl::expected<void, std::string> keep_original(const std::string& path) {
    const auto place = find_write_place(path);
    if (!place) return tl::unexpected(fmt::format("{}: {}", path, place.error()));
    const std::string kept = place->name + ".orig";
    const int directory = place->directory.get();
    // A link, not a copy: owner, mode and access list are the file's own, and it is there at once or not at all.
    if (linkat(directory, place->name.c_str(), directory, kept.c_str(), 0) == 0) return {};
    const int error = errno;
    struct stat st {};
    if (error == EEXIST && place->old && fstatat(directory, kept.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        same_file(st, *place->old))
        return {};
    return tl::unexpected(fmt::format("{}.orig: {}; the original cannot be kept, so nothing was written", path,
                                      error == EEXIST ? "there is one already" : std::strerror(error)));
}

}  // namespace auopt
