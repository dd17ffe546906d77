// The truth tables on kernel_model::evaluate.
#include "tests/support/truth_table.hpp"

namespace auopt {
namespace {

TEST(TruthTables, evaluate_decides_as_the_kernel_did) {
    const auto tables = test::read_truth_tables(std::filesystem::path(AUOPT_SOURCE_DIR) / "tests/truth_tables");
    std::size_t rows = 0;
    for (const test::TruthTable& table : tables) {
        SCOPED_TRACE(table.title);
        const KernelState state = test::state_of(table.rules);
        for (const test::TruthRow& row : table.rows)
            for (const KernelTables& kernel : kernel_tables()) {
                if (!row.kernel.empty() && row.kernel != kernel.name) continue;
                EXPECT_EQ(to_string(evaluate(state, kernel, row.event)), to_string(row.expected))
                    << row.where << " on " << kernel.name << ": " << describe(row.event);
                ++rows;
            }
    }
    EXPECT_GT(rows, 150U);  // the folder was found and read
}

}  // namespace
}  // namespace auopt
