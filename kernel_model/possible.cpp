#include "kernel_model/possible.hpp"

#include <algorithm>
#include <bitset>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "kernel_model/table_reader.hpp"
#include "tables/names.hpp"

namespace auopt {

extern const EmbeddedFile embedded_calls[];
extern const std::size_t embedded_calls_count;

namespace {

struct CallTable {
    std::map<std::string, CallNames, std::less<>> names;
    std::map<std::string, CallResult, std::less<>> results;
    std::map<std::string, bool, std::less<>> copies_address;
    std::map<std::string, std::bitset<256>, std::less<>> audited;  // by kernel
    std::bitset<256> nameless_operations;
};

struct CallsReader : TableReader {
    std::vector<std::string> words(const toml::table& t, std::string_view key) const {
        const toml::array* list = t[key].as_array();
        if (list == nullptr) broken(fmt::format("no list {}", key));
        std::vector<std::string> out;
        for (const toml::node& n : *list) {
            const auto word = n.value<std::string>();
            if (!word) broken(fmt::format("no name in {}", key));
            if (std::none_of(modelled_machines().begin(), modelled_machines().end(), [&](Machine m) {
                    const MachineModel& model = machine_model(m);
                    return syscall_number(*word, model.names_of(Abi::native)) ||
                           syscall_number(*word, model.names_of(Abi::compat));
                }))
                broken(fmt::format("no machine has a call {}", *word));
            out.push_back(*word);
        }
        return out;
    }
    std::bitset<256> operations(const toml::node* node, std::string_view key) const {
        const toml::array* list = node == nullptr ? nullptr : node->as_array();
        if (list == nullptr) broken(fmt::format("no list {}", key));
        std::bitset<256> out;
        for (const toml::node& n : *list) {
            const auto op = n.value<std::int64_t>();
            if (!op || *op < 0 || *op > 255) broken(fmt::format("bad operation in {}", key));
            out.set(static_cast<std::size_t>(*op));
        }
        return out;
    }
};

const CallTable& facts() {
    static const CallTable all = [] {
        const CallsReader r{{embedded_calls[0].name}};
        const toml::table root = r.parsed(embedded_calls[0].text);
        CallTable f;
        const auto put = [&](auto& map, const toml::table& t, std::string_view key, auto value) {
            for (std::string& name : r.words(t, key))
                if (!map.emplace(std::move(name), value).second) r.broken(fmt::format("twice in {}", key));
        };
        const toml::table& names = r.section(root, "names");
        put(f.names, names, "none", CallNames::none);
        put(f.names, names, "by_descriptor", CallNames::by_descriptor);
        put(f.names, names, "keeps", CallNames::keeps);
        put(f.names, names, "removes", CallNames::removes);
        put(f.copies_address, r.section(root, "address"), "copied_in", true);
        const toml::table& result = r.section(root, "result");
        put(f.results, result, "never_fails", CallResult::never_fails);
        put(f.results, result, "zero", CallResult::zero);
        put(f.results, result, "never_returns", CallResult::never_returns);
        const toml::table& uring = r.section(root, "io_uring");
        for (const auto& [kernel, node] : r.section(uring, "audited"))
            f.audited[std::string(kernel.str())] = r.operations(&node, "audited");
        f.nameless_operations = r.operations(uring.get("no_names"), "no_names");
        return f;
    }();
    return all;
}

template <typename Map, typename Value>
Value found_or(const Map& map, std::string_view key, Value otherwise) {
    const auto it = map.find(key);
    return it == map.end() ? otherwise : it->second;
}

}  // namespace

CallFacts call_facts(const KernelTables& kernel, std::uint32_t arch, std::int32_t nr,
                     std::optional<unsigned> uring_op) {
    CallFacts out;
    if (uring_op) {
        const auto audited = facts().audited.find(kernel.name);
        if (audited != facts().audited.end())
            out.may_be_audited = *uring_op < audited->second.size() && audited->second.test(*uring_op);
        out.uring = true;
        // Inside a call the operation's context is the call's, with what earlier operations collected.
        out.worker = arch == 0;
        if (out.worker && *uring_op < 256 && facts().nameless_operations.test(*uring_op)) out.names = CallNames::none;
        return out;
    }
    if (nr < 0) return out;
    const auto number = static_cast<unsigned>(nr);
    if (number >= first_number_without_call) {
        out.names = CallNames::none;
        out.result = CallResult::no_such_call;
        out.copies_address = false;
        return out;
    }
    const std::string name = syscall_name(number, kernel.machine->names_of(kernel.machine->abi_of(arch)));
    if (name.empty()) return out;
    out.names = found_or(facts().names, name, CallNames::any);
    out.result = found_or(facts().results, name, CallResult::any);
    out.copies_address = facts().copies_address.contains(name) || number >= first_new_syscall;
    return out;
}

std::optional<std::string> why_impossible(const KernelTables& kernel, const Event& e) {
    const CallFacts f = call_facts(kernel, e.arch, e.nr, e.uring_op);
    if (!f.may_be_audited) return fmt::format("{} does not audit this io_uring operation", kernel.name);
    if (f.names == CallNames::none && (!e.names.empty() || !e.dirs.empty())) return "the call looks up no name";
    const auto deleted = [](const EventName& n) { return n.deleted; };
    const bool deletes = std::any_of(e.names.begin(), e.names.end(), deleted);
    if (f.names == CallNames::by_descriptor && (e.names.size() > 1 || (!e.names.empty() && !e.names[0].resolved)))
        return "the call is given one open file, and no name";
    if (deletes && (f.names == CallNames::keeps || f.names == CallNames::by_descriptor))
        return "the call deletes and moves no name";
    if (deletes && f.names == CallNames::removes && e.return_valid == ReturnValid::failure)
        return "the call failed, and so deleted nothing";
    const bool looked_up = std::any_of(e.names.begin(), e.names.end(), [](const EventName& n) { return n.resolved; });
    if (!e.dirs.empty() && !looked_up && !f.worker) return "no name was looked up below a directory";
    if (e.saddr_fam && !f.copies_address) return "the call takes no address";
    if (e.saddr_fam && *e.saddr_fam > 0xFFFF) return "an address family has 16 bits";

    const auto code = static_cast<std::int64_t>(e.return_code);
    const bool error = code < 0 && code >= last_error;
    if (e.return_valid != ReturnValid::invalid) {
        const bool failed = e.return_valid == ReturnValid::failure;
        if (is_restart_code(code)) return "no such result leaves the kernel";
        if (f.result == CallResult::zero && !error && code != 0) return "the call returns 0 or an error";
        if (f.result == CallResult::never_fails && failed) return "the call does not fail";
        if (f.result == CallResult::never_returns) return "the call does not return";
        if (f.result == CallResult::no_such_call && (!failed || code != not_implemented))
            return "there is no such call";
        if (f.uring ? failed != (code != 0) : failed != error) return "success and exit do not agree";
    } else if (f.result == CallResult::no_such_call) {
        return "there is no such call";
    }
    for (const std::uint32_t id : {e.uid, e.euid, e.suid, e.fsuid, e.gid, e.egid, e.sgid, e.fsgid})
        if (id == id_unset) return "no task has this id";
    if ((e.loginuid == id_unset) != (e.sessionid == id_unset)) return "auid and session are set together";
    if (e.pid == 0 || e.pid > last_pid || e.ppid > last_pid) return "no task has this pid";
    for (const EventName& n : e.names) {
        if (!n.resolved && (n != EventName{})) return "nothing is known of a name that was not found";
        if (n.mode > 0xFFFF || n.dev_major >= 1U << 12 || n.rdev_major >= 1U << 12 || n.dev_minor >= 1U << 20 ||
            n.rdev_minor >= 1U << 20)
            return "no file has this mode or device";
    }
    return std::nullopt;
}

}  // namespace auopt
