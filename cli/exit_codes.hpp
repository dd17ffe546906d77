// Exit codes: a contract with scripts (docs: command line, "Exit codes").
#pragma once

namespace auopt {

enum ExitCode : int {
    exit_clean = 0,
    exit_findings = 1,
    exit_usage = 2,
    exit_input = 3,  // cannot be read, or would not load
    exit_refuted = 4,
    exit_unknown = 5,  // the proof did not finish, or a construct is outside the model
    exit_budget = 6,
    exit_internal = 70,
};

}  // namespace auopt
