// Signals that would end the program, held until what must not be left half done is done. They stay pending: when the
// object goes, the program ends of them as it would have.
#pragma once

#include <csignal>

#include "cli/file_descriptor.hpp"

namespace auopt {

class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// SIGHUP, SIGINT, SIGTERM or SIGQUIT that has come; 0: none.
    int pending() const;
    /// Readable, for poll(2), once one has come.
    int fd() const { return fd_.get(); }
    /// For a child: signals as they were before.
    void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t held_{}, before_{};
    FileDescriptor fd_;
};

}  // namespace auopt
