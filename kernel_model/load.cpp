// Applies kernel messages to an empty kernel, as kernel/auditfilter.c does: audit_data_to_entry (acceptance checks),
// audit_add_rule (placement in order, duplicates), audit_del_rule; and audit.c:audit_receive_msg for settings.
#include <algorithm>
#include <unordered_set>
#include <variant>

#include <fmt/format.h>

#include "compiler/overloaded.hpp"
#include "kernel_model/accept.hpp"
#include "kernel_model/state.hpp"

namespace auopt {
namespace {

class Loader {
public:
    Loader(const LoadOptions& options, Diagnostics& diagnostics) : options_(options), diagnostics_(diagnostics) {}

    LoadResult run(const std::vector<Message>& messages) {
        if (options_.ignore_errors) ignore_errors();
        state().machine = options_.machine;
        for (const Message& m : messages) {
            std::visit(Overloaded{
                           [&](const AddRule& x) { add(x.rule, m.source); },
                           [&](const DeleteRule& x) { remove(x.rule, m.source); },
                           [&](const DeleteAll& x) { remove_all(x, m.source); },
                           [&](const SetStatus& x) { set_status(x, m.source); },
                           [&](const SetFeature&) {
                               if (allowed("settings", m.source)) state().settings.loginuid_immutable = true;
                           },
                           [&](const Trim&) { on_trees("-t"); },
                           [&](const MakeEquiv& x) { on_trees(fmt::format("-q {},{}", x.mount, x.subtree)); },
                           [&](const UserMessage&) {},
                           [&](const Inert& x) {
                               if (x.kind == Inert::Kind::ignore_errors || x.kind == Inert::Kind::continue_on_error)
                                   ignore_errors();
                           },
                       },
                       m.body);
            if (result_.stopped) break;
        }
        return std::move(result_);
    }

private:
    KernelState& state() { return result_.state; }

    void ignore_errors() {
        errors_ignored_ = true;
        if (!state().errors_ignored_from) state().errors_ignored_from = added_;
    }

    // The kernel answered with an error: auditctl reports the line and stops, unless errors are ignored.
    void refuse(const Span& at, std::string id, std::string message, std::string help, std::vector<Note> notes = {}) {
        result_.refused = true;
        if (!errors_ignored_) result_.stopped = true;
        diagnostics_.add({std::move(id), errors_ignored_ ? Level::warning : Level::error, at, std::move(message),
                          std::move(notes), std::move(help), std::nullopt});
    }
    void outside_model(const Span& at, std::string reason, std::string help) {
        if (!result_.outside_model) result_.outside_model = reason;
        diagnostics_.add({"AU090", Level::warning, at, std::move(reason), {}, std::move(help), std::nullopt});
    }
    bool allowed(std::string_view what, const Span& at) {
        if (state().settings.enabled != 2U) return true;
        refuse(at, "AU091", fmt::format("the kernel refuses this: {} are locked by an earlier -e 2", what),
               "move -e 2 to the end");
        return false;
    }

    static bool same_stored(const KernelRule& a, const KernelRule& b) {
        return a.list == b.list && a.action == b.action && a.mask == b.mask && a.tests == b.tests;
    }

    void add(KernelRule rule, const Span& at) {
        rule_seen_ = true;
        if (!state().trees_after_rules.empty())
            outside_model(at,
                          fmt::format("a rule follows {}, so the order in which they act can't be kept",
                                      state().trees_after_rules.back().substr(0, 2)),
                          "put -t and -q lines after all rules");
        if (!allowed("rules", at)) return;
        if (const auto error = refusal(rule)) {
            refuse(at, "AU092", fmt::format("the kernel refuses this rule: {}", *error), "");
            return;
        }
        if (selects_classes(rule.mask)) {
            outside_model(at, "syscall numbers 2032 to 2047 select built-in classes, which differ between kernels",
                          "name the system calls instead");
            return;
        }
        rule.mask.words[mask_words - 1] &= 0xFFFFU;  // class selectors are consumed
        if (options_.facts != nullptr)
            for (const FieldTest& t : rule.tests)
                if ((t.field == Field::path || t.field == Field::dir || t.field == Field::exe) &&
                    parent_is_file(*options_.facts, t.text)) {
                    refuse(at, "AU093",
                           fmt::format("the kernel refuses this rule: a parent of {} is a file (ENOTDIR)", t.text),
                           "watch either the file or the names below it");
                    return;
                }
        std::vector<KernelRule>& rules = state().rules_of(rule.list);
        const bool perhaps_known = !identities_.insert(rule_identity(rule)).second;
        if (!rule.prepend &&
            perhaps_known)  // stored rules have no prepend flag, so that a prepended one never equals one
            for (const KernelRule& r : rules)
                if (same_stored(r, rule)) {
                    duplicate(r, at);
                    return;
                }
        const bool first = rule.prepend;
        rule.prepend = false;
        rule.added = added_++;
        rules.insert(first ? rules.begin() : rules.end(), std::move(rule));
    }

    void duplicate(const KernelRule& earlier, const Span& at) {
        std::vector<Note> notes;
        if (!earlier.sources.empty())
            notes.push_back({earlier.sources.front(), "the same kernel rule is already loaded from here"});
        if (options_.drop_duplicates) {
            diagnostics_.add({"AU094", Level::warning, at,
                              "duplicate rule, left out: auditctl would stop here (Rule exists)", std::move(notes),
                              "delete this line", std::nullopt});
            return;
        }
        refuse(at, "AU094", "duplicate rule: the kernel answers \"Rule exists\"", "delete this line", std::move(notes));
        if (result_.stopped) result_.duplicate = at;
    }

    void remove(KernelRule rule, const Span& at) {
        if (!allowed("rules", at)) return;
        rule.mask.words[mask_words - 1] &= 0xFFFFU;
        std::vector<KernelRule>& rules = state().rules_of(rule.list);
        const auto it =
            std::find_if(rules.begin(), rules.end(), [&](const KernelRule& r) { return same_stored(r, rule); });
        if (it != rules.end()) {
            state().deleted_own = true;
            rules.erase(it);
            return;
        }
        if (cleared_) {
            refuse(at, "AU095", "the kernel refuses this delete: no such rule is loaded (ENOENT)", "delete this line");
            return;
        }
        outside_model(at, "this deletes a rule that the file did not add; what it removes depends on what is loaded",
                      "start the file with -D");
    }

    void remove_all(const DeleteAll& all, const Span& at) {
        if (!allowed("rules", at)) return;
        if (!all.key) {
            cleared_ = true;
            state().cleared_first = true;
        } else if (!cleared_) {
            outside_model(at, "-D -k removes rules by their key; which ones depends on what is loaded",
                          "start the file with -D");
        }
        for (std::vector<KernelRule>* rules :
             {&state().user, &state().task, &state().exclude, &state().filesystem, &state().filter}) {
            const auto deleted = std::erase_if(*rules, [&](const KernelRule& r) {
                const auto key = rule_key(r);
                return !all.key || (key && key->find(*all.key) != std::string_view::npos);
            });
            if (deleted != 0) state().deleted_own = true;
        }
    }

    void set_status(const SetStatus& set, const Span& at) {
        if (!allowed("settings", at)) return;
        Settings& s = state().settings;
        switch (set.mask) {
            case 0x01:
                s.enabled = set.value;
                state().enabled_at = added_;
                break;
            case 0x02:
                s.failure = set.value;
                break;
            case 0x08:
                s.rate_limit = set.value;
                break;
            case 0x10:
                s.backlog_limit = set.value;
                break;
            case 0x20:
                s.backlog_wait_time = set.value;
                break;
            case 0x40:
                s.reset_lost = true;
                break;
            case 0x80:
                s.reset_backlog_wait_time_actual = true;
                break;
            default:
                outside_model(at, fmt::format("unknown setting 0x{:x}", set.mask), "");
                break;
        }
    }

    // -t and -q act on the trees that are there when they run.
    void on_trees(std::string message) {
        (rule_seen_ ? state().trees_after_rules : state().trees_before_rules).push_back(std::move(message));
    }

    const LoadOptions& options_;
    Diagnostics& diagnostics_;
    LoadResult result_;
    bool errors_ignored_ = false;
    bool rule_seen_ = false;
    bool cleared_ = false;                        // a full -D was seen
    std::unordered_set<std::size_t> identities_;  // of all rules ever added: the first look for a duplicate
    std::uint32_t added_ = 0;
};

}  // namespace

LoadResult load(const std::vector<Message>& messages, const LoadOptions& options, Diagnostics& diagnostics) {
    return Loader(options, diagnostics).run(messages);
}

}  // namespace auopt
