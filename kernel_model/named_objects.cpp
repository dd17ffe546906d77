#include "kernel_model/named_objects.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tables/fields.hpp"

namespace auopt {
namespace {

bool is_label(Field field) {
    return is_text_field(field) && field != Field::path && field != Field::dir && field != Field::exe &&
           field != Field::key;
}

/// "/f" and "//f" lie in "/".
bool lies_in_root(const std::string& path) { return path.find_first_not_of('/') > path.rfind('/'); }

bool is_root(const std::string& path) { return path.find_first_not_of('/') == std::string::npos; }

}  // namespace

std::vector<NamedObject> named_objects(const KernelRule& rule) {
    using Kind = NamedObject::Kind;
    std::vector<NamedObject> out;
    for (const FieldTest& t : rule.tests) {
        if (t.field == Field::path)
            out.push_back({rule.watch_kind_unknown ? Kind::either : Kind::watch, t.text, t.field});
        else if (t.field == Field::dir)
            out.push_back({Kind::tree, t.text, t.field});
        else if (t.field == Field::exe)
            out.push_back({Kind::mark, t.text, t.field});
        else if (is_label(t.field))
            out.push_back({Kind::label, t.text, t.field});
    }
    return out;
}

std::vector<NamedObject> fallible_objects(const KernelRule& rule) {
    std::vector<NamedObject> out = named_objects(rule);
    std::erase_if(out, [](const NamedObject& o) {
        switch (o.kind) {
            case NamedObject::Kind::watch:
            case NamedObject::Kind::either:  // auditctl asks stat(): what is missing is sent as path=
            case NamedObject::Kind::mark:
                return lies_in_root(o.text);
            case NamedObject::Kind::tree:
                return is_root(o.text);
            case NamedObject::Kind::label:
                return false;
        }
        return false;
    });
    return out;
}

std::string to_string(const NamedObject& object) {
    const FieldRow* row = field_by_number(static_cast<std::uint32_t>(object.field));
    return fmt::format("{}={}", row != nullptr ? row->name : "field", object.text);
}

std::vector<const KernelRule*> in_loading_order(const KernelState& state) {
    std::vector<const KernelRule*> order;
    for (const std::vector<KernelRule>* rules :
         {&state.exclude, &state.user, &state.task, &state.filesystem, &state.filter})
        for (const KernelRule& rule : *rules) order.push_back(&rule);
    std::stable_sort(order.begin(), order.end(),
                     [](const KernelRule* a, const KernelRule* b) { return a->added < b->added; });
    return order;
}

std::vector<LoadingStop> loading_stops(const KernelState& state, const std::vector<const KernelRule*>& order) {
    std::vector<LoadingStop> out;
    std::set<NamedObject> seen;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (state.errors_ignored_from && order[i]->added >= *state.errors_ignored_from) continue;
        std::vector<NamedObject> objects = fallible_objects(*order[i]);
        std::sort(objects.begin(), objects.end());  // the order of a rule's tests is free
        for (NamedObject& object : objects)
            if (seen.insert(object).second) out.push_back({std::move(object), i});
    }
    return out;
}

NameSet name_set(const KernelRule& rule) {
    NameSet names = named_objects(rule);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void NameSets::add(const NameSet& names, int count) {
    const auto it = counts_.try_emplace(names, 0).first;
    it->second += count;
    if (it->second == 0) counts_.erase(it);
}

bool NameSets::has_smaller(const NameSet& names, const NamedObject* kept) const {
    if (kept == nullptr && !names.empty() && counts_.contains({})) return true;
    constexpr std::size_t few = 6;  // a rule has one path= or dir= and one exe=; labels may be more
    if (names.size() > few)
        return std::any_of(counts_.begin(), counts_.end(), [&](const auto& entry) {
            return entry.first.size() < names.size() &&
                   std::includes(names.begin(), names.end(), entry.first.begin(), entry.first.end()) &&
                   (kept == nullptr || std::binary_search(entry.first.begin(), entry.first.end(), *kept));
        });
    for (unsigned chosen = 1; chosen + 1 < 1U << names.size(); ++chosen) {
        NameSet smaller;
        bool holds = kept == nullptr;
        for (std::size_t i = 0; i < names.size(); ++i)
            if ((chosen >> i & 1U) != 0) {
                smaller.push_back(names[i]);
                holds |= kept != nullptr && names[i] == *kept;
            }
        if (holds && counts_.contains(smaller)) return true;
    }
    return false;
}

std::set<NameSet> NameSets::minimal() const {
    std::set<NameSet> out;
    for (const auto& [names, count] : counts_)
        if (!has_smaller(names)) out.insert(names);
    return out;
}

}  // namespace auopt
