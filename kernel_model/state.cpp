// Placement and the two counters (auditfilter.c: audit_find_rule, audit_match_signal, audit_add_rule).
#include "kernel_model/state.hpp"

#include <algorithm>

#include "kernel_model/tables.hpp"

namespace auopt {

Placement placement(const KernelRule& rule) {
    if (rule.watch_kind_unknown) return Placement::either;
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::path || (t.field == Field::inode && t.op == Op::equal)) return Placement::inode_hash;
    return rule.list == List::io_uring ? Placement::io_uring_list : Placement::exit_list;
}

std::size_t rule_identity(const KernelRule& rule) {
    std::size_t hash = 0;
    const auto mix = [&](std::size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29); };
    mix(static_cast<std::size_t>(rule.list));
    mix(static_cast<std::size_t>(rule.action));
    for (std::uint32_t word : rule.mask.words) mix(word);
    for (const FieldTest& t : rule.tests) {
        mix(static_cast<std::size_t>(t.field));
        mix(static_cast<std::size_t>(t.op));
        mix(is_text_field(t.field) ? std::hash<std::string>{}(t.text) : t.value);
    }
    return hash;
}

const std::vector<KernelRule>& KernelState::rules_of(List list) const {
    switch (list) {
        case List::user:
            return user;
        case List::task:
            return task;
        case List::exclude:
            return exclude;
        case List::filesystem:
            return filesystem;
        case List::exit:
        case List::io_uring:
            break;
    }
    return filter;
}

std::uint32_t KernelState::n_rules() const { return static_cast<std::uint32_t>(filter.size() + task.size()); }

// The last arch field counts and its operator is ignored (audit_match_signal).
bool counts_as_signal(const KernelRule& rule, Machine machine, bool with_compat) {
    const KernelTables& kernel = kernel_tables(machine).front();  // the SIGNAL class is the same in all of them
    const auto touches = [&](Abi abi) {
        const SyscallSet& calls = kernel.classes(abi).signal;
        for (auto nr = calls._Find_first(); nr < calls.size(); nr = calls._Find_next(nr))
            if (rule.mask.test(static_cast<unsigned>(nr))) return true;
        return false;
    };
    if (!with_compat && kernel.machine->compat_is_optional()) return touches(Abi::native);
    const FieldTest* arch = nullptr;
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::arch) arch = &t;
    if (arch == nullptr) return touches(Abi::native) || touches(Abi::compat);
    return touches(kernel.machine->classified_compat(arch->value) ? Abi::compat : Abi::native);
}

std::uint32_t KernelState::n_signals(bool with_compat) const {
    const auto counts = [&](const KernelRule& rule) { return counts_as_signal(rule, machine, with_compat); };
    std::ptrdiff_t n = 0;
    for (const std::vector<KernelRule>* rules : {&filter, &user, &task, &exclude, &filesystem})
        n += std::count_if(rules->begin(), rules->end(), counts);
    return static_cast<std::uint32_t>(n);
}

}  // namespace auopt
