// Work that may fail in any way, in a process of its own: its answer comes whole, or there is a reason why there is
// none. What happens to the child (a crash, a limit, the kernel's out-of-memory killer) does not happen to us.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "cli/stop_signals.hpp"

namespace auopt {

struct ChildLimits {
    std::uint64_t memory_mib = 0;  // of address space (RLIMIT_AS)
    /// By the clock; and as much of the CPU, should nobody be left to look at the clock.
    std::chrono::milliseconds time{};
    bool ends_by_signal = true;  // that is meant for us; else the answer is waited for all the same
};

struct ChildFailure {
    int exit_code = 0;
    std::string reason;
    bool interrupted = false;  // we were told to stop; the child has been ended
};

/// The strings that `work` returns in the child. Must be called while the process has one thread.
tl::expected<std::vector<std::string>, ChildFailure> run_in_child(
    const ChildLimits& limits, const StopSignals& signals, const std::function<std::vector<std::string>()>& work);

/// What goes through the pipe: the strings with their lengths, behind a hash of it all.
std::string pack(const std::vector<std::string>& strings);
/// Nothing: these are not the bytes that pack() made.
std::optional<std::vector<std::string>> unpack(std::string_view bytes);

}  // namespace auopt
