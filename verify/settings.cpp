// Sources: audit.c:audit_receive_msg (AUDIT_SET, AUDIT_SET_FEATURE), audit_tree.c:audit_tag_tree (-q) and
// audit_trim_trees (-t); docs/TRUST.md.
#include "verify/settings.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace auopt::proof {
namespace {

using Setting = std::optional<std::uint32_t>;

std::string shown(const Setting& value) { return value ? fmt::format("{}", *value) : std::string("unset"); }
std::string shown(bool given) { return given ? "given" : "not given"; }

std::string meaning_of_enabled(const Setting& before, const Setting& after) {
    if (before == 2U) return "the lock is lost: rules can be changed without a reboot";
    if (after == 2U) return "the rules are locked until the next boot";
    if (after == 0U) return "auditing is off: nothing is recorded";
    if (before == 0U) return "auditing is no longer turned off";
    return "whether auditing is on depends on what it was before";
}

std::string shown(const std::vector<std::string>& messages) {
    return messages.empty() ? std::string("none") : fmt::format("{}", fmt::join(messages, "; "));
}

}  // namespace

std::vector<Difference> compare_settings(const KernelState& before, const KernelState& after) {
    std::vector<Difference> out;
    const Settings &b = before.settings, &a = after.settings;
    const auto number = [&](const char* what, Setting Settings::*member, const char* meaning) {
        if (b.*member != a.*member) out.push_back({what, shown(b.*member), shown(a.*member), meaning});
    };
    const auto flag = [&](const char* what, bool was, bool is, const char* meaning) {
        if (was != is) out.push_back({what, shown(was), shown(is), meaning});
    };
    if (b.enabled != a.enabled)
        out.push_back({"enabled (-e)", shown(b.enabled), shown(a.enabled), meaning_of_enabled(b.enabled, a.enabled)});
    number("failure (-f)", &Settings::failure, "what the kernel does when it cannot record: 0 silent, 1 log, 2 panic");
    number("rate limit (-r)", &Settings::rate_limit, "records above so many a second are lost");
    number("backlog limit (-b)", &Settings::backlog_limit, "records that find so many waiting are lost");
    number("backlog wait time (--backlog_wait_time)", &Settings::backlog_wait_time,
           "how long a call waits for room in the backlog before its records are lost");
    flag("lost counter (--reset-lost)", b.reset_lost, a.reset_lost, "the count of lost records starts anew");
    flag("actual backlog wait time (--reset_backlog_wait_time_actual)", b.reset_backlog_wait_time_actual,
         a.reset_backlog_wait_time_actual, "the time that calls have waited is counted anew");
    flag("login uid immutable (--loginuid-immutable)", b.loginuid_immutable, a.loginuid_immutable,
         a.loginuid_immutable ? "a login uid that is set can never be changed"
                              : "a process with CAP_AUDIT_CONTROL can change its login uid, and with it auid=");
    flag("deletion of loaded rules (-D)", before.cleared_first, after.cleared_first,
         after.cleared_first ? "rules that are loaded already are deleted"
                             : "rules that are loaded already stay, in front of those of the file");
    // On an empty tree list they do nothing.
    const auto leading = [](const KernelState& s) {
        return s.cleared_first ? std::vector<std::string>{} : s.trees_before_rules;
    };
    if (leading(before) != leading(after))
        out.push_back({"-t and -q before the rules", shown(leading(before)), shown(leading(after)),
                       "they change what dir= rules that are loaded already match"});
    if (before.trees_after_rules != after.trees_after_rules)
        out.push_back({"-t and -q after the rules", shown(before.trees_after_rules), shown(after.trees_after_rules),
                       "-q makes a directory part of the tree of a dir= rule, -t takes what is unmounted out of it: "
                       "what dir= rules match changes"});
    return out;
}

}  // namespace auopt::proof
