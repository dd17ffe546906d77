#include "compiler/wire.hpp"

#include <string_view>

namespace auopt {

namespace {

constexpr std::uint32_t filter_prepend = 0x10;  // AUDIT_FILTER_PREPEND

class Bytes {
public:
    void u32(std::uint32_t value) {
        for (unsigned shift = 0; shift < 32; shift += 8)
            bytes_.push_back(static_cast<std::uint8_t>((value >> shift) & 0xFF));
    }
    void text(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
    void zeros(std::size_t count) { bytes_.insert(bytes_.end(), count, 0); }
    /// libaudit rounds what it sends up to four bytes; only rules are shown without that.
    void pad() { zeros((4 - bytes_.size() % 4) % 4); }
    std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<std::uint8_t> bytes_;
};

std::string hex(const std::vector<std::uint8_t>& bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const auto byte : bytes) {
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
    return out;
}

/// struct audit_status of Debian 12: eleven words, of which the mask and the named member are set.
std::vector<std::uint8_t> status_bytes(const SetStatus& set) {
    constexpr std::size_t words = 11;
    std::size_t member = 0;
    switch (set.mask) {
        case 0x01:
            member = 1;
            break;  // enabled
        case 0x02:
            member = 2;
            break;  // failure
        case 0x08:
            member = 4;
            break;  // rate_limit
        case 0x10:
            member = 5;
            break;  // backlog_limit
        case 0x20:
            member = 9;
            break;  // backlog_wait_time
        case 0x40:
            member = 6;
            break;  // lost
        case 0x80:
            member = 10;
            break;  // backlog_wait_time_actual
        default:
            break;
    }
    Bytes out;
    for (std::size_t i = 0; i < words; ++i) out.u32(i == 0 ? set.mask : i == member ? set.value : 0);
    return out.take();
}

struct LineOf {
    std::string operator()(const AddRule& m) const { return "ADD_RULE " + hex(rule_to_wire(m.rule)); }
    std::string operator()(const DeleteRule& m) const { return "DEL_RULE " + hex(rule_to_wire(m.rule)); }
    std::string operator()(const DeleteAll&) const { return {}; }
    std::string operator()(const SetStatus& m) const { return "SET " + hex(status_bytes(m)); }
    std::string operator()(const SetFeature& m) const {
        Bytes out;
        out.u32(0);  // version
        out.u32(m.mask);
        out.u32(m.features);
        out.u32(m.lock);
        return "SET_FEATURE " + hex(out.take());
    }
    std::string operator()(const Trim&) const { return "TRIM -"; }
    std::string operator()(const MakeEquiv& m) const {
        Bytes out;
        out.u32(static_cast<std::uint32_t>(m.mount.size()));
        out.u32(static_cast<std::uint32_t>(m.subtree.size()));
        out.text(m.mount);
        out.text(m.subtree);
        out.pad();
        return "MAKE_EQUIV " + hex(out.take());
    }
    std::string operator()(const UserMessage& m) const {
        // auditctl adds who sends it; this is what Debian's binary adds when it has no terminal.
        Bytes out;
        out.text(m.text);
        out.text(" exe=\"/usr/sbin/auditctl\" hostname=? addr=? terminal=? res=success");
        out.zeros(1);
        out.pad();
        return "USER " + hex(out.take());
    }
    std::string operator()(const Inert&) const { return {}; }
};

}  // namespace

std::vector<std::uint8_t> rule_to_wire(const KernelRule& rule) {
    Bytes out;
    out.u32(static_cast<std::uint32_t>(rule.list) | (rule.prepend ? filter_prepend : 0));
    out.u32(static_cast<std::uint32_t>(rule.action));
    out.u32(static_cast<std::uint32_t>(rule.tests.size()));
    for (const auto word : rule.mask.words) out.u32(word);

    const std::size_t unused = (max_fields - rule.tests.size()) * 4;
    std::string buffer;
    for (const auto& test : rule.tests) out.u32(static_cast<std::uint32_t>(test.field));
    out.zeros(unused);
    for (const auto& test : rule.tests) {
        if (is_text_field(test.field)) {
            out.u32(static_cast<std::uint32_t>(test.text.size()));
            buffer += test.text;
        } else {
            out.u32(test.value);
        }
    }
    out.zeros(unused);
    for (const auto& test : rule.tests) out.u32(static_cast<std::uint32_t>(test.op));
    out.zeros(unused);
    out.u32(static_cast<std::uint32_t>(buffer.size()));
    out.text(buffer);
    return out.take();
}

std::string message_to_wire_line(const Message& message) { return std::visit(LineOf{}, message.body); }

}  // namespace auopt
