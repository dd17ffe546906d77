// getopt_long of glibc over the tokens of one line: clusters, glued arguments, permutation, `--`,
// abbreviated long names. Pulled one option at a time, because auditctl stops scanning in the middle of a
// line and then looks at where the scanner stands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/tokenizer.hpp"

namespace auopt {

/// What the options are: short letters, and long names with the code that they yield.
struct LongOption {
    std::string_view name;
    int code;
    bool takes_argument;
};
struct OptionTable {
    std::string_view flags;          // short options without argument
    std::string_view with_argument;  // short options with argument
    std::vector<LongOption> longs;
};

struct ScannedOption {
    enum class Status { ok, unknown, ambiguous, missing_argument, unexpected_argument };
    Status status = Status::ok;
    int code = 0;      // letter or LongOption::code; the letter also when unknown
    std::string name;  // as written: "-w", "--backlog"
    Span name_span;
    std::optional<std::string> argument;
    Span argument_span;  // the argument's bytes, also when glued to the option
};

class OptionScanner {
public:
    OptionScanner(const std::vector<Token>& tokens, const OptionTable& table);

    /// The next option, or nothing at the end (then index() is the first token that is no option).
    std::optional<ScannedOption> next();

    /// getopt's optind; 1 is the first token, as 0 is the program's name.
    std::size_t index() const { return index_; }
    /// argc: tokens and the program's name.
    std::size_t count() const { return order_.size() + 1; }
    /// argv[i] for 1 <= i < count(), in the order that permutation has left; nullptr outside.
    const Token* at(std::size_t i) const;

private:
    const Token& token(std::size_t i) const { return tokens_[order_[i - 1]]; }
    bool is_option(std::size_t i) const;
    void exchange();
    ScannedOption long_option();
    ScannedOption short_option();

    const std::vector<Token>& tokens_;
    const OptionTable& table_;
    std::vector<std::size_t> order_;  // permutation of the tokens
    std::size_t index_ = 1;
    std::size_t first_nonoption_ = 1, last_nonoption_ = 1;
    std::size_t cluster_at_ = 0;     // offset in the cluster's token; 0: not in a cluster
    std::size_t cluster_token_ = 0;  // index into tokens_
};

}  // namespace auopt
