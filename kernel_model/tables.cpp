// Reads the embedded tables (tables/kernels/*.toml, tables/machines/*.toml).
#include "kernel_model/tables.hpp"

#include <libaudit.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "tables/embedded.hpp"

namespace auopt {

extern const EmbeddedFile embedded_kernels[];
extern const std::size_t embedded_kernels_count;
extern const EmbeddedFile embedded_machines[];
extern const std::size_t embedded_machines_count;

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
    static std::array<std::pair<const char*, SyscallSet*>, 4> sets_of(AbiClasses& c) {
        return {{{"write", &c.write}, {"read", &c.read}, {"chattr", &c.chattr}, {"signal", &c.signal}}};
    }
    /// What [besides.KERNEL.ABI] adds; a kernel or an ABI without a section adds nothing.
    void add_besides(AbiClasses& c, const toml::table& root, std::string_view kernel, const char* abi) const {
        const toml::table* t = root["besides"][kernel][abi].as_table();
        if (t == nullptr) return;
        for (const auto& [key, set] : sets_of(c))
            if (t->contains(key))
                for (unsigned nr : numbers(t->get(key), key)) set->set(nr);
    }
    AbiClasses classes(const toml::table& root, std::string_view kernel, const char* abi) const {
        const toml::table& t = section(root, abi);
        AbiClasses c;
        for (const auto& [key, set] : sets_of(c))
            for (unsigned nr : numbers(t.get(key), key)) set->set(nr);
        add_besides(c, root, kernel, abi);
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

toml::table parsed(const EmbeddedFile& embedded) {
    try {
        return toml::parse(embedded.text);
    } catch (const toml::parse_error& e) {
        broken(embedded.name, std::string(e.description()));
    }
}

/// Name and costs; the classes are a machine's.
KernelTables read_kernel(const EmbeddedFile& embedded) {
    const Reader r{embedded.name};
    const toml::table root = parsed(embedded);
    KernelTables k;
    k.name = root["name"].value_or(std::string{});
    k.source = root["source"].value_or(std::string{});
    k.measured = root["measured"].value_or(false);
    if (k.name.empty() || k.source.empty()) broken(embedded.name, "no name or source");

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

using Tables = std::map<Machine, std::vector<KernelTables>>;

Tables read_all() {
    std::vector<KernelTables> kernels;
    for (std::size_t i = 0; i < embedded_kernels_count; ++i) kernels.push_back(read_kernel(embedded_kernels[i]));
    std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    Tables all;
    for (std::size_t i = 0; i < embedded_machines_count; ++i) {
        const Reader r{embedded_machines[i].name};
        const toml::table root = parsed(embedded_machines[i]);
        const auto machine = machine_by_name(root["name"].value_or(std::string{}));
        const MachineModel* model = machine ? find_machine_model(*machine) : nullptr;
        if (model == nullptr) broken(r.file, "the name is of no modelled machine");
        for (KernelTables k : kernels) {
            k.machine = model;
            k.native = r.classes(root, k.name, "native");
            k.compat = r.classes(root, k.name, "compat");
            all[*machine].push_back(std::move(k));
        }
    }
    for (const Machine machine : modelled_machines())
        if (!all.contains(machine)) broken(machine_name(machine), "no such file");
    return all;
}

}  // namespace

const std::vector<KernelTables>& kernel_tables(Machine machine) {
    static const Tables tables = read_all();
    return tables.at(machine_model(machine).machine);
}

const KernelTables* find_kernel(std::string_view name, Machine machine) {
    for (const KernelTables& k : kernel_tables(machine))
        if (k.name == name) return &k;
    return nullptr;
}

}  // namespace auopt
