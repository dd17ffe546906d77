// SHA-256 (libmd), for the inputs named in an output's header and for SARIF fingerprints.
#pragma once

#include <string>
#include <string_view>

namespace auopt {

/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace auopt
