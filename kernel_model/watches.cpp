#include "kernel_model/watches.hpp"

#include <algorithm>

namespace auopt {
namespace {

// audit_compare_dname_path with AUDIT_NAME_FULL: the last component, trailing slashes aside.
std::string last_component(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

WatchTable::WatchTable(const KernelState& state,
                       const std::function<std::optional<WatchPlace>(const std::string&)>& look) {
    for (std::size_t i = 0; i < state.filter.size(); ++i) {
        if (placement(state.filter[i]) == Placement::exit_list) continue;
        if (placement(state.filter[i]) == Placement::io_uring_list) continue;
        const FieldTest* path = find_test(state.filter[i], Field::path);
        if (path == nullptr) {  // inode=
            order_.push_back(i);
            continue;
        }
        const std::optional<WatchPlace> place = look(path->text);
        if (!place) continue;
        order_.push_back(i);
        // audit_add_to_parent: one watch per string.
        auto known = std::find_if(watches_.begin(), watches_.end(),
                                  [&](const Watch& w) { return w.parent == place->parent && w.path == path->text; });
        if (known == watches_.end())
            known = watches_.insert(watches_.begin(),
                                    {path->text, last_component(path->text), place->parent, place->file, {}});
        known->rules.insert(known->rules.begin(), i);
    }
}

bool WatchTable::watched(const Inode& parent, std::string_view name) const {
    return std::any_of(watches_.begin(), watches_.end(),
                       [&](const Watch& w) { return w.parent == parent && w.name == name; });
}

void WatchTable::update(const Inode& parent, std::string_view name, const std::optional<Inode>& file) {
    const auto it = std::find_if(watches_.begin(), watches_.end(),
                                 [&](const Watch& w) { return w.parent == parent && w.name == name; });
    if (it == watches_.end()) return;
    it->file = file;
    // Each rule is copied in list order, and each copy goes to the head of both lists.
    for (std::size_t rule : it->rules) {
        std::erase(order_, rule);
        order_.insert(order_.begin(), rule);
    }
    std::reverse(it->rules.begin(), it->rules.end());
    std::rotate(watches_.begin(), it, it + 1);
}

std::set<std::string> WatchTable::bound_to(const Inode& file) const {
    std::set<std::string> paths;
    for (const Watch& w : watches_)
        if (w.file == file) paths.insert(w.path);
    return paths;
}

}  // namespace auopt
