// auopt explain: documentation of findings, passes, fields and assumptions, from the tables that define them.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/exit_codes.hpp"
#include "cli/input_ids.hpp"
#include "cli/options.hpp"
#include "cli/streams.hpp"
#include "lint/lint.hpp"
#include "optimizer/pipeline.hpp"
#include "report/diagnostics.hpp"
#include "report/table.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"
#include "workload/ids.hpp"

namespace auopt {
namespace {

struct Entry {
    std::string_view summary, text;
};

const std::map<std::string_view, Entry>& passes() {
    static const std::map<std::string_view, Entry> table{
        {"drop_dead",
         {"removes rules that decide nothing",
          "Duplicates, rules whose tests exclude each other, and exit-list rules behind an earlier rule that takes all "
          "of their events. Each "
          "removed rule saves one mask test (8 to 19 instructions) in every system call."}},
        {"narrow_masks",
         {"clears calls that perm= can never match",
          "A rule with perm= and no -S is tested in every system call, though perm= holds only for a few dozen of "
          "them. Only calls that the "
          "kernel tables know are cleared; numbers 452 to 511 stay, because kernels add calls to the classes even in "
          "stable updates."}},
        {"fold_arches",
         {"makes one rule of a b64/b32 pair",
          "Where both rules have equal masks, or perm= keeps the union from admitting anything new, the pair becomes "
          "one rule without arch."}},
        {"merge_syscalls",
         {"makes one rule of rules that differ only in calls or in perm=",
          "Only across rules that cannot match the same event, or that have the same action and key, so that no event "
          "changes its first match."}},
        {"order_fields",
         {"puts the cheapest, most selective test first",
          "The order of tests within a rule never changes its meaning on these lists. It stays within what every "
          "auditctl can read."}},
        {"order_rules",
         {"puts rules that match often first",
          "Only rules that commute change places: those that cannot match the same event, or have the same action and "
          "key."}},
        {"make_writable",
         {"puts tests into an order that every auditctl reads the same",
          "Always runs: perm= before arch and the calls, since later auditctl versions narrow perm= rules once they "
          "know an arch."}},
    };
    return table;
}

const std::map<std::string_view, Entry>& assumptions() {
    static const std::map<std::string_view, Entry> table{
        {"no-32bit",
         {"no program uses the 32-bit ABI",
          "Events of i386 programs are left out of the proof. True only where the kernel is built without 32-bit "
          "support or it is "
          "switched off at boot."}},
        {"no-foreign-records",
         {"nothing else logs inside system calls",
          "SELinux, login and other subsystems log records inside system calls; the kernel adds the system call's own "
          "record to those unless a "
          "never rule matched. Under this assumption no match and never count as the same."}},
        {"watch-kinds",
         {"-w PATH/ is a directory, any other -w PATH a file",
          "auditctl asks the host whether a watched path is a directory. Without facts that is unknown, and a result "
          "must hold for both. This "
          "assumption takes the trailing slash for an answer. It does not apply to listings, which have lost the "
          "slash."}},
        {"listed-watches",
         {"the -w lines of a listing are always rules",
          "auditctl -l prints a never rule of a path and perm= as -w too, so that such a line is refused (AU061) "
          "without this assumption. Whether it watches a file or a directory is for the facts to say. --loaded reads "
          "what the kernel holds and needs no assumption."}},
        {"plain-listing",
         {"a listing is what one auditctl -l printed, and hides nothing odd",
          "Made by --from listing and listing:FILE, and printed with their results. It is the whole output on a "
          "machine of this type; auditctl loaded the rules; b64 and b32 are the machine's own arches; no path, key or "
          "label holds a space, a line break or an empty key; no test is invisible (-F field_compare=0); lists that "
          "show no calls have the usual masks. A listing shows no settings (-b, -e, ...), so these are not compared. "
          "--loaded reads what the kernel holds and needs no assumption."}},
    };
    return table;
}

const std::map<std::string_view, Entry>& fields() {
    static const std::map<std::string_view, Entry> table{
        {"auid",
         {"the login uid",
          "Set at login and inherited; 4294967295 (unset) for everything that no login started, so auid>=1000 needs "
          "auid!=unset."}},
        {"exit",
         {"the return value, low 32 bits, without a sign",
          "exit=-EACCES for one error. Comparisons other than = and != mislead (AU104). False for calls that never "
          "return."}},
        {"success",
         {"whether the call succeeded",
          "1 or 0; false both ways for calls that never return and for the deletion of a watched name."}},
        {"arch",
         {"the ABI of the calling program",
          "b64 or b32. Decides how the -S names after it are read; without it numbers of both ABIs match."}},
        {"perm",
         {"the kind of access to a file",
          "r, w, x, a by classes of system calls that the kernel has built in. read, write, stat and the like are in "
          "none."}},
        {"path",
         {"a watched file",
          "Bound to the inode that the name leads to; the last component is not followed if it is a link. Costs calls "
          "that touch no path nothing."}},
        {"dir",
         {"a directory tree",
          "Tested in every system call unless -S or narrowing limits it (AU301). File systems mounted below it later "
          "are not covered."}},
        {"exe",
         {"the program that runs",
          "Compares inode and device, found on the host when the rule is loaded: the same path in a container is "
          "another program."}},
        {"gid", {"the group", "= and != also look at the supplementary groups, the other comparisons do not."}},
        {"key", {"the label of the event", "Of the first matching rule. Several keys on one rule are joined."}},
    };
    return table;
}

const IdRow* row_of(std::string_view id) {
    if (const IdRow* row = find_id(id)) return row;
    for (const auto* rows : {&workload_ids(), &input_ids(), &lint_ids()}) {
        for (const IdRow& row : *rows) {
            if (row.id == id) return &row;
        }
    }
    return nullptr;
}

std::string wrapped(std::string_view text) {
    constexpr std::size_t width = 96;
    std::string out;
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (column != 0 && column + 1 + end > width) {
            out += '\n';
            column = 0;
        } else if (column != 0) {
            out += ' ';
            ++column;
        }
        out += text.substr(0, end);
        column += end;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out + "\n";
}

std::string overview() {
    Table table;
    for (const auto* rows : {&all_ids(), &workload_ids(), &input_ids(), &lint_ids()}) {
        for (const IdRow& row : *rows)
            table.rows.push_back({std::string(row.id), std::string(level_name(row.level)), std::string(row.summary)});
    }
    for (const std::string& name : pass_names()) {
        const auto pass = passes().find(name);
        table.rows.push_back({name, "pass", pass == passes().end() ? "" : std::string(pass->second.summary)});
    }
    for (const auto& [name, entry] : assumptions())
        table.rows.push_back({std::string(name), "assumption", std::string(entry.summary)});
    for (const auto& [name, entry] : fields())
        table.rows.push_back({std::string(name), "field", std::string(entry.summary)});
    return render_table(table);
}

std::optional<std::string> explanation(const std::string& id) {
    std::string upper = id;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    if (const IdRow* row = row_of(upper)) {
        return fmt::format("{} ({}): {}\n\n{}", row->id, level_name(row->level), row->summary,
                           wrapped(row->explanation));
    }
    const std::string lower = ascii_lower(id);
    const std::pair<const char*, const std::map<std::string_view, Entry>*> tables[] = {
        {"pass", &passes()}, {"assumption", &assumptions()}, {"field", &fields()}};
    for (const auto& [kind, table] : tables) {
        const auto found = table->find(lower);
        if (found != table->end())
            return fmt::format("{} ({}): {}\n\n{}", lower, kind, found->second.summary, wrapped(found->second.text));
    }
    return std::nullopt;
}

}  // namespace

int run(const ExplainVerb& verb) {
    if (verb.id.empty())
        return put_out(overview()) ? exit_clean : fail("explain", exit_usage, "standard output cannot be written");
    const auto text = explanation(verb.id);
    if (!text)
        return fail("explain", exit_usage, fmt::format("nothing is known about {}; auopt explain lists all", verb.id));
    return put_out(*text) ? exit_clean : fail("explain", exit_usage, "standard output cannot be written");
}

}  // namespace auopt
