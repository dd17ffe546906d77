#include "workload/ids.hpp"

namespace auopt {

const std::vector<IdRow>& workload_ids() {
    constexpr Level E = Level::error, W = Level::warning;
    static const std::vector<IdRow> rows = {
        {ids::workload_format_unknown, E, "a workload in no known format",
         "The content is none of: our JSON, bpftrace's @[call] = count() maps, perf report --stdio, perf trace -s, "
         "strace -c. --workload FORMAT:FILE says which one it is meant to be."},
        {ids::workload_empty, E, "a workload without calls",
         "The file has the form of its format, but no system call with a count above zero."},
        {ids::workload_call_unknown, W, "a system call that no table has",
         "The name or number is not in the system call table of the machine the workload is read for. The line is left "
         "out, "
         "so the workload weighs less than the file says."},
        {ids::workload_line_unreadable, W, "a line of a workload that cannot be read",
         "The line stands where a count is expected and is none (another number of columns, a sign, a number above "
         "2^53, "
         "a histogram). It is left out."},
        {ids::workload_member, E, "a workload's JSON is not understood",
         "The text is not JSON, or a member is missing or of another kind than docs/WORKLOAD.md says."},
        {ids::workload_incomplete, W, "a workload that seems incomplete",
         "The total line is missing or differs from the sum of the lines, or the tracer says that it lost events."},
        {ids::workload_no_counts, W, "a profile counts no calls",
         "perf report tells how much time the audit functions take, not how often calls are made. The weights are "
         "those "
         "of another --workload, or the default's."},
        {ids::workload_ambiguous, E, "more than one map or report that may be meant",
         "The bpftrace output holds several maps with keys: name the one that counts calls @ or @calls, or leave the "
         "others out. Or the file holds several reports of perf, or shares of more than 100 %: keep the one of the "
         "event that counts time."},
    };
    return rows;
}

}  // namespace auopt
