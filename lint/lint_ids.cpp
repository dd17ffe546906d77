// What the checks of this folder mean, for `auopt explain`.
#include "lint/lint.hpp"

namespace auopt {

const std::vector<IdRow>& lint_ids() {
    using namespace ids;
    constexpr Level E = Level::error;
    constexpr Level W = Level::warning;
    constexpr Level I = Level::info;
    static const std::vector<IdRow> rows = {
        {missing_arch, W, "system calls by name without arch",
         "The kernel holds numbers, not names. Without -F arch auditctl takes the numbers of the machine's own table, "
         "and the kernel "
         "compares them with calls of every ABI: 64-bit open is number 2, which is fork for a 32-bit program, while "
         "32-bit open (5) is missed. "
         "Write the rule twice, with arch=b64 and arch=b32. Calls given as numbers are not reported: they mean what "
         "they say."},
        {missing_twin, W, "a rule for one ABI has no twin for the other",
         "A 64-bit kernel runs 32-bit programs too. A rule with arch=b64 sees nothing that they do, so the same action "
         "through the 32-bit "
         "entry leaves no record (and the other way round). Calls that the other ABI does not have are not missed. A "
         "rule counts as a twin when its "
         "other tests hold whenever this rule's do, whatever its key. A rule that asks for every call of one ABI and "
         "for "
         "nothing else is about the ABI itself and needs no twin. If the machine runs no 32-bit programs, suppress "
         "this with that reason."},
        {positive_errno, E, "exit= with an errno name but no minus sign",
         "exit=EACCES tests for the return value +13, for example a descriptor. Failing calls return negative numbers: "
         "write exit=-EACCES. "
         "As written the rule records no failure at all."},
        {unsigned_exit, W, "exit compared as if it had a sign",
         "The kernel compares the low 32 bits of the return value without a sign. exit<0 is never true, exit>=0 "
         "always, and exit>0 is also "
         "true for every error, since -1 is 4294967295. Use success=0 or success=1, or exit=-ERRNO."},
        {unset_auid, W, "auid lower bound without auid!=unset",
         "A process that descends from no login has the unset auid 4294967295, which is greater than any bound. "
         "auid>=1000 alone therefore "
         "records every daemon. Add -F auid!=unset."},
        {impossible_tests, W, "a rule that never matches",
         "Tests on a field with one value exclude each other (bit tests among them), or those on exit and success do: "
         "a call "
         "that failed returned -4095 to -1. Or perm= holds for none of the rule's system calls: "
         "perm= knows calls that "
         "open, execute, change attributes or write directory entries; read, write, stat and the like are in none of "
         "its classes."},
        {never_task, E, "never,task without a condition",
         "The task list decides at fork. A task that matches never gets no audit context for its life: rules for "
         "system calls and files cannot "
         "see it. Some distributions ship this line to switch system call auditing off. Its place in the file makes no "
         "difference, since "
         "the lists are separate."},
        {exclude_never, E, "never on the exclude list",
         "On the exclude list the action is ignored: whatever matches is dropped. A rule meant as an exception drops "
         "what it was to keep. "
         "Express an exception through ranges: one rule below and one above the types to keep."},
        {argument_index, W, "an argument test that means different things for the rule's calls",
         "a0 to a3 are raw argument registers, of which the low 32 bits are compared. The mode is a1 of chmod but a2 "
         "of fchmodat, where a1 is the "
         "address of the path: a test there looks at the bits of an address and is true or false by chance. Write one "
         "rule per argument order."},
        {exclude_all, E, "everything excluded",
         "This exclude rule matches every record type, so no record is ever written, whatever the other rules say."},
        {list_cut_short, E, "a test that ends the walk of its list",
         "On the lists user and exclude the kernel knows pid, uid, gid, auid, msgtype, exe and the subj_ fields. Where "
         "the "
         "tests before it hold, any other test, a key too, ends the walk: this rule never decides, and no rule behind "
         "it "
         "does. auditctl and the kernel accept it all the same."},
        {suppression_without_reason, W, "suppression without a reason",
         "A comment `# auopt: ignore ID reason=\"...\"` on the line above a rule takes a finding out. The reason is "
         "required, so that the next "
         "reader knows why."},
        {unused_suppression, W, "suppression that suppresses nothing",
         "The finding that this comment takes out is not there. Delete the comment, or it will hide the finding when "
         "it comes back."},
        {shadowed, W, "a rule that can never be the first match",
         "Within the exit list the first match decides action and key. An earlier rule has all of this rule's calls "
         "and is true whenever this rule "
         "is, so this rule decides nothing: its key never appears. Put the specific rule before the general one. "
         "Reported as info "
         "where both rules have the same outcome and the later one is merely redundant. Deleting is advised only where "
         "it changes nothing: the first rule with some path=, dir= or exe= keeps a watch, a tree or a mark in the "
         "kernel even if it never matches, and its going would be seen in other events."},
        {late_exception, W, "an exception after the rule it is an exception to",
         "A never rule works only for events that no earlier rule matches. An earlier always rule matches all of this "
         "rule's events, so they are "
         "recorded. Move the never rule up."},
        {near_duplicate, W, "the same rule but for key or order of tests",
         "Both rules select the same events. The kernel does not refuse the second, since key and order count as "
         "differences there, but it "
         "can never be the first match. One event carries one rule's key; several keys on one rule are joined and can "
         "all be searched for. "
         "Two watches on one file are worse: each time the file is replaced they change places, and with them the "
         "key."},
        {lock_before_rules, E, "-e 2 before rules",
         "After -e 2 the kernel refuses every change until the next boot: rules that follow in the file are not "
         "loaded. augenrules moves -e "
         "to the end by itself; a file loaded with auditctl -R must have it there."},
        {every_call, I, "a rule that every system call pays for",
         "A rule of the exit list without -S (a directory watch above all) is tested in every system call of the "
         "machine, also in those that it can "
         "never match. auopt optimize clears the calls outside its perm= class, which leaves a mask test of 8 to 19 "
         "instructions. "
         "A watch on a file costs such calls nothing."},
        {perm_narrowed, W, "perm= with arch reads differently in other auditctl versions",
         "auditctl 3.1.3 and later replace -F perm= by a list of system calls from a table of its own when an arch is "
         "known before it. The "
         "kernel's classes have calls which that table lacks, so the same text records less there. Written before -F "
         "arch, "
         "perm= is left to the kernel by every version; the output of auopt optimize is written so. fchmodat2 is such "
         "a call: "
         "it is in the kernel's class from 6.12.75 on, and in auditctl's table from 4.1.2 on."},
        {refused_elsewhere, I, "a line that other auditctl versions refuse",
         "Some auditctl version of the target does not know a word of this line and would stop there. It matters where "
         "the same "
         "file is installed on several distributions."},
        {reads_differently, W, "a line that other auditctl versions read otherwise",
         "The line loads in every version named, but not as the same bytes: later versions narrow -F perm= after an "
         "arch or -S, keep words that earlier ones drop, take other words for lists, or (4.0.4 to 4.1.0) delete what "
         "-A should add. Write it so that all versions agree, as the output of auopt optimize is written."},
        {loads_elsewhere, I, "a line that only other auditctl versions take",
         "The version that the rules are read as refuses the line; others load it. It matters where the same file is "
         "installed on several distributions: there a rule exists that is missing here."},
    };
    return rows;
}

}  // namespace auopt
