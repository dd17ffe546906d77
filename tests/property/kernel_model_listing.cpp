// Rules that the kernel takes, printed as auditctl -l prints them and read back: the rule itself in normal form, or a
// refusal. So no two rules of different meaning are ever read from one text.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/print_listing.hpp"
#include "compiler/read_listing.hpp"
#include "kernel_model/accept.hpp"
#include "tables/fields.hpp"

namespace auopt {
namespace {

SyscallMask stored_all() {
    SyscallMask mask = SyscallMask::all();
    mask.words[mask_words - 1] = 0xFFFF;
    return mask;
}

template <class T>
T pick(const std::vector<T>& from) {
    return *rc::gen::elementOf(from);
}

std::string any_text() {
    return pick<std::string>(
        {"/a", "/b", "/a=b", "/a!=b", "=x", "x", "/d/", "/", "//", "/x-F", "-w", "all", "/a,b", "k"});
}

std::uint32_t any_value() {
    return pick<std::uint32_t>({0,          1,          2,          11,         15,       100,        1000,
                                0x4000,     0x8000,     1300,       1307,       55555,    0x7FFFFFFF, 0x80000000,
                                0xFFFFFFF3, 0xFFFFFFFE, 0xFFFFFFFF, 0x64626720, 0x27e0eb, 0xFFFFF000});
}

FieldTest any_test() {
    FieldTest test;
    std::vector<std::uint32_t> fields{24, 105, 107, 112, 106, 106, 210, 210, 11, 11};
    for (const FieldRow& row : field_rows()) fields.push_back(row.number);
    test.field = static_cast<Field>(pick(fields));
    test.op = pick<Op>({Op::equal, Op::equal, Op::equal, Op::not_equal, Op::less, Op::greater, Op::less_equal,
                        Op::greater_equal, Op::bit_mask, Op::bit_test});
    if (is_text_field(test.field))
        test.text = any_text();
    else if (test.field == Field::arch)
        test.value = pick<std::uint32_t>({arch_x86_64, arch_i386});
    else
        test.value = any_value();
    if (test.field == Field::perm) test.value = *rc::gen::inRange(0U, 16U);
    if (test.field == Field::key && *rc::gen::arbitrary<bool>())
        test.text +=
            "\x01"
            "two";
    return test;
}

SyscallMask any_calls() {
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 0) return SyscallMask();
    SyscallMask mask = kind == 1 ? SyscallMask() : stored_all();
    for (const unsigned nr : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, 480U))) {
        if (kind == 1) mask.set(nr);
        if (kind == 2) mask.clear(nr);
    }
    if (kind == 1 && *rc::gen::arbitrary<bool>()) mask.set(*rc::gen::inRange(480U, mask_syscalls));
    return mask;
}

// What reading a listing takes for granted beyond the text (explain plain-listing).
bool plain(const KernelRule& rule) {
    for (const FieldTest& t : rule.tests) {
        if (t.field == Field::field_compare && (t.value == 0 || t.value > 25)) return false;
        if (t.field == Field::perm && (t.op != Op::equal || t.value > 15)) return false;
        if (t.field == Field::loginuid_set && t.value > 1) return false;
    }
    return true;
}

/// Only what the kernel takes, as it stores it; fields that do not go together are dropped one after the other.
KernelRule any_rule() {
    KernelRule rule;
    rule.list = pick<List>({List::exit, List::exit, List::exit, List::exit, List::user, List::task, List::exclude,
                            List::filesystem, List::io_uring});
    rule.action = pick<Action>({Action::always, Action::never});
    if (rule.list == List::exit || rule.list == List::io_uring)
        rule.mask = any_calls();
    else if (rule.list != List::task)
        rule.mask = stored_all();
    const bool watch = rule.list == List::exit && *rc::gen::inRange(0, 4) == 0;
    if (watch) {
        rule.mask = stored_all();
        rule.tests = {
            {*rc::gen::arbitrary<bool>() ? Field::path : Field::dir, Op::equal, 0, pick<std::string>({"/a", "/b"})},
            {Field::perm, Op::equal, *rc::gen::inRange(0U, 16U), ""}};
        if (*rc::gen::arbitrary<bool>()) std::swap(rule.tests[0], rule.tests[1]);
    }
    for (int n = *rc::gen::inRange(0, watch ? 2 : 5); n > 0; --n) {
        rule.tests.push_back(any_test());
        if (refusal(rule) || !plain(rule)) rule.tests.pop_back();
    }
    return rule;
}

KernelRule normal(KernelRule rule) {
    for (FieldTest& t : rule.tests)
        if (t.field == Field::key) t.op = Op::equal;
    if (rule.list == List::exit || rule.list == List::task || rule.list == List::io_uring)
        std::stable_partition(rule.tests.begin(), rule.tests.end(),
                              [](const FieldTest& t) { return t.field == Field::arch; });
    const bool all =
        std::all_of(rule.mask.words.begin(), rule.mask.words.end() - 1, [](auto w) { return w == 0xFFFFFFFF; });
    if (all) rule.mask = SyscallMask::all();
    rule.watch_kind_unknown = false;
    rule.sources.clear();
    return rule;
}

/// path and dir are printed alike in a watch; without facts the reader says that it does not know.
bool same_but_watch_kind(const KernelRule& held, const KernelRule& read) {
    KernelRule a = normal(held), b = normal(read);
    if (read.watch_kind_unknown)
        for (KernelRule* rule : {&a, &b})
            for (FieldTest& t : rule->tests)
                if (t.field == Field::dir) t.field = Field::path;
    return a.same_as(b);
}

std::vector<KernelRule> any_table() {
    std::vector<KernelRule> rules;
    for (int n = *rc::gen::inRange(1, 8); n > 0; --n) {
        KernelRule rule = any_rule();
        if (std::none_of(rules.begin(), rules.end(), [&](const KernelRule& r) { return r.same_as(rule); }))
            rules.push_back(std::move(rule));
    }
    std::stable_sort(rules.begin(), rules.end(), [](const auto& a, const auto& b) { return a.list < b.list; });
    return rules;
}

struct ReadBack {
    std::map<std::uint32_t, KernelRule> by_line;
    std::set<std::uint32_t> refused;
};

ReadBack read_back(const std::string& text, AuditctlVersion version, bool assume) {
    Sources sources;
    const FileId file = sources.add("l", text);
    CompileOptions options;
    options.version = version;
    Diagnostics diagnostics;
    ReadBack result;
    const Program program = read_listing(listing_lines(sources, file), options, assume, diagnostics);
    for (const Message& m : program.messages) result.by_line[m.source.line] = std::get<AddRule>(m.body).rule;
    for (const Diagnostic& d : diagnostics.items()) result.refused.insert(d.span.line);
    RC_ASSERT(program.stopped == !result.refused.empty());
    return result;
}

RC_GTEST_PROP(Listing, ReadBackOrRefused, ()) {
    const std::vector<KernelRule> rules = any_table();
    const AuditctlVersion version = pick(all_auditctl_versions());
    ListingPrinter printer = listing_printer(version, Machine::x86_64);
    printer.interpreted = *rc::gen::inRange(0, 4) == 0;
    const std::string text = print_listing(rules, printer);
    const bool assume = *rc::gen::arbitrary<bool>();
    const ReadBack back = read_back(text, version, assume);
    std::size_t taken = 0;
    for (std::uint32_t i = 0; i < rules.size(); ++i) {
        const auto rule = back.by_line.find(i + 1);
        RC_ASSERT((rule == back.by_line.end()) == back.refused.contains(i + 1));
        if (rule == back.by_line.end()) continue;
        ++taken;
        // The assumption is that there are no such rules.
        if (assume && listed_as_watch(rules[i]) && rules[i].action == Action::never) continue;
        if (!same_but_watch_kind(rules[i], rule->second)) RC_FAIL("line " + std::to_string(i + 1) + " of\n" + text);
    }
    RC_CLASSIFY(taken == rules.size(), "all lines taken");
    RC_CLASSIFY(taken == 0, "no line taken");
}

// Rules of different meaning that print the same, found by changing one thing of a rule: neither is read.
RC_GTEST_PROP(Listing, NoTextOfTwoRules, ()) {
    const KernelRule one = any_rule();
    KernelRule other = one;
    switch (*rc::gen::inRange(0, 5)) {
        case 0:
            other.action = other.action == Action::never ? Action::always : Action::never;
            break;
        case 1:
            if (!other.tests.empty())
                other.tests[*rc::gen::inRange<std::size_t>(0, other.tests.size())].op = any_test().op;
            break;
        case 2:
            if (!other.tests.empty()) other.tests[*rc::gen::inRange<std::size_t>(0, other.tests.size())] = any_test();
            break;
        case 3:
            if (!other.tests.empty()) std::swap(other.tests.front(), other.tests.back());
            break;
        default:
            if (other.list == List::exit || other.list == List::io_uring) other.mask = any_calls();
            break;
    }
    RC_PRE(!refusal(other) && plain(other));
    RC_PRE(!normal(one).same_as(normal(other)));
    const AuditctlVersion version = pick(all_auditctl_versions());
    const ListingPrinter printer = listing_printer(version, Machine::x86_64);
    const std::string text = print_listing({one}, printer);
    const bool same = text == print_listing({other}, printer);
    RC_CLASSIFY(same, "two rules, one text");
    if (same && !read_back(text, version, false).refused.contains(1)) RC_FAIL(text);
}

}  // namespace
}  // namespace auopt
