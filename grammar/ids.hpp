// The ids of what can be wrong with a line or can load as something else (AU0), each with a summary and an
// explanation. Ids are stable: an id never changes its meaning and is never reused.
#pragma once

#include <string_view>
#include <vector>

#include "grammar/diagnostic.hpp"

namespace auopt {

namespace ids {

// ---- the line would not load -----------------------------------------------------------------
inline constexpr std::string_view unknown_option = "AU001";
inline constexpr std::string_view missing_argument = "AU002";
inline constexpr std::string_view stray_parameter = "AU003";
inline constexpr std::string_view no_option = "AU004";
inline constexpr std::string_view bad_list_action = "AU005";
inline constexpr std::string_view second_list_action = "AU006";
inline constexpr std::string_view list_missing = "AU007";
inline constexpr std::string_view unknown_field = "AU008";
inline constexpr std::string_view missing_operator = "AU009";
inline constexpr std::string_view missing_name_or_value = "AU010";
inline constexpr std::string_view bad_value = "AU011";
inline constexpr std::string_view bad_operator = "AU012";
inline constexpr std::string_view field_not_on_list = "AU013";
inline constexpr std::string_view unknown_syscall = "AU014";
inline constexpr std::string_view arch_after_syscalls = "AU015";
inline constexpr std::string_view unknown_arch = "AU016";
inline constexpr std::string_view syscalls_not_on_list = "AU017";
inline constexpr std::string_view key_without_test = "AU018";
inline constexpr std::string_view bad_key = "AU019";
inline constexpr std::string_view bad_watch_path = "AU020";
inline constexpr std::string_view watch_in_rule = "AU021";
inline constexpr std::string_view bad_permissions = "AU022";
inline constexpr std::string_view permissions_without_watch = "AU023";
inline constexpr std::string_view unknown_user = "AU024";
inline constexpr std::string_view unknown_group = "AU025";
inline constexpr std::string_view too_many_fields = "AU026";
inline constexpr std::string_view text_too_long = "AU027";
inline constexpr std::string_view bad_comparison = "AU028";
inline constexpr std::string_view bad_setting = "AU029";
inline constexpr std::string_view bad_companions = "AU030";
inline constexpr std::string_view nested_rules_file = "AU031";
inline constexpr std::string_view help_in_rules = "AU032";
inline constexpr std::string_view bad_request = "AU033";
inline constexpr std::string_view auditctl_crash = "AU034";
inline constexpr std::string_view undefined_input = "AU035";
inline constexpr std::string_view perm_calls_missing = "AU036";
inline constexpr std::string_view nothing_to_send = "AU037";
inline constexpr std::string_view signal_ends_loading = "AU038";

// ---- the line loads as something else ----------------------------------------------------------
inline constexpr std::string_view rule_swallowed = "AU040";
inline constexpr std::string_view tokens_dropped = "AU041";
inline constexpr std::string_view long_line_split = "AU042";
inline constexpr std::string_view nul_cuts_line = "AU043";
inline constexpr std::string_view control_byte = "AU044";
inline constexpr std::string_view key_like_option = "AU045";
inline constexpr std::string_view trailing_cr = "AU046";
inline constexpr std::string_view tab_in_token = "AU047";
inline constexpr std::string_view arch_mismatch = "AU048";
inline constexpr std::string_view escape_in_first_token = "AU049";
inline constexpr std::string_view key_separator = "AU050";
inline constexpr std::string_view watch_pattern = "AU051";
inline constexpr std::string_view empty_mask = "AU052";
inline constexpr std::string_view add_wins = "AU053";
inline constexpr std::string_view value_reads_differently = "AU054";
inline constexpr std::string_view deprecated_possible = "AU055";
inline constexpr std::string_view failure_forgotten = "AU056";
inline constexpr std::string_view class_selector = "AU057";

// ---- a line of a listing that cannot be taken ---------------------------------------------------
inline constexpr std::string_view no_listing_line = "AU060";
inline constexpr std::string_view listed_watch = "AU061";
inline constexpr std::string_view ambiguous_listing = "AU062";
inline constexpr std::string_view repeated_listing = "AU063";

}  // namespace ids

struct IdRow {
    std::string_view id;
    Level level;  // the level it has where nothing changes it (errors become warnings under -i and -c)
    std::string_view summary;
    std::string_view explanation;
};
/// Every id of this file, ascending.
const std::vector<IdRow>& all_ids();
/// nullptr when unknown.
const IdRow* find_id(std::string_view id);

}  // namespace auopt
