// What rule_to_line writes loads as the same rule in every auditctl version of the tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "compiler/compile.hpp"
#include "compiler/emit.hpp"
#include "compiler/version.hpp"
#include "tables/fields.hpp"

namespace auopt {
namespace {

const std::vector<Op> all_ops = {Op::equal,      Op::not_equal,     Op::less,     Op::greater,
                                 Op::less_equal, Op::greater_equal, Op::bit_mask, Op::bit_test};

rc::Gen<std::string> text_gen() {
    return rc::gen::map(
        rc::gen::container<std::string>(rc::gen::element('/', 'a', 'b', ' ', '\\', '=', '<', '!', '#', '-', '"', '\t',
                                                         '\r', static_cast<char>(0xC3), '\x07', '\n')),
        [](std::string text) { return "/" + text.substr(0, 30); });
}

rc::Gen<std::uint32_t> number_gen() {
    return rc::gen::weightedOneOf<std::uint32_t>({
        {4, rc::gen::inRange<std::uint32_t>(0, 2000)},
        {1, rc::gen::arbitrary<std::uint32_t>()},
        {1, rc::gen::element<std::uint32_t>(0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0xFFFFFFF3, 0)},
    });
}

std::uint32_t value_for(const FieldRow& row) {
    switch (row.value_class) {
        case ValueClass::arch:
            return *rc::gen::elementOf(std::vector<std::uint32_t>{arch_x86_64, arch_i386, 0xC00000B7});
        case ValueClass::permissions:
            return *rc::gen::inRange<std::uint32_t>(1, 16);
        case ValueClass::file_type:
            return *rc::gen::element<std::uint32_t>(0x8000, 0x4000, 0x2000);
        case ValueClass::address_family:
            return *rc::gen::inRange<std::uint32_t>(0, 46);
        default:
            return *number_gen();
    }
}

FieldTest field_test(const FieldRow& row) {
    FieldTest test;
    test.field = static_cast<Field>(row.number);
    switch (row.ops) {
        case FieldOps::all:
            test.op = *rc::gen::elementOf(all_ops);
            break;
        case FieldOps::equality:
            test.op = *rc::gen::element(Op::equal, Op::not_equal);
            break;
        case FieldOps::equal_only:
            test.op = Op::equal;
            break;
    }
    if (row.value_class == ValueClass::text) {
        test.text = *text_gen();
    } else {
        test.value = value_for(row);
    }
    return test;
}

SyscallMask mask_gen() {
    SyscallMask mask = SyscallMask::all();
    if (*rc::gen::inRange(0, 3) == 0) return mask;
    mask = SyscallMask{};
    for (const auto nr : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, mask_syscalls))) mask.set(nr);
    return mask;
}

KernelRule exit_rule() {
    KernelRule rule;
    rule.action = *rc::gen::element(Action::always, Action::never);
    rule.list = *rc::gen::weightedElement<List>(
        {{8, List::exit}, {1, List::user}, {1, List::exclude}, {1, List::task}, {1, List::filesystem}});
    rule.mask = rule.list == List::task ? SyscallMask{} : rule.list == List::exit ? mask_gen() : SyscallMask::all();
    const unsigned bit = rule.list == List::exit      ? on_exit
                         : rule.list == List::user    ? on_user
                         : rule.list == List::exclude ? on_exclude
                         : rule.list == List::task    ? on_task
                                                      : on_filesystem;
    std::vector<const FieldRow*> rows;
    for (const auto& row : field_rows())
        if ((row.lists & bit) != 0 && row.number != static_cast<std::uint32_t>(Field::key)) rows.push_back(&row);
    const int count = *rc::gen::inRange(0, 5);
    // perm and arch are what the emission rule is about, so they come often.
    if (rule.list == List::exit && *rc::gen::arbitrary<bool>())
        rule.tests.push_back(field_test(*field_by_name("perm")));
    if (rule.list == List::exit && *rc::gen::arbitrary<bool>())
        rule.tests.push_back(field_test(*field_by_name("arch")));
    for (int i = 0; i < count; ++i) rule.tests.push_back(field_test(**rc::gen::elementOf(rows)));
    if (*rc::gen::arbitrary<bool>()) {
        FieldTest key;
        key.field = Field::key;
        key.text = *rc::gen::weightedOneOf<std::string>(
            {{3, rc::gen::just(std::string("access"))}, {1, rc::gen::just(std::string("two\1keys"))}, {1, text_gen()}});
        rule.tests.push_back(key);
    }
    return rule;
}

/// Versions that know every part of the rule at all.
bool known_to(const KernelRule& rule, const Features& features) {
    for (const auto& test : rule.tests) {
        if (test.field == Field::saddr_fam && !features.saddr_fam) return false;
        if (test.field == Field::key && rule.list == List::exclude && !features.exclude_all_fields) return false;
        if (test.field == Field::exe && !features.exe_not_equal && (test.op != Op::equal || rule.list == List::exclude))
            return false;
    }
    return rule.list != List::io_uring || features.last_io_uring_op != 0;
}

std::vector<KernelRule> compiled(const std::string& line, AuditctlVersion version, std::string& problems) {
    Sources sources;
    const FileId file = sources.add("t.rules", line + "\n");
    Diagnostics diagnostics;
    CompileOptions options;
    options.version = version;
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    for (const auto& diagnostic : diagnostics.items()) problems += diagnostic.id + " " + diagnostic.message + "\n";
    std::vector<KernelRule> rules;
    for (const auto& message : program.messages)
        if (const auto* add = std::get_if<AddRule>(&message.body)) rules.push_back(add->rule);
    return program.failed ? std::vector<KernelRule>{} : rules;
}

std::string shown(const KernelRule& rule) {
    std::string out =
        "list " + std::to_string(static_cast<unsigned>(rule.list)) + " calls " + std::to_string(rule.mask.count());
    for (const auto& test : rule.tests)
        out += " (" + std::to_string(static_cast<unsigned>(test.field)) + " " +
               std::to_string(static_cast<unsigned>(test.op)) + " " + std::to_string(test.value) + " `" + test.text +
               "`)";
    return out;
}

RC_GTEST_PROP(Emit, EveryVersionReadsTheSameRule, ()) {
    const KernelRule rule = exit_rule();
    const auto line = rule_to_line(rule);
    RC_CLASSIFY(line.has_value(), "written");
    if (!line) {
        RC_ASSERT(!line.error().empty());
        return;
    }
    RC_LOG() << shown(rule) << "\n" << *line << "\n";
    for (const auto version : all_auditctl_versions()) {
        if (!known_to(rule, features_of(version))) continue;
        std::string problems;
        const auto rules = compiled(*line, version, problems);
        RC_LOG() << auditctl_version_name(version) << "\n" << problems;
        RC_ASSERT(rules.size() == 1U);
        RC_ASSERT(rules[0].same_as(rule));
    }
}

// The compiler's other direction: whatever it builds of a line can be written again, or is refused with a reason,
// and the text is a fixed point.
RC_GTEST_PROP(Emit, WritingIsAFixedPoint, ()) {
    const KernelRule rule = exit_rule();
    const auto line = rule_to_line(rule);
    if (!line) return;
    std::string problems;
    const auto rules = compiled(*line, AuditctlVersion::v4_2_1, problems);
    RC_ASSERT(rules.size() == 1U);
    const auto again = rule_to_line(rules[0]);
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == *line);
}

RC_GTEST_PROP(Emit, WatchesOfUnknownKindComeBackAsWatches, ()) {
    KernelRule rule;
    rule.watch_kind_unknown = true;
    rule.mask = SyscallMask::all();
    FieldTest path;
    path.field = Field::path;
    path.text = "/n" + *text_gen();  // "/" alone is always a directory
    FieldTest perm;
    perm.field = Field::perm;
    perm.value = *rc::gen::inRange<std::uint32_t>(1, 16);
    rule.tests = {path, perm};
    if (*rc::gen::arbitrary<bool>()) rule.tests.push_back(field_test(*field_by_name("auid")));
    if (*rc::gen::arbitrary<bool>()) {
        FieldTest key;
        key.field = Field::key;
        key.text = "k";
        rule.tests.push_back(key);
    }
    if (*rc::gen::arbitrary<bool>()) rule.action = Action::never;
    const auto line = rule_to_line(rule);
    RC_CLASSIFY(line.has_value(), "written");
    if (!line) return;
    RC_LOG() << *line << "\n";
    for (const auto version : all_auditctl_versions()) {
        std::string problems;
        const auto rules = compiled(*line, version, problems);
        RC_LOG() << auditctl_version_name(version) << "\n" << problems;
        RC_ASSERT(rules.size() == 1U);
        RC_ASSERT(rules[0].same_as(rule));
    }
}

}  // namespace
}  // namespace auopt
