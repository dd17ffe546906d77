// Reads the embedded tables (tables/kernels/*.toml, tables/machines/*.toml).
#include "kernel_model/tables.hpp"

#include <libaudit.h>

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "kernel_model/table_reader.hpp"

namespace auopt {

extern const EmbeddedFile embedded_machines[];
extern const std::size_t embedded_machines_count;

namespace {

struct ClassReader : TableReader {
    std::vector<unsigned> numbers(const toml::node* node, std::string_view key) const {
        const toml::array* a = node == nullptr ? nullptr : node->as_array();
        if (a == nullptr) broken(fmt::format("no list {}", key));
        std::vector<unsigned> out;
        for (const toml::node& n : *a) {
            const auto value = n.value<std::int64_t>();
            if (!value || *value < 0 || *value >= mask_syscalls) broken(fmt::format("bad syscall number in {}", key));
            out.push_back(static_cast<unsigned>(*value));
        }
        return out;
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

/// Name and costs; the classes are a machine's.
KernelTables read_kernel(const KernelFile& kernel) {
    const TableReader& r = kernel.reader;
    const toml::table& root = kernel.root;
    KernelTables k;
    k.name = kernel.name;
    k.source = root["source"].value_or(std::string{});
    k.measured = root["measured"].value_or(false);
    if (k.source.empty()) r.broken("no source");

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
        if (field < 0) r.broken(fmt::format("unknown field {}", key.str()));
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
    std::transform(kernel_files().begin(), kernel_files().end(), std::back_inserter(kernels), read_kernel);
    std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    Tables all;
    for (std::size_t i = 0; i < embedded_machines_count; ++i) {
        const ClassReader r{{embedded_machines[i].name}};
        const toml::table root = r.parsed(embedded_machines[i].text);
        const auto machine = machine_by_name(root["name"].value_or(std::string{}));
        const MachineModel* model = machine ? find_machine_model(*machine) : nullptr;
        if (model == nullptr) r.broken("the name is of no modelled machine");
        for (KernelTables k : kernels) {
            k.machine = model;
            k.native = r.classes(root, k.name, "native");
            k.compat = r.classes(root, k.name, "compat");
            all[*machine].push_back(std::move(k));
        }
    }
    for (const Machine machine : modelled_machines())
        if (!all.contains(machine)) TableReader{machine_name(machine)}.broken("no such file");
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
