// Numbers for what two rules must share to become one, so that looking for pairs compares numbers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "optimizer/rules.hpp"

namespace auopt {

/// The tests for which `keep` holds, in one fixed order (order is free, lemma L2), with list, action and placement:
/// equal texts are equal shapes.
std::string shape_text(const Entry& e, const std::function<bool(const FieldTest&)>& keep);

class Shapes {
public:
    /// `shape_of` says the text of a rule's shape, or nothing for rules that never pair.
    explicit Shapes(std::function<std::optional<std::string>(const Entry&)> shape_of)
        : shape_of_(std::move(shape_of)) {}
    /// One number per entry; 0: never pairs. Shapes are computed once per entry.
    std::vector<unsigned> of(const Entries& entries);

private:
    std::function<std::optional<std::string>(const Entry&)> shape_of_;
    std::map<std::string, unsigned> numbers_;
    std::unordered_map<EntryPtr, unsigned> known_;
};

}  // namespace auopt
