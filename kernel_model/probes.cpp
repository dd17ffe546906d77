#include "kernel_model/probes.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

namespace auopt {
namespace {

constexpr const char* present = "/usr/bin/probe";
constexpr const char* absent = "/usr/bin/none";
constexpr unsigned buckets = 32;  // AUDIT_INODE_BUCKETS

// File systems of their own, whose marks do not concern the others.
constexpr std::string_view mounts[] = {"/dev", "/proc", "/sys"};

bool below(std::string_view path, std::string_view folder) {
    return folder == "/" || path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

std::string_view mount_of(std::string_view path) {
    for (std::string_view m : mounts) {
        if (below(path, m)) return m;
    }
    return "/";
}

std::string parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == 0 || slash == std::string_view::npos ? "/" : std::string(path.substr(0, slash));
}

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

// The directories that carry an fsnotify mark because of the rules (audit_watch.c, audit_fsnotify.c: the parent of what is
// watched; audit_tree.c: the directory itself).
struct Marks {
    std::set<std::string> watched, trees;

    void add(const std::vector<KernelRule>& rules) {
        for (const KernelRule& rule : rules) {
            for (const FieldTest& t : rule.tests) {
                if (t.field == Field::path || t.field == Field::exe) watched.insert(parent_of(without_slashes(t.text)));
                if (t.field == Field::dir) trees.insert(without_slashes(t.text));
            }
        }
    }
    bool on_mount(std::string_view mount) const {
        const auto there = [&](const std::string& folder) { return mount_of(folder) == mount; };
        return std::any_of(watched.begin(), watched.end(), there) || std::any_of(trees.begin(), trees.end(), there);
    }
    bool tree_above(std::string_view path) const {
        return std::any_of(trees.begin(), trees.end(), [&](const std::string& tree) { return below(path, tree); });
    }
};

Event probe_event(const Probe& probe, const KernelState& state, const Marks& marks, const Facts& facts) {
    Event e = reference_event(arch_x86_64, probe.nr);
    e.args = probe.args;
    e.return_code = static_cast<std::uint64_t>(probe.result);
    e.return_valid = probe.result < 0 ? ReturnValid::failure : ReturnValid::success;
    if (probe.lookup != Lookup::none) {
        EventName name;
        if (probe.lookup != Lookup::missing) {
            const std::string bound = probe.lookup == Lookup::parent ? parent_of(probe.path) : probe.path;
            name.resolved = true;
            name.mode = (probe.lookup == Lookup::parent ? 0040000U : 0100000U) | 0755U;  // S_IFDIR, S_IFREG
            const auto it = facts.inodes.find(bound);
            if (it != facts.inodes.end()) name.ino = it->second.second;
            for (const KernelRule& rule : state.filter) {
                const FieldTest* path = find_test(rule, Field::path);
                if (path != nullptr && without_slashes(path->text) == bound) name.watches.insert(path->text);
            }
            for (const std::string& tree : marks.trees) {
                if (below(bound, tree)) e.dirs.insert(tree);
            }
        }
        e.names.push_back(name);
    }
    for (const KernelRule& rule : state.filter) {
        const FieldTest* exe = find_test(rule, Field::exe);
        if (exe != nullptr && exe->text == present) e.exes.insert(exe->text);
        // A rule may spell the directory with a slash at its end.
        const FieldTest* dir = find_test(rule, Field::dir);
        if (dir != nullptr && e.dirs.contains(without_slashes(dir->text))) e.dirs.insert(dir->text);
    }
    return e;
}

// handle_path: from the name's inode up to the root of its file system, each directory with a mark is looked up, and a tree's
// becomes a reference.
double lookup_cost(const Event& event, const Probe& probe, const Marks& marks, const ProbeTable& table) {
    if (event.names.empty() || !event.names.front().resolved) return 0;
    double cost = 0;
    std::string at = probe.lookup == Lookup::parent ? parent_of(probe.path) : probe.path;
    const std::string_view top = mount_of(at);
    for (;;) {
        if (marks.trees.contains(at))
            cost += table.tree_reference;
        else if (marks.watched.contains(at))
            cost += table.marked_directory;
        if (at == top) return cost;
        at = parent_of(at);
    }
}

// The walk of one name's bucket (audit_filter_inode_name).
double bucket_cost(const KernelState& state, const KernelTables& kernel, const Event& event, const TestPlace& place,
                   const Probe& probe, const Facts& facts, bool& matched) {
    const EventName& name = *place.name;
    const std::string bound = probe.lookup == Lookup::parent ? parent_of(probe.path) : probe.path;
    const bool name_known = probe.lookup == Lookup::missing || facts.inodes.contains(bound);
    double cost = 0, empty = 1;
    for (const KernelRule& rule : state.filter) {
        if (placement(rule) != Placement::inode_hash && placement(rule) != Placement::either) continue;
        double there = 1.0 / buckets;
        if (const FieldTest* path = find_test(rule, Field::path); path != nullptr) {
            const auto it = facts.inodes.find(without_slashes(path->text));
            if (name.watches.contains(path->text))
                there = 1;
            else if (name_known && it != facts.inodes.end())
                there = it->second.second % buckets == name.ino % buckets ? 1 : 0;
        } else if (const FieldTest* inode = find_test(rule, Field::inode); inode != nullptr && name_known) {
            there = inode->value % buckets == name.ino % buckets ? 1 : 0;
        }
        const EntryCost entry = entry_cost(rule, kernel, event, place);
        cost += there * entry.instructions;
        empty *= 1 - there;
        matched = matched || (entry.matched && there > 0);
    }
    return cost + (1 - empty) * cost_details(kernel).probes.first_in_bucket;
}

}  // namespace

const std::vector<Probe>& probes() {
    static const std::vector<Probe> all = {
        {"getpid", 39, 2000, Lookup::none, "", {}},
        {"read", 0, 1, Lookup::none, "/dev/zero", {3, 0, 1, 0}},
        {"write", 1, 1, Lookup::none, "/dev/null", {4, 0, 1, 0}},
        {"futex", 202, -ENOSYS, Lookup::none, "", {0, 99, 0, 0}},
        {"close_badfd", 3, -EBADF, Lookup::none, "", {0xFFFFFFFF, 0, 0, 0}},
        {"stat", 262, 0, Lookup::file, present, {}},
        {"openat_enoent", 257, -ENOENT, Lookup::missing, absent, {}},
        {"chmod_fault", 90, -EFAULT, Lookup::none, "", {0, 0755, 0, 0}},
        {"unlink_fault", 87, -EFAULT, Lookup::none, "", {}},
        {"openat", 257, 5, Lookup::file, present, {}},
        {"chmod", 90, 0, Lookup::file, present, {0, 0755, 0, 0}},
        {"unlink_enoent", 87, -ENOENT, Lookup::parent, absent, {}},
    };
    return all;
}

std::vector<ProbeCost> probe_costs(const KernelState& state, const KernelTables& kernel, const Facts& facts) {
    const ProbeTable& table = cost_details(kernel).probes;
    Marks marks;
    for (const auto* list : {&state.filter, &state.user, &state.task, &state.exclude, &state.filesystem})
        marks.add(*list);
    // The program's own start collected references to the trees above it; the block that holds them stays with the task.
    const bool holds_refs = marks.tree_above(present) || marks.tree_above("/dev/zero");
    std::vector<ProbeCost> out;
    for (const Probe& probe : probes()) {
        const auto it = table.base.find(probe.name);
        if (it == table.base.end()) continue;
        const ProbeBase& base = it->second;
        ProbeCost cost;
        cost.probe = &probe;
        const bool marked = !probe.path.empty() && marks.on_mount(mount_of(probe.path));
        cost.marks = marked ? base.marked : 0;
        if (state.n_rules() == 0) {
            cost.base = base.unarmed;
            out.push_back(cost);
            continue;
        }
        cost.base = base.armed;
        const Event event = probe_event(probe, state, marks, facts);
        cost.marks += lookup_cost(event, probe, marks, table) + (holds_refs ? table.task_references : 0);
        const CallCost walk = call_cost(state, kernel, event, false, {nullptr, holds_refs, true});
        cost.exit_list = static_cast<double>(walk.filter_instructions);
        cost.matched = walk.matched;
        for (const EventName& name : event.names)
            cost.names += bucket_cost(state, kernel, event, {&name, holds_refs, true}, probe, facts, cost.matched);
        out.push_back(cost);
    }
    return out;
}

}  // namespace auopt
