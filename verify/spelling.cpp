#include "verify/spelling.hpp"

namespace auopt::proof {
namespace {

std::string without_slashes(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

/// The texts of all dir= tests.
std::set<std::string> dir_texts(const KernelState& before, const KernelState& after) {
    std::set<std::string> out;
    for (const KernelState* state : {&before, &after})
        for (const KernelRule& rule : state->filter)
            if (const FieldTest* dir = find_test(rule, Field::dir)) out.insert(dir->text);
    return out;
}

}  // namespace

Spellings known_spellings(const KernelState& before, const KernelState& after, const Facts* facts) {
    Spellings out;
    if (facts == nullptr) return out;
    for (const std::string& text : dir_texts(before, after))
        if (is_real_directory(*facts, text)) out.directories.insert(without_slashes(text));
    return out;
}

Spellings open_spellings(const KernelState& before, const KernelState& after, const Spellings& known) {
    Spellings out;
    const std::set<std::string> texts = dir_texts(before, after);
    for (const std::string& text : texts) {
        std::string plain = without_slashes(text);
        if (plain != text && texts.contains(plain) && !known.directories.contains(plain))
            out.directories.insert(std::move(plain));
    }
    return out;
}

std::vector<std::string> other_spellings(const KernelState& before, const KernelState& after,
                                         const Spellings& spellings, const std::set<std::string>& dirs) {
    std::vector<std::string> out;
    for (const std::string& text : dir_texts(before, after))
        if (const std::string plain = without_slashes(text);
            spellings.directories.contains(plain) && dirs.contains(plain))
            out.push_back(text);
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
