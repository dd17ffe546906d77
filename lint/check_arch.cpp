// AU101 system calls by name without arch, AU102 one of the two ABIs missing. For machines with tables.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lint/implied.hpp"
#include "lint/lint.hpp"
#include "lint/places.hpp"
#include "tables/names.hpp"

namespace auopt {
namespace {

constexpr std::size_t shown_names = 6;

std::string shorten(const std::vector<std::string>& names) {
    if (names.size() <= shown_names) return fmt::format("{}", fmt::join(names, ", "));
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + shown_names, ", "),
                       names.size() - shown_names);
}

/// Items of the rule's -S that are names (numbers mean what they say).
std::vector<std::string> named_calls(const Sources& sources, const KernelRule& rule) {
    std::vector<std::string> names;
    for (const LineWord& word : syscall_words(sources, rule)) {
        std::size_t begin = 0;
        while (begin <= word.text.size()) {
            const std::size_t comma = std::min(word.text.find(',', begin), word.text.size());
            const std::string item = word.text.substr(begin, comma - begin);
            if (!item.empty() && (item[0] < '0' || item[0] > '9') && item != "all") names.push_back(item);
            begin = comma + 1;
        }
    }
    return names;
}

void check_missing_arch(const LintContext& context, const KernelRule& rule, Diagnostics& diagnostics) {
    if (rule.list != List::exit || rule.mask.full() || find_test(rule, Field::arch) != nullptr) return;
    const MachineModel& machine = *machine_of(context);
    const Machine native_names = machine.names_of(Abi::native), compat_names = machine.names_of(Abi::compat);
    std::vector<std::string> stray;
    for (const std::string& name : named_calls(context.sources, rule)) {
        const auto native = syscall_number(name, native_names);
        if (!native || syscall_number(name, compat_names) == native) continue;
        const std::string other = syscall_name(*native, compat_names);
        stray.push_back(fmt::format("number {} is {} on {} but {} on {}", *native, name, machine_name(native_names),
                                    other.empty() ? "nothing" : other, machine_name(compat_names)));
    }
    if (stray.empty()) return;
    const auto words = syscall_words(context.sources, rule);
    diagnostics.add(
        {std::string(ids::missing_arch),
         Level::warning,
         words.empty() ? line_of(rule) : words.front().span,
         fmt::format("system calls by name without arch: {}, and 32-bit calls of these names are not covered",
                     stray.front()),
         {},
         "write one rule with -F arch=b64 and one with -F arch=b32; auopt explain AU101",
         std::nullopt});
}

std::vector<FieldTest> tests_but_arch(const KernelRule& rule) {
    std::vector<FieldTest> tests;
    for (const FieldTest& test : rule.tests) {
        if (test.field != Field::arch) tests.push_back(test);
    }
    return tests;
}

/// A rule with what the search for a twin needs of it, worked out once.
struct Candidate {
    const KernelRule& rule;
    std::vector<FieldTest> tests;  // without arch
    std::vector<Abi> abis;         // that it admits
};

/// Calls that `rule` selects on its ABI and that no rule of the same action records on the other one.
std::vector<std::string> uncovered(const LintContext& context, const std::vector<Candidate>& candidates,
                                   const Candidate& own_rule, Abi own, Abi other) {
    const MachineModel& machine = *machine_of(context);
    const KernelRule& rule = own_rule.rule;
    std::vector<const KernelRule*> partners;
    for (const Candidate& candidate : candidates) {
        if (candidate.rule.action == rule.action && candidate.rule.list == rule.list &&
            std::find(candidate.abis.begin(), candidate.abis.end(), other) != candidate.abis.end() &&
            implied_by(candidate.tests, own_rule.tests)) {
            partners.push_back(&candidate.rule);
        }
    }
    std::vector<std::string> missing;
    const SyscallSet selected = admitted_calls(rule, own, context.kernels);
    for (unsigned nr = 0; nr < mask_syscalls; ++nr) {
        if (!selected.test(nr)) continue;
        const std::string name = syscall_name(nr, machine.names_of(own));
        if (name.empty()) continue;
        const auto twin = syscall_number(name, machine.names_of(other));
        if (!twin) continue;  // the other ABI has no such call
        const bool covered =
            std::any_of(partners.begin(), partners.end(), [&](const KernelRule* p) { return p->mask.test(*twin); });
        if (!covered) missing.push_back(name);
    }
    return missing;
}

void check_missing_twin(const LintContext& context, const std::vector<Candidate>& candidates,
                        const Candidate& candidate, Diagnostics& diagnostics) {
    const KernelRule& rule = candidate.rule;
    if (rule.list != List::exit || rule.action != Action::always || candidate.abis.size() != 1) return;
    // Every call of one ABI is asked for because of the ABI (programs that use the 32-bit entry). The same rule for the
    // other ABI would record every call of the machine.
    const bool only_abi = std::all_of(candidate.tests.begin(), candidate.tests.end(),
                                      [](const FieldTest& test) { return test.field == Field::key; });
    if (rule.mask.full() && only_abi) return;
    const Abi own = candidate.abis.front();
    const Abi other = own == Abi::native ? Abi::compat : Abi::native;
    const auto missing = uncovered(context, candidates, candidate, own, other);
    if (missing.empty()) return;
    const char* name = abi_word(other);
    diagnostics.add({std::string(ids::missing_twin),
                     Level::warning,
                     field_place(context.sources, rule, {"arch"}),
                     rule.mask.full() ? fmt::format("no rule does the same for {}", name)
                                      : fmt::format("no {} rule covers {}", name, shorten(missing)),
                     {},
                     fmt::format("add the same rule with -F arch={}; auopt explain AU102", name),
                     std::nullopt});
}

}  // namespace

void check_arch(const LintContext& context, Diagnostics& diagnostics) {
    // Where auditctl has no word for the 32-bit programs (ppc64le) there is nothing to ask for.
    const MachineModel* machine = machine_of(context);
    if (machine == nullptr || !machine_32bit(machine->machine)) return;
    std::vector<Candidate> candidates;
    for (const KernelRule& rule : context.state.filter) {
        candidates.push_back({rule, tests_but_arch(rule), admitted_abis(rule, *machine)});
    }
    for (const Candidate& candidate : candidates) {
        check_missing_arch(context, candidate.rule, diagnostics);
        check_missing_twin(context, candidates, candidate, diagnostics);
    }
}

}  // namespace auopt
