// Kernel rules -> what `auditctl -l` prints for them, untruths included: watches without their action, exe= for exe!=,
// names of another arch's calls. Mirrors auditctl-listing.c as measured (rule language, section 7). The line that
// should have been printed is compiler/listing.hpp's; reading lines back is compiler/read_listing.hpp's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/ir.hpp"
#include "tables/names.hpp"

namespace auopt {

/// Which auditctl prints, and where.
struct ListingPrinter {
    Machine machine = Machine::x86_64;  // of the host that prints
    KnownNames known = {};
    bool operators_shown = false;  // of path, dir and exe: 3.1.5, 4.0.2 and later
    bool io_uring_list = false;    // it knows the list; else "(null)"
    bool interpreted = false;      // auditctl -l -i: names of machines, "unset"
};

/// Without -i, on `machine`.
ListingPrinter listing_printer(AuditctlVersion version, Machine machine);

/// The table that names calls: of the arch printed last in the same listing, at first the host's; nothing after an arch
/// of no known machine.
using CallNames = std::optional<Machine>;

/// -w, -p and -k instead of -a and -F.
bool listed_as_watch(const KernelRule& rule);
/// "-a always,exit -F arch=b64"; sets `names`.
std::string listed_head(const KernelRule& rule, const ListingPrinter& printer, CallNames& names);
/// " -S open,close", " -S all" or nothing. The operations of io_uring as numbers.
std::string listed_calls(const KernelRule& rule, const ListingPrinter& printer, const CallNames& names);
/// Everything behind, or a whole watch.
std::string listed_tests(const KernelRule& rule, const ListingPrinter& printer);

/// The whole table as the kernel lists it, a line each; "No rules" for none.
std::string print_listing(const std::vector<KernelRule>& rules, const ListingPrinter& printer);

}  // namespace auopt
