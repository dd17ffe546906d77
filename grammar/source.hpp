// Input files and places in them. Every token, rule and diagnostic points back here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace auopt {

/// Index into Sources; strong, so that it cannot be mistaken for a line number.
struct FileId {
    std::uint32_t value = 0;
    bool operator==(const FileId&) const = default;
};

/// A stretch of bytes on one physical line. Lines and columns are 1-based; columns count bytes,
/// as auditctl does not decode UTF-8. line 0 means "the file as a whole".
struct Span {
    FileId file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::uint32_t length = 0;
    bool operator==(const Span&) const = default;
};

/// The texts that were read, by FileId. Texts are raw bytes (NUL, CR and all).
class Sources {
public:
    FileId add(std::string name, std::string text);
    const std::string& name(FileId file) const { return files_[file.value].name; }
    const std::string& text(FileId file) const { return files_[file.value].text; }
    /// The text of 1-based physical line `line` without its newline; empty when out of range.
    std::string_view line(FileId file, std::uint32_t line) const;
    std::size_t size() const { return files_.size(); }

private:
    struct File {
        std::string name;
        std::string text;
        std::vector<std::size_t> line_starts;
    };
    std::vector<File> files_;
};

}  // namespace auopt
