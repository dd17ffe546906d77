// Truth tables of the user, exclude, task and filesystem lists (tests/truth_tables/lists/*.txt): rules, events, and what
// the kernel does. The same tables run on kernel_model::evaluate_list and on the solver's encoding. Format:
//
//   == title
//   exclude always msgtype=1307 uid=0
//   --
//   exclude msgtype=1307 uid=0 -> dropped
//
// Rules are what the kernel takes, which is more than auditctl sends: list, action, tests in stored order.
// Words of an event: the list; msgtype= fstype= pid= uid= euid= suid= fsuid= gid= egid= sgid= fsgid= groups=1,2 auid=
// ses= pers= exe=STRING removed=STRING, lsm=FIELD(=|!=)TEXT:(yes|unset|error).
// After the arrow: passes | dropped | never | always [key].
#pragma once

#include <libaudit.h>  // audit_name_to_field

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/spelling.hpp"
#include "kernel_model/accept.hpp"
#include "kernel_model/record_lists.hpp"

namespace auopt::test {

struct ListRow {
    std::string where;  // file:line
    ListEvent event;
    ListDecision expected;
};
struct ListTable {
    std::string title;
    KernelState state;
    std::vector<ListRow> rows;
};

namespace list_detail {

inline ListLsmReply parse_lsm(const std::string& text, const std::string& where) {
    const auto op = text.find_first_of("!="), colon = text.rfind(':');
    const bool negated = text[op] == '!';
    const std::string reply = text.substr(colon + 1);
    ListLsmReply out;
    out.test = {static_cast<Field>(audit_name_to_field(text.substr(0, op).c_str())),
                negated ? Op::not_equal : Op::equal, 0,
                text.substr(op + (negated ? 2 : 1), colon - op - (negated ? 2 : 1))};
    if (reply == "unset")
        out.reply = LsmReply::unset;
    else if (reply == "error")
        out.reply = LsmReply::error;
    else if (reply != "yes")
        ADD_FAILURE() << where << ": unknown reply " << reply;
    return out;
}

inline List parse_list(const std::string& word, const std::string& where) {
    for (const List list : {List::user, List::task, List::exclude, List::filesystem})
        if (list_word(list) == word) return list;
    ADD_FAILURE() << where << ": unknown list " << word;
    return List::exclude;
}

inline void add_rule(KernelState& state, const std::string& line, const std::string& where) {
    KernelRule rule;
    std::istringstream words(line);
    std::string list, action;
    words >> list >> action;
    rule.list = parse_list(list, where);
    rule.action = action == "never" ? Action::never : Action::always;
    rule.mask = SyscallMask::all();
    for (std::string word; words >> word;) {
        const auto op = word.find_first_of("!=<>&");
        const auto value = word.find_first_not_of("!=<>&", op);
        const std::string name = word.substr(0, op), text = word.substr(value);
        FieldTest t;
        t.field = name == "field_compare"  ? Field::field_compare
                  : name == "loginuid_set" ? Field::loginuid_set  // the kernel's own, no name of libaudit's
                                           : static_cast<Field>(audit_name_to_field(name.c_str()));
        bool known = false;
        for (const Op o : {Op::equal, Op::not_equal, Op::less, Op::less_equal, Op::greater, Op::greater_equal,
                           Op::bit_mask, Op::bit_test})
            if (op_text(o) == word.substr(op, value - op)) {
                t.op = o;
                known = true;
            }
        EXPECT_TRUE(known) << where << ": " << word;
        if (is_text_field(t.field))
            t.text = text;
        else
            t.value = text == "unset" ? id_unset : static_cast<std::uint32_t>(std::stoll(text, nullptr, 0));
        rule.tests.push_back(std::move(t));
    }
    const auto refused = refusal(rule);
    EXPECT_FALSE(refused.has_value()) << where << ": " << *refused;
    (rule.list == List::user      ? state.user
     : rule.list == List::task    ? state.task
     : rule.list == List::exclude ? state.exclude
                                  : state.filesystem)
        .push_back(std::move(rule));
}

inline ListRow parse_row(const std::string& line, const std::string& where) {
    static const std::map<std::string, std::uint32_t ListEvent::*> numbers{
        {"msgtype", &ListEvent::msgtype}, {"fstype", &ListEvent::fstype}, {"pid", &ListEvent::pid},
        {"pers", &ListEvent::pers},       {"uid", &ListEvent::uid},       {"euid", &ListEvent::euid},
        {"suid", &ListEvent::suid},       {"fsuid", &ListEvent::fsuid},   {"gid", &ListEvent::gid},
        {"egid", &ListEvent::egid},       {"sgid", &ListEvent::sgid},     {"fsgid", &ListEvent::fsgid},
        {"auid", &ListEvent::loginuid},   {"ses", &ListEvent::sessionid}};
    ListRow row{where, {}, {}};
    std::istringstream words(line);
    std::string word;
    words >> word;
    row.event.list = parse_list(word, where);
    while (words >> word && word != "->") {
        const auto eq = word.find('=');
        const std::string key = word.substr(0, eq), value = eq == std::string::npos ? "" : word.substr(eq + 1);
        if (const auto number = numbers.find(key); number != numbers.end())
            row.event.*number->second =
                value == "unset" ? id_unset : static_cast<std::uint32_t>(std::stoll(value, nullptr, 0));
        else if (key == "groups") {
            std::istringstream in(value);
            for (std::string g; std::getline(in, g, ',');)
                row.event.groups.insert(static_cast<std::uint32_t>(std::stoul(g)));
        } else if (key == "exe")
            row.event.exes.insert(value);
        else if (key == "removed")
            row.event.removed_exes.insert(value);
        else if (key == "lsm")
            row.event.lsm.push_back(parse_lsm(value, where));
        else
            ADD_FAILURE() << where << ": unknown word " << word;
    }
    std::string outcome, key;
    words >> outcome >> key;
    static const std::map<std::string, ListOutcome> outcomes{{"passes", ListOutcome::passes},
                                                             {"dropped", ListOutcome::dropped},
                                                             {"never", ListOutcome::never_audited},
                                                             {"always", ListOutcome::always_recorded}};
    if (!outcomes.contains(outcome)) ADD_FAILURE() << where << ": unknown decision " << outcome;
    row.expected.outcome = outcomes.at(outcome);
    if (!key.empty()) row.expected.key = key;
    return row;
}

}  // namespace list_detail

inline std::vector<ListTable> read_list_tables() {
    std::vector<ListTable> tables;
    const auto folder = std::filesystem::path(AUOPT_SOURCE_DIR) / "tests/truth_tables/lists";
    for (const char* name : {"exclude.txt", "user.txt", "task.txt", "filesystem.txt"}) {
        std::ifstream in(folder / name);
        EXPECT_TRUE(in.good()) << name;
        bool events = false;
        unsigned number = 0;
        for (std::string line; std::getline(in, line);) {
            const std::string where = std::string(name) + ":" + std::to_string(++number);
            if (line.empty() || line.starts_with("# ")) continue;
            if (line.starts_with("== ")) {
                tables.push_back({line.substr(3), {}, {}});
                events = false;
            } else if (line == "--") {
                events = true;
            } else if (!events) {
                list_detail::add_rule(tables.back().state, line, where);
            } else {
                tables.back().rows.push_back(list_detail::parse_row(line, where));
            }
        }
    }
    return tables;
}

}  // namespace auopt::test
