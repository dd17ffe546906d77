// Which bytes of which objects the walk of the exit list reads for one call, in order (auditsc.c: __audit_filter_op,
// audit_filter_rules). Where the objects lie is placement.hpp's.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel_model/cost.hpp"
#include "kernel_model/hardware.hpp"

namespace auopt {

/// What auditfilter.c allocates for a rule, in the order in which it does.
struct RuleObject {
    enum class Kind : std::uint8_t { entry, fields, operand } kind = Kind::entry;
    std::size_t rule = 0;     // index into KernelState::filter
    std::size_t operand = 0;  // index of the test, for operands
    unsigned bytes = 0;       // as allocated
};

/// One read: `offset` bytes into objects[object].
struct Touch {
    std::uint32_t object = 0;
    std::uint32_t offset = 0;
    bool operator==(const Touch&) const = default;
};

/// One entry of the list as the walk meets it.
struct WalkStep {
    std::size_t rule = 0;
    std::uint32_t instructions = 0;
    std::uint32_t first = 0, count = 0;  // touches; the first is list.next
    bool in_mask = false;
};

struct Walk {
    std::vector<Touch> touches;
    std::vector<WalkStep> steps;
    unsigned exe_tests = 0;  // tests of exe= that are made
};

/// The objects of all rules of lists 4 and 7 and of the inode hash (they share the caches), in load order.
std::vector<RuleObject> rule_objects(const KernelState& state, const Layout& layout);

/// The walk of `event` up to the rule that matches, if one does.
Walk walk_of(const KernelState& state, const KernelTables& kernel, const Layout& layout,
             const std::vector<RuleObject>& objects, const Event& event);

/// Line numbers (0 is the object's first) that a step reads in its entry, ascending, without repeats.
std::vector<unsigned> entry_lines(const Walk& walk, const WalkStep& step, const std::vector<RuleObject>& objects,
                                  unsigned line_bytes);

}  // namespace auopt
