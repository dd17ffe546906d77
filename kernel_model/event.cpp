// Events and decisions as text.
#include "kernel_model/event.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libaudit.h>

#include "compiler/spelling.hpp"
#include "kernel_model/machine.hpp"

namespace auopt {
namespace {

std::string id(std::uint32_t value) { return value == id_unset ? std::string("unset") : fmt::format("{}", value); }

std::string call_name(const Event& e) {
    if (e.arch == 0) return "io_uring worker";
    const int machine = audit_elf_to_machine(e.arch);
    const char* name = machine < 0 ? nullptr : audit_syscall_to_name(e.nr, machine);
    return name != nullptr ? fmt::format("{}({})", name, e.nr) : fmt::format("syscall {}", e.nr);
}

std::string_view arch_name(std::uint32_t arch) {
    if (arch == 0) return "none";
    return elf_machine(arch) ? arch_word(arch) : "other";
}

std::string describe_name(const EventName& n) {
    if (!n.resolved && n == EventName{}) return "(unresolved)";
    std::string text = !n.watches.empty() ? fmt::format("{}", fmt::join(n.watches, "|"))
                       : n.resolved       ? "(unwatched)"
                                          : "(unresolved)";
    text += fmt::format("[{}inode={} dev={}:{}", n.deleted ? "deleted " : "", n.ino, n.dev_major, n.dev_minor);
    if (n.rdev_major != 0 || n.rdev_minor != 0) text += fmt::format(" rdev={}:{}", n.rdev_major, n.rdev_minor);
    return text + fmt::format(" mode={:#o} owner={}:{}]", n.mode, n.uid, n.gid);
}

}  // namespace

std::string to_string(const Decision& d) {
    if (d.outcome == Outcome::no_match)
        return d.key ? fmt::format("no rule matched (key \"{}\")", *d.key) : "no rule matched";
    std::string key = d.key ? *d.key : std::string{};
    for (char& c : key)
        if (c == '\x01') c = ',';
    return fmt::format("{}{}", d.outcome == Outcome::always ? "recorded" : "never",
                       d.key ? fmt::format(", key \"{}\"", key) : std::string(", no key"));
}

std::string describe(const Event& e) {
    std::string text = fmt::format("arch={} syscall={}", arch_name(e.arch), call_name(e));
    if (e.uring_op) text += fmt::format(" io_uring_op={}", *e.uring_op);
    text += fmt::format(" a0={:#x} a1={:#x} a2={:#x} a3={:#x}", e.args[0], e.args[1], e.args[2], e.args[3]);
    if (e.return_valid == ReturnValid::invalid)
        text += " result=unknown";
    else
        text += fmt::format(" success={} exit={}", e.return_valid == ReturnValid::success ? "yes" : "no",
                            static_cast<std::int64_t>(e.return_code));
    text +=
        fmt::format(" pid={} ppid={} auid={} uid={} euid={} suid={} fsuid={} gid={} egid={} sgid={} fsgid={} ses={}",
                    e.pid, e.ppid, id(e.loginuid), id(e.uid), id(e.euid), id(e.suid), id(e.fsuid), id(e.gid),
                    id(e.egid), id(e.sgid), id(e.fsgid), id(e.sessionid));
    if (!e.groups.empty()) text += fmt::format(" groups={}", fmt::join(e.groups, ","));
    if (e.pers != 0) text += fmt::format(" pers={:#x}", e.pers);
    if (!e.exes.empty()) text += fmt::format(" exe={}", fmt::join(e.exes, ","));
    if (!e.dirs.empty()) text += fmt::format(" below={}", fmt::join(e.dirs, ","));
    if (e.saddr_fam) text += fmt::format(" saddr_fam={}", *e.saddr_fam);
    if (e.openat2_flags != 0) text += fmt::format(" openat2_flags={:#x}", e.openat2_flags);
    for (const LsmAnswer& a : e.lsm_true) {
        const char* field = audit_field_to_name(static_cast<int>(a.test.field));
        text += fmt::format(" lsm:{}{}\"{}\"", field != nullptr ? field : "?", op_text(a.test.op), a.test.text);
    }
    for (std::size_t i = 0; i < e.names.size(); ++i) text += fmt::format(" name{}={}", i, describe_name(e.names[i]));
    return text;
}

}  // namespace auopt
