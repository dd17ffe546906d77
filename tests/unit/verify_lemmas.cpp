// Rewrites that are exact (the lemmas the passes rest on): each must be Proven, at the level named.
#include <gtest/gtest.h>

#include "tests/unit/verify_support.hpp"

namespace auopt {
namespace {

using test::load_text;
using test::words;

struct Lemma {
    const char* name;
    const char* before;
    const char* after;
    Preserve preserve = Preserve::exact;
    bool no_32bit = false;
    bool no_foreign_records = false;
};

void PrintTo(const Lemma& lemma, std::ostream* out) { *out << lemma.name; }

class VerifyLemma : public ::testing::TestWithParam<Lemma> {};

TEST_P(VerifyLemma, IsProven) {
    const Lemma& lemma = GetParam();
    const KernelState before = load_text(lemma.before), after = load_text(lemma.after);
    VerifyOptions options;
    options.preserve = lemma.preserve;
    options.assume_no_32bit = lemma.no_32bit;
    options.assume_no_foreign_records = lemma.no_foreign_records;
    const Verdict v = verify(before, after, options);
    EXPECT_TRUE(test::proven(v)) << words(v);
    if (const auto* p = std::get_if<Proven>(&v)) {
        EXPECT_GT(p->obligations, 2000U);
    }
}

#define PIN "-a always,exit -F arch=b64 -S kill -F uid=4242 -k pin\n"

// Every call that perm=wa can match on some kernel, and those that kernels to come may add.
#define WA                                                                                                             \
    "2,5,8,9,10,14,15,16,38,39,40,49,51,76,77,82,83,84,85,86,87,88,90,91,92,93,94,95,102,131,133,163,167,179,182,188," \
    "189,190,193,"                                                                                                     \
    "194,197,198,199,207,212,226,227,228,235,236,237,257,258,259,260,263,264,265,266,268,285,295,296,297,298,301,302," \
    "303,304,306,"                                                                                                     \
    "316,324,353,361,437,452-511"

const Lemma lemmas[] = {
    {"identical", "-w /etc/passwd -p wa -k id\n" PIN, "-w /etc/passwd -p wa -k id\n" PIN},
    {"nothing", "", ""},
    {"mask_narrowed", PIN "-a always,exit -S all -F dir=/d -F perm=wa -k w\n",
     PIN "-a always,exit -S " WA " -F dir=/d -F perm=wa -k w\n"},
    {"hash_mask_narrowed", PIN "-w /etc/passwd -p wa -k w\n",
     PIN "-a always,exit -S " WA " -F path=/etc/passwd -F perm=wa -k w\n"},
    {"mask_narrowed_to_one_abi", PIN "-a always,exit -F arch=b64 -S all -F dir=/d -F perm=x -k w\n",
     PIN "-a always,exit -F arch=b64 -S execve,execveat -F dir=/d -F perm=x -k w\n"},
    {"fields_permuted", "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F success=1 -F uid=3 -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F uid=3 -F auid>=1000 -F success=1 -k w\n"},
    {"implied_field", "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -F auid>=500 -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k w\n"},
    {"implied_by_equality", "-a always,exit -F arch=b64 -S chmod -F auid=1000 -F auid!=unset -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F auid=1000 -k w\n"},
    {"implied_on_a_hash_rule", "-a always,exit -F arch=b64 -S chmod -F path=/f -F auid=1000 -F auid!=unset -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F path=/f -F auid=1000 -k w\n"},
    {"auid_spellings",
     "-a always,exit -F arch=b64 -S chmod -F auid!=unset -k w\n-a always,exit -F arch=b64 -S chown -F path=/f -F "
     "auid!=-1 -k w\n",
     "-a always,exit -F arch=b64 -S chmod -F auid!=4294967295 -k w\n-a always,exit -F arch=b64 -S chown -F path=/f -F "
     "auid!=unset -k w\n"},
    {"contradiction_dropped", "-a always,exit -F arch=b64 -S chmod -F uid=1 -F uid=2 -k w\n" PIN, PIN},
    {"hash_contradiction_dropped",
     "-a always,exit -F arch=b64 -S chmod -F path=/f -F uid=1 -F uid=2 -k w\n-w /f -p x -k x\n" PIN,
     "-w /f -p x -k x\n" PIN},
    {"shadowed", "-a always,exit -F arch=b64 -S chmod,chown -k a\n-a never,exit -F arch=b64 -S chmod -F uid=0\n",
     "-a always,exit -F arch=b64 -S chmod,chown -k a\n"},
    {"shadowed_everywhere", "-a always,exit -S all -F uid=1 -k a\n-a never,exit -S all -F uid=1 -F auid=5\n",
     "-a always,exit -S all -F uid=1 -k a\n"},
    {"shadowed_by_range",
     "-a always,exit -F arch=b64 -S chmod -F auid>=500 -k a\n-a never,exit -F arch=b64 -S chmod -F auid>=1000\n",
     "-a always,exit -F arch=b64 -S chmod -F auid>=500 -k a\n"},
    {"hash_shadowed_same_path", PIN "-w /f -p wa -k w\n-w /f -p w -k w\n", PIN "-w /f -p wa -k w\n"},
    {"hash_shadowed_across_other_exit_rule",
     "-w /f -p wa -k w\n-a always,exit -F arch=b64 -S getpid -k p\n-w /f -p w -k w\n",
     "-w /f -p wa -k w\n-a always,exit -F arch=b64 -S getpid -k p\n"},
    {"disjoint_swapped",
     "-a never,exit -F arch=b64 -S openat -F uid=1\n-a always,exit -F arch=b64 -S openat -F uid=2 -k b\n",
     "-a always,exit -F arch=b64 -S openat -F uid=2 -k b\n-a never,exit -F arch=b64 -S openat -F uid=1\n"},
    {"equal_outcome_swapped",
     "-a always,exit -F arch=b64 -S openat -F uid=1 -k b\n-a always,exit -F arch=b64 -S openat -F gid=2 -k b\n",
     "-a always,exit -F arch=b64 -S openat -F gid=2 -k b\n-a always,exit -F arch=b64 -S openat -F uid=1 -k b\n"},
    {"disjoint_results_swapped",
     "-a always,exit -F arch=b64 -S openat -F exit=-EACCES -k a\n-a always,exit -F arch=b64 -S openat -F exit=-EPERM "
     "-k b\n",
     "-a always,exit -F arch=b64 -S openat -F exit=-EPERM -k b\n-a always,exit -F arch=b64 -S openat -F exit=-EACCES "
     "-k a\n"},
    {"masks_merged",
     "-a always,exit -F arch=b64 -S chmod -F auid>=1000 -k p\n-a always,exit -F arch=b64 -S mount -k m\n"
     "-a always,exit -F arch=b64 -S chown -F auid>=1000 -k p\n",
     "-a always,exit -F arch=b64 -S chmod,chown -F auid>=1000 -k p\n-a always,exit -F arch=b64 -S mount -k m\n"},
    {"masks_merged_beside_a_watch",
     PIN "-a always,exit -F arch=b64 -S chmod -k p\n-w /f -p r -k w\n-a always,exit -F arch=b64 -S chown -k p\n",
     PIN "-a always,exit -F arch=b64 -S chmod,chown -k p\n-w /f -p r -k w\n"},
    {"hash_masks_merged",
     "-a always,exit -F arch=b64 -S chmod -F path=/f -k p\n-a always,exit -F arch=b64 -S chown -F path=/f -k p\n",
     "-a always,exit -F arch=b64 -S chmod,chown -F path=/f -k p\n"},
    {"perms_merged",
     PIN "-a always,exit -S all -F dir=/d -F perm=w -k d\n-a always,exit -S all -F dir=/d -F perm=ra -k d\n",
     PIN "-a always,exit -S all -F dir=/d -F perm=rwa -k d\n"},
    {"watch_perms_merged", PIN "-w /f -p w -k d\n-w /f -p r -k d\n-w /f -p a -k d\n", PIN "-w /f -p rwa -k d\n"},
    {"twins_folded",
     "-a always,exit -F arch=b64 -S 90 -F auid>=1000 -k p\n-a always,exit -F arch=b32 -S 90 -F auid>=1000 -k p\n",
     "-a always,exit -S 90 -F auid>=1000 -k p\n"},
    {"hash_twins_folded",
     PIN "-a always,exit -F arch=b64 -S all -F path=/f -F perm=x -k p\n-a always,exit -F arch=b32 -S all -F path=/f -F "
         "perm=x -k p\n",
     PIN "-a always,exit -S all -F path=/f -F perm=x -k p\n"},
    {"hash_twins_folded_without_bit_0",
     "-a always,exit -F arch=b64 -S 90 -F path=/f -k p\n-a always,exit -F arch=b32 -S 90 -F path=/f -k p\n",
     "-a always,exit -S 90 -F path=/f -k p\n"},
    {"key_of_never_dropped",
     "-a always,exit -F path=/f -k w\n-a never,exit -F arch=b64 -S openat -k x\n-a always,exit -F arch=b64 -S "
     "openat,chmod -k o\n",
     "-a always,exit -F path=/f -k w\n-a never,exit -F arch=b64 -S openat\n-a always,exit -F arch=b64 -S openat,chmod "
     "-k o\n"},
    {"never_hoisted",
     "-a always,exit -F arch=b64 -S openat -F uid=1 -k a\n-a never,exit -F arch=b64 -S openat -F uid=2\n",
     "-a never,exit -F arch=b64 -S openat -F uid=2\n-a always,exit -F arch=b64 -S openat -F uid=1 -k a\n"},
    {"exit_rule_moved_across_disjoint_hash_rule",
     "-a always,exit -F arch=b64 -S unlink -F auid=1 -k e\n-a always,exit -F arch=b64 -S unlink -F path=/f -F auid=2 "
     "-k h\n",
     "-a always,exit -F arch=b64 -S unlink -F path=/f -F auid=2 -k h\n-a always,exit -F arch=b64 -S unlink -F auid=1 "
     "-k e\n"},
    {"exit_rule_moved_across_hash_rule_that_tests_the_result",
     "-a always,exit -F arch=b64 -S unlink -F uid=1 -k e\n-a always,exit -F arch=b64 -S unlink -F path=/f -F uid=2 -F "
     "success=1 -k h\n",
     "-a always,exit -F arch=b64 -S unlink -F path=/f -F uid=2 -F success=1 -k h\n-a always,exit -F arch=b64 -S unlink "
     "-F uid=1 -k e\n"},
    {"adjacent_watches_of_one_key_commute", PIN "-w /f -p wa -k w\n-w /g -p wa -k w\n",
     PIN "-w /g -p wa -k w\n-w /f -p wa -k w\n"},
    {"prepend_written_as_append", "-a always,exit -F arch=b64 -S getppid -k A\n-A never,exit -F arch=b64 -S getppid\n",
     "-a never,exit -F arch=b64 -S getppid\n-a always,exit -F arch=b64 -S getppid -k A\n"},
    {"never_is_no_match_when_recorded",
     "-a never,exit -F arch=b64 -S write -F uid=7\n-a always,exit -F arch=b64 -S chmod -k c\n",
     "-a always,exit -F arch=b64 -S chmod -k c\n", Preserve::recorded},
    {"never_is_no_match_without_foreign_records",
     "-a never,exit -F arch=b64 -S write -F uid=7\n-a always,exit -F arch=b64 -S chmod -k c\n",
     "-a always,exit -F arch=b64 -S chmod -k c\n", Preserve::exact, false, true},
    {"keys_do_not_matter_for_the_decision",
     "-a always,exit -F arch=b64 -S chmod -k a\n-a always,exit -F arch=b64 -S chown\n",
     "-a always,exit -F arch=b64 -S chmod,chown -k b\n", Preserve::decision},
    {"arch_dropped_without_32_bit", "-a always,exit -F arch=b64 -S 90 -k p\n", "-a always,exit -S 90 -k p\n",
     Preserve::exact, true},
    {"unknown_watch_kept",
     PIN "-w /unknown/x -p wa -k w\n-a always,exit -F arch=b64 -S chmod -F uid=1 -k a\n-a always,exit -F arch=b64 -S "
         "chown -F uid=1 -k a\n",
     PIN "-w /unknown/x -p wa -k w\n-a always,exit -F arch=b64 -S chmod,chown -F uid=1 -k a\n"},
    {"duplicates_by_prepend_kept", PIN "-A never,exit -F arch=b64 -S getpid\n-A never,exit -F arch=b64 -S getpid\n",
     PIN "-A never,exit -F arch=b64 -S getpid\n-A never,exit -F arch=b64 -S getpid\n"},
    {"duplicates_by_prepend_dropped", PIN "-A never,exit -F arch=b64 -S getpid\n-A never,exit -F arch=b64 -S getpid\n",
     PIN "-A never,exit -F arch=b64 -S getpid\n"},
};

INSTANTIATE_TEST_SUITE_P(Section9, VerifyLemma, ::testing::ValuesIn(lemmas),
                         [](const auto& lemma) { return std::string(lemma.param.name); });

}  // namespace
}  // namespace auopt
