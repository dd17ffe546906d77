#include "verify/spelling.hpp"

namespace auopt::proof {
namespace {

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

}  // namespace

Spellings known_spellings(const Facts* facts) {
    Spellings out;
    if (facts != nullptr) out.directories = facts->directories;
    return out;
}

Spellings open_spellings(const KernelState& before, const KernelState& after, const Spellings& known) {
    std::set<std::string> plain, slashed;
    for (const KernelState* state : {&before, &after})
        for (const KernelRule& rule : state->filter)
            if (const FieldTest* dir = find_test(rule, Field::dir)) {
                const std::string path = without_slashes(dir->text);
                (path == dir->text ? plain : slashed).insert(path);
            }
    Spellings out;
    for (const std::string& path : slashed)
        if (plain.contains(path) && !known.directories.contains(path)) out.directories.insert(path);
    return out;
}

std::vector<std::string> other_spellings(const KernelState& before, const KernelState& after,
                                         const Spellings& spellings, const std::set<std::string>& dirs) {
    std::vector<std::string> out;
    for (const KernelState* state : {&before, &after})
        for (const KernelRule& rule : state->filter)
            if (const FieldTest* dir = find_test(rule, Field::dir)) {
                const std::string plain = without_slashes(dir->text);
                if (spellings.directories.contains(plain) && dirs.contains(plain)) out.push_back(dir->text);
            }
    return out;
}

KernelState with_spellings(KernelState state, const Spellings& spellings) {
    for (KernelRule& rule : state.filter)
        for (FieldTest& test : rule.tests) {
            if (test.field != Field::dir) continue;
            if (std::string plain = without_slashes(test.text); spellings.directories.contains(plain))
                test.text = std::move(plain);
        }
    return state;
}

}  // namespace auopt::proof
