// What `auditctl -l` printed -> the rules that the kernel held. Not a second way to read rules: a line is taken only
// where one rule alone could have been printed so (compiler/print_listing.hpp prints the reading again and compares),
// up to the normal form below; any other line is an error with its reason.
//
// Normal form: on the exit, task and io_uring lists the tests of arch stand first (the kernel asks for all tests, in
// whatever order); the key's operator is "=" (the kernel never looks at it); calls 2016..2031, which no machine has,
// are set where 0..2015 are.
//
// What no listing can show is taken for granted under the assumption plain-listing, which reading a listing makes:
// it is the whole output of one auditctl -l on a machine of the given type; the rules were loaded by auditctl; b64 and
// b32 are that machine's own arches; no text holds a space, a line break or an empty key; no test is invisible
// (-F field_compare=0); lists without calls have auditctl's usual masks. Under listed-watches, which has to be asked
// for, a -w line is an always rule; whether it is one of a file or of a directory is for the facts to say.
#pragma once

#include <vector>

#include "compiler/compile.hpp"

namespace auopt {

/// The lines of a listing; longer than auditctl reads, they are not split.
std::vector<InputLine> listing_lines(const Sources& sources, FileId file);

/// `lines` of one listing or of several, one a file. One AddRule for each line that can be taken, in their order. `options`: version (that printed it), machine, facts.
/// failed and stopped: a line was refused (AU060 to AU063).
Program read_listing(const std::vector<InputLine>& lines, const CompileOptions& options, bool assume_listed_watches,
                     Diagnostics& diagnostics);

}  // namespace auopt
