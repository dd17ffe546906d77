#include "lab/live_event.hpp"

#include <linux/audit.h>

#include <algorithm>
#include <charconv>

namespace auopt::lab {
namespace {

constexpr int type_uringop = 1336, type_openat2 = 1337, type_last_auxiliary = 1339;

std::uint64_t number(const std::optional<std::string>& text, int base) {
    std::uint64_t value = 0;
    if (!text) return 0;
    const bool negative = text->starts_with('-');
    const char* begin = text->data() + (negative ? 1 : 0);
    if (base == 16 && text->starts_with("0x")) begin += 2;
    std::from_chars(begin, text->data() + text->size(), value, base);
    return negative ? ~value + 1 : value;
}

std::uint32_t id(const Record& r, std::string_view name) {
    return static_cast<std::uint32_t>(number(r.field(name), 10));
}

// "MAJOR:MINOR" in hex.
std::pair<std::uint32_t, std::uint32_t> device(const std::optional<std::string>& text) {
    if (!text) return {0, 0};
    const auto colon = text->find(':');
    return {static_cast<std::uint32_t>(number(text->substr(0, colon), 16)),
            static_cast<std::uint32_t>(number(text->substr(colon + 1), 16))};
}

struct Item {
    std::string name, type;
    EventName event_name;
    Inode inode() const { return {event_name.dev_major, event_name.dev_minor, event_name.ino}; }
};

std::vector<Item> items_of(const Group& group) {
    std::vector<std::pair<std::uint64_t, Item>> found;
    for (const Record& r : group.records) {
        if (r.type != AUDIT_PATH) continue;
        Item item;
        item.name = r.string("name").value_or("");
        item.type = r.field("nametype").value_or("");
        EventName& n = item.event_name;
        if (r.field("inode")) {
            n.resolved = true;
            n.ino = number(r.field("inode"), 10);
            std::tie(n.dev_major, n.dev_minor) = device(r.field("dev"));
            std::tie(n.rdev_major, n.rdev_minor) = device(r.field("rdev"));
            n.mode = static_cast<std::uint32_t>(number(r.field("mode"), 8));
            n.uid = id(r, "ouid");
            n.gid = id(r, "ogid");
        }
        found.emplace_back(number(r.field("item"), 10), std::move(item));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Item> items;
    for (auto& [_, item] : found) items.push_back(std::move(item));
    return items;
}

std::string without_slash(std::string text) {
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
}

// The directory that a child was looked up in: the parent item whose name is the child's up to the last slash.
std::optional<Inode> parent_of(const std::vector<Item>& items, const Item& child) {
    const std::string name = without_slash(child.name);
    const auto slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : slash == 0 ? "/" : name.substr(0, slash);
    const Item* any = nullptr;
    for (const Item& i : items) {
        if (i.type != "PARENT") continue;
        if (without_slash(i.name) == folder) return i.inode();
        if (any == nullptr) any = &i;
    }
    return any != nullptr ? std::optional(any->inode()) : std::nullopt;
}

bool is_rename(const Event& e) {
    constexpr int native[] = {82, 264, 316}, ia32[] = {38, 302, 353};
    return e.arch == arch_i386 ? std::find(std::begin(ia32), std::end(ia32), e.nr) != std::end(ia32)
                               : std::find(std::begin(native), std::end(native), e.nr) != std::end(native);
}

// What directories were told, from the names of a call that succeeded (fsnotify_move, fsnotify_unlink, fsnotify_create).
std::vector<NameChange> changes_of(const std::vector<Item>& items, bool rename) {
    std::vector<NameChange> changes;
    std::vector<const Item*> gone, made;
    std::size_t first_made = items.size();
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].type == "DELETE") gone.push_back(&items[i]);
        if (items[i].type == "CREATE") {
            made.push_back(&items[i]);
            first_made = std::min(first_made, i);
        }
    }
    const auto add = [&](const Item& child, bool there, const Item& what, std::size_t known) {
        const auto parent = parent_of(items, child);
        const std::string name = without_slash(child.name);
        if (!parent || name.empty()) return;
        changes.push_back(
            {*parent, name.substr(name.rfind('/') + 1), there ? std::optional(what.inode()) : std::nullopt, known});
    };
    if (rename && !gone.empty() && !made.empty()) {
        add(*gone[0], false, *gone[0], first_made);
        add(*made[0], true, *made[0], first_made);
        if (made.size() > 1 && gone.size() > 1) {  // RENAME_EXCHANGE: the other way too
            add(*gone[1], false, *gone[1], first_made + 1);
            add(*made[1], true, *made[1], first_made + 1);
        }
        return changes;
    }
    for (const Item* i : gone) add(*i, false, *i, items.size());
    for (const Item* i : made) add(*i, true, *i, items.size());
    return changes;
}

Event event_of(const Record& syscall, const Told& told) {
    Event e;
    e.arch = static_cast<std::uint32_t>(number(syscall.field("arch"), 16));
    e.nr = static_cast<std::int32_t>(static_cast<std::uint32_t>(number(syscall.field("syscall"), 10)));
    for (std::size_t i = 0; i < e.args.size(); ++i)
        e.args[i] = number(syscall.field(std::string("a") + static_cast<char>('0' + i)), 16);
    const auto success = syscall.field("success");
    e.return_valid = !success ? ReturnValid::invalid : *success == "yes" ? ReturnValid::success : ReturnValid::failure;
    e.return_code = number(syscall.field("exit"), 10);
    e.pid = id(syscall, "pid");
    e.ppid = id(syscall, "ppid");
    e.loginuid = id(syscall, "auid");
    e.sessionid = id(syscall, "ses");
    e.uid = id(syscall, "uid");
    e.euid = id(syscall, "euid");
    e.suid = id(syscall, "suid");
    e.fsuid = id(syscall, "fsuid");
    e.gid = id(syscall, "gid");
    e.egid = id(syscall, "egid");
    e.sgid = id(syscall, "sgid");
    e.fsgid = id(syscall, "fsgid");
    e.pers = static_cast<std::uint32_t>(number(syscall.field("per"), 16));
    e.groups = told.groups;
    return e;
}

}  // namespace

bool is_foreign(int type) {
    // Written when the record set of the call itself is logged: SYSCALL to OPENAT2, without CONFIG_CHANGE and its like.
    constexpr int own[] = {AUDIT_SYSCALL,        AUDIT_PATH,         AUDIT_IPC,
                           AUDIT_SOCKETCALL,     AUDIT_SOCKADDR,     AUDIT_CWD,
                           AUDIT_EXECVE,         AUDIT_IPC_SET_PERM, AUDIT_MQ_OPEN,
                           AUDIT_MQ_SENDRECV,    AUDIT_MQ_NOTIFY,    AUDIT_MQ_GETSETATTR,
                           AUDIT_FD_PAIR,        AUDIT_OBJ_PID,      AUDIT_EOE,
                           AUDIT_BPRM_FCAPS,     AUDIT_CAPSET,       AUDIT_MMAP,
                           AUDIT_PROCTITLE,      AUDIT_KERN_MODULE,  AUDIT_TIME_INJOFFSET,
                           AUDIT_TIME_ADJNTPVAL, type_uringop,       type_openat2};
    static_assert(type_openat2 <= type_last_auxiliary);
    return std::find(std::begin(own), std::end(own), type) == std::end(own);
}

Call read_call(const Group& group, const Told& told) {
    Call call;
    const Record& syscall = *group.find(AUDIT_SYSCALL);
    Run last{event_of(syscall, told), {}};
    Event& e = last.event;
    const std::vector<Item> items = items_of(group);
    for (const Item& i : items) {
        e.names.push_back(i.event_name);
        if (i.event_name.resolved && !told.by_worker) call.inodes.push_back(i.inode());
    }
    if (const Record* address = group.find(AUDIT_SOCKADDR))
        if (const auto bytes = address->field("saddr"); bytes && bytes->size() >= 4)
            e.saddr_fam = static_cast<std::uint32_t>(number(bytes->substr(2, 2) + bytes->substr(0, 2), 16));
    e.openat2_flags = told.openat2_flags;
    if (const Record* how = group.find(type_openat2)) e.openat2_flags = number(how->field("oflag"), 8);
    call.exe = syscall.string("exe").value_or("");
    const bool done = e.return_valid == ReturnValid::success;
    for (const Record& r : group.records) {
        if (r.type != type_uringop) continue;
        Run run = last;
        run.event.uring_op = static_cast<unsigned>(number(r.field("uring_op"), 10));
        run.event.return_valid = r.field("success") == "yes" ? ReturnValid::success : ReturnValid::failure;
        run.event.return_code = number(r.field("exit"), 10);
        constexpr unsigned op_renameat = 35;
        run.changes = changes_of(items, run.event.uring_op == op_renameat);
        call.runs.push_back(std::move(run));
    }
    if (call.runs.empty() && done) last.changes = changes_of(items, is_rename(e));
    call.runs.push_back(std::move(last));
    return call;
}

bool is_helpers_own(const Record& s) {
    const bool native = number(s.field("arch"), 16) != arch_i386;
    const auto nr = s.field("syscall"), a0 = s.field("a0");
    return s.string("comm").value_or("").starts_with("call") &&
           ((nr == (native ? "0" : "3") && a0 == "3") || (nr == (native ? "1" : "4") && a0 == "4"));
}

const Group* find_call(const LoggedEvent& event, int pid, std::uint32_t arch, std::int32_t nr, bool& several) {
    const Group* found = nullptr;
    for (const Group& g : event.groups) {
        const Record* s = g.find(AUDIT_SYSCALL);
        if (s == nullptr || number(s->field("pid"), 10) != static_cast<std::uint64_t>(pid)) continue;
        if (number(s->field("arch"), 16) != arch ||
            static_cast<std::int32_t>(static_cast<std::uint32_t>(number(s->field("syscall"), 10))) != nr)
            continue;
        if (is_helpers_own(*s)) continue;
        if (found != nullptr) several = true;
        found = &g;
    }
    return several ? nullptr : found;
}

}  // namespace auopt::lab
