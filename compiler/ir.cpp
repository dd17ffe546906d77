#include "compiler/ir.hpp"

#include <bit>

namespace auopt {

unsigned SyscallMask::count() const {
    unsigned n = 0;
    for (const auto word : words) n += static_cast<unsigned>(std::popcount(word));
    return n;
}

std::optional<std::string_view> rule_key(const KernelRule& rule) {
    const FieldTest* test = find_test(rule, Field::key);
    if (test == nullptr) return std::nullopt;
    return test->text;
}

const FieldTest* find_test(const KernelRule& rule, Field field) {
    for (const auto& test : rule.tests)
        if (test.field == field) return &test;
    return nullptr;
}

}  // namespace auopt
