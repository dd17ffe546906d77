// Transformations that look harmless and are not. Each pair must never be Proven; where one event of the
// model tells the files apart it must be Refuted by that event, which evaluate confirms.
#include <gtest/gtest.h>

#include "tests/unit/verify_support.hpp"

namespace auopt {
namespace {

using test::load_text;
using test::words;

enum class Expect { refuted, unknown, not_proven };

struct Trap {
    const char* name;
    const char* before;
    const char* after;
    Expect expect = Expect::refuted;
    Preserve preserve = Preserve::exact;
};

void PrintTo(const Trap& trap, std::ostream* out) { *out << trap.name; }

class VerifyTrap : public ::testing::TestWithParam<Trap> {};

TEST_P(VerifyTrap, IsNotProven) {
    const Trap& trap = GetParam();
    const KernelState before = load_text(trap.before), after = load_text(trap.after);
    VerifyOptions options;
    options.preserve = trap.preserve;
    // Both directions: a trap is no safer the other way round.
    for (const bool forward : {true, false}) {
        const Verdict v = forward ? verify(before, after, options) : verify(after, before, options);
        SCOPED_TRACE(words(v));
        EXPECT_FALSE(test::proven(v));
        if (trap.expect == Expect::refuted) {
            EXPECT_TRUE(test::refuted(v));
        } else if (trap.expect == Expect::unknown) {
            EXPECT_TRUE(test::unknown(v));
        }
        if (const auto* found = std::get_if<Refuted>(&v); found != nullptr && found->example) {
            const Counterexample* r = &*found->example;
            if (!r->where_missing.empty()) continue;  // not decided by the whole files
            const KernelTables* kernel = find_kernel(r->kernel);
            ASSERT_NE(kernel, nullptr);
            EXPECT_EQ(evaluate(forward ? before : after, *kernel, r->event, r->unknown_watch_is_dir), r->before);
            EXPECT_EQ(evaluate(forward ? after : before, *kernel, r->event, r->unknown_watch_is_dir), r->after);
            EXPECT_NE(r->before, r->after);
        }
    }
}

// A rule that pins audit_signals, so that the traps are about what they say.
#define PIN "-a always,exit -F arch=b64 -S kill -F uid=4242 -k pin\n"

const Trap traps[] = {
    {"merged_keys", "-a always,exit -F arch=b64 -S chmod -k a\n-a always,exit -F arch=b64 -S chown -k b\n",
     "-a always,exit -F arch=b64 -S chmod,chown -k a\n"},
    {"moved_across_never", "-a never,exit -F arch=b64 -S openat -F uid=0\n-a always,exit -F arch=b64 -S openat -k o\n",
     "-a always,exit -F arch=b64 -S openat -k o\n-a never,exit -F arch=b64 -S openat -F uid=0\n"},
    {"moved_across_key",
     "-a always,exit -F arch=b64 -S openat -F exit=-EACCES -k deny\n-a always,exit -F arch=b64 -S openat -k o\n",
     "-a always,exit -F arch=b64 -S openat -k o\n-a always,exit -F arch=b64 -S openat -F exit=-EACCES -k deny\n"},
    {"never_added", "-a always,exit -F arch=b64 -S chmod -k c\n",
     "-a always,exit -F arch=b64 -S chmod -k c\n-a never,exit -F arch=b64 -S write -F uid=7\n"},
    {"exit_list_and_hash_by_order", "-a always,exit -F arch=b64 -S openat -F pid=77 -k e\n-a never,exit -F path=/f\n",
     "-a never,exit -F path=/f\n-a always,exit -F arch=b64 -S openat -F pid=77 -k e\n"},
    {"hash_rules_swapped",
     "-a never,exit -F arch=b64 -S renameat2 -F inode=5\n-a always,exit -F arch=b64 -S renameat2 -F inode=7 -k f\n",
     "-a always,exit -F arch=b64 -S renameat2 -F inode=7 -k f\n-a never,exit -F arch=b64 -S renameat2 -F inode=5\n",
     Expect::not_proven},
    {"keyless_winner_inherits_key", "-a always,exit -F path=/f\n-a never,exit -F arch=b64 -S openat -k x\n",
     "-a always,exit -F path=/f\n-a never,exit -F arch=b64 -S openat\n"},
    {"keyless_winner_inherits_key_recorded", "-a always,exit -F path=/f\n-a never,exit -F arch=b64 -S openat -k x\n",
     "-a always,exit -F path=/f\n", Expect::refuted, Preserve::recorded},
    {"same_path_swapped", "-a never,exit -F path=/f -F uid=0\n-a always,exit -F path=/f -k w\n",
     "-a always,exit -F path=/f -k w\n-a never,exit -F path=/f -F uid=0\n"},
    // Equal as long as the file is not replaced twice: no event of the model tells them apart.
    {"same_path_shadowed_dropped", "-a never,exit -F path=/f\n-a always,exit -F path=/f -k w\n",
     "-a never,exit -F path=/f\n", Expect::unknown},
    {"two_spellings_dropped", "-a always,exit -F path=/usr/bin/x -k a\n-a always,exit -F path=/bin/x -k a\n",
     "-a always,exit -F path=/usr/bin/x -k a\n"},
    // The watch created last is the one that follows the file.
    {"two_spellings_swapped", "-a always,exit -F path=/usr/bin/x -k a\n-a always,exit -F path=/bin/x -k a\n",
     "-a always,exit -F path=/bin/x -k a\n-a always,exit -F path=/usr/bin/x -k a\n", Expect::not_proven},
    {"two_spellings_swapped_other_calls",
     "-a always,exit -F arch=b64 -S unlink -F path=/usr/bin/x -k a\n-a always,exit -F arch=b64 -S chmod -F path=/bin/x "
     "-k b\n",
     "-a always,exit -F arch=b64 -S chmod -F path=/bin/x -k b\n-a always,exit -F arch=b64 -S unlink -F path=/usr/bin/x "
     "-k a\n",
     Expect::not_proven},
    {"arch_dropped", "-a always,exit -F arch=b64 -S 90 -k p\n", "-a always,exit -S 90 -k p\n"},
    {"twins_merged_by_union", "-a always,exit -F arch=b64 -S 90 -k p\n-a always,exit -F arch=b32 -S 15 -k p\n",
     "-a always,exit -S 15,90 -k p\n"},
    {"hash_twins_reach_io_uring",
     "-a always,exit -F arch=b64 -S all -F path=/f -k x\n-a always,exit -F arch=b32 -S all -F path=/f -k x\n",
     "-a always,exit -S all -F path=/f -k x\n"},
    {"path_as_inode", "-a always,exit -F arch=b64 -S openat -F path=/f -k x\n",
     "-a always,exit -F arch=b64 -S openat -F inode=5 -k x\n"},
    {"path_as_dir", "-a always,exit -F arch=b64 -S openat -F path=/f -k x\n",
     "-a always,exit -F arch=b64 -S openat -F dir=/f -k x\n"},
    {"missing_file_watch_removed", PIN "-w /etc/shadow -p w -k n\n", PIN},
    {"watch_with_success", "-a always,exit -F path=/f -k w\n", "-a always,exit -F path=/f -F success=1 -k w\n"},
    {"watch_split_by_success", "-a always,exit -F path=/f -k w\n",
     "-a always,exit -F path=/f -F success=1 -k w\n-a always,exit -F path=/f -F success=0 -k w\n"},
    {"split_by_success", "-a always,exit -F arch=b64 -S exit_group -k w\n",
     "-a always,exit -F arch=b64 -S exit_group -F success=1 -k w\n-a always,exit -F arch=b64 -S exit_group -F "
     "success=0 -k w\n"},
    {"exit_below_zero", "-a always,exit -F arch=b64 -S openat -F exit<0 -k w\n",
     "-a always,exit -F arch=b64 -S openat -F success=0 -k w\n"},
    {"exit_from_zero_dropped", "-a always,exit -F arch=b64 -S openat -F exit>=0 -k w\n",
     "-a always,exit -F arch=b64 -S openat -k w\n"},
    {"exit_zero_as_success", "-a always,exit -F arch=b64 -S lseek -F exit=0 -k w\n",
     "-a always,exit -F arch=b64 -S lseek -F success=1 -k w\n"},
    {"success_on_exit_group", "-a always,exit -F arch=b64 -S exit_group -k w\n",
     "-a always,exit -F arch=b64 -S exit_group -F success=1 -k w\n"},
    {"unset_auid", "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid!=unset -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k w\n"},
    {"gid_as_range", "-a always,exit -F arch=b64 -S chmod -F gid=10 -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F gid>=10 -F gid<=10 -k w\n"},
    {"two_groups_are_not_disjoint",
     "-a never,exit -F arch=b64 -S chmod -F gid=10\n-a always,exit -F arch=b64 -S chmod -F gid=11 -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F gid=11 -k w\n-a never,exit -F arch=b64 -S chmod -F gid=10\n"},
    {"perm_mask_too_narrow", PIN "-a always,exit -F dir=/d -F perm=w -k w\n",
     PIN "-a always,exit -F arch=b64 -S 1,18 -F dir=/d -F perm=w -k w\n"},
    {"perm_dropped", "-a always,exit -F dir=/d -F perm=w -k w\n", "-a always,exit -F dir=/d -k w\n"},
    {"kill_bits_cleared",
     "-a always,exit -F dir=/d -F perm=wa -S all -k w\n-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n",
     "-a always,exit -F dir=/d -F perm=wa -S "
     "2,5,8,9,10,14,15,16,38,39,40,49,51,76,77,82,83,84,85,86,87,88,90,91,92,93,94,95,102,131,133,"
     "163,167,179,182,188,189,190,193,194,197,198,199,207,212,226,227,228,235,236,237,257,258,259,260,263,264,265,266,"
     "268,285,295,296,"
     "297,298,301,302,303,304,306,316,324,353,361,437,452,453,454,455,456,457,458,459,460,461,462,463,464,465,466,467,"
     "468,469,470,471,"
     "472,473,474,475,476,477,478,479,480,481,482,483,484,485,486,487,488,489,490,491,492,493,494,495,496,497,498,499,"
     "500,501,502,503,"
     "504,505,506,507,508,509,510,511 -k w\n-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n",
     Expect::unknown},
    {"exclude_rule_pins_signals",
     "-a always,exclude -F msgtype=CWD\n-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n",
     "-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n"},
    // It drops nothing, and yet kill events lose their OBJ_PID records with it.
    {"idle_filesystem_rule_pins_signals",
     "-a always,filesystem -F fstype=tracefs\n-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n",
     "-a always,exit -F arch=b64 -S rt_sigqueueinfo -k s\n", Expect::unknown},
    {"all_is_not_the_existing_calls", PIN "-a always,exit -S all -F uid=7 -k w\n",
     PIN "-a always,exit -S 0-451 -F uid=7 -k w\n"},
    {"last_counted_rule", "-a always,exit -F arch=b64 -S acct -k w\n", "-a always,exclude -F msgtype=CWD\n"},
    {"exit_rule_as_task_rule", "-a never,exit -S all -F uid=7\n", "-a never,task -F uid=7\n"},
    {"task_rules", PIN "-a never,task -F exe!=/usr/bin/x\n", PIN},
    {"user_action", PIN "-a always,user -F uid=7\n", PIN "-a never,user -F uid=7\n"},
    {"filesystem_rule", "-w /f -p w -k w\n-a never,filesystem -F fstype=tracefs\n", "-w /f -p w -k w\n"},
    {"bit_0_of_a_hash_rule", "-a always,exit -S read,openat -F path=/f -k w\n",
     "-a always,exit -S openat -F path=/f -k w\n"},
    {"prepended", "-a always,exit -F arch=b64 -S getppid -k A\n-A never,exit -F arch=b64 -S getppid\n",
     "-a always,exit -F arch=b64 -S getppid -k A\n-a never,exit -F arch=b64 -S getppid\n"},
    {"equal_exit_and_hash_rule_swapped",
     "-a always,exit -F arch=b64 -S renameat2 -F path=/g -k G\n-a always,exit -F arch=b64 -S renameat2 -F path=/f -k "
     "K\n"
     "-a always,exit -F arch=b64 -S renameat2 -k K\n",
     "-a always,exit -F arch=b64 -S renameat2 -F path=/g -k G\n-a always,exit -F arch=b64 -S renameat2 -k K\n"
     "-a always,exit -F arch=b64 -S renameat2 -F path=/f -k K\n"},
    {"any_name_as_this_name", "-a always,exit -F arch=b64 -S unlink -F obj_uid=1000 -k w\n",
     "-a always,exit -F arch=b64 -S unlink -F obj_uid=1000 -F inode=5 -k w\n"},
    {"any_name_negated",
     "-a always,exit -F arch=b64 -S openat -F obj_uid=5 -k w\n-a always,exit -F arch=b64 -S openat -F obj_uid!=5 -k "
     "w\n",
     "-a always,exit -F arch=b64 -S openat -k w\n"},
    {"unresolved_looks_like_root", "-a always,exit -F arch=b64 -S openat -F obj_uid=0 -k r\n",
     "-a always,exit -F arch=b64 -S openat -F obj_uid=0 -F success=1 -k r\n"},
    {"dir_split", "-a always,exit -F dir=/d -F perm=w -k w\n",
     "-a always,exit -F dir=/d/one -F perm=w -k w\n-a always,exit -F dir=/d/two -F perm=w -k w\n"},
    {"dir_spelled_twice", "-a always,exit -F dir=/d -F perm=w -k a\n-a always,exit -F dir=/d/ -F perm=w -k a\n",
     "-a always,exit -F dir=/d -F perm=w -k a\n", Expect::not_proven},
    {"openat2_perm", "-a always,exit -F arch=b64 -S openat2 -F perm=w -k w\n",
     "-a always,exit -F arch=b64 -S openat2 -k w\n"},
    // Kernels before 5.16 never match perm= on openat2.
    {"openat2_any_perm", "-a always,exit -F arch=b64 -S openat2 -F perm=rw -k w\n",
     "-a always,exit -F arch=b64 -S openat2 -k w\n", Expect::unknown},
    {"new_call_class", PIN "-a always,exit -F arch=b64 -S 0-511 -F perm=a -F dir=/d -k w\n",
     PIN "-a always,exit -F arch=b64 -S 0-452 -F perm=a -F dir=/d -k w\n", Expect::unknown},
    {"uid_as_auid", "-a always,exit -F arch=b64 -S setuid -F uid=0 -k w\n",
     "-a always,exit -F arch=b64 -S setuid -F auid=0 -k w\n"},
    {"inode_not_equal", "-a always,exit -F arch=b64 -S openat -F inode!=5 -k w\n",
     "-a always,exit -F arch=b64 -S openat -k w\n"},
    {"keyless_exit_rule_covers_hash_rule",
     "-a always,exit -F arch=b64 -S unlink,openat\n-a always,exit -F arch=b64 -S unlink -F path=/f -k K\n",
     "-a always,exit -F arch=b64 -S unlink,openat\n"},
    {"key_changed", "-a always,exit -F arch=b64 -S chmod -k a\n", "-a always,exit -F arch=b64 -S chmod -k b\n"},
    {"key_dropped", "-a always,exit -F arch=b64 -S chmod -k a\n", "-a always,exit -F arch=b64 -S chmod\n"},
    {"twins_of_other_programs",
     "-a always,exit -F arch=b64 -S chmod -F exe=/usr/bin/x -k a\n-a never,exit -F arch=b64 -S chmod -F exe=/bin/x\n",
     "-a never,exit -F arch=b64 -S chmod -F exe=/bin/x\n-a always,exit -F arch=b64 -S chmod -F exe=/usr/bin/x -k a\n"},
    // Both rules go when /usr/bin goes, the one without exe= stays.
    {"program_or_any_other",
     "-a always,exit -F arch=b64 -S chmod -F exe=/usr/bin/x -k a\n-a always,exit -F arch=b64 -S chmod -F "
     "exe!=/usr/bin/x -k a\n",
     "-a always,exit -F arch=b64 -S chmod -k a\n", Expect::not_proven},
    {"uid_disjoint_but_inside_io_uring", "-a always,exit -S all -F uid=1 -k a\n-a always,exit -S all -F uid=2 -k b\n",
     "-a always,exit -S all -F uid=2 -k b\n-a always,exit -S all -F uid=1 -k a\n", Expect::unknown},
    {"io_uring_list_order", PIN "-a always,io_uring -S openat -F uid=1 -k a\n-a never,io_uring -S openat\n",
     PIN "-a never,io_uring -S openat\n-a always,io_uring -S openat -F uid=1 -k a\n"},
    {"io_uring_rule_dropped", PIN "-a always,io_uring -S openat -k a\n", PIN},
    {"settings", "-b 8192\n" PIN, "-b 64\n" PIN, Expect::refuted},
    {"immutable", PIN "-e 2\n", PIN, Expect::refuted},
    {"cleared", "-D\n" PIN, PIN, Expect::refuted},
    // Only the rule at the end differs in nothing but what a never rule in front of it lets through.
    {"never_moved_behind_always_recorded",
     "-a never,exit -F arch=b64 -S openat -F uid=1\n-a always,exit -F arch=b64 -S openat -F gid=2 -k o\n",
     "-a always,exit -F arch=b64 -S openat -F gid=2 -k o\n-a never,exit -F arch=b64 -S openat -F uid=1\n",
     Expect::refuted, Preserve::recorded},
    // renameat2(EXCHANGE) runs the hash twice. Whether the later watch of /f can match again at the exit, and so end
    // the walk before /q is looked at, depends on which of the two matched in the middle.
    {"same_path_merged_behind_another_watch",
     PIN "-w /q -p wa -k q\n-a always,exit -F path=/f -F perm=wa -F uid=1 -k a\n-a always,exit -F path=/f -F perm=wa "
         "-F uid=2 -k a\n",
     PIN "-w /q -p wa -k q\n-a always,exit -F path=/f -F perm=wa -F uid=2 -k a\n-a always,exit -F path=/f -F perm=wa "
         "-F uid=1 -k a\n",
     Expect::unknown},
    {"unknown_watch_dropped", PIN "-w /unknown/x -p wa -k w\n", PIN},
    {"unknown_watch_and_exit_rule_swapped", PIN "-w /unknown/x -p wa -k w\n-a always,exit -F arch=b64 -S chmod -k c\n",
     PIN "-a always,exit -F arch=b64 -S chmod -k c\n-w /unknown/x -p wa -k w\n"},
    {"merged_across_an_unknown_watch",
     PIN
     "-a always,exit -F arch=b64 -S chown -k c\n-w /unknown/x -p wa -k w\n-a always,exit -F arch=b64 -S chmod -k c\n",
     PIN "-a always,exit -F arch=b64 -S chown,chmod -k c\n-w /unknown/x -p wa -k w\n"},
    {"unknown_watch_taken_as_file", PIN "-w /unknown/x -p wa -k w\n",
     PIN "-a always,exit -F path=/unknown/x -F perm=wa -k w\n"},
    {"unknown_watch_taken_as_directory", PIN "-w /unknown/x -p wa -k w\n",
     PIN "-a always,exit -F dir=/unknown/x -F perm=wa -k w\n"},
    // A disjoint-by-uid exit rule is not disjoint while the file is being deleted: credentials may be overridden then.
    {"hash_rule_moved_across_uid",
     "-a always,exit -F arch=b64 -S unlink -F uid=1 -k e\n-a always,exit -F arch=b64 -S unlink -F path=/f -F uid=2 -k "
     "h\n",
     "-a always,exit -F arch=b64 -S unlink -F path=/f -F uid=2 -k h\n-a always,exit -F arch=b64 -S unlink -F uid=1 -k "
     "e\n",
     Expect::unknown},
};

INSTANTIATE_TEST_SUITE_P(Section7, VerifyTrap, ::testing::ValuesIn(traps),
                         [](const auto& trap) { return std::string(trap.param.name); });

}  // namespace
}  // namespace auopt
