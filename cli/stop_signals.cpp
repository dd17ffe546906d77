#include "cli/stop_signals.hpp"

#include <sys/signalfd.h>

namespace auopt {
namespace {

constexpr int stopping[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT};

}  // namespace

StopSignals::StopSignals() {
    sigemptyset(&held_);
    for (const int signal : stopping) {
        // Who started us with a signal ignored (nohup) does not want to hear of it.
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&held_, signal);
    }
    sigprocmask(SIG_BLOCK, &held_, &before_);
    fd_ = FileDescriptor(signalfd(-1, &held_, SFD_CLOEXEC));
}

StopSignals::~StopSignals() { release(); }

int StopSignals::pending() const {
    sigset_t now;
    if (sigpending(&now) != 0) return 0;
    for (const int signal : stopping) {
        if (sigismember(&held_, signal) == 1 && sigismember(&now, signal) == 1) return signal;
    }
    return 0;
}

}  // namespace auopt
