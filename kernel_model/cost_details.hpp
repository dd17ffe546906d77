// The finer parts of the cost of a test and of a whole call: operators, names, tree references, probes. Kept apart from
// CostTable, whose readers need none of it. Data: tables/kernels/*.toml, sections [cost.details] and [probes]. Unit: retired
// instructions, counted by lab/measure-fields and lab/run.
#pragma once

#include <map>
#include <string>

#include "kernel_model/cost.hpp"

namespace auopt {

/// A whole call of the lab's probe (kernel_model/probes.hpp).
struct ProbeBase {
    std::uint32_t unarmed = 0;  // auditing on, no counted rule
    std::uint32_t armed = 0;    // and a counted rule, the exit list empty
    std::uint32_t marked = 0;   // extra once a rule has marked a directory of the file's file system
};
struct ProbeTable {
    std::map<std::string, ProbeBase> base;
    std::uint32_t marked_directory = 0;  // for each directory above a name's file with a watch's mark
    std::uint32_t tree_reference = 0;    // for each one that dir= names
    std::uint32_t task_references = 0;   // every call of a task that has once collected a reference
    std::uint32_t first_in_bucket = 0;   // a name whose hash bucket is not empty
};

struct CostDetails {
    /// What an operator costs beside `=`: audit_uid_comparator and audit_gid_comparator, and audit_comparator.
    std::map<Op, std::int32_t> id_operators, number_operators;
    FieldCost gid_search;          // gid= and gid!=: looking through no supplementary groups, failing and passing
    FieldCost compare_obj;         // field_compare with the owner of a name, no names
    FieldCost lsm_not_asked;       // subj_* and obj_* that the loaded LSM does not know: never true
    std::uint32_t perm_class = 0;  // perm= on a call that is none of open's kin: for each class looked up
    std::uint32_t per_name_dev = 0, per_name_compare = 0;  // for each name that does not fit
    std::uint32_t dir_refs = 0;                            // dir= once the task holds a block of tree references
    std::uint32_t per_dir_ref_pass = 0;                    // dir=: each reference looked at before the rule's
    ProbeTable probes;                                     // empty where none were measured
};

/// Those of the kernel of that name; aborts only on garbage embedded.
const CostDetails& cost_details(const KernelTables& kernel);

/// What a test is made on beside the event.
struct TestPlace {
    const EventName* name = nullptr;  // the hash walk's name; none on the exit list
    bool holds_refs = false;          // the task has once collected a tree reference
    /// AppArmor is loaded, Debian's LSM: it answers subj_role and obj_role alone. Else every LSM test is priced as one that
    /// is answered, which is what whoever writes one is after.
    bool apparmor = false;
};
FieldCost test_cost(const FieldTest& test, const KernelTables& kernel, const Event& event, const TestPlace& place);
EntryCost entry_cost(const KernelRule& rule, const KernelTables& kernel, const Event& event, const TestPlace& place);
CallCost call_cost(const KernelState& state, const KernelTables& kernel, const Event& event, bool with_rules,
                   const TestPlace& place);

}  // namespace auopt
