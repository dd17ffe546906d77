#include "compiler/spelling.hpp"

#include <fmt/format.h>

namespace auopt {

std::string_view op_text(Op op) {
    switch (op) {
        case Op::equal:
            return "=";
        case Op::not_equal:
            return "!=";
        case Op::less:
            return "<";
        case Op::greater:
            return ">";
        case Op::less_equal:
            return "<=";
        case Op::greater_equal:
            return ">=";
        case Op::bit_mask:
            return "&";
        case Op::bit_test:
            return "&=";
    }
    return {};
}

std::optional<std::string_view> list_word(List list) {
    switch (list) {
        case List::user:
            return "user";
        case List::task:
            return "task";
        case List::exit:
            return "exit";
        case List::exclude:
            return "exclude";
        case List::filesystem:
            return "filesystem";
        case List::io_uring:
            return "io_uring";
    }
    return std::nullopt;
}

std::string permission_letters(std::uint32_t bits) {
    std::string out;
    if ((bits & perm_read) != 0) out += 'r';
    if ((bits & perm_write) != 0) out += 'w';
    if ((bits & perm_exec) != 0) out += 'x';
    if ((bits & perm_attr) != 0) out += 'a';
    return out;
}

std::string arch_text(std::uint32_t elf, Machine host) {
    const auto wide = machine_64bit(host);
    const auto narrow = machine_32bit(host);
    if (wide && machine_elf(*wide) == elf) return "b64";
    if (narrow && *narrow != host && machine_elf(*narrow) == elf) return "b32";
    return fmt::format("0x{:x}", elf);
}

tl::expected<std::string, std::string> escaped_token(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\n' || c == '\0' || c == 0x04 || c == 0x07) {
            return tl::unexpected(
                fmt::format("byte 0x{:02x} cannot stand in a rules file", static_cast<unsigned char>(c)));
        }
        if (c == ' ' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

}  // namespace auopt
