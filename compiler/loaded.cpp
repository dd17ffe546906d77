#include "compiler/loaded.hpp"

#include <libaudit.h>
#include <linux/netlink.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "compiler/wire.hpp"

namespace auopt {

namespace {

// The kernel answers at once; it waits only while another process changes rules.
constexpr std::chrono::milliseconds reply_limit{5000};
// Messages that are for others (of an earlier request, say) are skipped, but not for ever.
constexpr unsigned max_foreign_messages = 10000;

using Clock = std::chrono::steady_clock;

std::string errno_text(int error) {
    switch (error) {
        case EPERM:
        case EACCES:
            return "not permitted: reading the kernel's rules takes root (CAP_AUDIT_CONTROL), outside of containers";
        case ECONNREFUSED:
            return "the kernel's audit refuses the connection: it is not for this container, or switched off";
        case EAGAIN:
            return fmt::format("the kernel did not answer within {} s", reply_limit.count() / 1000);
        case ENOBUFS:
            return "messages were lost (ENOBUFS), so the list may be incomplete; try again";
        case EPROTONOSUPPORT:
        case EAFNOSUPPORT:
        case EINVAL:
            return fmt::format("the kernel has no audit ({})", std::strerror(error));
        default:
            return std::strerror(error);
    }
}

struct Failure {
    int error = 0;  // errno, or 0 where the kernel's words make no sense
    std::string reason;
};
tl::unexpected<Failure> failed(int error) { return tl::unexpected(Failure{error, errno_text(error)}); }
tl::unexpected<Failure> senseless(std::string reason) { return tl::unexpected(Failure{0, std::move(reason)}); }

tl::expected<std::uint32_t, std::string> word_at(const KernelReply& reply, std::size_t index) {
    const std::size_t at = index * 4;
    if (reply.payload.size() < at + 4) return tl::unexpected(std::string("a reply is cut short"));
    std::uint32_t value = 0;
    std::memcpy(&value, reply.payload.data() + at, 4);  // native endian, as the kernel writes it
    return value;
}

/// Collects the replies of `wanted` type to one request: up to NLMSG_DONE where `many`, else the first.
tl::expected<std::vector<KernelReply>, Failure> ask(const AuditSocket& socket, KernelRequest request,
                                                    std::uint16_t wanted, bool many) {
    const auto sequence = socket.request(request);
    if (!sequence) return failed(sequence.error());
    std::vector<KernelReply> replies;
    unsigned foreign = 0;
    for (;;) {
        auto reply = socket.receive(reply_limit);
        if (!reply) {
            if (reply.error() == EINTR) continue;
            return failed(reply.error());
        }
        if (reply->sequence != *sequence) {
            if (++foreign > max_foreign_messages) return senseless("the kernel sends, but no answer to this request");
            continue;
        }
        if ((reply->flags & NLM_F_DUMP_INTR) != 0)
            return senseless("the rules changed while they were listed; try again");
        if (reply->type == NLMSG_ERROR) {
            const auto code = word_at(*reply, 0);
            if (!code) return senseless(code.error());
            if (*code == 0) continue;  // the acknowledgement
            return failed(-static_cast<std::int32_t>(*code));
        }
        if (reply->type == NLMSG_DONE && many) return replies;
        if (reply->type == NLMSG_OVERRUN) return failed(ENOBUFS);
        if (reply->type != wanted)
            return senseless(fmt::format("the kernel answers with a message of type {}", reply->type));
        replies.push_back(std::move(*reply));
        if (!many) return replies;
    }
}

tl::expected<void, std::string> read_settings(const AuditSocket& socket, LoadedRuleSet& set) {
    const auto replies = ask(socket, KernelRequest::status, AUDIT_GET, false);
    if (!replies) return tl::unexpected(replies.error().reason);
    const KernelReply& status = replies->front();
    // struct audit_status: mask enabled failure pid rate_limit backlog_limit lost backlog features backlog_wait_time;
    // the last two are missing in old kernels. In the order in which auditctl files have them, -e last.
    struct Member {
        std::uint32_t mask;
        std::size_t word;
        bool required;
    };
    constexpr Member members[] = {{0x10, 5, true}, {0x02, 2, true}, {0x08, 4, true}, {0x20, 9, false}, {0x01, 1, true}};
    for (const Member& member : members) {
        const auto value = word_at(status, member.word);
        if (value)
            set.settings.push_back({member.mask, *value});
        else if (member.required)
            return tl::unexpected(value.error());
    }
    return {};
}

tl::expected<void, std::string> read_features(const AuditSocket& socket, LoadedRuleSet& set) {
    constexpr std::uint32_t loginuid_immutable = 2;
    // Kernels before 3.13 do not know the request, and have no such feature.
    const auto replies = ask(socket, KernelRequest::features, AUDIT_GET_FEATURE, false);
    if (!replies && replies.error().error == EINVAL) return {};
    if (!replies) return tl::unexpected(replies.error().reason);
    const auto features = word_at(replies->front(), 2);
    if (!features) return tl::unexpected(features.error());
    set.loginuid_immutable = (*features & loginuid_immutable) != 0;
    return {};
}

}  // namespace

tl::expected<LoadedRuleSet, std::string> read_loaded_rules(const AuditSocket& socket) {
    LoadedRuleSet set;
    const auto replies = ask(socket, KernelRequest::rules, AUDIT_LIST_RULES, true);
    if (!replies) return tl::unexpected(replies.error().reason);
    for (const KernelReply& reply : *replies) {
        const auto number = set.rules.size() + 1;
        auto rule = rule_from_wire(reply.payload);
        if (!rule) return tl::unexpected(fmt::format("rule {} of the kernel cannot be read: {}", number, rule.error()));
        if (rule->prepend || (rule->mask.words[mask_words - 1] >> 16U) != 0)
            return tl::unexpected(
                fmt::format("rule {} of the kernel cannot be read: it has bits that the kernel never stores", number));
        if (rule->mask.full()) rule->mask = SyscallMask::all();
        set.rules.push_back(std::move(*rule));
    }
    if (const auto read = read_settings(socket, set); !read) return tl::unexpected(read.error());
    if (const auto read = read_features(socket, set); !read) return tl::unexpected(read.error());
    return set;
}

tl::expected<AuditSocket, std::string> open_audit_socket() {
    const int fd = audit_open();
    if (fd < 0) return tl::unexpected(errno_text(errno));
    const std::shared_ptr<int> socket(new int(fd), [](int* open_fd) {
        audit_close(*open_fd);
        delete open_fd;
    });
    AuditSocket result;
    result.request = [socket](KernelRequest request) -> tl::expected<std::uint32_t, int> {
        const int sequence = request == KernelRequest::rules    ? audit_request_rules_list_data(*socket)
                             : request == KernelRequest::status ? audit_request_status(*socket)
                                                                : audit_request_features(*socket);
        if (sequence > 0) return static_cast<std::uint32_t>(sequence);
        return tl::unexpected(sequence < 0 ? -sequence : EIO);
    };
    result.receive = [socket](std::chrono::milliseconds limit) -> tl::expected<KernelReply, int> {
        const auto until = Clock::now() + limit;
        for (;;) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
            pollfd readable{*socket, POLLIN, 0};
            const int ready = poll(&readable, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
            if (ready < 0 && errno != EINTR) return tl::unexpected(errno);
            if (ready == 0) return tl::unexpected(EAGAIN);
            if (ready < 0) continue;
            audit_reply reply{};
            const int length = audit_get_reply(*socket, &reply, GET_REPLY_NONBLOCKING, 0);
            if (length < 0 && (length == -EAGAIN || length == -EINTR)) continue;
            if (length < 0) return tl::unexpected(-length);
            // 0: a message that fits no buffer, or from someone else than the kernel.
            if (length == 0 || reply.nlh == nullptr || reply.nlh->nlmsg_len < NLMSG_HDRLEN)
                return tl::unexpected(EBADMSG);
            const auto* begin = reinterpret_cast<const std::uint8_t*>(reply.nlh) + NLMSG_HDRLEN;
            const std::size_t size = std::min<std::size_t>(reply.nlh->nlmsg_len, sizeof(reply.msg)) - NLMSG_HDRLEN;
            return KernelReply{
                reply.nlh->nlmsg_type, reply.nlh->nlmsg_flags, reply.nlh->nlmsg_seq, {begin, begin + size}};
        }
    };
    return result;
}

}  // namespace auopt
