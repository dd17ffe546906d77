// What is wrong with an input, where, and what to do about it. User errors are Diagnostics,
// never exceptions. Ids are stable: AU0 would not load or loads as something else, AU1 meaning,
// AU2 reachability, AU3 cost, AU4 compliance, AU5 portability.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grammar/source.hpp"

namespace auopt {

enum class Level { note, info, warning, error };

struct Note {
    std::optional<Span> span;
    std::string message;
};

/// Replace the whole physical lines [first_line, last_line] of `file` by `replacement`
/// (empty: delete them). `safe` fixes keep the meaning of the file exactly.
struct Fix {
    FileId file;
    std::uint32_t first_line = 0;
    std::uint32_t last_line = 0;
    std::string replacement;
    bool safe = false;
};

struct Diagnostic {
    std::string id;  // "AU001"
    Level level = Level::error;
    Span span;
    std::string message;
    std::vector<Note> notes;
    std::string help;  // empty: none
    std::optional<Fix> fix;
};

/// The one place diagnostics go to; stages append, the caller renders.
class Diagnostics {
public:
    void add(Diagnostic diagnostic) { items_.push_back(std::move(diagnostic)); }
    const std::vector<Diagnostic>& items() const { return items_; }
    std::vector<Diagnostic>& items() { return items_; }
    bool has_errors() const;
    std::size_t count(Level level) const;

private:
    std::vector<Diagnostic> items_;
};

}  // namespace auopt
