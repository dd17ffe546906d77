// May two rules change places? Lemma L5, by what the rules test, per call.
#pragma once

#include "optimizer/rules.hpp"

namespace auopt {

/// True when no system call can satisfy both rules: by mask, arch, perm, or by tests of one scalar that exclude each
/// other. Different path=, dir=, inode=, obj_*, LSM labels and gid= values never count (a call has many names and
/// groups).
bool disjoint(const Entry& a, const Entry& b);

/// True when all tests of `rule` can hold at once, as far as its scalars tell.
bool satisfiable(const KernelRule& rule);

/// True when `moved` may be moved across `crossed`, in either direction, without changing any decision or key.
bool may_cross(const Entry& moved, const Entry& crossed);

/// Every test of `weaker` holds whenever all tests of `stronger` hold (arch= and mask are not looked at).
bool implied(const KernelRule& weaker, const KernelRule& stronger);

/// Same action and same own key.
bool same_decision(const KernelRule& a, const KernelRule& b);

}  // namespace auopt
