// The recorded hostile inputs, for C++ tests. tests/support/traps.py reads the same file and says how it is written.
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace auopt::test {

/// What printf's %b makes of a text: the escapes that traps.cases uses.
inline std::string unescaped(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char kind = text[++i];
        const std::string letters = "abfnrtv", bytes = "\a\b\f\n\r\t\v";
        if (const std::size_t at = letters.find(kind); at != std::string::npos) {
            out += bytes[at];
        } else if (kind == 'x') {
            out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else if (kind >= '0' && kind <= '7') {
            std::size_t length = 0;
            out += static_cast<char>(std::stoi(text.substr(i, 3 + (kind == '0' ? 1 : 0)), &length, 8));
            i += length - 1;
        } else {
            out += kind;
        }
    }
    return out;
}

/// The texts of tests/oracle/cases/traps.cases, 452 inputs that are easy to read wrongly.
inline std::vector<std::string> trap_texts() {
    std::ifstream in(AUOPT_SOURCE_DIR "/tests/oracle/cases/traps.cases", std::ios::binary);
    std::vector<std::string> texts;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("### "))
            texts.emplace_back();
        else if (!texts.empty())
            texts.back() += line.starts_with("%") ? unescaped(line.substr(1)) : line + "\n";
    }
    return texts;
}

}  // namespace auopt::test
