#include "kernel_model/list_cost.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>
#include <libaudit.h>

#include "kernel_model/table_reader.hpp"

namespace auopt {

namespace {

/// Section [lists] of a kernel's table.
struct ListTable {
    std::map<Field, FieldCost> message;  // fields of user and exclude; other fields end the walk
    FieldCost message_lsm;
    std::uint32_t filesystem_rule = 0, filesystem_test = 0;  // a rule with one test; each test more
    std::uint32_t task_saved = 0;  // less than an exit-list rule whose mask has the call: there is no mask to test
    std::uint32_t task_no_context = 0, task_exe = 0;  // a rule whose first test is such a one, and fails
    std::uint32_t operation = 0;                      // an operation that is judged
};

ListTable read_table(const KernelFile& kernel) {
    const TableReader& r = kernel.reader;
    const toml::table& lists = r.section(kernel.root, "lists");
    ListTable table;
    table.filesystem_rule = r.number(lists, "filesystem_rule");
    table.filesystem_test = r.number(lists, "filesystem_test");
    table.task_saved = r.number(lists, "task_saved");
    table.task_no_context = r.number(lists, "task_no_context");
    table.task_exe = r.number(lists, "task_exe");
    table.operation = r.number(lists, "operation");
    for (const auto& [key, node] : r.section(lists, "message")) {
        const std::string name(key.str());
        if (name == "lsm") {
            table.message_lsm = r.pair(&node, name);
            continue;
        }
        const int field = name == "loginuid_set" ? AUDIT_LOGINUID_SET : audit_name_to_field(name.c_str());
        if (field < 0 || !message_list_knows(static_cast<Field>(field)))
            r.broken(fmt::format("the lists know no {}", name));
        table.message[static_cast<Field>(field)] = r.pair(&node, name);
    }
    return table;
}

const ListTable& list_table(const KernelTables& kernel) {
    static const std::map<std::string, ListTable> tables = [] {
        std::map<std::string, ListTable> all;
        for (const KernelFile& file : kernel_files()) all[file.name] = read_table(file);
        return all;
    }();
    return tables.at(kernel.name);
}

bool is_subject(Field field) { return field >= Field::subj_user && field <= Field::subj_clr; }

/// audit_filter: the reference message or record, of a type that no rule names.
ListCost message_cost(List list, std::string_view unit, const std::vector<KernelRule>& rules,
                      const KernelTables& kernel) {
    const ListTable& table = list_table(kernel);
    const Event event = reference_event(kernel.machine->abi_arch(Abi::native), 0);
    ListCost cost{list, unit, rules.size(), 0, false};
    for (const KernelRule& rule : rules) {
        // A rule without tests matches nothing (result stays 0).
        bool holds = !rule.tests.empty();
        for (const FieldTest& test : rule.tests) {
            if (!message_list_knows(test.field)) return cost;
            const auto known = table.message.find(test.field);
            const FieldCost price = known == table.message.end() ? table.message_lsm : known->second;
            holds = test.field == Field::msgtype ? test.op == Op::not_equal : test_holds(kernel, test, event, nullptr);
            cost.instructions += holds ? price.pass : price.fail_first;
            if (!holds) break;
        }
        if (holds) {
            cost.matched = true;
            return cost;
        }
    }
    return cost;
}

/// __audit_inode: every test of every rule, until one names the file system.
ListCost filesystem_cost(const KernelState& state, const KernelTables& kernel) {
    const ListTable& table = list_table(kernel);
    ListCost cost{List::filesystem, "name", state.filesystem.size(), 0, false};
    for (const KernelRule& rule : state.filesystem) {
        const auto tests = static_cast<std::uint32_t>(rule.tests.size());
        if (tests == 0) continue;
        cost.instructions += table.filesystem_rule + (tests - 1) * table.filesystem_test;
    }
    return cost;
}

bool needs_context(Field field) {
    switch (field) {
        case Field::ppid:
        case Field::arch:
        case Field::exit:
        case Field::success:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::saddr_fam:
            return true;
        default:
            return false;
    }
}

/// audit_filter_task: the same tests as on the exit list, without a mask and without a context.
ListCost task_cost(const KernelState& state, const KernelTables& kernel) {
    const ListTable& table = list_table(kernel);
    const Event event = reference_event(kernel.machine->abi_arch(Abi::native), 0);
    ListCost cost{List::task, "task", state.task.size(), 0, false};
    const auto whole = [&](std::uint32_t on_exit) { return on_exit - std::min(on_exit, table.task_saved); };
    for (const KernelRule& rule : state.task) {
        bool holds = true;
        std::uint32_t failed = whole(kernel.cost.match_never_no_fields);  // or matched
        for (const FieldTest& test : rule.tests) {
            const FieldCost price = test_cost(test, kernel, event);
            if (needs_context(test.field)) {
                holds = false;
                failed = table.task_no_context;
            } else if (test.field == Field::exe) {  // asks about the task that runs; the new one is another
                holds = test.op == Op::not_equal;
                failed = table.task_exe;
            } else {
                holds = test_holds(kernel, test, event, nullptr);
                failed = holds ? failed : whole(price.fail_first);
            }
            if (!holds) break;
            cost.instructions += price.pass;
        }
        cost.instructions += failed;
        if (holds) {
            cost.matched = true;
            return cost;
        }
    }
    return cost;
}

ListCost operation_cost(const KernelState& state, const KernelTables& kernel) {
    constexpr unsigned io_uring_enter = 426;
    constexpr int openat_operation = 18;
    ListCost cost{List::io_uring, "operation", 0, 0, false};
    const std::uint32_t arch = kernel.machine->abi_arch(Abi::native);
    Event event = reference_event(arch, openat_operation);
    for (const KernelRule& rule : state.filter) {
        if (rule.list != List::io_uring) continue;
        ++cost.rules;
        if (placement(rule) == Placement::inode_hash || cost.matched) continue;
        const EntryCost entry = entry_cost(rule, kernel, event);
        cost.instructions += entry.instructions + (cost.rules == 1 ? kernel.cost.first_entry : 0);
        cost.matched = entry.matched;
    }
    // The exit list, once more for each operation.
    cost.instructions += call_cost(state, kernel, reference_event(arch, io_uring_enter)).filter_instructions;
    cost.instructions += judged_operation_instructions(state, kernel);
    return cost;
}

}  // namespace

std::uint32_t judged_operation_instructions(const KernelState& state, const KernelTables& kernel) {
    return state.n_rules() == 0 ? 0 : list_table(kernel).operation;
}

bool message_list_knows(Field field) {
    switch (field) {
        case Field::pid:
        case Field::uid:
        case Field::gid:
        case Field::loginuid:
        case Field::loginuid_set:
        case Field::msgtype:
        case Field::exe:
            return true;
        default:
            return is_subject(field);
    }
}

std::vector<ListCost> list_costs(const KernelState& state, const KernelTables& kernel) {
    return {message_cost(List::user, "message", state.user, kernel),
            message_cost(List::exclude, "record", state.exclude, kernel), filesystem_cost(state, kernel),
            task_cost(state, kernel), operation_cost(state, kernel)};
}

}  // namespace auopt
