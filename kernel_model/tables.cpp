// Reads the embedded kernel tables (tables/kernels/*.toml).
#include "kernel_model/tables.hpp"

#include <libaudit.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "tables/embedded.hpp"

namespace auopt {

extern const EmbeddedFile embedded_kernels[];
extern const std::size_t embedded_kernels_count;

namespace {

// The data is part of the program: a mistake in it is a broken build, not a user's error.
[[noreturn]] void broken(std::string_view file, const std::string& what) {
    fmt::print(stderr, "auopt: embedded kernel table {}: {}\n", file, what);
    std::abort();
}

struct Reader {
    std::string_view file;

    std::uint32_t number(const toml::table& t, std::string_view key) const {
        const auto value = t[key].value<std::int64_t>();
        if (!value || *value < 0 || *value > 0x7FFFFFFF) broken(file, fmt::format("no number {}", key));
        return static_cast<std::uint32_t>(*value);
    }
    FieldCost pair(const toml::node* node, std::string_view key) const {
        const toml::array* a = node == nullptr ? nullptr : node->as_array();
        if (a == nullptr || a->size() != 2) broken(file, fmt::format("{} is not [fail, pass]", key));
        const auto fail = (*a)[0].value<std::int64_t>(), pass = (*a)[1].value<std::int64_t>();
        if (!fail || !pass || *fail < 0 || *pass < 0) broken(file, fmt::format("{} is not [fail, pass]", key));
        return {static_cast<std::uint32_t>(*fail), static_cast<std::uint32_t>(*pass)};
    }
    std::vector<unsigned> numbers(const toml::node* node, std::string_view key) const {
        const toml::array* a = node == nullptr ? nullptr : node->as_array();
        if (a == nullptr) broken(file, fmt::format("no list {}", key));
        std::vector<unsigned> out;
        for (const toml::node& n : *a) {
            const auto value = n.value<std::int64_t>();
            if (!value || *value < 0 || *value >= mask_syscalls)
                broken(file, fmt::format("bad syscall number in {}", key));
            out.push_back(static_cast<unsigned>(*value));
        }
        return out;
    }
    const toml::table& section(const toml::table& t, std::string_view key) const {
        const toml::table* s = t[key].as_table();
        if (s == nullptr) broken(file, fmt::format("no section {}", key));
        return *s;
    }
    AbiClasses classes(const toml::table& t) const {
        AbiClasses c;
        const std::pair<const char*, SyscallSet*> sets[] = {
            {"write", &c.write}, {"read", &c.read}, {"chattr", &c.chattr}, {"signal", &c.signal}};
        for (const auto& [key, set] : sets)
            for (unsigned nr : numbers(t.get(key), key)) set->set(nr);
        const std::pair<const char*, SyscallKind> kinds[] = {{"open", SyscallKind::open},
                                                             {"openat", SyscallKind::openat},
                                                             {"openat2", SyscallKind::openat2},
                                                             {"execve", SyscallKind::execve},
                                                             {"socketcall", SyscallKind::socketcall}};
        const toml::table& special = section(t, "special");
        for (const auto& [key, kind] : kinds)
            if (special.contains(key))
                for (unsigned nr : numbers(special.get(key), key)) c.special[nr] = kind;
        return c;
    }
};

KernelTables read_table(const EmbeddedFile& embedded) {
    const Reader r{embedded.name};
    toml::table root;
    try {
        root = toml::parse(embedded.text);
    } catch (const toml::parse_error& e) {
        broken(embedded.name, std::string(e.description()));
    }
    KernelTables k;
    k.name = root["name"].value_or(std::string{});
    k.source = root["source"].value_or(std::string{});
    k.measured = root["measured"].value_or(false);
    if (k.name.empty() || k.source.empty()) broken(embedded.name, "no name or source");
    k.x86_64 = r.classes(r.section(root, "x86_64"));
    k.i386 = r.classes(r.section(root, "i386"));

    const toml::table& cost = r.section(root, "cost");
    CostTable& c = k.cost;
    c.unarmed_instructions = r.number(cost, "unarmed_instructions");
    c.armed_instructions = r.number(cost, "armed_instructions");
    c.first_entry = r.number(cost, "first_entry");
    c.mask_miss = r.number(cost, "mask_miss");
    c.match_never_no_fields = r.number(cost, "match_never_no_fields");
    c.match_key = r.number(cost, "match_key");
    c.gid_supplementary = r.number(cost, "gid_supplementary");
    c.per_name_filetype = r.number(cost, "per_name_filetype");
    c.per_name_obj = r.number(cost, "per_name_obj");
    c.per_dir_ref = r.number(cost, "per_dir_ref");
    c.ppid_once = r.number(cost, "ppid_once");
    for (const auto& [key, node] : r.section(cost, "fields")) {
        const int field = audit_name_to_field(std::string(key.str()).c_str());
        if (field < 0) broken(embedded.name, fmt::format("unknown field {}", key.str()));
        c.fields[static_cast<Field>(field)] = r.pair(&node, key.str());
    }
    const toml::table& variants = r.section(cost, "variants");
    c.loginuid_set = r.pair(variants.get("loginuid_set"), "loginuid_set");
    c.perm_open = r.pair(variants.get("perm_open"), "perm_open");
    c.lsm = r.pair(variants.get("lsm"), "lsm");
    return k;
}

std::vector<KernelTables> read_all() {
    std::vector<KernelTables> all;
    for (std::size_t i = 0; i < embedded_kernels_count; ++i) all.push_back(read_table(embedded_kernels[i]));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return all;
}

}  // namespace

const std::vector<KernelTables>& kernel_tables() {
    static const std::vector<KernelTables> tables = read_all();
    return tables;
}

const KernelTables* find_kernel(std::string_view name) {
    for (const KernelTables& k : kernel_tables())
        if (k.name == name) return &k;
    return nullptr;
}

}  // namespace auopt
