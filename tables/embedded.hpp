// Data files that the build embeds (cmake: auopt_embed), so that an installed binary needs no data folder.
#pragma once

#include <cstddef>
#include <string_view>

namespace auopt {

struct EmbeddedFile {
    std::string_view name;  // file name without its folder
    std::string_view text;
};

}  // namespace auopt
