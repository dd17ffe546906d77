#include "grammar/source.hpp"

namespace auopt {

FileId Sources::add(std::string name, std::string text) {
    File file{std::move(name), std::move(text), {0}};
    for (std::size_t i = 0; i < file.text.size(); ++i)
        if (file.text[i] == '\n') file.line_starts.push_back(i + 1);
    files_.push_back(std::move(file));
    return FileId{static_cast<std::uint32_t>(files_.size() - 1)};
}

std::string_view Sources::line(FileId file, std::uint32_t line) const {
    if (file.value >= files_.size()) return {};
    const File& f = files_[file.value];
    if (line == 0 || line > f.line_starts.size()) return {};
    const std::size_t start = f.line_starts[line - 1];
    const std::size_t end = line < f.line_starts.size() ? f.line_starts[line] - 1 : f.text.size();
    return std::string_view(f.text).substr(start, end - start);
}

}  // namespace auopt
