#include "compiler/readings.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "compiler/wire.hpp"
#include "grammar/ids.hpp"

namespace auopt {
namespace {

using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
Place place_of(const Span& span) { return {span.file.value, span.line, span.column}; }

/// Which line of the input a place belongs to.
class LineIndex {
public:
    explicit LineIndex(const std::vector<InputLine>& lines) {
        for (std::size_t i = 0; i < lines.size(); ++i) places_.emplace(place_of(lines[i].span), i);
    }
    std::size_t at(const Span& span) const {
        auto it = places_.upper_bound(place_of(span));
        return it == places_.begin() ? 0 : std::prev(it)->second;
    }

private:
    std::map<Place, std::size_t> places_;
};

}  // namespace

std::vector<LineReading> read_lines(const Sources& sources, const std::vector<InputLine>& lines,
                                    CompileOptions options) {
    options.continue_on_error = true;
    const LineIndex index(lines);
    std::vector<LineReading> result(lines.size());
    for (std::size_t begin = 0; begin < lines.size();) {
        const std::vector<InputLine> rest(lines.begin() + static_cast<std::ptrdiff_t>(begin), lines.end());
        Diagnostics problems;
        const Program program = compile(sources, begin == 0 ? lines : rest, options, problems);
        std::size_t last_failed = begin;
        for (const Diagnostic& d : problems.items()) {
            const std::size_t line = index.at(d.span);
            const IdRow* row = find_id(d.id);
            if (row == nullptr || row->level != Level::error) continue;
            result[line].failed = true;
            result[line].reason = d.message;
            last_failed = std::max(last_failed, line);
        }
        for (const Message& message : program.messages) result[index.at(message.source)].messages.push_back(message);
        if (!program.stopped) break;
        begin = last_failed + 1;  // this version ends there whatever is ignored; the rest is compared all the same
    }
    return result;
}

bool same_message(const Message& a, const Message& b) {
    if (a.body.index() != b.body.index()) return false;
    if (const auto* rule = std::get_if<AddRule>(&a.body)) return rule->rule.same_as(std::get<AddRule>(b.body).rule);
    if (const auto* rule = std::get_if<DeleteRule>(&a.body)) {
        return rule->rule.same_as(std::get<DeleteRule>(b.body).rule);
    }
    if (const auto* all = std::get_if<DeleteAll>(&a.body)) return all->key == std::get<DeleteAll>(b.body).key;
    if (const auto* inert = std::get_if<Inert>(&a.body)) return inert->kind == std::get<Inert>(b.body).kind;
    return message_to_wire_line(a) == message_to_wire_line(b);
}

bool same_reading(const LineReading& a, const LineReading& b) {
    return a.failed == b.failed &&
           std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(), same_message);
}

}  // namespace auopt
