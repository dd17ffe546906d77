#include "tests/adversary/judge.hpp"

#include <fmt/format.h>

#include "cli/optimize_proven.hpp"
#include "tests/simulator/read_rules.hpp"
#include "verify/verify.hpp"

namespace auopt::adversary {
namespace {

using simulator::Difference;
using simulator::SmallFile;

const std::vector<const KernelTables*>& all_kernels() {
    static const std::vector<const KernelTables*> kernels = [] {
        std::vector<const KernelTables*> all;
        for (const KernelTables& k : kernel_tables()) all.push_back(&k);
        return all;
    }();
    return kernels;
}

std::string finding(std::string_view what, const std::string& before, const std::string& after,
                    const Difference& difference) {
    return fmt::format("{}\n--- before.rules\n{}--- after.rules\n{}---\n{}", what, before, after,
                       to_string(difference));
}

}  // namespace

Judge::Judge() : whole_(simulator::whole_worlds()), missing_(simulator::worlds_with_missing_names()) {}

std::optional<Difference> Judge::differ(const std::vector<Message>& before, const std::vector<Message>& after,
                                        unsigned depth) {
    const simulator::RuleFile b = simulator::rules_of(before), a = simulator::rules_of(after);
    for (simulator::World& world : whole_)
        if (auto difference = find_difference(b, a, world, depth, score.tally)) return difference;
    // What is missing when rules are loaded shows in the first call, or in what is made afterwards.
    for (simulator::World& world : missing_)
        if (auto difference = find_difference(b, a, world, depth - 1, score.tally)) return difference;
    return std::nullopt;
}

std::string Judge::pair(const SmallFile& before, const SmallFile& after, unsigned depth, bool ask_always) {
    ++score.pairs;
    VerifyOptions options;
    options.kernels = all_kernels();
    const Verdict verdict = verify(state_of(before), state_of(after), options);
    const bool proven = std::holds_alternative<Proven>(verdict), refuted = std::holds_alternative<Refuted>(verdict);
    ++(proven ? score.proven : refuted ? score.refuted : score.unknown);
    if (!proven && !ask_always) return "";
    const auto difference = differ(before.messages(), after.messages(), depth);
    if (!proven) {
        ++(refuted ? score.refuted_asked : score.unknown_asked);
        if (!difference) ++(refuted ? score.refuted_alike : score.unknown_alike);
        return "";
    }
    if (!difference) return "";
    ++score.findings;
    return finding("Proven, but not the same:", before.text(), after.text(), *difference);
}

std::string Judge::optimized(const SmallFile& before, unsigned depth) {
    ++score.sets;
    const std::string text = before.text();
    Inputs inputs;
    const FileId file = inputs.sources.add("in.rules", text);
    inputs.lines = split_lines(inputs.sources, file);
    inputs.portable_names = {"in.rules"};
    inputs.files = {{"in.rules", "0"}};
    inputs.plain_text = text;
    const Setting setting = make_setting(CommonOptions{}, inputs.lines);
    Diagnostics diagnostics;
    const OptimizeOutcome outcome = optimize_proven(OptimizeRequest(inputs, setting), diagnostics);
    switch (outcome.status) {
        case OptimizeOutcome::Status::proven:
            break;
        case OptimizeOutcome::Status::would_not_load:
        case OptimizeOutcome::Status::outside_model:
            ++score.left;
            return "";
        case OptimizeOutcome::Status::refuted:
        case OptimizeOutcome::Status::unknown:
            ++score.unproven;
            return "";
    }
    ++score.optimized;
    // Both as the target's auditctl reads them: under -c it leaves out lines that it does not know.
    const auto read = [&](const std::string& what) {
        Sources sources;
        const FileId id = sources.add("rules", what);
        Diagnostics ignored;
        return compile(sources, split_lines(sources, id), setting.compile, ignored).messages;
    };
    const auto difference = differ(read(text), read(outcome.text), depth);
    if (!difference) return "";
    ++score.findings;
    return finding("optimize wrote what is not the same:", text, outcome.text, *difference);
}

std::string to_string(const Score& s) {
    return fmt::format(
        "{} sets optimized, {} of them proven, {} unproven, {} left alone\n"
        "{} mutated pairs: {} proven, {} refuted, {} unknown\n"
        "not proven, but alike in every world: {} of {} refuted, {} of {} unknown pairs looked at\n"
        "{} worlds, {} sequences of calls, {} findings\n",
        s.sets, s.optimized, s.unproven, s.left, s.pairs, s.proven, s.refuted, s.unknown, s.refuted_alike,
        s.refuted_asked, s.unknown_alike, s.unknown_asked, s.tally.worlds, s.tally.sequences, s.findings);
}

}  // namespace auopt::adversary
