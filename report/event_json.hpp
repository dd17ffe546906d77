// An event as JSON and back: every value that decides is printed, so that what verify found can be replayed through
// evaluate from the printed text alone (cli reference, EVENT).
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>
#include <tl/expected.hpp>

#include "kernel_model/event.hpp"

namespace auopt {

/// An event and the one answer besides it that evaluate takes: are watched paths of unknown kind directories?
struct ReadEvent {
    Event event;
    bool unknown_watch_is_dir = false;
    bool operator==(const ReadEvent&) const = default;
};

/// event_from_json gives back what was printed, for every event.
nlohmann::ordered_json event_to_json(const Event& event, bool unknown_watch_is_dir = false);

/// Members that are left out have the values of Event{}; "description" is for people. The call is given by "nr" or by
/// "syscall", the arch by "arch_value", by "machine" ("aarch64") or, for x86_64, by "arch" alone ("b64", "b32",
/// "io_uring"). Error: the member and what is wrong with it, members that are not known included.
tl::expected<ReadEvent, std::string> event_from_json(const nlohmann::ordered_json& json);

/// Bytes of a rule: a string, or {"hex": "2f66ff"} where they are no UTF-8.
nlohmann::ordered_json bytes_to_json(std::string_view bytes);
tl::expected<std::string, std::string> bytes_from_json(const nlohmann::ordered_json& json);

nlohmann::ordered_json decision_to_json(const Decision& decision);
/// Reads "decision" and "key"; other members are not looked at.
tl::expected<Decision, std::string> decision_from_json(const nlohmann::ordered_json& json);

}  // namespace auopt
