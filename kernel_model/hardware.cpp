// Reads the embedded tables/cpus.toml and tables/layouts.toml.
#include "kernel_model/hardware.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kernel_model/table_reader.hpp"

namespace auopt {

extern const EmbeddedFile embedded_hardware[];
extern const std::size_t embedded_hardware_count;

namespace {

constexpr TableReader reader{"cpus.toml, layouts.toml"};

[[noreturn]] void broken(std::string_view what) { reader.broken(what); }

toml::table parsed(std::string_view name) {
    for (std::size_t i = 0; i < embedded_hardware_count; ++i)
        if (embedded_hardware[i].name == name) return TableReader{name}.parsed(embedded_hardware[i].text);
    broken(fmt::format("no {}", name));
}

template <typename T>
T get(const toml::table& t, std::string_view key) {
    const std::optional<T> value = t[key].value<T>();
    if (!value) broken(fmt::format("no {}", key));
    return *value;
}

unsigned natural(const toml::table& t, std::string_view key) {
    const auto value = get<std::int64_t>(t, key);
    if (value < 0 || value > 1'000'000) broken(fmt::format("{} is out of range", key));
    return static_cast<unsigned>(value);
}

double positive(const toml::table& t, std::string_view key) {
    const auto value = get<double>(t, key);
    if (!(value > 0)) broken(fmt::format("{} is not positive", key));
    return value;
}

double share(const toml::table& t, std::string_view key) {
    const auto value = get<double>(t, key);
    if (!(value >= 0 && value <= 1)) broken(fmt::format("{} is no share", key));
    return value;
}

std::vector<unsigned> naturals(const toml::table& t, std::string_view key) {
    const toml::array* array = t[key].as_array();
    if (array == nullptr || array->empty()) broken(fmt::format("no list {}", key));
    std::vector<unsigned> out;
    for (const toml::node& node : *array) {
        const auto value = node.value<std::int64_t>();
        if (!value || *value < 0) broken(fmt::format("{} is not a list of offsets", key));
        out.push_back(static_cast<unsigned>(*value));
    }
    return out;
}

/// The tables of an array of tables.
std::vector<const toml::table*> rows(const toml::table& t, std::string_view key) {
    const toml::array* array = t[key].as_array();
    if (array == nullptr || array->empty()) broken(fmt::format("no {}", key));
    std::vector<const toml::table*> out;
    for (const toml::node& node : *array) {
        if (node.as_table() == nullptr) broken(fmt::format("{} is not a list of tables", key));
        out.push_back(node.as_table());
    }
    return out;
}

Cpu read_cpu(const toml::table& t) {
    Cpu cpu;
    cpu.name = get<std::string>(t, "name");
    cpu.title = get<std::string>(t, "title");
    cpu.l1d_sets = natural(t, "l1d_sets");
    cpu.l1d_ways = natural(t, "l1d_ways");
    cpu.line_bytes = natural(t, "line_bytes");
    const auto replacement = get<std::string>(t, "replacement");
    if (replacement != "lru" && replacement != "tree-plru") broken("unknown replacement " + replacement);
    cpu.replacement = replacement == "lru" ? Replacement::lru : Replacement::tree_plru;
    cpu.l1_cycles = positive(t, "l1_cycles");
    cpu.l2_cycles = positive(t, "l2_cycles");
    cpu.rob = natural(t, "rob");
    cpu.clock_ghz = positive(t, "clock_ghz");
    cpu.transition_cycles = positive(t, "transition_cycles");
    cpu.cycles_per_instruction = positive(t, "cycles_per_instruction");
    cpu.local_atomic_cycles = positive(t, "local_atomic_cycles");
    cpu.line_transfer_cycles = positive(t, "line_transfer_cycles");
    cpu.fit = get<std::string>(t, "fit");
    return cpu;
}

std::vector<Cpu> read_cpus() {
    const toml::table root = parsed("cpus.toml");
    std::vector<Cpu> all;
    for (const toml::table* t : rows(root, "cpu")) all.push_back(read_cpu(*t));
    return all;
}

std::vector<KernelVariant> read_variants() {
    const toml::table root = parsed("cpus.toml");
    std::vector<KernelVariant> all;
    for (const toml::table* t : rows(root, "variant")) {
        KernelVariant v;
        v.name = get<std::string>(*t, "name");
        v.title = get<std::string>(*t, "title");
        v.entry_align = natural(*t, "entry_align");
        v.own_cache = get<bool>(*t, "own_cache");
        v.mask_miss = natural(*t, "mask_miss");
        if (v.entry_align == 0) broken("entry_align");
        all.push_back(std::move(v));
    }
    return all;
}

std::map<std::string, Layout, std::less<>> read_layouts() {
    const toml::table root = parsed("layouts.toml");
    Layout l;
    l.source = get<std::string>(root, "source");
    const toml::table& entry = reader.section(root, "audit_entry");
    l.entry_size = natural(entry, "size");
    l.list_next = natural(entry, "list_next");
    l.mask = natural(entry, "mask");
    l.field_count = natural(entry, "field_count");
    l.fields = natural(entry, "fields");
    l.watch = natural(entry, "watch");
    l.tree = natural(entry, "tree");
    l.exe = natural(entry, "exe");
    l.prio = natural(entry, "prio");
    const toml::table& field = reader.section(root, "audit_field");
    l.field_size = natural(field, "size");
    l.field_type = natural(field, "type");
    l.field_value = natural(field, "value");
    l.field_op = natural(field, "op");
    for (const auto& [name, node] : reader.section(root, "operands")) {
        const toml::table* t = node.as_table();
        if (t == nullptr) broken("operands");
        l.operands[std::string(name.str())] = {natural(*t, "size"), naturals(*t, "reads")};
    }
    const toml::table& slab = reader.section(root, "slab");
    l.slab_sizes = naturals(slab, "sizes");
    if (!std::is_sorted(l.slab_sizes.begin(), l.slab_sizes.end())) broken("slab sizes are not ascending");
    l.slab_cpus = natural(slab, "cpus");
    l.free_share = share(slab, "free_share");
    l.others_between = share(slab, "others_between");
    for (const toml::table* t : rows(root, "others")) {
        Layout::Others o;
        o.what = get<std::string>(*t, "what");
        o.align = natural(*t, "align");
        o.lines = naturals(*t, "lines");
        o.again = get<bool>(*t, "again");
        o.per_boot = (*t)["per_boot"].value_or(false);
        l.others.push_back(std::move(o));
    }
    const toml::array* kernels = root["kernels"].as_array();
    if (kernels == nullptr) broken("kernels");
    std::map<std::string, Layout, std::less<>> all;
    for (const toml::node& node : *kernels) {
        const auto name = node.value<std::string>();
        if (!name) broken("kernels");
        l.no_context_instructions = natural(reader.section(root, "no_context_instructions"), *name);
        all[*name] = l;
    }
    return all;
}

}  // namespace

unsigned Layout::slab_size_for(unsigned bytes) const {
    const auto it = std::lower_bound(slab_sizes.begin(), slab_sizes.end(), bytes);
    return it == slab_sizes.end() ? 0 : *it;
}

const std::vector<Cpu>& cpus() {
    static const std::vector<Cpu> all = read_cpus();
    return all;
}

const Cpu* find_cpu(std::string_view name) {
    for (const Cpu& cpu : cpus())
        if (cpu.name == name) return &cpu;
    return nullptr;
}

const std::vector<KernelVariant>& kernel_variants() {
    static const std::vector<KernelVariant> all = read_variants();
    return all;
}

const KernelVariant* find_kernel_variant(std::string_view name) {
    for (const KernelVariant& variant : kernel_variants())
        if (variant.name == name) return &variant;
    return nullptr;
}

const Layout* find_layout(std::string_view kernel) {
    static const std::map<std::string, Layout, std::less<>> all = read_layouts();
    const auto it = all.find(kernel);
    return it == all.end() ? nullptr : &it->second;
}

KernelTables with_variant(const KernelTables& kernel, const KernelVariant& variant) {
    KernelTables changed = kernel;
    if (variant.mask_miss != 0) changed.cost.mask_miss = variant.mask_miss;
    return changed;
}

}  // namespace auopt
