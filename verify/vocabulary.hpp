// Interned parts of rules, so that "the same test", "the same condition" and "the same rule as far as
// a call can tell" are equal numbers. Shared by both files of one verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/ir.hpp"

namespace auopt::proof {

using TestId = std::uint32_t;
using ConditionId = std::uint32_t;
using KeyId = std::uint32_t;  // 0: the rule has no key
using ItemId = std::uint32_t;

/// A path whose kind is not known: one free truth value "is a directory" for both files.
/// 0: none; +w: holds where watch w is a directory; -w: where it is not.
using Guard = std::int32_t;

/// What a rule asks beyond its mask: a set of tests, without the key and without what the call decides
/// alone (arch=, and perm= where the call has a fixed class). Sorted, no repetitions.
struct Condition {
    std::vector<TestId> tests;
    Guard guard = 0;
    auto operator<=>(const Condition&) const = default;
};

/// Which walk of the kernel visits a rule.
enum class Walk : std::uint8_t { exit_list, inode_hash, io_uring_list };

/// A rule as one call sees it. `mask` matters on the io_uring list only (its bits are operations).
struct Item {
    Walk walk = Walk::exit_list;
    ConditionId condition = 0;
    Action action = Action::never;
    KeyId key = 0;
    std::uint32_t mask = 0;
    auto operator<=>(const Item&) const = default;
};

class Vocabulary {
public:
    TestId intern(const FieldTest& test);
    ConditionId intern(Condition condition);
    ItemId intern(const Item& item);
    KeyId intern_key(std::string_view key);
    std::uint32_t intern_mask(const SyscallMask& mask);
    Guard intern_watch(const std::string& path);

    const FieldTest& test(TestId id) const { return tests_[id]; }
    const Condition& condition(ConditionId id) const { return conditions_[id]; }
    const Item& item(ItemId id) const { return items_[id]; }
    const SyscallMask& mask(std::uint32_t id) const { return mask_values_[id - 1]; }

    /// Every event (or name) that satisfies `stronger` satisfies `weaker`, plainly: a subset of the tests.
    bool plainly_implies(ConditionId stronger, ConditionId weaker) const;

private:
    using TestKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::string>;
    std::vector<FieldTest> tests_;
    std::map<TestKey, TestId> test_ids_;
    std::vector<Condition> conditions_;
    std::vector<std::uint64_t> condition_bits_;  // one bit per test, modulo 64: a quick "not a subset"
    std::map<Condition, ConditionId> condition_ids_;
    std::vector<Item> items_;
    std::map<Item, ItemId> item_ids_;
    std::map<std::string, KeyId, std::less<>> keys_;
    std::map<std::array<std::uint32_t, mask_words>, std::uint32_t> masks_;
    std::vector<SyscallMask> mask_values_;
    std::map<std::string, Guard> watches_;
};

}  // namespace auopt::proof
