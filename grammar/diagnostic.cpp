#include "grammar/diagnostic.hpp"

#include <algorithm>

namespace auopt {

bool Diagnostics::has_errors() const { return count(Level::error) != 0; }

std::size_t Diagnostics::count(Level level) const {
    return static_cast<std::size_t>(
        std::count_if(items_.begin(), items_.end(), [level](const Diagnostic& d) { return d.level == level; }));
}

}  // namespace auopt
