// The rules that the running kernel holds, over netlink: AUDIT_LIST_RULES, AUDIT_GET and AUDIT_GET_FEATURE through
// libaudit (audit_request_rules_list_data(3), audit_get_reply(3)). Nothing is changed in the kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "compiler/ir.hpp"

namespace auopt {

/// One message of the kernel, its netlink header taken apart.
struct KernelReply {
    std::uint16_t type = 0;   // AUDIT_LIST_RULES, NLMSG_DONE, NLMSG_ERROR, ...
    std::uint16_t flags = 0;  // NLM_F_*
    std::uint32_t sequence = 0;
    std::vector<std::uint8_t> payload;
};

enum class KernelRequest { rules, status, features };

/// The audit socket, as much of it as reading takes. Tests put a fake kernel in its place.
struct AuditSocket {
    /// Sends a request. Result: its sequence number. Error: an errno.
    std::function<tl::expected<std::uint32_t, int>(KernelRequest)> request;
    /// The next message. Error: an errno; EAGAIN when none came within the limit, ENOBUFS when some were lost.
    std::function<tl::expected<KernelReply, int>(std::chrono::milliseconds limit)> receive;
};

/// This machine's kernel. Error: why there is no socket. The socket lives as long as the functions.
tl::expected<AuditSocket, std::string> open_audit_socket();

struct LoadedRuleSet {
    /// In the order of the kernel's list: user, task, exit, exclude, filesystem, io_uring; within a list the order in
    /// which the rules act. Masks as auditctl sends them: where every call that the kernel stores (0..2031) is set,
    /// all 2048 bits.
    std::vector<KernelRule> rules;
    std::vector<SetStatus> settings;  // what -b, -f, -r, --backlog_wait_time and -e would set (in this order)
    bool loginuid_immutable = false;
};

/// Error: what failed. A list that may be incomplete is an error, never a short list.
tl::expected<LoadedRuleSet, std::string> read_loaded_rules(const AuditSocket& socket);

}  // namespace auopt
