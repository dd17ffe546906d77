// Which events a system call can produce: what is shown as a counterexample must be one of them. Facts are in
// tables/calls.toml; a call that is not listed there can do anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel_model/event.hpp"
#include "kernel_model/tables.hpp"

namespace auopt {

enum class CallNames : std::uint8_t {
    any,
    removes,        // and what was deleted is no failure
    keeps,          // deletes none
    by_descriptor,  // one that is resolved and stays
    none,
};
enum class CallResult : std::uint8_t { any, zero /* or an error */, never_fails, never_returns, no_such_call };

struct CallFacts {
    CallNames names = CallNames::any;
    CallResult result = CallResult::any;
    bool copies_address = true;
    bool may_be_audited = true;  // false: an io_uring operation that never calls in
    bool uring = false;          // an io_uring operation, whose result is that of its issue function
    bool worker = false;         // names and what they refer to may be another task's
};

/// `arch` 0: an io_uring worker.
CallFacts call_facts(const KernelTables& kernel, std::uint32_t arch, std::int32_t nr, std::optional<unsigned> uring_op);

/// Why no call can produce the event; nothing where no fact speaks against it.
std::optional<std::string> why_impossible(const KernelTables& kernel, const Event& event);

/// Codes below -1 that audit_return_fixup turns into -EINTR.
constexpr bool is_restart_code(std::int64_t code) {
    return code == -512 || code == -513 || code == -514 || code == -516;
}
constexpr std::int64_t last_error = -4095;     // MAX_ERRNO
constexpr std::int64_t not_implemented = -38;  // ENOSYS
constexpr std::uint32_t last_pid = 1U << 22;   // PID_MAX_LIMIT
constexpr unsigned first_number_without_call = 512;

}  // namespace auopt
