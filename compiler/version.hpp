// How the auditctl versions differ in reading rules: one row of switches per version (rule language, section
// 12). Code asks for a switch, never for a version.
#pragma once

#include <string_view>

#include "compiler/compile.hpp"
#include "tables/names.hpp"

namespace auopt {

/// `-F perm=` after a known arch: kept as is, or replaced by the calls of its letters; `strict` fails when the arch
/// lacks one of the names, `lenient` leaves it out.
enum class PermNarrowing { none, strict, lenient };
/// Which names the letters stand for: the first list, then what 4.0.4, 4.1.2 and 4.2 added.
enum class PermNames { base, with_xattrat, with_file_attr, with_stat };

struct Features {
    AuditctlVersion version;
    std::string_view name;
    KnownNames names;
    bool token_limit;            // a third of the length plus one
    bool lists_any_case;         // EXIT
    bool second_list_unchecked;  // always,entry builds list 0xffffffff
    unsigned last_io_uring_op;   // names of the io_uring list; 0: no such list
    bool send_zc_op;             // 47 has a name
    bool exclude_all_fields;
    bool saddr_fam;
    bool exe_not_equal;             // exe != and exe on the exclude list
    bool old_timerfd_name;          // timerfd in place of timerfd_create
    bool possible_first_swallowed;  // possible,exit is dropped like exit,possible
    PermNarrowing perm_narrowing;
    PermNames perm_names;
    bool mismatch_whole_mask;     // the 32/64 warning looks at more than calls 0..511
    bool prepend_deletes;         // -A sends a delete
    bool long_requests_end_line;  // --reset-lost, --loginuid-immutable hide what follows them
    // And so do -A LIST,possible and -d LIST,possible.
    bool prepended_possible_ends_line;
    bool deleted_possible_ends_line;
    bool signal_option;           // --signal, --reset_backlog_wait_time_actual
    bool signal_words;            // --signal reload
    bool signal_needs_auditd;     // --signal ends auditctl at once when no auditd is running
    bool message_prefix;          // text= in front of -m
    bool watch_needs_empty_rule;  // -w after anything at all fails
    bool help_long;               // --help
    bool help_succeeds;
    bool keys_checked;  // 0x01 in a key is an error, and the keys of -D and -l are looked at
    bool augenrules_strips_cr, augenrules_quotes_names, augenrules_whole_names;  // see struct Augenrules
    bool binary_numbers;   // 0b11 is 3: a matter of the C library, from glibc 2.38 on, that the version is built with
    bool lists_operators;  // -l shows the operators of path, dir and exe
};

const Features& features_of(AuditctlVersion version);

}  // namespace auopt
