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

/// "6.1" of "6.1.0-57-amd64"; nothing for what begins with no two numbers.
std::optional<std::string> kernel_series(const std::string& release) {
    const auto numbers = version_numbers(release);
    if (numbers.size() < 2) return std::nullopt;
    return fmt::format("{}.{}", numbers[0], numbers[1]);
}

/// The row of the data file that a host with these versions is; null for none. The rows of single kernels are no hosts.
const Target* row_of(const Facts& facts) {
    if (!facts.audit_version || !facts.kernel) return nullptr;
    const auto series = kernel_series(*facts.kernel);
    for (const Target& t : targets()) {
        if (t.kernels.size() == 1 && t.name != t.kernels[0].tables->name && series == t.kernels[0].version &&
            version_numbers(t.auditctl) == version_numbers(*facts.audit_version))
            return &t;
    }
    return nullptr;
}

/// The version whose reading this program has for `version`: the newest one that is not newer.
AuditctlVersion reading_of(const std::string& version) {
    const auto have = version_numbers(version);
    AuditctlVersion reading = all_auditctl_versions().front();
    for (const AuditctlVersion v : all_auditctl_versions()) {
        if (version_numbers(auditctl_version_name(v)) <= have) reading = v;
    }
    return reading;
}

/// RHEL's kernels carry much of later ones under an old number.
bool has_backports(const std::string& release) { return release.find(".el") != std::string::npos; }

Target host_target(const Facts& facts, Machine machine) {
    Target target;
    target.name = "host";
    target.machine = machine;
    target.auditctl = facts.audit_version.value_or("unknown");
    target.evidence = "this host";
    if (facts.audit_version) {
        target.reading = reading_of(*facts.audit_version);
        target.writing = {target.reading};
    } else {
        target.writing = all_auditctl_versions();
    }
    const std::string release = facts.kernel.value_or("");
    const auto series = kernel_series(release);
    target.gawk = has_backports(release);
    target.description =
        fmt::format("{}, {}", facts.audit_version ? "auditctl " + *facts.audit_version : "every auditctl",
                    series ? "kernel " + *series : "every kernel");
    if (find_machine_model(machine) == nullptr) return target;
    if (!series) {
        // Nobody says which kernel it is: every one that is known.
        for (const KernelTables& k : kernel_tables(machine))
            target.kernels.push_back({k.name.substr(k.name.find('-') + 1), &k, k.measured});
        return target;
    }
    const KernelTables* same = find_kernel("linux-" + *series, machine);
    if (same != nullptr && !has_backports(release)) {
        target.kernels.push_back({*series, same, same->measured});
    } else {
        // The kernel is not in the tables: every one of them has to agree.
        for (const KernelTables& k : kernel_tables(machine)) target.kernels.push_back({*series, &k, false});
        target.evidence = "this host; its kernel is not in the tables";
    }
    return target;
}

Target on_machine(const Target& row, Machine machine) {
    Target target = row;
    target.machine = machine;
    if (find_machine_model(machine) == nullptr) target.kernels.clear();
    for (TargetKernel& k : target.kernels) k.tables = on_machine(k.tables, machine);
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

std::string asked_name(const Target& target) {
    std::string name = full_name(target);
    if (!target.description.empty()) name += fmt::format(" ({})", target.description);
    if (target.origin == TargetOrigin::facts) name += ", from the facts";
    return name;
}

std::string figures_name(const Target& target, const KernelTables& tables) {
    if (target.kernels.size() == 1) return target.name;
    const auto kernel = std::find_if(target.kernels.begin(), target.kernels.end(),
                                     [&](const TargetKernel& k) { return k.tables->name == tables.name; });
    if (kernel == target.kernels.end() || kernel->measured) return tables.name;
    return fmt::format("{} as {}", target.name, tables.name);
}

std::string not_measured(const Target& target) {
    std::vector<std::string> versions, tables;
    for (const TargetKernel& kernel : target.kernels) {
        if (kernel.measured || !kernel.tables->costs_measured()) continue;
        if (std::find(versions.begin(), versions.end(), kernel.version) == versions.end())
            versions.push_back(kernel.version);
        tables.push_back(kernel.tables->name + "'s");
    }
    if (versions.empty()) return {};
    return fmt::format("{}: kernel {} not measured, predicted with {} table{}", target.name, fmt::join(versions, ", "),
                       fmt::join(tables, " and "), tables.size() == 1 ? "" : "s");
}

std::string evidence_text(const Target& target) {
    const std::string note = not_measured(target);
    return note.empty() ? target.evidence : note;
}

FiguresOf figures_of(const Target& target, const KernelTables& tables) {
    FiguresOf figures{figures_name(target, tables), asked_name(target), {}, "measured"};
    const auto kernel = std::find_if(target.kernels.begin(), target.kernels.end(),
                                     [&](const TargetKernel& k) { return k.tables->name == tables.name; });
    if (kernel == target.kernels.end()) return figures;
    figures.kernel = kernel->version;
    if (!tables.costs_measured())
        figures.evidence = fmt::format("instructions not measured on {}", machine_name(target.machine));
    else if (!kernel->measured)
        figures.evidence =
            fmt::format("kernel {} not measured, predicted with {}'s table", kernel->version, tables.name);
    return figures;
}

Augenrules target_augenrules(const Target& target) {
    bool blanks = target.gawk;
    if (target.name == "host" && target.origin != TargetOrigin::facts) {
        std::error_code error;
        const auto awk = std::filesystem::canonical("/usr/bin/awk", error).filename();
        blanks = !error && (awk == "gawk" || awk == "busybox");
    }
    return augenrules_of(target.reading, blanks);
}

tl::expected<Target, std::string> find_target(const std::string& name, const Facts& facts, Machine machine,
                                              bool this_host) {
    if (name == "host" || (name.empty() && this_host)) {
        Target target = host_target(facts, machine);
        target.origin = TargetOrigin::host;
        return target;
    }
    if (name.empty() && (facts.audit_version || facts.kernel)) {
        const Target* row = row_of(facts);
        Target target = row != nullptr ? on_machine(*row, machine) : host_target(facts, machine);
        target.origin = TargetOrigin::facts;
        return target;
    }
    std::vector<std::string> names;
    for (const Target& t : targets()) {
        if (t.name == (name.empty() ? "any" : name)) {
            Target target = on_machine(t, machine);
            target.origin = name.empty() ? TargetOrigin::nobody : TargetOrigin::flag;
            return target;
        }
        names.push_back(t.name);
    }
    names.emplace_back("host");
    return tl::unexpected(fmt::format("unknown target {}; known: {}", name, fmt::join(names, ", ")));
}

}  // namespace auopt
