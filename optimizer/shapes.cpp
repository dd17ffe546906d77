#include "optimizer/shapes.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace auopt {

std::string shape_text(const Entry& e, const std::function<bool(const FieldTest&)>& keep) {
    std::vector<std::string> tests;
    for (const FieldTest& t : e.rule.tests)
        if (keep(t))
            tests.push_back(fmt::format("{} {} {} {}:{}", static_cast<std::uint32_t>(t.field),
                                        static_cast<std::uint32_t>(t.op), t.value, t.text.size(), t.text));
    std::sort(tests.begin(), tests.end());
    std::string text = fmt::format("{} {} {}", static_cast<int>(e.where), static_cast<std::uint32_t>(e.rule.list),
                                   static_cast<std::uint32_t>(e.rule.action));
    for (const std::string& t : tests) text += " / " + t;
    return text;
}

std::vector<unsigned> Shapes::of(const Entries& entries) {
    std::vector<unsigned> out;
    out.reserve(entries.size());
    for (const EntryPtr& e : entries) {
        const auto [it, fresh] = known_.try_emplace(e, 0);
        if (fresh)
            if (const auto text = shape_of_(*e))
                it->second = numbers_.try_emplace(*text, numbers_.size() + 1).first->second;
        out.push_back(it->second);
    }
    return out;
}

}  // namespace auopt
