#include "kernel_model/watches.hpp"

#include <algorithm>
#include <numeric>

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
                       const std::function<std::optional<WatchPlace>(const std::string&)>& look)
    : WatchTable(state, HostPlaces{look, nullptr, nullptr}) {}

WatchTable::WatchTable(const KernelState& state, HostPlaces look)
    : look_(std::move(look)),
      program_names_(state.filter.size()),
      programs_(state.filter.size()),
      gone_(state.filter.size()),
      counted_(state.n_rules()) {
    // Watches and trees come to be in the order of loading, which -A makes another one than the order of the walk.
    std::vector<std::size_t> loading(state.filter.size());
    std::iota(loading.begin(), loading.end(), std::size_t{0});
    std::stable_sort(loading.begin(), loading.end(),
                     [&](std::size_t a, std::size_t b) { return state.filter[a].added < state.filter[b].added; });
    for (const std::size_t i : loading) {
        const KernelRule& rule = state.filter[i];
        const auto refused = [&] {
            gone_[i] = true;
            --counted_;
        };
        std::optional<WatchPlace> program;
        if (const FieldTest* exe = find_test(rule, Field::exe); exe != nullptr && look_.program) {
            program = look_.program(exe->text);
            if (!program) {
                refused();
                continue;
            }
            program_names_[i] = exe->text;
        }
        const Placement place_of = placement(rule);
        if (const FieldTest* dir = find_test(rule, Field::dir); dir != nullptr && look_.tree) {
            auto known = std::find_if(trees_.begin(), trees_.end(), [&](const Tree& t) { return t.path == dir->text; });
            if (known == trees_.end()) {
                const std::optional<Inode> root = look_.tree(dir->text);
                if (!root) {
                    refused();
                    continue;
                }
                known = trees_.insert(trees_.end(), {dir->text, *root, {}});
            }
            known->rules.push_back(i);
        } else if (place_of != Placement::exit_list && place_of != Placement::io_uring_list) {
            const FieldTest* path = find_test(rule, Field::path);
            if (path != nullptr) {
                const std::optional<WatchPlace> place = look_.watch(path->text);
                if (!place) {
                    refused();
                    continue;
                }
                // audit_add_to_parent: one watch per string.
                auto known = std::find_if(watches_.begin(), watches_.end(), [&](const Watch& w) {
                    return w.parent == place->parent && w.path == path->text;
                });
                if (known == watches_.end())
                    known = watches_.insert(watches_.begin(),
                                            {path->text, last_component(path->text), place->parent, place->file, {}});
                known->rules.insert(known->rules.begin(), i);
            }
            order_.push_back(i);  // path= or inode=
        }
        programs_[i] = program;
    }
    std::sort(order_.begin(), order_.end());
}

bool WatchTable::watched(const Inode& parent, std::string_view name) const {
    return std::any_of(watches_.begin(), watches_.end(),
                       [&](const Watch& w) { return w.parent == parent && w.name == name; });
}

void WatchTable::update(const Inode& parent, std::string_view name, const std::optional<Inode>& file) {
    const auto it = std::find_if(watches_.begin(), watches_.end(),
                                 [&](const Watch& w) { return w.parent == parent && w.name == name; });
    if (it != watches_.end()) {
        it->file = file;
        // Each rule is copied in list order, and each copy goes to the head of both lists. A program is looked up again
        // (audit_dupe_exe); where that fails, there is no copy.
        std::vector<std::size_t> copied;
        for (const std::size_t rule : it->rules) {
            std::erase(order_, rule);
            if (programs_[rule]) {
                programs_[rule] = look_.program(program_names_[rule]);
                gone_[rule] = !programs_[rule];
                if (gone_[rule]) continue;
            }
            order_.insert(order_.begin(), rule);
            copied.insert(copied.begin(), rule);
        }
        it->rules = std::move(copied);
        std::rotate(watches_.begin(), it, it + 1);
    }
    // audit_mark_handle_event: the mark of a deleted program stays on it.
    if (!file) return;
    for (std::size_t rule = 0; rule < programs_.size(); ++rule)
        if (programs_[rule] && programs_[rule]->parent == parent && last_component(program_names_[rule]) == name)
            programs_[rule]->file = file;
}

void WatchTable::drop(std::size_t rule) {
    gone_[rule] = true;
    programs_[rule].reset();
    std::erase(order_, rule);
    for (Watch& w : watches_) std::erase(w.rules, rule);
    std::erase_if(watches_, [](const Watch& w) { return w.rules.empty(); });
    for (Tree& t : trees_) std::erase(t.rules, rule);
    std::erase_if(trees_, [](const Tree& t) { return t.rules.empty(); });
}

std::size_t WatchTable::drop_directory(const Inode& directory) {
    std::vector<std::size_t> dropped;
    for (const Watch& w : watches_)
        if (w.parent == directory) dropped.insert(dropped.end(), w.rules.begin(), w.rules.end());
    for (const std::size_t rule : dropped) drop(rule);
    // What is left of the programs' rules goes through audit_del_rule.
    std::size_t programs = 0;
    for (std::size_t rule = 0; rule < programs_.size(); ++rule)
        if (programs_[rule] && programs_[rule]->parent == directory) {
            drop(rule);
            --counted_;
            ++programs;
        }
    return dropped.size() + programs;
}

std::size_t WatchTable::drop_trees(const Inode& root) {
    std::vector<std::size_t> dropped;
    for (const Tree& t : trees_)
        if (t.root == root) dropped.insert(dropped.end(), t.rules.begin(), t.rules.end());
    for (const std::size_t rule : dropped) drop(rule);
    return dropped.size();
}

std::set<std::string> WatchTable::bound_to(const Inode& file) const {
    std::set<std::string> paths;
    for (const Watch& w : watches_)
        if (w.file == file) paths.insert(w.path);
    return paths;
}

}  // namespace auopt
