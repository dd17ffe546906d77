// The one type to know: the kernel rule, as the kernel holds it. Not text, not syntax.
// Mirrors struct audit_rule_data of <linux/audit.h>; the wire form (compiler/wire.hpp) of every
// rule is byte-identical to what auditctl sends.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "grammar/source.hpp"

namespace auopt {

/// Filter list numbers (AUDIT_FILTER_*). 2 (entry) and 3 (watch) are dead; the kernel refuses them.
enum class List : std::uint32_t { user = 0, task = 1, exit = 4, exclude = 5, filesystem = 6, io_uring = 7 };

/// AUDIT_NEVER and AUDIT_ALWAYS.
enum class Action : std::uint32_t { never = 0, always = 2 };

/// Operator constants of fieldflags[] (AUDIT_EQUAL ...).
enum class Op : std::uint32_t {
    equal = 0x40000000,
    not_equal = 0x30000000,
    less = 0x10000000,
    greater = 0x20000000,
    less_equal = 0x50000000,
    greater_equal = 0x60000000,
    bit_mask = 0x08000000,
    bit_test = 0x48000000,
};

/// Field numbers of fields[] (AUDIT_PID ...). Values outside this list can occur in hostile input.
enum class Field : std::uint32_t {
    pid = 0,
    uid = 1,
    euid = 2,
    suid = 3,
    fsuid = 4,
    gid = 5,
    egid = 6,
    sgid = 7,
    fsgid = 8,
    loginuid = 9,
    pers = 10,
    arch = 11,
    msgtype = 12,
    subj_user = 13,
    subj_role = 14,
    subj_type = 15,
    subj_sen = 16,
    subj_clr = 17,
    ppid = 18,
    obj_user = 19,
    obj_role = 20,
    obj_type = 21,
    obj_lev_low = 22,
    obj_lev_high = 23,
    loginuid_set = 24,
    sessionid = 25,
    fstype = 26,
    devmajor = 100,
    devminor = 101,
    inode = 102,
    exit = 103,
    success = 104,
    path = 105,
    perm = 106,
    dir = 107,
    filetype = 108,
    obj_uid = 109,
    obj_gid = 110,
    field_compare = 111,
    exe = 112,
    saddr_fam = 113,
    arg0 = 200,
    arg1 = 201,
    arg2 = 202,
    arg3 = 203,
    key = 210,
};

constexpr std::uint32_t arch_x86_64 = 0xC000003E;
constexpr std::uint32_t arch_i386 = 0x40000003;
constexpr std::uint32_t id_unset = 0xFFFFFFFF;
constexpr unsigned max_fields = 64;       // AUDIT_MAX_FIELDS
constexpr unsigned mask_words = 64;       // AUDIT_BITMASK_SIZE
constexpr unsigned mask_syscalls = 2032;  // bits 2032..2047 select classes and are never stored

/// perm= bits.
constexpr std::uint32_t perm_exec = 1, perm_write = 2, perm_read = 4, perm_attr = 8;

/// True for the fields whose value is a string carried in buf[].
constexpr bool is_text_field(Field field) {
    const auto n = static_cast<std::uint32_t>(field);
    return (n >= 13 && n <= 17) || (n >= 19 && n <= 23) || field == Field::path || field == Field::dir ||
           field == Field::exe || field == Field::key;
}

/// The syscall mask: bit n of word w is syscall 32w+n.
struct SyscallMask {
    std::array<std::uint32_t, mask_words> words{};

    static SyscallMask all() {  // what auditctl sends for "every call": all 2048 bits
        SyscallMask m;
        m.words.fill(0xFFFFFFFF);
        return m;
    }
    bool test(unsigned nr) const { return nr < 2048 && ((words[nr / 32] >> (nr % 32)) & 1U) != 0; }
    void set(unsigned nr) { words[nr / 32] |= 1U << (nr % 32); }
    void clear(unsigned nr) { words[nr / 32] &= ~(1U << (nr % 32)); }
    bool operator==(const SyscallMask&) const = default;
    SyscallMask operator|(const SyscallMask& o) const {
        SyscallMask r;
        for (unsigned i = 0; i < mask_words; ++i) r.words[i] = words[i] | o.words[i];
        return r;
    }
    SyscallMask operator&(const SyscallMask& o) const {
        SyscallMask r;
        for (unsigned i = 0; i < mask_words; ++i) r.words[i] = words[i] & o.words[i];
        return r;
    }
    bool subset_of(const SyscallMask& o) const { return (*this & o) == *this; }
    bool none() const {
        for (auto w : words)
            if (w != 0) return false;
        return true;
    }
    /// Bits 0..2031 all set: the kernel's stored form of "every call".
    bool full() const {
        for (unsigned i = 0; i + 1 < mask_words; ++i)
            if (words[i] != 0xFFFFFFFF) return false;
        return (words[mask_words - 1] & 0xFFFF) == 0xFFFF;
    }
    unsigned count() const;
};

/// One test: field, operator, and a number or (is_text_field) a string.
struct FieldTest {
    Field field = Field::pid;
    Op op = Op::equal;
    std::uint32_t value = 0;  // numbers; ignored for text fields (the length travels in text)
    std::string text;         // raw bytes
    bool operator==(const FieldTest&) const = default;
};

struct KernelRule {
    List list = List::exit;
    bool prepend = false;  // -A; consumed by load()
    Action action = Action::always;
    SyscallMask mask;
    std::vector<FieldTest> tests;  // in stored order, key included
    /// A -w/-W rule whose path is neither a known directory nor a known file: tests[0] is path (what
    /// auditctl sends when the name is not a directory) but a host may make it dir. Where this is
    /// set, nothing may be concluded that is not true for both.
    bool watch_kind_unknown = false;
    std::vector<Span> sources;  // every source rule, in file order
    /// Its number among the rules that were added, over all lists: the order of loading, which -A makes another one than
    /// the order of the walk. Set by load().
    std::uint32_t added = 0;

    bool same_as(const KernelRule& o) const {  // all but where it came from
        return list == o.list && prepend == o.prepend && action == o.action && mask == o.mask && tests == o.tests &&
               watch_kind_unknown == o.watch_kind_unknown;
    }
};

/// The rule's key text (several keys are joined with byte 0x01), or nothing.
std::optional<std::string_view> rule_key(const KernelRule& rule);
/// First test of `field`, or nullptr.
const FieldTest* find_test(const KernelRule& rule, Field field);

// ---- kernel messages, in sending order --------------------------------------------------------

struct AddRule {
    KernelRule rule;
};
struct DeleteRule {
    KernelRule rule;
};
/// -D or -D -k KEY: list, delete what is listed (key: only rules whose key contains it).
struct DeleteAll {
    std::optional<std::string> key;
};
/// AUDIT_SET; mask names the one member that is set (1 enabled, 2 failure, 8 rate limit, 0x10 backlog
/// limit, 0x20 backlog wait time, 0x40 lost, 0x80 backlog wait time actual).
struct SetStatus {
    std::uint32_t mask = 0;
    std::uint32_t value = 0;
};
struct SetFeature {
    std::uint32_t mask = 0, features = 0, lock = 0;
};               // --loginuid-immutable
struct Trim {};  // -t
struct MakeEquiv {
    std::string mount, subtree;
};  // -q
struct UserMessage {
    std::string text;
};  // -m
/// Lines that change nothing in the kernel, or only how auditctl goes on.
struct Inert {
    enum class Kind { ignore_errors /* -i */, continue_on_error /* -c */, list, status, version, signal } kind;
};

struct Message {
    std::variant<AddRule, DeleteRule, DeleteAll, SetStatus, SetFeature, Trim, MakeEquiv, UserMessage, Inert> body;
    Span source;  // the whole line
};

}  // namespace auopt
