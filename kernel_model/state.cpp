// Placement and the two counters (auditfilter.c: audit_find_rule, audit_match_signal, audit_add_rule).
#include "kernel_model/state.hpp"

#include <algorithm>

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

std::uint32_t KernelState::n_rules() const { return static_cast<std::uint32_t>(filter.size() + task.size()); }

namespace {

// The last arch field counts and its operator is ignored (audit_match_signal).
bool counts_as_signal(const KernelRule& rule) {
    constexpr unsigned native[] = {62, 200, 234}, ia32[] = {37, 238, 270};
    const auto touches = [&](const auto& numbers) {
        return std::any_of(std::begin(numbers), std::end(numbers), [&](unsigned nr) { return rule.mask.test(nr); });
    };
    const FieldTest* arch = nullptr;
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::arch) arch = &t;
    if (arch == nullptr) return touches(native) || touches(ia32);
    return arch->value == arch_i386 ? touches(ia32) : touches(native);
}

}  // namespace

std::uint32_t KernelState::n_signals() const {
    std::ptrdiff_t n = 0;
    for (const std::vector<KernelRule>* rules : {&filter, &user, &task, &exclude, &filesystem})
        n += std::count_if(rules->begin(), rules->end(), counts_as_signal);
    return static_cast<std::uint32_t>(n);
}

}  // namespace auopt
