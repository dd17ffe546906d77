#include "kernel_model/unknown_watches.hpp"

#include <algorithm>

namespace auopt {

std::size_t count_unknown_watches(const KernelState& state) {
    return static_cast<std::size_t>(std::count_if(state.filter.begin(), state.filter.end(),
                                                  [](const KernelRule& r) { return r.watch_kind_unknown; }));
}

KernelState with_unknown_watches_as_directories(KernelState state) {
    for (KernelRule& rule : state.filter) {
        if (!rule.watch_kind_unknown) continue;
        rule.watch_kind_unknown = false;
        for (FieldTest& test : rule.tests)
            if (test.field == Field::path) test.field = Field::dir;
    }
    return state;
}

}  // namespace auopt
