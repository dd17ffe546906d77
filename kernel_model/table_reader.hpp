// Reads the data files that the build embeds (tables/). They are part of the program: a mistake in one is a broken
// build, not a user's error, and ends the program.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_model/tables.hpp"
#include "tables/embedded.hpp"

namespace auopt {

struct TableReader {
    std::string_view file;

    [[noreturn]] void broken(std::string_view what) const;
    toml::table parsed(std::string_view text) const;
    const toml::table& section(const toml::table& t, std::string_view key) const;
    /// 0 to 2^31-1.
    std::uint32_t number(const toml::table& t, std::string_view key) const;
    /// [fail, pass]; `key` names a missing or malformed node.
    FieldCost pair(const toml::node* node, std::string_view key) const;
};

/// One of tables/kernels/*.toml.
struct KernelFile {
    TableReader reader;
    std::string name;  // of the kernel, "linux-6.1"
    toml::table root;
};
const std::vector<KernelFile>& kernel_files();

}  // namespace auopt
