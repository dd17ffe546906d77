// What of a file's messages the simulator takes, and what it refuses to model.
#include "tests/simulator/audit.hpp"

namespace auopt::simulator {
namespace {

tl::unexpected<std::string> refuse(std::string reason) { return tl::unexpected<std::string>(std::move(reason)); }

bool modelled(Field field) {
    switch (field) {
        case Field::uid:
        case Field::euid:
        case Field::loginuid:
        case Field::loginuid_set:
        case Field::arch:
        case Field::exit:
        case Field::success:
        case Field::arg0:
        case Field::arg1:
        case Field::arg2:
        case Field::arg3:
        case Field::path:
        case Field::dir:
        case Field::inode:
        case Field::perm:
        case Field::filetype:
        case Field::obj_uid:
        case Field::exe:
        case Field::key:
            return true;
        default:
            return false;
    }
}

// auditfilter.c:audit_match_signal, x86_64 with its i386 table.
bool touches_signals(const KernelRule& rule, const KernelTables& kernel) {
    std::optional<std::uint32_t> arch;
    for (const FieldTest& t : rule.tests)
        if (t.field == Field::arch) arch = t.value;
    const auto touched = [&](const SyscallSet& calls) {
        for (unsigned nr = 0; nr < mask_syscalls; ++nr)
            if (calls.test(nr) && rule.mask.test(nr)) return true;
        return false;
    };
    const bool native = touched(kernel.native.signal), compat = touched(kernel.compat.signal);
    return !arch ? native || compat : *arch == arch_i386 ? compat : native;
}

}  // namespace

tl::expected<RuleFile, std::string> RuleFile::read(const std::vector<Message>& messages, const KernelTables& kernel) {
    RuleFile file;
    file.kernel_ = &kernel;
    for (const Message& message : messages) {
        if (const auto* add = std::get_if<AddRule>(&message.body)) {
            Rule r{add->rule, std::nullopt, "", "", "", "", std::nullopt, false};
            if (r.rule.list == List::task) return refuse("the task list");
            if (r.rule.watch_kind_unknown) return refuse("a watch whose kind is unknown");
            for (const FieldTest& t : r.rule.tests) {
                if (r.rule.list != List::exit && r.rule.list != List::io_uring) continue;
                if (!modelled(t.field)) return refuse("field " + std::to_string(static_cast<unsigned>(t.field)));
                if (t.field == Field::key) r.key = t.text;
                if (t.field == Field::path) r.path = t.text;
                if (t.field == Field::dir) r.directory = t.text;
                if (t.field == Field::exe) r.program = t.text;
                if (t.field == Field::inode && t.op == Op::equal) r.inode = t.value;
            }
            if (!r.path.empty()) r.name = r.path.substr(r.path.rfind('/') + 1);
            r.counts_signals = touches_signals(r.rule, kernel);
            r.rule.mask.words[mask_words - 1] &= 0xFFFFU;
            if (file.rules_->size() == 200) return refuse("more than 200 rules");
            file.orders_.push_back({Order::Kind::add, file.rules_->size(), "", ""});
            file.rules_->push_back(std::move(r));
        } else if (const auto* q = std::get_if<MakeEquiv>(&message.body)) {
            file.orders_.push_back({Order::Kind::equivalent, 0, q->mount, q->subtree});
        } else if (std::holds_alternative<Trim>(message.body)) {
            file.orders_.push_back({Order::Kind::trim, 0, "", ""});
        } else if (const auto* all = std::get_if<DeleteAll>(&message.body)) {
            if (all->key || !file.rules_->empty()) return refuse("-D behind rules");
        } else if (std::holds_alternative<DeleteRule>(message.body)) {
            return refuse("-d");
        } else if (const auto* inert = std::get_if<Inert>(&message.body)) {
            if (inert->kind == Inert::Kind::ignore_errors || inert->kind == Inert::Kind::continue_on_error)
                file.orders_.push_back({Order::Kind::ignore_errors, 0, "", ""});
        }
    }
    return file;
}

}  // namespace auopt::simulator
