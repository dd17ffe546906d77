// Kernel rule -> the line that `auditctl -l` (4.x, without -i) prints for it, where that line is true; where it is
// not (rule language, section 7.4) the line it should have printed: operators kept, a never rule shown as never, the
// names of the rule's own arch, an empty call list shown, values that can be read back, spaces escaped.
#pragma once

#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"
#include "tables/names.hpp"

namespace auopt {

struct ListingOptions {
    std::string_view machine = "x86_64";
    KnownNames names = {};   // what has none of these names is written as a number
    bool watch_form = true;  // -w PATH -p PERM -k KEY where the rule is one
};

/// The line, without a newline. Error, with the reason: the rule has no line (an unknown list or field, bytes that no
/// line carries, calls on a list that has none).
tl::expected<std::string, std::string> rule_to_listing(const KernelRule& rule, const ListingOptions& options = {});

/// -w and nothing else says this rule: an always rule of a path or directory, its permissions, perhaps a key.
bool is_watch(const KernelRule& rule);

/// A number as listings show it ("b64", "-EACCES", "wa", "-1"). Error: it has no spelling.
tl::expected<std::string, std::string> listed_value(const FieldTest& test, std::string_view machine,
                                                    const KnownNames& known = {});

}  // namespace auopt
