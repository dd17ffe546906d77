#include "report/event_json.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/spelling.hpp"
#include "kernel_model/machine.hpp"
#include "report/printable.hpp"
#include "tables/fields.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

using nlohmann::ordered_json;
using Problem = std::optional<std::string>;

constexpr const char* worker = "io_uring worker";

std::string call_of(const Event& event) {
    const auto machine = elf_machine(event.arch);
    if (event.arch == 0) return worker;
    const std::string name = !machine || event.nr < 0 ? "" : syscall_name(static_cast<unsigned>(event.nr), *machine);
    return name.empty() ? fmt::format("{}", event.nr) : name;
}

std::string arch_of(std::uint32_t arch) {
    if (arch == 0) return "io_uring";
    return elf_machine(arch) ? arch_word(arch) : "other";
}

// ---- the members that are plain numbers ----

struct NumberMember {
    const char* name;
    std::uint32_t Event::*member;
};
constexpr NumberMember number_members[] = {
    {"pid", &Event::pid},          {"ppid", &Event::ppid}, {"personality", &Event::pers}, {"uid", &Event::uid},
    {"euid", &Event::euid},        {"suid", &Event::suid}, {"fsuid", &Event::fsuid},      {"gid", &Event::gid},
    {"egid", &Event::egid},        {"sgid", &Event::sgid}, {"fsgid", &Event::fsgid},      {"auid", &Event::loginuid},
    {"session", &Event::sessionid}};

struct NameNumber {
    const char* name;
    std::uint32_t EventName::*member;
};
constexpr NameNumber name_numbers[] = {{"mode", &EventName::mode}, {"uid", &EventName::uid}, {"gid", &EventName::gid}};

struct DeviceMember {
    const char* name;
    std::uint32_t EventName::*major, EventName::*minor;
};
constexpr DeviceMember device_members[] = {{"dev", &EventName::dev_major, &EventName::dev_minor},
                                           {"rdev", &EventName::rdev_major, &EventName::rdev_minor}};

ordered_json texts_to_json(const std::set<std::string>& texts) {
    ordered_json out = ordered_json::array();
    for (const std::string& text : texts) out.push_back(bytes_to_json(text));
    return out;
}

ordered_json name_to_json(const EventName& name) {
    ordered_json j{{"resolved", name.resolved}, {"inode", name.ino}};
    for (const DeviceMember& d : device_members) j[d.name] = {name.*d.major, name.*d.minor};
    for (const NameNumber& n : name_numbers) j[n.name] = name.*n.member;
    j["watches"] = texts_to_json(name.watches);
    j["deleted"] = name.deleted;
    return j;
}

// Two answers of one label differ by the operator: "subj_type=X holds" is not "subj_type!=X holds".
ordered_json lsm_to_json(const FieldTest& test) {
    const auto number = static_cast<std::uint32_t>(test.field);
    const FieldRow* row = field_by_number(number);
    const std::string_view op = op_text(test.op);
    ordered_json j{{"field", row != nullptr ? std::string(row->name) : fmt::format("f{}", number)},
                   {"op", op.empty() ? fmt::format("{:#x}", static_cast<std::uint32_t>(test.op)) : std::string(op)},
                   {"text", bytes_to_json(test.text)}};
    if (test.value != 0) j["value"] = test.value;
    return j;
}

// ---- reading ----

template <typename Number>
Problem read_number(const ordered_json& j, Number& out) {
    if (!j.is_number_integer()) return "not a whole number";
    if (j.is_number_unsigned()) {
        const auto v = j.get<std::uint64_t>();
        if (v > static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) return "too large";
        out = static_cast<Number>(v);
        return std::nullopt;
    }
    const auto v = j.get<std::int64_t>();
    if (v < static_cast<std::int64_t>(std::numeric_limits<Number>::min())) return "too small";
    out = static_cast<Number>(v);
    return std::nullopt;
}

Problem read_truth(const ordered_json& j, bool& out) {
    if (!j.is_boolean()) return "not true or false";
    out = j.get<bool>();
    return std::nullopt;
}

Problem read_text(const ordered_json& j, std::string& out) {
    auto text = bytes_from_json(j);
    if (!text) return text.error();
    out = *std::move(text);
    return std::nullopt;
}

/// Each element by `read`; says which one is wrong.
template <typename Read>
Problem read_each(const ordered_json& j, Read read) {
    if (!j.is_array()) return "not an array";
    for (std::size_t i = 0; i < j.size(); ++i)
        if (const Problem p = read(j[i])) return fmt::format("element {}: {}", i, *p);
    return std::nullopt;
}

Problem read_texts(const ordered_json& j, std::set<std::string>& out) {
    out.clear();
    return read_each(j, [&](const ordered_json& element) -> Problem {
        std::string text;
        if (const Problem p = read_text(element, text)) return p;
        out.insert(std::move(text));
        return std::nullopt;
    });
}

using Readers = std::map<std::string, std::function<Problem(const ordered_json&)>>;

/// Every member by its reader; one without is an error.
Problem read_members(const ordered_json& j, const Readers& readers) {
    if (!j.is_object()) return "not an object";
    for (const auto& [name, value] : j.items()) {
        const auto reader = readers.find(name);
        if (reader == readers.end()) return fmt::format("{}: no such member", printable_text(name));
        if (const Problem p = reader->second(value)) return fmt::format("{}: {}", name, *p);
    }
    return std::nullopt;
}

Problem read_device(const ordered_json& j, std::uint32_t& major, std::uint32_t& minor) {
    if (!j.is_array() || j.size() != 2) return "not [major, minor]";
    if (const Problem p = read_number(j[0], major)) return "major: " + *p;
    if (const Problem p = read_number(j[1], minor)) return "minor: " + *p;
    return std::nullopt;
}

Problem read_name(const ordered_json& j, EventName& out) {
    Readers readers{{"resolved", [&](const ordered_json& v) { return read_truth(v, out.resolved); }},
                    {"inode", [&](const ordered_json& v) { return read_number(v, out.ino); }},
                    {"watches", [&](const ordered_json& v) { return read_texts(v, out.watches); }},
                    {"deleted", [&](const ordered_json& v) { return read_truth(v, out.deleted); }}};
    for (const NameNumber& n : name_numbers)
        readers[n.name] = [&out, n](const ordered_json& v) { return read_number(v, out.*n.member); };
    for (const DeviceMember& d : device_members)
        readers[d.name] = [&out, d](const ordered_json& v) { return read_device(v, out.*d.major, out.*d.minor); };
    return read_members(j, readers);
}

Problem read_field(const ordered_json& j, Field& out) {
    if (!j.is_string()) return "not a string";
    const auto text = j.get<std::string>();
    if (const FieldRow* row = field_by_name(text)) {
        out = static_cast<Field>(row->number);
        return std::nullopt;
    }
    // "f300": a number without a name, as printed.
    std::uint32_t number = 0;
    if (text.size() < 2 || text[0] != 'f' || text.size() > 11) return "no such field";
    std::uint64_t wide = 0;
    for (const char c : text.substr(1)) {
        if (c < '0' || c > '9') return "no such field";
        wide = wide * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (wide > std::numeric_limits<std::uint32_t>::max()) return "no such field";
    number = static_cast<std::uint32_t>(wide);
    out = static_cast<Field>(number);
    return std::nullopt;
}

Problem read_op(const ordered_json& j, Op& out) {
    if (!j.is_string()) return "not a string";
    const auto text = j.get<std::string>();
    for (const Op op : {Op::equal, Op::not_equal, Op::less, Op::greater, Op::less_equal, Op::greater_equal,
                        Op::bit_mask, Op::bit_test})
        if (op_text(op) == text) {
            out = op;
            return std::nullopt;
        }
    return "no such operator";
}

Problem read_lsm(const ordered_json& j, FieldTest& out) {
    for (const char* needed : {"field", "op", "text"})
        if (j.is_object() && !j.contains(needed)) return fmt::format("{}: missing", needed);
    return read_members(j, {{"field", [&](const ordered_json& v) { return read_field(v, out.field); }},
                            {"op", [&](const ordered_json& v) { return read_op(v, out.op); }},
                            {"text", [&](const ordered_json& v) { return read_text(v, out.text); }},
                            {"value", [&](const ordered_json& v) { return read_number(v, out.value); }}});
}

/// What the members that name the arch and the call say; they have to agree.
struct Named {
    std::optional<std::uint32_t> arch_value;
    std::optional<std::string> arch, machine, syscall;
    std::optional<std::int32_t> nr;
};

Problem read_arch(const Named& named, Event& e) {
    std::optional<std::uint32_t> value = named.arch_value;
    if (named.machine) {
        const auto machine = machine_by_name(*named.machine);
        if (!machine) return "machine: no such machine";
        if (value && *value != machine_elf(*machine)) return "machine: not that of arch_value";
        value = machine_elf(*machine);
    }
    if (named.arch) {
        if (!value) {
            if (*named.arch == "b64") value = arch_x86_64;
            if (*named.arch == "b32") value = arch_i386;
            if (*named.arch == "io_uring") value = 0;
            if (!value) return "arch: not b64, b32 or io_uring";
        }
        if (arch_of(*value) != *named.arch) return "arch: not that of arch_value or machine";
    }
    if (value) e.arch = *value;
    return std::nullopt;
}

Problem read_call(const Named& named, Event& e) {
    if (named.nr) e.nr = *named.nr;
    if (!named.syscall || (named.nr && *named.syscall == call_of(e))) return std::nullopt;
    if (named.nr) return fmt::format("syscall: nr {} is {}", e.nr, call_of(e));
    const auto machine = elf_machine(e.arch);
    const auto number = machine ? syscall_number(*named.syscall, *machine) : std::nullopt;
    if (!number && !(e.arch == 0 && *named.syscall == worker)) return "syscall: no such call of this machine";
    e.nr = static_cast<std::int32_t>(number.value_or(0));
    return std::nullopt;
}

template <typename T, typename Read>
std::function<Problem(const ordered_json&)> optional_member(std::optional<T>& out, Read read) {
    return [&out, read](const ordered_json& v) -> Problem {
        if (v.is_null()) {
            out.reset();
            return std::nullopt;
        }
        T value{};
        if (const Problem p = read(v, value)) return p;
        out = std::move(value);
        return std::nullopt;
    };
}

}  // namespace

ordered_json bytes_to_json(std::string_view bytes) {
    if (is_utf8(bytes)) return std::string(bytes);
    std::string hex;
    for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return {{"hex", hex}};
}

tl::expected<std::string, std::string> bytes_from_json(const ordered_json& j) {
    if (j.is_string()) return j.get<std::string>();
    const std::string wrong = "not a string, nor {\"hex\": \"...\"}";
    if (!j.is_object() || j.size() != 1 || !j.contains("hex") || !j["hex"].is_string()) return tl::unexpected(wrong);
    const auto hex = j["hex"].get<std::string>();
    const auto digit = [](char c) { return std::string_view("0123456789abcdef").find(c); };
    if (hex.size() % 2 != 0 || std::any_of(hex.begin(), hex.end(), [&](char c) { return digit(c) > 15; }))
        return tl::unexpected(wrong);
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
    return bytes;
}

ordered_json decision_to_json(const Decision& decision) {
    const char* outcome = decision.outcome == Outcome::always  ? "always"
                          : decision.outcome == Outcome::never ? "never"
                                                               : "no match";
    ordered_json j{{"decision", outcome}, {"key", nullptr}};
    if (decision.key) j["key"] = bytes_to_json(*decision.key);
    return j;
}

tl::expected<Decision, std::string> decision_from_json(const ordered_json& j) {
    if (!j.is_object() || !j.contains("decision") || !j.contains("key"))
        return tl::unexpected(std::string("no decision and key"));
    Decision d;
    if (j["decision"] == "always")
        d.outcome = Outcome::always;
    else if (j["decision"] == "never")
        d.outcome = Outcome::never;
    else if (j["decision"] != "no match")
        return tl::unexpected(std::string("decision: not \"always\", \"never\" or \"no match\""));
    if (j["key"].is_null()) return d;
    auto key = bytes_from_json(j["key"]);
    if (!key) return tl::unexpected("key: " + key.error());
    d.key = *std::move(key);
    return d;
}

ordered_json event_to_json(const Event& event, bool unknown_watch_is_dir) {
    ordered_json j{{"description", printable_text(describe(event))},
                   {"arch", arch_of(event.arch)},
                   {"arch_value", event.arch},
                   {"machine", nullptr},
                   {"syscall", call_of(event)},
                   {"nr", event.nr},
                   {"uring_op", nullptr},
                   {"args", event.args}};
    if (const auto machine = elf_machine(event.arch)) j["machine"] = machine_name(*machine);
    if (event.uring_op) j["uring_op"] = *event.uring_op;
    for (const NumberMember& n : number_members) {
        j[n.name] = event.*n.member;
        if (n.member == &Event::fsgid) j["groups"] = event.groups;
    }
    j["success"] = nullptr;  // no result: killed inside the call
    if (event.return_valid != ReturnValid::invalid) j["success"] = event.return_valid == ReturnValid::success;
    j["exit"] = static_cast<std::int64_t>(event.return_code);
    ordered_json names = ordered_json::array();
    for (const EventName& name : event.names) names.push_back(name_to_json(name));
    j["names"] = std::move(names);
    j["directories"] = texts_to_json(event.dirs);
    j["exe"] = texts_to_json(event.exes);
    j["program"] = nullptr;
    if (event.program)
        j["program"] = {{"dev", {event.program->dev_major, event.program->dev_minor}}, {"inode", event.program->ino}};
    j["saddr_fam"] = nullptr;
    if (event.saddr_fam) j["saddr_fam"] = *event.saddr_fam;
    j["openat2_flags"] = event.openat2_flags;
    ordered_json lsm = ordered_json::array();
    for (const LsmAnswer& answer : event.lsm_true) lsm.push_back(lsm_to_json(answer.test));
    j["lsm_true"] = std::move(lsm);
    j["unknown_watch_is_directory"] = unknown_watch_is_dir;
    return j;
}

tl::expected<ReadEvent, std::string> event_from_json(const ordered_json& j) {
    ReadEvent out;
    Event& e = out.event;
    Named named;
    std::string description;
    Readers readers{
        {"description", [&](const ordered_json& v) { return read_text(v, description); }},
        {"arch", optional_member(named.arch, read_text)},
        {"arch_value", optional_member(named.arch_value, read_number<std::uint32_t>)},
        {"machine", optional_member(named.machine, read_text)},
        {"syscall", optional_member(named.syscall, read_text)},
        {"nr", optional_member(named.nr, read_number<std::int32_t>)},
        {"uring_op", optional_member(e.uring_op, read_number<unsigned>)},
        {"saddr_fam", optional_member(e.saddr_fam, read_number<std::uint32_t>)},
        {"openat2_flags", [&](const ordered_json& v) { return read_number(v, e.openat2_flags); }},
        {"directories", [&](const ordered_json& v) { return read_texts(v, e.dirs); }},
        {"exe", [&](const ordered_json& v) { return read_texts(v, e.exes); }},
        {"unknown_watch_is_directory", [&](const ordered_json& v) { return read_truth(v, out.unknown_watch_is_dir); }}};
    readers["program"] = optional_member(e.program, [](const ordered_json& v, Inode& inode) {
        return read_members(
            v, {{"dev", [&](const ordered_json& d) { return read_device(d, inode.dev_major, inode.dev_minor); }},
                {"inode", [&](const ordered_json& n) { return read_number(n, inode.ino); }}});
    });
    readers["args"] = [&](const ordered_json& v) -> Problem {
        if (!v.is_array() || v.size() != e.args.size()) return "not four numbers";
        std::size_t i = 0;
        return read_each(v, [&](const ordered_json& element) { return read_number(element, e.args[i++]); });
    };
    for (const NumberMember& n : number_members)
        readers[n.name] = [&e, n](const ordered_json& v) { return read_number(v, e.*n.member); };
    readers["groups"] = [&](const ordered_json& v) {
        return read_each(v, [&](const ordered_json& element) -> Problem {
            std::uint32_t group = 0;
            if (const Problem p = read_number(element, group)) return p;
            e.groups.insert(group);
            return std::nullopt;
        });
    };
    readers["success"] = [&](const ordered_json& v) -> Problem {
        e.return_valid = ReturnValid::invalid;
        if (v.is_null()) return std::nullopt;
        bool success = false;
        if (const Problem p = read_truth(v, success)) return p;
        e.return_valid = success ? ReturnValid::success : ReturnValid::failure;
        return std::nullopt;
    };
    readers["exit"] = [&](const ordered_json& v) -> Problem {
        std::int64_t code = 0;
        if (const Problem p = read_number(v, code)) return p;
        e.return_code = static_cast<std::uint64_t>(code);
        return std::nullopt;
    };
    readers["names"] = [&](const ordered_json& v) {
        return read_each(v, [&](const ordered_json& element) { return read_name(element, e.names.emplace_back()); });
    };
    readers["lsm_true"] = [&](const ordered_json& v) {
        return read_each(
            v, [&](const ordered_json& element) { return read_lsm(element, e.lsm_true.emplace_back().test); });
    };
    if (const Problem p = read_members(j, readers)) return tl::unexpected(*p);
    if (const Problem p = read_arch(named, e)) return tl::unexpected(*p);
    if (const Problem p = read_call(named, e)) return tl::unexpected(*p);
    return out;
}

}  // namespace auopt
