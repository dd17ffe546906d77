#include "kernel_model/table_reader.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace auopt {

extern const EmbeddedFile embedded_kernels[];
extern const std::size_t embedded_kernels_count;

void TableReader::broken(std::string_view what) const {
    fmt::print(stderr, "auopt: embedded table {}: {}\n", file, what);
    std::abort();
}

toml::table TableReader::parsed(std::string_view text) const {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        broken(error.description());
    }
}

const toml::table& TableReader::section(const toml::table& t, std::string_view key) const {
    const toml::table* s = t[key].as_table();
    if (s == nullptr) broken(fmt::format("no section {}", key));
    return *s;
}

std::uint32_t TableReader::number(const toml::table& t, std::string_view key) const {
    const auto value = t[key].value<std::int64_t>();
    if (!value || *value < 0 || *value > 0x7FFFFFFF) broken(fmt::format("no number {}", key));
    return static_cast<std::uint32_t>(*value);
}

FieldCost TableReader::pair(const toml::node* node, std::string_view key) const {
    const toml::array* a = node == nullptr ? nullptr : node->as_array();
    if (a == nullptr || a->size() != 2) broken(fmt::format("{} is not [fail, pass]", key));
    const auto fail = (*a)[0].value<std::int64_t>(), pass = (*a)[1].value<std::int64_t>();
    if (!fail || !pass || *fail < 0 || *pass < 0) broken(fmt::format("{} is not [fail, pass]", key));
    return {static_cast<std::uint32_t>(*fail), static_cast<std::uint32_t>(*pass)};
}

const std::vector<KernelFile>& kernel_files() {
    static const std::vector<KernelFile> all = [] {
        std::vector<KernelFile> files;
        for (std::size_t i = 0; i < embedded_kernels_count; ++i) {
            const TableReader reader{embedded_kernels[i].name};
            toml::table root = reader.parsed(embedded_kernels[i].text);
            std::string name = root["name"].value_or(std::string{});
            if (name.empty()) reader.broken("no name");
            files.push_back({reader, std::move(name), std::move(root)});
        }
        return files;
    }();
    return all;
}

}  // namespace auopt
