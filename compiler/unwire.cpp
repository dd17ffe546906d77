// struct audit_rule_data -> kernel rule. Mirrors what auditfilter.c:audit_krule_to_data writes, and trusts none of it.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "compiler/wire.hpp"
#include "tables/fields.hpp"

namespace auopt {

namespace {

constexpr std::uint32_t filter_prepend = 0x10;  // AUDIT_FILTER_PREPEND

// Offsets in struct audit_rule_data.
constexpr std::size_t at_mask = 12, at_fields = 268, at_values = 524, at_ops = 780, at_buflen = 1036, at_buf = 1040;

class Reader {
public:
    explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    std::uint32_t u32(std::size_t at) const {
        return std::uint32_t{bytes_[at]} | std::uint32_t{bytes_[at + 1]} << 8U | std::uint32_t{bytes_[at + 2]} << 16U |
               std::uint32_t{bytes_[at + 3]} << 24U;
    }

private:
    std::span<const std::uint8_t> bytes_;
};

bool known_field(std::uint32_t number) {
    return field_by_number(number) != nullptr || number == static_cast<std::uint32_t>(Field::loginuid_set);
}

}  // namespace

tl::expected<KernelRule, std::string> rule_from_wire(std::span<const std::uint8_t> bytes) {
    const auto bad = [](std::string reason) { return tl::unexpected(std::move(reason)); };
    if (bytes.size() < at_buf) return bad(fmt::format("{} bytes, a rule has at least {}", bytes.size(), at_buf));
    const Reader in(bytes);
    const std::uint32_t buffer_size = in.u32(at_buflen);
    if (buffer_size != bytes.size() - at_buf)
        return bad(fmt::format("{} bytes of text are announced, {} are there", buffer_size, bytes.size() - at_buf));

    KernelRule rule;
    const std::uint32_t flags = in.u32(0);
    rule.prepend = (flags & filter_prepend) != 0;
    rule.list = static_cast<List>(flags & ~filter_prepend);
    if (!list_word(rule.list)) return bad(fmt::format("no filter list has number {}", flags & ~filter_prepend));
    const std::uint32_t action = in.u32(4);
    if (action != static_cast<std::uint32_t>(Action::never) && action != static_cast<std::uint32_t>(Action::always))
        return bad(fmt::format("action {} is neither never nor always", action));
    rule.action = static_cast<Action>(action);
    for (unsigned i = 0; i < mask_words; ++i) rule.mask.words[i] = in.u32(at_mask + 4 * i);

    const std::uint32_t count = in.u32(8);
    if (count > max_fields) return bad(fmt::format("{} fields, a rule has at most {}", count, max_fields));
    std::size_t text_at = at_buf;
    for (std::size_t i = 0; i < count; ++i) {
        FieldTest test;
        const std::uint32_t number = in.u32(at_fields + 4 * i);
        if (!known_field(number)) return bad(fmt::format("field {} is not known", number));
        test.field = static_cast<Field>(number);
        test.op = static_cast<Op>(in.u32(at_ops + 4 * i));
        if (op_text(test.op).empty())
            return bad(fmt::format("operator 0x{:x} is not known", static_cast<std::uint32_t>(test.op)));
        const std::uint32_t value = in.u32(at_values + 4 * i);
        if (!is_text_field(test.field)) {
            test.value = value;
            rule.tests.push_back(std::move(test));
            continue;
        }
        if (value > bytes.size() - text_at)
            return bad(fmt::format("the text of field {} is {} bytes long, {} are left", number, value,
                                   bytes.size() - text_at));
        const auto text = bytes.subspan(text_at, value);
        if (std::find(text.begin(), text.end(), std::uint8_t{0}) != text.end())
            return bad(fmt::format("the text of field {} has a NUL in it", number));
        test.text.assign(text.begin(), text.end());
        text_at += value;
        rule.tests.push_back(std::move(test));
    }
    if (text_at != bytes.size()) return bad(fmt::format("{} bytes of text belong to no field", bytes.size() - text_at));
    return rule;
}

}  // namespace auopt
