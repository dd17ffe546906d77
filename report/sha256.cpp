#include "report/sha256.hpp"

#include <array>

#include <sys/types.h>

#include <sha2.h>

namespace auopt {

std::string sha256_hex(std::string_view bytes) {
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
    SHA256Final(digest.data(), &context);
    static constexpr char digits[] = "0123456789abcdef";
    std::string hex;
    for (auto byte : digest) {
        hex += digits[byte >> 4U];
        hex += digits[byte & 15U];
    }
    return hex;
}

}  // namespace auopt
