// Lemmas L4 (implied tests) and L5 (commuting rules) of the kernel filter specification, section 9.
#include "optimizer/commute.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace auopt {
namespace {

constexpr std::uint64_t u32_max = 0xFFFFFFFF;

// The values a scalar may still have.
struct Range {
    std::uint64_t low = 0, high = u32_max;
    std::set<std::uint32_t> excluded;

    void apply(Op op, std::uint32_t v) {
        switch (op) {
            case Op::equal:
                low = std::max<std::uint64_t>(low, v), high = std::min<std::uint64_t>(high, v);
                break;
            case Op::not_equal:
                excluded.insert(v);
                break;
            case Op::less:
                if (v == 0)
                    low = 1, high = 0;
                else
                    high = std::min<std::uint64_t>(high, v - 1);
                break;
            case Op::less_equal:
                high = std::min<std::uint64_t>(high, v);
                break;
            case Op::greater:
                low = std::max<std::uint64_t>(low, std::uint64_t{v} + 1);
                break;
            case Op::greater_equal:
                low = std::max<std::uint64_t>(low, v);
                break;
            case Op::bit_mask:
            case Op::bit_test:
                break;  // says too little about the order of values
        }
    }
    bool empty() const {
        if (low > high) return true;
        if (high - low >= excluded.size()) return false;
        for (std::uint64_t v = low; v <= high; ++v)
            if (!excluded.contains(static_cast<std::uint32_t>(v))) return false;
        return true;
    }
    bool within(Op op, std::uint32_t v) const {  // every value left satisfies (op v)
        switch (op) {
            case Op::equal:
                return low == v && high == v;
            case Op::not_equal:
                return v < low || v > high || excluded.contains(v);
            case Op::less:
                return high < v;
            case Op::less_equal:
                return high <= v;
            case Op::greater:
                return low > v;
            case Op::greater_equal:
                return low >= v;
            case Op::bit_mask:
            case Op::bit_test:
                return false;
        }
        return false;
    }
};

enum class Kind { none, stable, at_exit };

// Scalars: one value per call. stable: the same in a hash walk in the middle of the call as at its exit; the
// credentials are not (a file system may borrow others), nor is the result, nor the program (exe= follows the file that
// is deleted). gid= and gid!= also look at the supplementary groups.
Kind scalar_kind(const FieldTest& t) {
    switch (t.field) {
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::loginuid:
        case Field::sessionid:
        case Field::pid:
        case Field::ppid:
        case Field::pers:
            return Kind::stable;
        case Field::uid:
        case Field::euid:
        case Field::suid:
        case Field::fsuid:
        case Field::sgid:
        case Field::fsgid:
        case Field::exit:
        case Field::saddr_fam:
            return Kind::at_exit;
        case Field::gid:
        case Field::egid:
            return t.op == Op::equal || t.op == Op::not_equal ? Kind::none : Kind::at_exit;
        default:
            return Kind::none;
    }
}

// success compares 1 (yes) or 2 (no) with 1 or 2.
unsigned success_values(const FieldTest& t) {
    const std::uint32_t v = t.value != 0 ? 1 : 2;
    Range r;
    r.apply(t.op, v);
    unsigned values = 0;
    for (std::uint32_t s : {1U, 2U})
        if (s >= r.low && s <= r.high && !r.excluded.contains(s)) values |= s;
    return values;
}

bool can_hold_together(const std::vector<const KernelRule*>& rules, bool only_stable) {
    std::map<Field, Range> ranges;
    std::map<std::string, unsigned> programs;  // exe: 1 equal, 2 not equal
    unsigned success = 3;
    for (const KernelRule* rule : rules)
        for (const FieldTest& t : rule->tests) {
            const Kind kind = scalar_kind(t);
            if (kind == Kind::stable || (kind == Kind::at_exit && !only_stable)) ranges[t.field].apply(t.op, t.value);
            if (t.field == Field::exe && !only_stable) programs[t.text] |= t.op == Op::not_equal ? 2U : 1U;
            if (t.field == Field::success && !only_stable) success &= success_values(t);
        }
    if (success == 0) return false;
    if (std::any_of(ranges.begin(), ranges.end(), [](const auto& r) { return r.second.empty(); })) return false;
    return std::none_of(programs.begin(), programs.end(), [](const auto& p) { return p.second == 3; });
}

// A hash rule with exit= or success= can't match in the middle of the call.
bool only_at_exit(const KernelRule& rule) {
    return find_test(rule, Field::exit) != nullptr || find_test(rule, Field::success) != nullptr;
}

bool is_exit_list(const Entry& e) { return e.where == Placement::exit_list; }

bool disjoint_when(const Entry& a, const Entry& b, bool only_stable) {
    if (a.admission.disjoint(b.admission)) return true;
    if (a.admission.meets_in_io_uring(b.admission)) return false;
    return !can_hold_together({&a.rule, &b.rule}, only_stable);
}

// Neither may decide an event of the other, whenever the hash rule is judged.
bool disjoint_exit_hash(const Entry& exit_list, const Entry& hash) {
    return disjoint_when(exit_list, hash, !only_at_exit(hash.rule));
}

}  // namespace

bool disjoint(const Entry& a, const Entry& b) { return disjoint_when(a, b, false); }

bool satisfiable(const KernelRule& rule) { return can_hold_together({&rule}, false); }

bool same_decision(const KernelRule& a, const KernelRule& b) {
    return a.action == b.action && rule_key(a) == rule_key(b);
}

bool may_cross(const Entry& moved, const Entry& crossed) {
    if (crossed.where == Placement::either)  // it may be an exit-list rule or a hash rule
        return moved.admission.disjoint(crossed.admission) ||
               (is_exit_list(moved) && disjoint_exit_hash(moved, crossed));
    if (crossed.where == Placement::io_uring_list)  // shares priorities; runs inside io_uring_enter and in workers
        return !moved.admission.in_io_uring();
    if (is_exit_list(moved) && is_exit_list(crossed))
        return disjoint(moved, crossed) ||
               (same_decision(moved.rule, crossed.rule) && !moved.admission.meets_in_io_uring(crossed.admission));
    if (is_exit_list(moved)) return disjoint_exit_hash(moved, crossed);
    if (is_exit_list(crossed)) return disjoint_exit_hash(crossed, moved);
    return moved.admission.disjoint(crossed.admission);  // two hash rules: one call has many names
}

bool implied(const KernelRule& weaker, const KernelRule& stronger) {
    return std::all_of(weaker.tests.begin(), weaker.tests.end(), [&](const FieldTest& t) {
        if (t.field == Field::key || t.field == Field::arch) return true;
        for (const FieldTest& s : stronger.tests) {
            if (s == t) return true;
            if (t.field == Field::perm && s.field == Field::perm && t.op == Op::equal && s.op == Op::equal &&
                (s.value & ~t.value) == 0)
                return true;
        }
        if (t.field == Field::success) {
            unsigned values = 3;
            bool tested = false;
            for (const FieldTest& s : stronger.tests)
                if (s.field == Field::success) values &= success_values(s), tested = true;
            return tested && (values & ~success_values(t)) == 0;
        }
        if (scalar_kind(t) == Kind::none) return false;
        Range range;
        bool tested = false;
        for (const FieldTest& s : stronger.tests)
            if (s.field == t.field && scalar_kind(s) != Kind::none) range.apply(s.op, s.value), tested = true;
        // exit= is false without a result and saddr_fam= without an address, so that only a test of the same field can
        // imply them; other scalars that are not tested have some value.
        return (tested || (t.field != Field::exit && t.field != Field::saddr_fam)) && range.within(t.op, t.value);
    });
}

}  // namespace auopt
