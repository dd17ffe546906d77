#include "compiler/version.hpp"

#include <array>

namespace auopt {

namespace {

// The names are exact for 3.0.9, 4.0.2, 4.1.2 and 4.2.1. For the others they are the fewest that their release dates and
// perm names allow: a name too new for a version is refused, which is the safe side.
constexpr Features v285{.version = AuditctlVersion::v2_8_5,
                        .name = "2.8.5",
                        .names = {.last_syscall = 386,
                                  .gaps_filled = false,
                                  .device_mapper = false,
                                  .cgroups = false,
                                  .last_riscv_syscall = 0},
                        .token_limit = true,
                        .lists_any_case = false,
                        .second_list_unchecked = false,
                        .last_io_uring_op = 0,
                        .send_zc_op = false,
                        .exclude_all_fields = false,
                        .saddr_fam = false,
                        .exe_not_equal = false,
                        .old_timerfd_name = true,
                        .possible_first_swallowed = true,
                        .perm_narrowing = PermNarrowing::none,
                        .perm_names = PermNames::base,
                        .mismatch_whole_mask = false,
                        .prepend_deletes = false,
                        .long_requests_end_line = true,
                        .prepended_possible_ends_line = true,
                        .deleted_possible_ends_line = true,
                        .signal_option = false,
                        .signal_words = false,
                        .signal_needs_auditd = false,
                        .message_prefix = false,
                        .watch_needs_empty_rule = false,
                        .help_long = false,
                        .help_succeeds = false,
                        .keys_checked = false,
                        .augenrules_strips_cr = false,
                        .augenrules_quotes_names = false,
                        .augenrules_whole_names = false,
                        .binary_numbers = false,
                        .lists_operators = false};

constexpr Features v309 = [] {
    Features f = v285;
    f.version = AuditctlVersion::v3_0_9;
    f.name = "3.0.9";
    f.names.last_syscall = 450;
    f.saddr_fam = f.exe_not_equal = f.signal_option = f.message_prefix = true;
    f.old_timerfd_name = f.possible_first_swallowed = false;
    return f;
}();

constexpr Features v312 = [] {
    Features f = v309;
    f.version = AuditctlVersion::v3_1_2;
    f.name = "3.1.2";
    f.lists_any_case = f.second_list_unchecked = f.exclude_all_fields = f.send_zc_op = f.signal_words = true;
    f.last_io_uring_op = 48;
    f.augenrules_strips_cr = true;
    return f;
}();

constexpr Features v315 = [] {
    Features f = v312;
    f.version = AuditctlVersion::v3_1_5;
    f.name = "3.1.5";
    f.names.last_syscall = 456;
    f.perm_narrowing = PermNarrowing::strict;
    f.mismatch_whole_mask = f.signal_needs_auditd = f.lists_operators = true;
    return f;
}();

constexpr Features v400 = [] {
    Features f = v315;
    f.version = AuditctlVersion::v4_0_0;
    f.name = "4.0";
    f.mismatch_whole_mask = f.send_zc_op = false;
    f.binary_numbers = true;  // Debian 13 and RHEL 10
    f.augenrules_quotes_names = true;
    f.lists_operators = false;
    f.last_io_uring_op = 53;
    return f;
}();

constexpr Features v402 = [] {
    Features f = v400;
    f.version = AuditctlVersion::v4_0_2;
    f.name = "4.0.2";
    f.names.last_syscall = 462;
    f.names.device_mapper = true;
    f.names.last_riscv_syscall = 466;  // upstream from 4.0.3 on; Debian's 4.0.2 has that table
    f.mismatch_whole_mask = f.lists_operators = true;
    return f;
}();

constexpr Features v404 = [] {
    Features f = v402;
    f.version = AuditctlVersion::v4_0_4;
    f.name = "4.0.4";
    f.names.last_syscall = 466;
    f.perm_narrowing = PermNarrowing::lenient;
    f.perm_names = PermNames::with_xattrat;
    f.prepend_deletes = true;
    f.long_requests_end_line = f.prepended_possible_ends_line = f.deleted_possible_ends_line = false;
    return f;
}();

constexpr Features v412 = [] {
    Features f = v404;
    f.version = AuditctlVersion::v4_1_2;
    f.name = "4.1.2";
    f.names.last_syscall = f.names.last_riscv_syscall = 469;
    f.names.gaps_filled = true;
    f.perm_names = PermNames::with_file_attr;
    f.prepend_deletes = false;
    f.last_io_uring_op = 57;
    f.watch_needs_empty_rule = f.help_long = true;
    return f;
}();

constexpr Features v421 = [] {
    Features f = v412;
    f.version = AuditctlVersion::v4_2_1;
    f.name = "4.2.1";
    f.names.last_syscall = f.names.last_riscv_syscall = 471;
    f.token_limit = false;
    f.deleted_possible_ends_line = true;
    f.perm_names = PermNames::with_stat;
    f.last_io_uring_op = 64;
    f.names.cgroups = f.help_succeeds = f.keys_checked = f.augenrules_whole_names = true;
    return f;
}();

// In the order of enum AuditctlVersion.
constexpr std::array<Features, 9> rows{v285, v309, v312, v315, v400, v402, v404, v412, v421};

}  // namespace

const Features& features_of(AuditctlVersion version) { return rows[static_cast<std::size_t>(version)]; }

const std::vector<AuditctlVersion>& all_auditctl_versions() {
    static const std::vector<AuditctlVersion> versions = [] {
        std::vector<AuditctlVersion> out;
        for (const auto& row : rows) out.push_back(row.version);
        return out;
    }();
    return versions;
}

std::string_view auditctl_version_name(AuditctlVersion version) { return features_of(version).name; }

std::optional<AuditctlVersion> auditctl_version_named(std::string_view name) {
    for (const Features& row : rows)
        if (row.name == name) return row.version;
    return std::nullopt;
}

}  // namespace auopt
