#include "grammar/option_scanner.hpp"

#include <algorithm>
#include <numeric>

namespace auopt {

namespace {

Span part_of(const Token& token, std::size_t offset, std::size_t length) {
    // Escapes make a token's text shorter than what was written; then the whole token is pointed at.
    if (token.text.size() != token.span.length) return token.span;
    return Span{token.span.file, token.span.line, token.span.column + static_cast<std::uint32_t>(offset),
                static_cast<std::uint32_t>(length)};
}

}  // namespace

OptionScanner::OptionScanner(const std::vector<Token>& tokens, const OptionTable& table)
    : tokens_(tokens), table_(table), order_(tokens.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
}

const Token* OptionScanner::at(std::size_t i) const { return i >= 1 && i < count() ? &token(i) : nullptr; }

bool OptionScanner::is_option(std::size_t i) const {
    const std::string& text = token(i).text;
    return text.size() > 1 && text[0] == '-';
}

/// Moves the options just seen before the non-options skipped earlier.
void OptionScanner::exchange() {
    const auto at = [this](std::size_t argv_index) {
        return order_.begin() + static_cast<std::ptrdiff_t>(argv_index - 1);
    };
    std::rotate(at(first_nonoption_), at(last_nonoption_), at(index_));
    first_nonoption_ += index_ - last_nonoption_;
    last_nonoption_ = index_;
}

std::optional<ScannedOption> OptionScanner::next() {
    if (cluster_at_ != 0) return short_option();

    last_nonoption_ = std::min(last_nonoption_, index_);
    first_nonoption_ = std::min(first_nonoption_, index_);
    if (first_nonoption_ != last_nonoption_ && last_nonoption_ != index_) {
        exchange();
    } else if (last_nonoption_ != index_) {
        first_nonoption_ = index_;
    }
    while (index_ < count() && !is_option(index_)) ++index_;
    last_nonoption_ = index_;

    if (index_ != count() && token(index_).text == "--") {
        ++index_;
        if (first_nonoption_ != last_nonoption_ && last_nonoption_ != index_) {
            exchange();
        } else if (first_nonoption_ == last_nonoption_) {
            first_nonoption_ = index_;
        }
        last_nonoption_ = count();
        index_ = count();
    }
    if (index_ == count()) {
        if (first_nonoption_ != last_nonoption_) index_ = first_nonoption_;
        return std::nullopt;
    }
    if (token(index_).text[1] == '-') return long_option();
    cluster_token_ = order_[index_ - 1];
    cluster_at_ = 1;
    return short_option();
}

ScannedOption OptionScanner::long_option() {
    const Token& written = token(index_++);
    const std::size_t equals = written.text.find('=');
    const std::string name = written.text.substr(2, equals == std::string::npos ? equals : equals - 2);

    ScannedOption option;
    option.name = "--" + name;
    option.name_span = part_of(written, 0, option.name.size());

    const LongOption* found = nullptr;
    bool ambiguous = false;
    for (const auto& candidate : table_.longs) {
        if (candidate.name == name) {
            found = &candidate;
            ambiguous = false;
            break;
        }
        if (!candidate.name.starts_with(name)) continue;
        ambiguous = found != nullptr;
        if (found == nullptr) found = &candidate;
    }
    // An exact name after two prefixes still wins, so ambiguity is judged only when the loop is over.
    if (ambiguous) {
        option.status = ScannedOption::Status::ambiguous;
        return option;
    }
    if (found == nullptr) {
        option.status = ScannedOption::Status::unknown;
        return option;
    }
    option.code = found->code;
    if (equals != std::string::npos) {
        if (!found->takes_argument) {
            option.status = ScannedOption::Status::unexpected_argument;
            return option;
        }
        option.argument = written.text.substr(equals + 1);
        option.argument_span = part_of(written, equals + 1, option.argument->size());
    } else if (found->takes_argument) {
        if (index_ < count()) {
            option.argument = token(index_).text;
            option.argument_span = token(index_).span;
            ++index_;
        } else {
            option.status = ScannedOption::Status::missing_argument;
        }
    }
    return option;
}

ScannedOption OptionScanner::short_option() {
    const Token& written = tokens_[cluster_token_];
    const std::size_t at = cluster_at_++;
    const char letter = written.text[at];
    const bool last = cluster_at_ == written.text.size();
    if (last) {
        ++index_;
        cluster_at_ = 0;
    }

    ScannedOption option;
    option.code = static_cast<unsigned char>(letter);
    option.name = std::string("-") + letter;
    option.name_span = at == 1 ? part_of(written, 0, 2) : part_of(written, at, 1);

    if (table_.flags.find(letter) != std::string_view::npos) return option;
    if (table_.with_argument.find(letter) == std::string_view::npos) {
        option.status = ScannedOption::Status::unknown;
        return option;
    }
    if (!last) {
        option.argument = written.text.substr(at + 1);
        option.argument_span = part_of(written, at + 1, option.argument->size());
        ++index_;
        cluster_at_ = 0;
    } else if (index_ < count()) {
        option.argument = token(index_).text;
        option.argument_span = token(index_).span;
        ++index_;
    } else {
        option.status = ScannedOption::Status::missing_argument;
    }
    return option;
}

}  // namespace auopt
