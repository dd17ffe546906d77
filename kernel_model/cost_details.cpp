// Reads [cost.details] and [probes] of the embedded kernel tables.
#include "kernel_model/cost_details.hpp"

#include <toml++/toml.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tables/embedded.hpp"

namespace auopt {

extern const EmbeddedFile embedded_kernels[];
extern const std::size_t embedded_kernels_count;

namespace {

[[noreturn]] void broken(std::string_view what) {
    fmt::print(stderr, "auopt: embedded kernel tables: {}\n", what);
    std::abort();
}

const toml::table& section(const toml::table& t, std::string_view key) {
    const toml::table* s = t[key].as_table();
    if (s == nullptr) broken(fmt::format("no section {}", key));
    return *s;
}

std::uint32_t number(const toml::table& t, std::string_view key) {
    const auto value = t[key].value<std::uint32_t>();
    if (!value) broken(fmt::format("no number {}", key));
    return *value;
}

FieldCost pair(const toml::table& t, std::string_view key) {
    const toml::array* a = t[key].as_array();
    if (a == nullptr || a->size() != 2) broken(fmt::format("{} is not [fail, pass]", key));
    const auto fail = (*a)[0].value<std::uint32_t>(), pass = (*a)[1].value<std::uint32_t>();
    if (!fail || !pass) broken(fmt::format("{} is not [fail, pass]", key));
    return {*fail, *pass};
}

std::map<Op, std::int32_t> operators(const toml::table& t) {
    const std::pair<std::string_view, Op> names[] = {
        {"!=", Op::not_equal},     {"<", Op::less},     {">", Op::greater}, {"<=", Op::less_equal},
        {">=", Op::greater_equal}, {"&", Op::bit_mask}, {"&=", Op::bit_test}};
    std::map<Op, std::int32_t> out;
    for (const auto& [key, op] : names) {
        const auto value = t[key].value<std::int32_t>();
        if (!value) broken(fmt::format("no cost of operator {}", key));
        out[op] = *value;
    }
    return out;
}

ProbeTable probe_table(const toml::table& t) {
    ProbeTable p;
    p.marked_directory = number(t, "marked_directory");
    p.tree_reference = number(t, "tree_reference");
    p.task_references = number(t, "task_references");
    p.first_in_bucket = number(t, "first_in_bucket");
    for (const auto& [key, node] : section(t, "calls")) {
        const toml::table* call = node.as_table();
        if (call == nullptr) broken(fmt::format("probe {} is not a table", key.str()));
        p.base[std::string(key.str())] = {number(*call, "unarmed"), number(*call, "armed"), number(*call, "marked")};
    }
    return p;
}

CostDetails read(const toml::table& root) {
    const toml::table& t = section(section(root, "cost"), "details");
    CostDetails d;
    d.id_operators = operators(section(t, "id_operators"));
    d.number_operators = operators(section(t, "number_operators"));
    d.gid_search = pair(t, "gid_search");
    d.compare_obj = pair(t, "compare_obj");
    d.lsm_not_asked = pair(t, "lsm_not_asked");
    d.perm_class = number(t, "perm_class");
    d.per_name_dev = number(t, "per_name_dev");
    d.per_name_compare = number(t, "per_name_compare");
    d.dir_refs = number(t, "dir_refs");
    d.per_dir_ref_pass = number(t, "per_dir_ref_pass");
    if (const toml::table* probes = root["probes"].as_table(); probes != nullptr) d.probes = probe_table(*probes);
    return d;
}

using Named = std::vector<std::pair<std::string, CostDetails>>;

Named read_all() {
    Named all;
    for (std::size_t i = 0; i < embedded_kernels_count; ++i) {
        try {
            const toml::table root = toml::parse(embedded_kernels[i].text);
            all.emplace_back(root["name"].value_or(std::string{}), read(root));
        } catch (const toml::parse_error& e) {
            broken(e.description());
        }
    }
    return all;
}

}  // namespace

const CostDetails& cost_details(const KernelTables& kernel) {
    static const Named all = read_all();
    const std::string_view name = std::string_view(kernel.name).substr(0, kernel.name.find_first_of("+/"));
    for (const auto& [known, details] : all) {
        if (known == name) return details;
    }
    broken(fmt::format("no cost details of {}", kernel.name));
}

}  // namespace auopt
