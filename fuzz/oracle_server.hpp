// Real auditctl against the fake kernel (tests/oracle), asked many times: it is loaded once and forks a child for each
// rules file.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/compile.hpp"

namespace auopt::fuzz {

struct OracleAnswer {
    std::vector<std::string> messages;     // "ADD_RULE <hex>" in sending order, read-only requests left out
    std::set<std::size_t> failed_lines;    // as auditctl counts them, from 1: pieces of at most 6143 bytes
    std::set<std::size_t> mismatch_lines;  // where it warned that 32 and 64 bit calls differ
    int exit = 0;                          // as Program::auditctl_exit: 128 and the signal's number when killed
    std::string log;
};

class OracleServer {
public:
    /// Starts auditctl from `directory` (where the build leaves the oracle). Ends the process with 77 when it is not
    /// there, which the tests take as skipped.
    OracleServer(const std::string& directory, AuditctlVersion version);

    OracleAnswer ask(std::string_view rules, std::string_view machine) const;
    /// What that auditctl sees of its host, as far as `lines` ask for it.
    Facts facts_for(const std::vector<InputLine>& lines) const;

private:
    std::string host_;  // the folder that auditctl takes for /
    int requests_ = -1, answers_ = -1;
};

}  // namespace auopt::fuzz
