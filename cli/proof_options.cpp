#include "cli/proof_options.hpp"

#include <algorithm>
#include <set>

namespace auopt {

Preserve preserve_level(const std::string& name) {
    if (name == "recorded") return Preserve::recorded;
    if (name == "decision") return Preserve::decision;
    return Preserve::exact;
}

std::vector<std::string> assumption_names(const std::vector<std::string>& assume) {
    const std::set<std::string> unique(assume.begin(), assume.end());
    return {unique.begin(), unique.end()};
}

VerifyOptions proof_options(const Setting& setting, const std::string& preserve,
                            const std::vector<std::string>& assume) {
    VerifyOptions options;
    options.preserve = preserve_level(preserve);
    options.assume_no_32bit = std::count(assume.begin(), assume.end(), "no-32bit") != 0;
    options.assume_no_foreign_records = std::count(assume.begin(), assume.end(), "no-foreign-records") != 0;
    options.kernels = setting.target.proof_kernels();
    options.facts = &setting.facts;
    return options;
}

}  // namespace auopt
