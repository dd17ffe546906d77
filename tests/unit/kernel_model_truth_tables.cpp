// The truth tables on kernel_model::evaluate.
#include "tests/support/list_table.hpp"
#include "tests/support/truth_table.hpp"

namespace auopt {
namespace {

/// How many rows the folder had.
std::size_t check_tables(const std::filesystem::path& folder, Machine machine) {
    std::size_t rows = 0;
    CompileOptions options = test::test_compile_options();
    options.machine = machine_name(machine);
    for (const test::TruthTable& table : test::read_truth_tables(folder, machine)) {
        SCOPED_TRACE(table.title);
        const KernelState state = test::state_of(table.rules, options);
        for (const test::TruthRow& row : table.rows)
            for (const KernelTables& kernel : kernel_tables(machine)) {
                if (!row.kernel.empty() && row.kernel != kernel.name) continue;
                EXPECT_EQ(to_string(evaluate(state, kernel, row.event)), to_string(row.expected))
                    << row.where << " on " << kernel.name << ": " << describe(row.event);
                ++rows;
            }
    }
    return rows;
}

const std::filesystem::path tables_folder = std::filesystem::path(AUOPT_SOURCE_DIR) / "tests/truth_tables";

TEST(TruthTables, evaluate_decides_as_the_kernel_did) {
    EXPECT_GT(check_tables(tables_folder, Machine::x86_64), 150U);  // the folder was found and read
}

TEST(TruthTables, evaluate_decides_by_the_classes_of_other_machines) {
    for (const Machine machine : {Machine::aarch64, Machine::ppc64le, Machine::s390x})
        EXPECT_GT(check_tables(tables_folder / machine_name(machine), machine), 30U) << machine_name(machine);
}

TEST(TruthTables, evaluate_list_decides_as_the_kernel_does) {
    std::size_t rows = 0;
    for (const test::ListTable& table : test::read_list_tables()) {
        SCOPED_TRACE(table.title);
        for (const test::ListRow& row : table.rows) {
            const ListDecision decided = evaluate_list(table.state, row.event);
            EXPECT_TRUE(decided.same_as(row.expected))
                << row.where << ": " << describe(row.event) << ": " << to_string(row.event.list, decided);
            ++rows;
        }
    }
    EXPECT_GT(rows, 70U);
}

}  // namespace
}  // namespace auopt
