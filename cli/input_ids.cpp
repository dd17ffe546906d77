#include "cli/input_ids.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lint/lint.hpp"
#include "tables/names.hpp"
#include "workload/ids.hpp"

namespace auopt {

const std::vector<IdRow>& input_ids() {
    static const std::vector<IdRow> rows = {
        {"AU080", Level::error, "an input cannot be read",
         "The file is missing or not readable. In a rules.d directory one unreadable file is an error too: augenrules "
         "would go on without it, "
         "and a rule set with a hole in it is neither optimized nor passed."},
        {"AU081", Level::error, "an input is not a regular file",
         "Devices, pipes and sockets are not read; pipe rules in and name - instead."},
        {"AU082", Level::error, "a directory cannot be merged",
         "It has no files that end in .rules, or cannot be read."},
        {"AU083", Level::error, "the kernel's rules cannot be read",
         "--loaded asks the running kernel over netlink (AUDIT_LIST_RULES), which takes root (CAP_AUDIT_CONTROL) and "
         "no "
         "container. An answer that is cut short, or a rule of which any byte makes no sense, is an error: a list that "
         "may be incomplete is never used."},
        {"AU084", Level::error, "a rule of the kernel that no rules file can say",
         "The kernel holds rules that auditctl's language has no line for (perm= behind arch= with a partial mask, a "
         "key "
         "before other tests on a list where order matters, values without a spelling). Other programs loaded them."},
        {"AU090", Level::warning, "a construct outside the model",
         "What the kernel will hold depends on more than this file: deletes of rules that the file did not add, -t or "
         "-q between rules, class "
         "selectors in masks. Such files are linted and compiled, but neither optimized nor judged (exit 5)."},
        {"AU091", Level::error, "refused after -e 2",
         "After -e 2 the kernel refuses every change until the next boot. Move -e 2 to the end."},
        {"AU092", Level::error, "a rule that the kernel refuses",
         "auditctl sends this rule, but the kernel's checks of fields, operators and lists do not admit it (Invalid "
         "argument)."},
        {"AU093", Level::error, "a path below a file",
         "The facts say that a parent of this path is a file, so that the kernel's lookup fails (Not a directory)."},
        {"AU094", Level::error, "duplicate rule",
         "The kernel already holds the same rule and answers \"Rule exists\"; auditctl stops there. Spellings do not "
         "matter: -k and -F key=, unset "
         "and -1 are the same. optimize leaves the duplicate out and goes on, since it takes no event."},
        {"AU095", Level::error, "a delete of a rule that is not there",
         "The kernel holds no equal rule at this point and refuses the delete."},
    };
    return rows;
}

namespace {

/// How many letters have to be put in, taken out or changed (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string unknown_id(const std::string& id) {
    // Of equally near ids one of a check is likelier meant than one of a line that does not load, which cannot be
    // left out.
    std::string_view nearest;
    std::size_t nearest_distance = 0;
    const std::string lower = ascii_lower(id);
    for (const auto* table : {&lint_ids(), &all_ids(), &input_ids(), &workload_ids()}) {
        for (const IdRow& row : *table) {
            if (!id.empty() && row.id.starts_with(id)) return {};
            const std::size_t d = distance(lower, ascii_lower(row.id));
            if (nearest.empty() || d < nearest_distance) {
                nearest = row.id;
                nearest_distance = d;
            }
        }
    }
    return fmt::format("unknown id {}; did you mean {}?", id, nearest);
}

}  // namespace auopt
