#include "verify/vocabulary.hpp"

#include <algorithm>

namespace auopt::proof {

TestId Vocabulary::intern(const FieldTest& test) {
    const bool text = is_text_field(test.field);
    TestKey key{static_cast<std::uint32_t>(test.field), static_cast<std::uint32_t>(test.op), text ? 0 : test.value,
                text ? test.text : std::string{}};
    const auto [it, fresh] = test_ids_.try_emplace(std::move(key), static_cast<TestId>(tests_.size()));
    if (fresh) tests_.push_back(test);
    return it->second;
}

ConditionId Vocabulary::intern(Condition condition) {
    std::sort(condition.tests.begin(), condition.tests.end());
    condition.tests.erase(std::unique(condition.tests.begin(), condition.tests.end()), condition.tests.end());
    const auto found = condition_ids_.find(condition);
    if (found != condition_ids_.end()) return found->second;
    const auto id = static_cast<ConditionId>(conditions_.size());
    std::uint64_t bits = 0;
    for (const TestId t : condition.tests) bits |= std::uint64_t{1} << (t % 64);
    conditions_.push_back(condition);
    condition_bits_.push_back(bits);
    condition_ids_.emplace(std::move(condition), id);
    return id;
}

ItemId Vocabulary::intern(const Item& item) {
    const auto [it, fresh] = item_ids_.try_emplace(item, static_cast<ItemId>(items_.size()));
    if (fresh) items_.push_back(item);
    return it->second;
}

KeyId Vocabulary::intern_key(std::string_view key) {
    const auto found = keys_.find(key);
    if (found != keys_.end()) return found->second;
    const auto id = static_cast<KeyId>(keys_.size() + 1);
    keys_.emplace(std::string(key), id);
    return id;
}

std::uint32_t Vocabulary::intern_mask(const SyscallMask& mask) {
    const auto [it, fresh] = masks_.try_emplace(mask.words, static_cast<std::uint32_t>(masks_.size() + 1));
    if (fresh) mask_values_.push_back(mask);
    return it->second;
}

Guard Vocabulary::intern_watch(const std::string& path) {
    return watches_.try_emplace(path, static_cast<Guard>(watches_.size() + 1)).first->second;
}

bool Vocabulary::plainly_implies(ConditionId stronger, ConditionId weaker) const {
    if (stronger == weaker) return true;
    if ((condition_bits_[weaker] & ~condition_bits_[stronger]) != 0) return false;
    const Condition& s = conditions_[stronger];
    const Condition& w = conditions_[weaker];
    if (w.guard != 0 && w.guard != s.guard) return false;
    return std::includes(s.tests.begin(), s.tests.end(), w.tests.begin(), w.tests.end());
}

}  // namespace auopt::proof
