// Reading the kernel's rules from a fake kernel: what it may answer, and that no answer is taken for less or more.
#include <gtest/gtest.h>

#include <linux/netlink.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <variant>

#include "compiler/loaded.hpp"
#include "compiler/wire.hpp"

namespace auopt {
namespace {

constexpr std::uint16_t audit_get = 1000, audit_list_rules = 1013, audit_get_feature = 1019;

/// A list of what receive() gives, for each request; the sequence is filled in unless the script has its own.
struct Step {
    std::variant<KernelReply, int> what;  // or an errno
    bool own_sequence = false;
};
using Script = std::vector<Step>;

std::vector<std::uint8_t> words(const std::vector<std::uint32_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::uint32_t value : values)
        for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
    return bytes;
}

Step message(std::uint16_t type, std::vector<std::uint8_t> payload, std::uint16_t flags = 0) {
    return {KernelReply{type, flags, 0, std::move(payload)}};
}
Step ack(int error = 0) { return message(NLMSG_ERROR, words({static_cast<std::uint32_t>(-error), 0, 0, 0, 0})); }
Step done() { return message(NLMSG_DONE, {}, NLM_F_MULTI); }
Step rule(const KernelRule& r) { return message(audit_list_rules, rule_to_wire(r), NLM_F_MULTI); }
Step fails(int error) { return {error}; }
Step of_sequence(Step step, std::uint32_t sequence) {
    std::get<KernelReply>(step.what).sequence = sequence;
    step.own_sequence = true;
    return step;
}

struct FakeKernel {
    Script rules, status{ack(), message(audit_get, words({0, 1, 2, 0, 3, 8192, 0, 0, 0x7f, 600, 0}))},
        features{ack(), message(audit_get_feature, words({1, 3, 0, 0}))};
    int refuses_request = 0;

    AuditSocket socket() const {
        struct State {
            std::deque<Step> pending;
            std::uint32_t sequence = 0;
        };
        auto state = std::make_shared<State>();
        AuditSocket socket;
        socket.request = [state, kernel = *this](KernelRequest request) -> tl::expected<std::uint32_t, int> {
            if (kernel.refuses_request != 0) return tl::unexpected(kernel.refuses_request);
            const Script& script = request == KernelRequest::rules    ? kernel.rules
                                   : request == KernelRequest::status ? kernel.status
                                                                      : kernel.features;
            state->pending.assign(script.begin(), script.end());
            return ++state->sequence;
        };
        socket.receive = [state](std::chrono::milliseconds) -> tl::expected<KernelReply, int> {
            if (state->pending.empty()) return tl::unexpected(EAGAIN);
            Step step = std::move(state->pending.front());
            state->pending.pop_front();
            if (const int* error = std::get_if<int>(&step.what)) return tl::unexpected(*error);
            auto reply = std::get<KernelReply>(step.what);
            if (!step.own_sequence) reply.sequence = state->sequence;
            return reply;
        };
        return socket;
    }
    tl::expected<LoadedRuleSet, std::string> read() const { return read_loaded_rules(socket()); }
};

KernelRule stored(List list, std::uint32_t uid) {
    KernelRule r;
    r.list = list;
    r.mask = SyscallMask::all();
    r.mask.words[mask_words - 1] = 0xFFFF;
    r.tests = {{Field::uid, Op::equal, uid, ""}, {Field::key, Op::equal, 0, "k"}};
    return r;
}

void expect_error(const Script& script, const std::string& says) {
    FakeKernel kernel;
    kernel.rules = script;
    const auto read = kernel.read();
    ASSERT_FALSE(read) << says;
    EXPECT_NE(read.error().find(says), std::string::npos) << read.error();
}

TEST(Loaded, RulesInOrderAndSettings) {
    FakeKernel kernel;
    KernelRule narrow = stored(List::exit, 3);
    narrow.mask.clear(7);
    kernel.rules = {ack(), rule(stored(List::user, 1)), rule(stored(List::exit, 2)), rule(narrow), done()};
    kernel.features = {ack(), message(audit_get_feature, words({1, 3, 2, 2}))};
    const auto read = kernel.read();
    ASSERT_TRUE(read) << read.error();
    ASSERT_EQ(read->rules.size(), 3U);
    KernelRule sent = stored(List::user, 1);
    sent.mask = SyscallMask::all();  // as auditctl sends it
    EXPECT_TRUE(read->rules[0].same_as(sent));
    EXPECT_TRUE(read->rules[2].same_as(narrow));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> settings;
    for (const SetStatus& s : read->settings) settings.emplace_back(s.mask, s.value);
    EXPECT_EQ(settings, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                            {0x10, 8192}, {0x02, 2}, {0x08, 3}, {0x20, 600}, {0x01, 1}}));
    EXPECT_TRUE(read->loginuid_immutable);
}

TEST(Loaded, NoRulesAndOldKernels) {
    FakeKernel kernel;
    kernel.rules = {ack(), done()};
    kernel.status = {ack(), message(audit_get, words({0, 1, 1, 0, 0, 64, 0, 0}))};  // before backlog_wait_time
    kernel.features = {ack(EINVAL)};
    const auto read = kernel.read();
    ASSERT_TRUE(read) << read.error();
    EXPECT_TRUE(read->rules.empty());
    EXPECT_EQ(read->settings.size(), 4U);
    EXPECT_FALSE(read->loginuid_immutable);
}

TEST(Loaded, NotPermittedAndOtherRefusals) {
    expect_error({ack(EPERM)}, "not permitted");
    expect_error({ack(ECONNREFUSED)}, "refuses the connection");
    expect_error({fails(EPERM)}, "not permitted");
    expect_error({fails(EBADMSG)}, std::strerror(EBADMSG));
    FakeKernel kernel;
    kernel.refuses_request = EPERM;
    EXPECT_NE(kernel.read().error().find("not permitted"), std::string::npos);
    kernel.refuses_request = 0;
    kernel.rules = {ack(), done()};
    kernel.status = {ack(EPERM)};
    EXPECT_FALSE(kernel.read());
    kernel.status = FakeKernel().status;
    kernel.features = {ack(EPERM)};  // only EINVAL means that there is no such request
    EXPECT_FALSE(kernel.read());
}

TEST(Loaded, NoShortList) {
    const KernelRule r = stored(List::exit, 1);
    expect_error({}, "did not answer");
    expect_error({ack()}, "did not answer");
    expect_error({ack(), rule(r)}, "did not answer");
    expect_error({ack(), rule(r), fails(ENOBUFS), done()}, "may be incomplete");
    expect_error({ack(), rule(r), message(NLMSG_OVERRUN, {}), done()}, "may be incomplete");
    expect_error({ack(), rule(r), ack(EPERM)}, "not permitted");
    Step interrupted = done();
    std::get<KernelReply>(interrupted.what).flags |= NLM_F_DUMP_INTR;
    expect_error({ack(), rule(r), interrupted}, "changed while they were listed");
}

TEST(Loaded, OthersMessages) {
    const KernelRule r = stored(List::exit, 1), other = stored(List::exit, 99);
    FakeKernel kernel;
    kernel.rules = {of_sequence(rule(other), 77),
                    of_sequence(done(), 0),
                    ack(),
                    fails(EINTR),
                    rule(r),
                    of_sequence(ack(EPERM), 5),
                    done()};
    const auto read = kernel.read();
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->rules.size(), 1U);
    // The whole answer to another request: this one has none.
    expect_error({of_sequence(ack(), 9), of_sequence(rule(r), 9), of_sequence(done(), 9)}, "did not answer");
    expect_error(Script(20000, of_sequence(rule(r), 9)), "no answer to this request");
    expect_error({ack(), message(1300, {})}, "type 1300");
}

TEST(Loaded, MalformedRules) {
    const auto good = rule_to_wire(stored(List::exit, 1));
    const auto with = [&](std::size_t at, std::uint8_t value) {
        auto bytes = good;
        bytes[at] = value;
        return message(audit_list_rules, bytes, NLM_F_MULTI);
    };
    const Step first = rule(stored(List::user, 1));
    expect_error({ack(), message(audit_list_rules, {}), done()}, "rule 1 of the kernel");
    expect_error({ack(), first, message(audit_list_rules, {good.begin(), good.end() - 1}), done()}, "rule 2");
    auto longer = good;
    longer.resize(good.size() + 8970);
    expect_error({ack(), first, message(audit_list_rules, longer), done()}, "rule 2");
    expect_error({ack(), first, with(0, 9), done()}, "no filter list has number 9");
    expect_error({ack(), first, with(0, 0x14), done()}, "never stores");         // the prepend bit
    expect_error({ack(), first, with(12 + 255, 0x80), done()}, "never stores");  // a class bit
    expect_error({ack(), first, with(8, 65), done()}, "65 fields");
    expect_error({ack(), first, with(268, 250), done()}, "field 250");
}

TEST(Loaded, MalformedStatus) {
    FakeKernel kernel;
    kernel.rules = {ack(), done()};
    kernel.status = {ack(), message(audit_get, words({0, 1, 1}))};
    EXPECT_NE(kernel.read().error().find("cut short"), std::string::npos);
    kernel.status = FakeKernel().status;
    kernel.features = {ack(), message(audit_get_feature, words({1, 3}))};
    EXPECT_NE(kernel.read().error().find("cut short"), std::string::npos);
    kernel.features = FakeKernel().features;
    kernel.rules = {message(NLMSG_ERROR, {0, 0})};
    EXPECT_NE(kernel.read().error().find("cut short"), std::string::npos);
}

}  // namespace
}  // namespace auopt
