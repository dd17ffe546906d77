#include "bench/generate.hpp"

#include <array>

#include <fmt/format.h>

namespace auopt {

std::string generate_rules(unsigned rules) {
    constexpr std::array<const char*, 8> calls = {"chmod",  "fchmod", "chown",    "unlink",
                                                  "rename", "openat", "truncate", "setxattr"};
    std::string text = "-D\n-b 8192\n-f 1\n";
    for (unsigned i = 0; i < rules; ++i) {
        const unsigned group = i / 40;  // rules of a group share a key
        switch (i % 20) {
            case 0:
                text += fmt::format("-w /srv/dir{}/ -p wa -k dir{}\n", i, group);
                break;
            case 1:
            case 2:
            case 3:
            case 4:
            case 5:
            case 6: {
                const unsigned pair = i / 2;
                text += fmt::format("-a always,exit -F arch={} -S {} -F auid>={} -F auid!=unset -k call{}\n",
                                    i % 2 == 0 ? "b32" : "b64", calls[pair % calls.size()], 1000 + i / 20, group);
                break;
            }
            case 7:
                text +=
                    fmt::format("-a always,exit -F arch=b64 -S openat,open -F exit=-EACCES -F auid>={} -k access{}\n",
                                1000 + i, group);
                break;
            case 8:
            case 9:
                text += fmt::format("-a always,exit -F arch={} -F path=/usr/bin/tool{} -F perm=x -k priv{}\n",
                                    i % 2 == 0 ? "b32" : "b64", i / 2, group);
                break;
            default:
                text += fmt::format("-w /etc/app{}/config{} -p wa -k watch{}\n", group, i, group);
                break;
        }
    }
    return text;
}

}  // namespace auopt
