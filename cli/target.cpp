#include "cli/target.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel_model/table_reader.hpp"

namespace auopt {

extern const EmbeddedFile embedded_targets[];
extern const std::size_t embedded_targets_count;

namespace {

constexpr TableReader reader{"targets.toml"};

std::string text_of(const toml::table& table, std::string_view key) {
    const auto value = table[key].value<std::string>();
    if (!value) reader.broken(fmt::format("no {}", key));
    return *value;
}

Target read_target(const toml::table& table) {
    Target target;
    target.name = text_of(table, "name");
    target.auditctl = text_of(table, "auditctl");
    target.evidence = text_of(table, "evidence");
    const auto reading = auditctl_version_named(text_of(table, "reading"));
    if (!reading) reader.broken(target.name + ": unknown reading");
    target.reading = *reading;
    target.gawk = table["awk"].value<std::string>() == "gawk";
    if (table["writing"].value<std::string>() == "all")
        target.writing = all_auditctl_versions();
    else
        target.writing = {*reading};
    const toml::array* kernels = table["kernels"].as_array();
    if (kernels == nullptr || kernels->empty()) reader.broken(target.name + ": no kernels");
    for (const toml::node& node : *kernels) {
        const toml::table* kernel = node.as_table();
        if (kernel == nullptr) reader.broken(target.name + ": kernels");
        const std::string name = text_of(*kernel, "table");
        const KernelTables* tables = find_kernel(name);
        if (tables == nullptr) reader.broken(target.name + ": no kernel table " + name);
        target.kernels.push_back({text_of(*kernel, "version"), tables, (*kernel)["measured"].value_or(false)});
    }
    return target;
}

std::vector<Target> read_targets() {
    std::vector<Target> result;
    for (std::size_t i = 0; i < embedded_targets_count; ++i) {
        const toml::table file = reader.parsed(embedded_targets[i].text);
        const toml::array* list = file["target"].as_array();
        if (list == nullptr) reader.broken("no targets");
        for (const toml::node& node : *list) {
            if (node.as_table() == nullptr) reader.broken("target is not a table");
            result.push_back(read_target(*node.as_table()));
        }
    }
    return result;
}

/// Numbers of a dotted version: "6.1.0-57-amd64" is {6, 1, 0}.
std::vector<unsigned> version_numbers(std::string_view text) {
    std::vector<unsigned> numbers;
    std::size_t i = 0;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') {
        unsigned n = 0;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9' && n < 100000)
            n = n * 10 + static_cast<unsigned>(text[i++] - '0');
        numbers.push_back(n);
        if (i == text.size() || text[i] != '.') break;
        ++i;
    }
    return numbers;
}

/// The tables of a kernel on another machine.
const KernelTables* on_machine(const KernelTables* tables, Machine machine) {
    return find_kernel(tables->name, machine);
}

Target host_target(const Facts& facts, Machine machine) {
    Target target;
    target.name = "host";
    target.machine = machine;
    target.auditctl = facts.audit_version.value_or("not found, read as 3.0.9");
    target.evidence = "this host";
    if (facts.audit_version) {
        const auto have = version_numbers(*facts.audit_version);
        target.reading = all_auditctl_versions().front();
        for (const AuditctlVersion v : all_auditctl_versions()) {
            if (version_numbers(auditctl_version_name(v)) <= have) target.reading = v;
        }
    }
    target.writing = {target.reading};
    const std::string release = facts.kernel.value_or("");
    if (find_machine_model(machine) == nullptr) return target;
    const auto kernel = version_numbers(release);
    if (kernel.size() >= 2) {
        if (const KernelTables* same = find_kernel(fmt::format("linux-{}.{}", kernel[0], kernel[1]), machine)) {
            target.kernels.push_back({release, same, same->measured});
        }
    }
    if (target.kernels.empty()) {
        // The kernel is not in the tables: every one of them has to agree.
        for (const KernelTables& k : kernel_tables(machine))
            target.kernels.push_back({release.empty() ? "unknown" : release, &k, false});
        target.evidence = "this host; its kernel is not in the tables";
    }
    return target;
}

}  // namespace

std::vector<const KernelTables*> Target::proof_kernels() const {
    const bool all_measured =
        std::all_of(kernels.begin(), kernels.end(), [](const TargetKernel& k) { return k.measured; });
    if (all_measured) return cost_kernels();
    std::vector<const KernelTables*> all;
    for (const KernelTables& k : kernel_tables(machine)) all.push_back(&k);
    return all;
}

std::vector<const KernelTables*> Target::cost_kernels() const {
    std::vector<const KernelTables*> result;
    if (kernels.empty()) return result;
    for (const KernelTables& k : kernel_tables(machine)) {
        if (std::any_of(kernels.begin(), kernels.end(), [&](const TargetKernel& t) { return t.tables == &k; }))
            result.push_back(&k);
    }
    return result;
}

const std::vector<Target>& targets() {
    static const std::vector<Target> all = read_targets();
    return all;
}

std::string full_name(const Target& target) {
    if (target.machine == Machine::x86_64) return target.name;
    return fmt::format("{}/{}", target.name, machine_name(target.machine));
}

Augenrules target_augenrules(std::string_view name) {
    name = name.substr(0, name.find('/'));
    if (name == "host") {
        std::error_code error;
        const auto awk = std::filesystem::canonical("/usr/bin/awk", error).filename();
        return augenrules_of(AuditctlVersion::v3_0_9, !error && (awk == "gawk" || awk == "busybox"));
    }
    for (const Target& t : targets()) {
        if (t.name == name) return augenrules_of(t.reading, t.gawk);
    }
    return {};
}

tl::expected<Target, std::string> find_target(const std::string& name, const Facts& facts, Machine machine) {
    if (name == "host") return host_target(facts, machine);
    std::vector<std::string> names;
    for (const Target& t : targets()) {
        if (t.name == name) {
            Target target = t;
            target.machine = machine;
            if (find_machine_model(machine) == nullptr) target.kernels.clear();
            for (TargetKernel& k : target.kernels) k.tables = on_machine(k.tables, machine);
            return target;
        }
        names.push_back(t.name);
    }
    names.emplace_back("host");
    return tl::unexpected(fmt::format("unknown target {}; known: {}", name, fmt::join(names, ", ")));
}

}  // namespace auopt
