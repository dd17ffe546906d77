#include "grammar/ids.hpp"

namespace auopt {

const std::vector<IdRow>& all_ids() {
    using namespace ids;
    constexpr Level E = Level::error;
    constexpr Level W = Level::warning;
    static const std::vector<IdRow> rows = {
        {unknown_option, E, "unknown option",
         "auditctl knows no such option, or an abbreviated long option fits several. Loading stops at this line "
         "unless -i or -c stands on a line before it."},
        {missing_argument, E, "option without its argument",
         "The option takes an argument and the line ends before one. An option's argument is the next word whatever it "
         "looks like, so `-k -p` makes `-p` the key and leaves the permissions out."},
        {stray_parameter, E, "word that belongs to no option",
         "After its options the line still holds words. Comments at the end of a line do not exist (# means something "
         "only "
         "as the first byte of the line), quotes do not group words, and options behind -i, -c, -v, -l or -D count as "
         "words."},
        {no_option, E, "line without a usable option",
         "The line does not begin with an option that auditctl finishes reading, so it fails without a message: a bare "
         "word, "
         "a lone dash, a line with only a TAB or a carriage return, or a cluster such as -ic."},
        {bad_list_action, E, "list and action are not understood",
         "-a, -A and -d take one list (task, exit, user, exclude, filesystem, later also io_uring) and one action "
         "(always, "
         "never) with a comma between and nothing else. Versions before 3.1 want lower case."},
        {second_list_action, E, "second -a, -A or -d on a line",
         "A line makes one rule; list and action can be named once."},
        {list_missing, E, "list and action must come first",
         "-F needs an earlier -a, -A, -d, -w or -W on its line, and a line with only -S names no list at all."},
        {unknown_field, E, "unknown field",
         "The text before the operator is no field name. Note how the operator is found: the first kind of != >= <= &= "
         "= > < & "
         "that occurs anywhere in the text splits it, so a value cannot hold a two-character operator."},
        {missing_operator, E, "field test without an operator",
         "A field test is written name, operator, value in one word, without spaces."},
        {missing_name_or_value, E, "field test without name or value", "Nothing stands before or after the operator."},
        {bad_value, E, "value does not fit the field",
         "The field takes another kind of value: most take digits only, exit takes an errno name or a signed number, "
         "filetype takes names only, perm takes letters."},
        {bad_operator, E, "operator not allowed for the field",
         "arch, exe, inode and fstype take = and != only; perm takes = only."},
        {field_not_on_list, E, "field not allowed on this list",
         "Each filter list admits its own fields: files and results exist only on the exit list, msgtype only on "
         "user and exclude, fstype only on filesystem."},
        {unknown_syscall, E, "unknown system call",
         "The call is not in the table of the rule's arch (an -F arch before it, or the machine's own), or the number "
         "is not "
         "within 0..2047. Calls added to the kernel later are known only to later auditctl versions."},
        {arch_after_syscalls, E, "arch after the system calls",
         "-F arch decides how the names after it are read, so it must stand before -S, and it cannot be used with -w."},
        {unknown_arch, E, "unknown architecture",
         "Use b64, b32, a machine name such as x86_64, or the hexadecimal audit number of the architecture."},
        {syscalls_not_on_list, E, "system calls on a list that has none",
         "Only the exit list (and io_uring) selects system calls."},
        {key_without_test, E, "key on a rule without calls, watch, perm or exe",
         "auditctl accepts a key only on a rule that names system calls, watches a file, or tests perm, path, dir, exe "
         "or "
         "fstype; -k also wants them before it on the line. `-S all` makes a key possible."},
        {bad_key, E, "key cannot be used",
         "All keys of a rule together take at most 256 bytes, and a key cannot hold != >= <= or &=, because auditctl "
         "reads the finished key once more as a field test."},
        {bad_watch_path, E, "watch path cannot be used",
         "A watched path is absolute, at most 4095 bytes, and its last part at most 255."},
        {watch_in_rule, E, "watch in a rule that has begun otherwise",
         "-w must open its rule: no list, action or field may come before it."},
        {bad_permissions, E, "bad permission letters", "At most four of the letters r, w, x and a."},
        {permissions_without_watch, E, "permissions without a watch",
         "-p changes the rule that the line has built so far; it needs a -w or -a and a field before it."},
        {unknown_user, E, "unknown user",
         "auditctl looks user names up where it runs. Supply the host's users: --facts FILE, or --target host for this "
         "machine's; or write the number."},
        {unknown_group, E, "unknown group",
         "auditctl looks group names up where it runs. Supply the host's groups: --facts FILE, or --target host for "
         "this "
         "machine's; or write the number. gid fields know neither `unset` nor -1."},
        {too_many_fields, E, "too many fields", "A rule holds at most 63 field tests, the key included."},
        {text_too_long, E, "text value too long", "A path or label takes at most 4096 bytes, a key 256."},
        {bad_comparison, E, "comparison cannot be made",
         "-C compares two ids of one kind with = or !=, on the exit list only."},
        {bad_setting, E, "setting's value not accepted",
         "-e and -f take 0, 1 or 2; -r, -b and --backlog_wait_time take a number that starts with a digit."},
        {bad_companions, E, "option with companions that it does not take",
         "-D, -l and -s stand alone on their line, or with the one companion they know (-k KEY, -i)."},
        {nested_rules_file, E, "rules file inside a rules file", "-R works on the command line only."},
        {help_in_rules, E, "-h in a rules file", "Versions before 4.1.4 print the usage text and fail."},
        {bad_request, E, "request cannot be made",
         "-m takes one printable word, -q a mount point and a subtree with a comma between, --signal one of the "
         "signals "
         "auditd knows."},
        {auditctl_crash, E, "auditctl crashes on this line",
         "A line of exactly three words that ends in -D, or of two that ends in -l, makes auditctl dereference a null "
         "pointer."},
        {undefined_input, E, "auditctl reads past the end of this word",
         "A byte 0x07 or 0x04 at the end of a word makes auditctl read memory behind it; what it would load is not "
         "defined."},
        {perm_calls_missing, E, "perm= needs calls that the arch lacks",
         "auditctl 3.1.3 to 4.0.3 replace perm= after an arch by a list of calls, and fail when the arch's table lacks "
         "one."},
        {nothing_to_send, E, "rule without a list", "The line names system calls but no list and action."},
        {signal_ends_loading, E, "--signal may end the loading here",
         "auditctl 3.1.3 and later end at once when the signal cannot be sent, and auditd need not run when rules are "
         "loaded."},

        {rule_swallowed, W, "the rule of this line is never sent",
         "-i, -c, -v, -l, -s, -t, -q, -m and some long options end the line with nothing left to send. A rule on the "
         "same "
         "line is lost without a message. Give each its own line."},
        {tokens_dropped, W, "words dropped by auditctl's word limit",
         "Versions before 4.2 keep at most a third of the line's length plus one words, and drop the rest silently. "
         "Glue arguments to their options (-kname) or lengthen the line."},
        {long_line_split, W, "text after byte 6143 is a line of its own",
         "auditctl reads 6143 bytes at a time. What follows is read as the next line, even behind a comment."},
        {nul_cuts_line, W, "a NUL byte ends the line", "Everything from the NUL to the end of the line is ignored."},
        {control_byte, W, "byte 0x07 or 0x04 is read as a space or backslash",
         "auditctl uses these two bytes for escapes: one in the text becomes a space or a backslash and swallows the "
         "byte "
         "after it."},
        {key_like_option, W, "the key looks like an option",
         "-k takes the next word whatever it looks like. The option that was probably meant is lost."},
        {trailing_cr, W, "a carriage return belongs to the value",
         "The line ends in CR LF. Only the LF ends a line; the CR becomes part of the last word: of a path that "
         "does not exist, or of a key that no search finds."},
        {tab_in_token, W, "a TAB does not separate words", "Only spaces do; the TAB became part of a word."},
        {arch_mismatch, W, "the numbers mean other calls for 32-bit programs",
         "Without -F arch the rule holds the numbers of this machine's table, and matches the same numbers in 32-bit "
         "programs, "
         "where they are other calls. Add -F arch, and a second rule for the other."},
        {escape_in_first_token, W, "an escape in the first word is not undone",
         "In the first word of a line an escaped space stays two control bytes. Write the option and its argument as "
         "two words."},
        {key_separator, W, "the key holds byte 0x01",
         "The byte separates keys, so this is two keys; 4.2 and later refuse it."},
        {watch_pattern, W, "watch path with a pattern or ..",
         "A watch names one file or directory: * and ? are ordinary bytes, and .. is followed once, when the rule "
         "loads."},
        {empty_mask, W, "the rule names no system call",
         "-S with commas only leaves the mask empty; the rule never matches."},
        {add_wins, W, "the line adds, though it also says delete",
         "When a line says both add and delete, auditctl adds."},
        {value_reads_differently, W, "a number is read as another one",
         "auditctl ignores what follows a number, reads a leading 0 as octal, and cuts the result to 32 bits. "
         "sessionid and "
         "saddr_fam take any text as 0."},
        {deprecated_possible, W, "the action possible loads nothing",
         "auditctl reports it as deprecated, drops the line and goes on as if it had succeeded."},
        {failure_forgotten, W, "a second -c forgets earlier failures",
         "-c after a failed line resets the exit code to success."},
        {class_selector, W, "numbers from 2032 select whole classes of calls",
         "The kernel replaces mask bits 2032 to 2047 by classes of system calls."},

        {no_listing_line, E, "not a line that auditctl -l prints",
         "A listing is read as what auditctl printed of the kernel's rules, byte for byte: one spelling for each "
         "value, "
         "calls in ascending order, lists in order, no comments. Rules as an author writes them are read without "
         "--from listing."},
        {listed_watch, E, "a listed -w line does not say whether the rule is always or never",
         "auditctl -l prints `-a never,exit -F path=P -F perm=wa` as `-w P -p wa`, the same as the watch that records. "
         "--assume listed-watches takes every such line for an always rule; --loaded reads what the kernel really "
         "holds."},
        {ambiguous_listing, E, "a line of a listing that does not say what the kernel holds",
         "Several rules with different meanings are printed as this line; the message says which. auditctl -l escapes "
         "no spaces, prints exe!= as exe= before 3.1.5 and 4.0.2, drops io_uring operations from 37 on and the place "
         "of arch, and "
         "hides action and operators where it prints -w and -p. --loaded reads what the kernel really holds."},
        {repeated_listing, E, "a listing has the same line twice",
         "The kernel refuses a rule that it has already, so that two equal lines are two different rules: an always "
         "and "
         "a never rule printed as -w, say. (Rules added with -A may be equal; they are refused too.)"},
    };
    return rows;
}

const IdRow* find_id(std::string_view id) {
    for (const auto& row : all_ids())
        if (row.id == id) return &row;
    return nullptr;
}

}  // namespace auopt
