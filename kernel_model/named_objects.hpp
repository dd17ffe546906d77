// What rules name in the file system, and what of it can keep a rule from loading: watches (path=), trees (dir=), marks of
// programs (exe=), and LSM labels. Each lives as long as some rule names it, whether or not that rule can ever match.
// Sources: audit_watch.c:audit_add_watch, audit_tree.c:audit_add_tree_rule, audit_fsnotify.c:audit_alloc_mark; docs/TRUST.md.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel_model/state.hpp"

namespace auopt {

struct NamedObject {
    /// either: a -w whose path is a file or a directory, which no fact tells; label: an LSM test, with its field.
    enum class Kind { watch, tree, either, mark, label } kind = Kind::watch;
    std::string text;
    Field field = Field::path;
    auto operator<=>(const NamedObject&) const = default;
};

/// All objects of one rule, in the order of its tests.
std::vector<NamedObject> named_objects(const KernelRule& rule);

/// Those for which a host may refuse the rule: a dir= that is missing, a path= or exe= whose directory is missing, a label
/// without a policy. "/" is never missing.
std::vector<NamedObject> fallible_objects(const KernelRule& rule);

/// "path=/etc/passwd", as a rules file writes it.
std::string to_string(const NamedObject& object);

/// The rules of all lists in the order in which they were added (KernelRule::added; where it is not set, list by list).
std::vector<const KernelRule*> in_loading_order(const KernelState& state);

/// The first rule of an object that can end loading there.
struct LoadingStop {
    NamedObject object;
    std::size_t position = 0;  // of the rule in `in_loading_order`
};
/// In the order of loading, each object once; rules behind -i or -c end nothing.
std::vector<LoadingStop> loading_stops(const KernelState& state, const std::vector<const KernelRule*>& order);

/// All that a rule names, sorted: it is held as long as all of it is there.
using NameSet = std::vector<NamedObject>;
NameSet name_set(const KernelRule& rule);

/// How many rules of a group have each set of names. The sets of which no smaller one is among them say, whatever is missing or
/// goes, whether any rule of the group is left.
class NameSets {
public:
    void add(const NameSet& names, int count = 1);
    bool contains(const NameSet& names) const { return counts_.contains(names); }
    int count(const NameSet& names) const {
        const auto it = counts_.find(names);
        return it == counts_.end() ? 0 : it->second;
    }
    /// A smaller set is there, one that holds `kept` where that is given.
    bool has_smaller(const NameSet& names, const NamedObject* kept = nullptr) const;
    std::set<NameSet> minimal() const;

private:
    std::map<NameSet, int> counts_;
};

}  // namespace auopt
