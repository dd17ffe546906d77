#include "tests/simulator/small_files.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit.hpp"
#include "grammar/diagnostic.hpp"

namespace auopt::simulator {
namespace {

FieldTest number(Field field, Op op, std::uint32_t value) { return {field, op, value, {}}; }
FieldTest text_test(Field field, Op op, std::string text) { return {field, op, 0, std::move(text)}; }

SyscallMask every_call() {
    SyscallMask mask = SyscallMask::all();
    mask.words[mask_words - 1] &= 0xFFFFU;
    return mask;
}
SyscallMask calls(const std::vector<unsigned>& numbers) {
    SyscallMask mask;
    for (const unsigned nr : numbers) mask.set(nr);
    return mask;
}

KernelRule rule(Action action, SyscallMask mask, std::vector<FieldTest> tests, const char* key) {
    KernelRule r;
    r.action = action;
    r.mask = mask;
    r.tests = std::move(tests);
    if (key != nullptr) r.tests.push_back(text_test(Field::key, Op::equal, key));
    return r;
}

// The calls of the worlds, of both ABIs, and read (0): what a worker's hash walk asks for.
const std::vector<unsigned>& world_calls() {
    static const std::vector<unsigned> all{0, 1, 2, 5, 10, 15, 20, 37, 38, 39, 59, 62, 82, 83, 84, 87, 90, 163};
    return all;
}

SyscallMask random_mask(Dice& dice) {
    if (dice.one_in(4)) return every_call();
    SyscallMask mask;
    for (unsigned i = 0, n = 1 + dice.below(5); i < n; ++i) mask.set(dice.pick(world_calls()));
    return mask;
}

FieldTest random_test(Dice& dice) {
    const Op equality = dice.one_in(3) ? Op::not_equal : Op::equal;
    switch (dice.below(12)) {
        case 0:
            return number(Field::uid, equality, dice.one_in(2) ? 0 : 1000);
        case 1:
            return number(Field::loginuid, dice.one_in(2) ? Op::greater_equal : Op::less, 1000);
        case 2:
            return number(Field::loginuid, equality, id_unset);
        case 3:
            return number(Field::obj_uid, equality, dice.one_in(2) ? 0 : 1000);
        case 4:
            return number(Field::success, equality, dice.below(2));
        case 5:
            return number(Field::exit, equality, dice.one_in(2) ? 0 : static_cast<std::uint32_t>(-13));
        case 6:
            return number(Field::arch, Op::equal, dice.one_in(3) ? arch_i386 : arch_x86_64);
        case 7:
            return number(Field::arg1, dice.one_in(2) ? Op::bit_mask : Op::equal, dice.below(3));
        case 8:
            return number(Field::filetype, equality, dice.one_in(2) ? 0x8000 : 0x4000);
        default:
            return number(Field::perm, Op::equal, dice.pick(std::vector<std::uint32_t>{2, 4, 8, 1, 6, 10, 15}));
    }
}

const std::vector<std::string>& watched() {
    static const std::vector<std::string> all{"/t/a", "/t/b", "/t/n", "/d/f", "/x/p", "/t/./a", "/t"};
    return all;
}
const std::vector<std::string>& trees() {
    static const std::vector<std::string> all{"/d", "/d", "/d/", "/d/s", "/t", "/x", "/t/a"};
    return all;
}

KernelRule random_rule(Dice& dice) {
    KernelRule r = rule(dice.one_in(3) ? Action::never : Action::always, random_mask(dice), {}, nullptr);
    for (unsigned i = 0, n = dice.below(3); i < n; ++i) r.tests.push_back(random_test(dice));
    switch (dice.below(8)) {
        case 0:
        case 1:
        case 2:
            r.tests.push_back(text_test(Field::path, Op::equal, dice.pick(watched())));
            break;
        case 3:
        case 4:
            r.tests.push_back(text_test(Field::dir, Op::equal, dice.pick(trees())));
            break;
        case 5:
            if (dice.one_in(3)) r.tests.push_back(number(Field::inode, Op::equal, dice.one_in(2) ? 20 : 52));
            break;
        case 6:
            if (dice.one_in(4)) {
                r.list = List::io_uring;
                r.mask = calls({dice.one_in(2) ? 36U : 37U});
                std::erase_if(r.tests, [](const FieldTest& t) { return t.field == Field::perm; });
            }
            break;
        default:
            break;
    }
    if (dice.one_in(6) && r.list == List::exit)
        r.tests.push_back(
            text_test(Field::exe, dice.one_in(4) ? Op::not_equal : Op::equal, dice.one_in(4) ? "/bin/z" : "/x/p"));
    // perm= goes before arch=, as every version of auditctl reads it alike.
    std::stable_partition(r.tests.begin(), r.tests.end(), [](const FieldTest& t) { return t.field == Field::perm; });
    if (!dice.one_in(5)) r.tests.push_back(text_test(Field::key, Op::equal, dice.one_in(3) ? "b" : "a"));
    r.prepend = dice.one_in(12);
    return r;
}

void set_key(KernelRule& r, std::optional<std::string> key) {
    std::erase_if(r.tests, [](const FieldTest& t) { return t.field == Field::key; });
    if (key) r.tests.push_back(text_test(Field::key, Op::equal, *key));
}

}  // namespace

std::vector<Message> SmallFile::messages() const {
    std::vector<Message> all;
    if (errors_ignored) all.push_back({Inert{Inert::Kind::continue_on_error}, {}});
    for (const KernelRule& r : rules) all.push_back({AddRule{r}, {}});
    if (equivalent) all.push_back({MakeEquiv{equivalent->first, equivalent->second}, {}});
    return all;
}

std::string SmallFile::text() const {
    std::string lines = errors_ignored ? "-c\n" : "";
    for (KernelRule r : rules) {
        const bool prepend = std::exchange(r.prepend, false);
        const auto line = rule_to_line(r);
        std::string words = line ? *line : fmt::format("# no line: {}", line.error());
        if (prepend && words.starts_with("-a ")) words[1] = 'A';
        lines += words + "\n";
    }
    if (equivalent) lines += fmt::format("-q {},{}\n", equivalent->first, equivalent->second);
    return lines;
}

KernelState state_of(const SmallFile& file) {
    Diagnostics diagnostics;
    return load(file.messages(), {}, diagnostics).state;
}

SmallFile file_of(const KernelState& state, const SmallFile& like) {
    SmallFile file{state.filter, like.errors_ignored, like.equivalent};
    return file;
}

const std::vector<KernelRule>& rule_alphabet() {
    static const std::vector<KernelRule> all = [] {
        const auto perm = [](std::uint32_t bits) { return number(Field::perm, Op::equal, bits); };
        const auto path = [](const char* p) { return text_test(Field::path, Op::equal, p); };
        const auto dir = [](const char* p) { return text_test(Field::dir, Op::equal, p); };
        const auto exe = [](const char* p) { return text_test(Field::exe, Op::equal, p); };
        const FieldTest owned = number(Field::obj_uid, Op::equal, 0), root = number(Field::uid, Op::equal, 0);
        const SyscallMask acct = calls({163}), names = calls({2, 82, 87});
        return std::vector<KernelRule>{
            rule(Action::always, every_call(), {perm(2), path("/t/a"), owned}, "a"),
            rule(Action::never, every_call(), {path("/t/a"), root}, nullptr),
            rule(Action::always, calls({4}), {perm(2), path("/t/b")}, "a"),  // cannot match
            rule(Action::always, names, {path("/t/n")}, "b"),
            rule(Action::always, every_call(), {perm(10), dir("/d")}, "b"),
            rule(Action::always, acct, {dir("/d"), root}, "a"),  // cannot match
            rule(Action::always, calls({90, 163}), {exe("/x/p")}, "a"),
            rule(Action::always, acct, {}, "a"),
            rule(Action::always, names, {}, "b"),
            rule(Action::never, calls({82, 87, 90}), {root}, nullptr),
            rule(Action::always, names, {number(Field::success, Op::equal, 1)}, nullptr),
            rule(Action::never, acct, {exe("/bin/z"), root}, "b"),
        };
    }();
    return all;
}

SmallFile random_file(Dice& dice, unsigned most_rules) {
    SmallFile file;
    for (unsigned i = 0, n = 1 + dice.below(most_rules); i < n; ++i) {
        KernelRule r = random_rule(dice);
        // Rules that have something in common with one that is there, which rewrites can use.
        if (i > 0 && dice.one_in(3)) {
            const KernelRule& other = file.rules[dice.below(i)];
            r = other;
            if (dice.one_in(2))
                r.mask = random_mask(dice);
            else
                r.tests.insert(r.tests.begin(), random_test(dice));
            if (r.list == List::io_uring) r = other;
        }
        file.rules.push_back(std::move(r));
    }
    // The kernel refuses rules that are there already, and whatever stands behind them is not loaded: rarely.
    if (!dice.one_in(30)) {
        std::vector<KernelRule> kept;
        for (const KernelRule& r : file.rules)
            if (std::none_of(kept.begin(), kept.end(), [&](KernelRule k) {
                    k.prepend = r.prepend;
                    return k.same_as(r);
                }))
                kept.push_back(r);
        file.rules = std::move(kept);
    }
    file.errors_ignored = dice.one_in(3);
    if (dice.one_in(20)) file.equivalent = {"/d/s", "/q"};
    return file;
}

void edit(SmallFile& file, Dice& dice) {
    std::vector<KernelRule>& rules = file.rules;
    if (rules.empty()) {
        rules.push_back(random_rule(dice));
        return;
    }
    const std::size_t i = dice.below(static_cast<unsigned>(rules.size()));
    const auto at = [&](std::size_t n) { return rules.begin() + static_cast<std::ptrdiff_t>(n); };
    const auto somewhere = [&] { return dice.below(static_cast<unsigned>(rules.size()) + 1); };
    KernelRule& r = rules[i];
    switch (dice.below(16)) {
        case 0:
        case 1:
            rules.erase(at(i));
            break;
        case 2:
        case 3: {
            KernelRule moved = r;
            rules.erase(at(i));
            rules.insert(at(somewhere()), std::move(moved));
            break;
        }
        case 4:
            set_key(r, dice.one_in(4) ? std::nullopt : std::optional(std::string(dice.one_in(2) ? "a" : "b")));
            break;
        case 5: {  // one call more or less
            if (r.list == List::io_uring) break;
            const unsigned nr = dice.pick(world_calls());
            r.mask.test(nr) ? r.mask.clear(nr) : r.mask.set(nr);
            break;
        }
        case 6:  // a test less
            if (!r.tests.empty()) r.tests.erase(r.tests.begin() + dice.below(static_cast<unsigned>(r.tests.size())));
            break;
        case 7:
            if (r.list == List::exit) r.tests.insert(r.tests.begin(), random_test(dice));
            break;
        case 8:
            r.action = r.action == Action::always ? Action::never : Action::always;
            break;
        case 9: {  // a stronger rule behind or somewhere
            KernelRule stronger = r;
            if (stronger.list == List::exit) stronger.tests.insert(stronger.tests.begin(), random_test(dice));
            rules.insert(at(dice.one_in(2) ? i + 1 : somewhere()), std::move(stronger));
            break;
        }
        case 10: {  // split by calls
            KernelRule other = r;
            for (const unsigned nr : world_calls())
                if (r.mask.test(nr)) (dice.one_in(2) ? r : other).mask.clear(nr);
            if (r.list == List::io_uring || other.mask.none() || r.mask.none()) {
                r.mask = r.mask | other.mask;
                break;
            }
            rules.insert(at(dice.one_in(2) ? i + 1 : somewhere()), std::move(other));
            break;
        }
        case 11: {  // merged with the next one of the same action
            if (i + 1 >= rules.size() || rules[i + 1].list != r.list) break;
            r.mask = r.mask | rules[i + 1].mask;
            rules.erase(at(i + 1));
            break;
        }
        case 12:  // another spelling
            for (FieldTest& t : r.tests)
                if (t.field == Field::dir)
                    t.text = t.text.ends_with('/') ? t.text.substr(0, t.text.size() - 1) : t.text + "/";
            break;
        case 13:  // dead, but its watch, tree or mark lives
            if (r.list == List::exit) r.mask = calls({163});
            break;
        case 14:
            std::reverse(r.tests.begin(), r.tests.end());
            break;
        default:
            if (dice.one_in(3))
                file.errors_ignored = !file.errors_ignored;
            else if (dice.one_in(2) && file.equivalent)
                file.equivalent.reset();
            else if (i + 1 < rules.size())
                std::swap(r, rules[i + 1]);
            break;
    }
}

std::vector<SmallFile> simple_edits(const SmallFile& file) {
    std::vector<SmallFile> all;
    const auto add = [&](auto&& change) {
        SmallFile edited = file;
        change(edited.rules);
        all.push_back(std::move(edited));
    };
    for (std::size_t i = 0; i < file.rules.size(); ++i) {
        add([&](std::vector<KernelRule>& rules) { rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i)); });
        if (i + 1 < file.rules.size()) add([&](std::vector<KernelRule>& rules) { std::swap(rules[i], rules[i + 1]); });
        add([&](std::vector<KernelRule>& rules) { rules[i].mask.clear(i % 2 == 0 ? 87 : 163); });
        if (i == 0) add([&](std::vector<KernelRule>& rules) { set_key(rules[i], "other"); });
    }
    return all;
}

}  // namespace auopt::simulator
