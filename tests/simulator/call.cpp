#include "tests/simulator/call.hpp"

#include <algorithm>

namespace auopt::simulator {

bool Call::changes_files() const {
    return std::any_of(steps.begin(), steps.end(), [](const Step& s) {
        return s.kind == Step::Kind::made || s.kind == Step::Kind::unmade || s.kind == Step::Kind::inode_gone ||
               s.kind == Step::Kind::inode_moved;
    });
}

bool Call::logs() const {
    return std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.kind == Step::Kind::record; });
}

}  // namespace auopt::simulator
