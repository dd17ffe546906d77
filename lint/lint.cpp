#include "lint/lint.hpp"

#include <algorithm>

namespace auopt {

void run_checks(const LintContext& context, Diagnostics& diagnostics) {
    check_arch(context, diagnostics);
    check_values(context, diagnostics);
    check_lists(context, diagnostics);
    check_arguments(context, diagnostics);
    check_reachability(context, diagnostics);
    check_cost(context, diagnostics);
    check_portability(context, diagnostics);
}

}  // namespace auopt
