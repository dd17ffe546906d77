// The truth tables on the solver's encoding: an evaluator of its own (verify/smt.cpp), on every machine.
#include "tests/support/list_table.hpp"
#include "tests/support/truth_table.hpp"
#include "verify/list_encoding.hpp"
#include "verify/smt.hpp"

namespace auopt {
namespace {

TEST(VerifyTruthTables, the_encoding_decides_as_the_kernel_did) {
    const auto root = std::filesystem::path(AUOPT_SOURCE_DIR) / "tests/truth_tables";
    for (const Machine machine : {Machine::x86_64, Machine::aarch64, Machine::ppc64le, Machine::s390x}) {
        SCOPED_TRACE(machine_name(machine));
        CompileOptions options = test::test_compile_options();
        options.machine = machine_name(machine);
        std::size_t rows = 0;
        const auto folder = machine == Machine::x86_64 ? root : root / machine_name(machine);
        for (const test::TruthTable& table : test::read_truth_tables(folder, machine)) {
            SCOPED_TRACE(table.title);
            const KernelState state = test::state_of(table.rules, options);
            for (const test::TruthRow& row : table.rows)
                for (const KernelTables& kernel : kernel_tables(machine)) {
                    if (!row.kernel.empty() && row.kernel != kernel.name) continue;
                    const auto encoded = proof::decide_by_encoding(state, kernel, row.event, false);
                    if (!encoded) continue;  // outside the mask of what a search asks about (negative numbers)
                    EXPECT_EQ(to_string(*encoded), to_string(row.expected)) << row.where << " on " << kernel.name;
                    ++rows;
                }
        }
        EXPECT_GT(rows, 30U);
    }
}

TEST(VerifyTruthTables, the_encoding_of_the_other_lists_decides_as_the_kernel_does) {
    std::size_t rows = 0;
    for (const test::ListTable& table : test::read_list_tables()) {
        SCOPED_TRACE(table.title);
        for (const test::ListRow& row : table.rows) {
            const auto encoded = proof::decide_list_by_encoding(table.state, row.event);
            ASSERT_TRUE(encoded.has_value()) << row.where;
            EXPECT_TRUE(encoded->same_as(row.expected))
                << row.where << ": " << describe(row.event) << ": " << to_string(row.event.list, *encoded);
            ++rows;
        }
    }
    EXPECT_GT(rows, 70U);
}

}  // namespace
}  // namespace auopt
