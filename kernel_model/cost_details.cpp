// Reads [cost.details] and [probes] of the embedded kernel tables.
#include "kernel_model/cost_details.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kernel_model/table_reader.hpp"

namespace auopt {

namespace {

std::map<Op, std::int32_t> operators(const TableReader& r, const toml::table& t) {
    const std::pair<std::string_view, Op> names[] = {
        {"!=", Op::not_equal},     {"<", Op::less},     {">", Op::greater},  {"<=", Op::less_equal},
        {">=", Op::greater_equal}, {"&", Op::bit_mask}, {"&=", Op::bit_test}};
    std::map<Op, std::int32_t> out;
    for (const auto& [key, op] : names) {
        const auto value = t[key].value<std::int32_t>();
        if (!value) r.broken(fmt::format("no cost of operator {}", key));
        out[op] = *value;
    }
    return out;
}

ProbeTable probe_table(const TableReader& r, const toml::table& t) {
    ProbeTable p;
    p.marked_directory = r.number(t, "marked_directory");
    p.tree_reference = r.number(t, "tree_reference");
    p.task_references = r.number(t, "task_references");
    p.first_in_bucket = r.number(t, "first_in_bucket");
    for (const auto& [key, node] : r.section(t, "calls")) {
        const toml::table* call = node.as_table();
        if (call == nullptr) r.broken(fmt::format("probe {} is not a table", key.str()));
        p.base[std::string(key.str())] = {r.number(*call, "unarmed"), r.number(*call, "armed"),
                                          r.number(*call, "marked")};
    }
    return p;
}

CostDetails read(const KernelFile& kernel) {
    const TableReader& r = kernel.reader;
    const toml::table& root = kernel.root;
    const toml::table& t = r.section(r.section(root, "cost"), "details");
    CostDetails d;
    d.id_operators = operators(r, r.section(t, "id_operators"));
    d.number_operators = operators(r, r.section(t, "number_operators"));
    d.gid_search = r.pair(t.get("gid_search"), "gid_search");
    d.compare_obj = r.pair(t.get("compare_obj"), "compare_obj");
    d.lsm_not_asked = r.pair(t.get("lsm_not_asked"), "lsm_not_asked");
    d.perm_class = r.number(t, "perm_class");
    d.per_name_dev = r.number(t, "per_name_dev");
    d.per_name_compare = r.number(t, "per_name_compare");
    d.dir_refs = r.number(t, "dir_refs");
    d.per_dir_ref_pass = r.number(t, "per_dir_ref_pass");
    if (const toml::table* probes = root["probes"].as_table(); probes != nullptr) d.probes = probe_table(r, *probes);
    return d;
}

}  // namespace

const CostDetails& cost_details(const KernelTables& kernel) {
    static const std::map<std::string, CostDetails> all = [] {
        std::map<std::string, CostDetails> details;
        for (const KernelFile& file : kernel_files()) details[file.name] = read(file);
        return details;
    }();
    return all.at(kernel.name);
}

}  // namespace auopt
