// dir=/x and dir=/x/ name one tree where /x is a directory, and two where it is a symbolic link: the first is the link itself,
// the second what it leads to (docs/TRUST.md).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/facts.hpp"
#include "kernel_model/state.hpp"

namespace auopt::proof {

/// Paths, without a slash at the end, whose two spellings are one.
struct Spellings {
    std::set<std::string> directories;
};

/// Those of dir= that are directories by the facts; `facts` may be nullptr.
Spellings known_spellings(const KernelState& before, const KernelState& after, const Facts* facts);

/// The paths that the files spell both ways and that are not among the `known`.
Spellings open_spellings(const KernelState& before, const KernelState& after, const Spellings& known);

/// What the files write for directories of the `dirs` that have one spelling.
std::vector<std::string> other_spellings(const KernelState& before, const KernelState& after,
                                         const Spellings& spellings, const std::set<std::string>& dirs);

/// The state with one spelling for each of these directories.
KernelState with_spellings(KernelState state, const Spellings& spellings);

}  // namespace auopt::proof
