// Rules text -> kernel state, for tests. Facts: root 0, nobody 65534; paths ending in '/' are directories, others
// files.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "compiler/compile.hpp"
#include "kernel_model/state.hpp"

namespace auopt::test {

inline CompileOptions test_compile_options() {
    CompileOptions options;
    options.facts.users = {{"root", 0}, {"nobody", 65534}};
    options.facts.groups = {{"root", 0}, {"nogroup", 65534}};
    options.facts.assume_watch_kinds = true;
    return options;
}

/// Compiles and loads; fails the test on any error.
inline KernelState state_of(std::string_view text, CompileOptions options = test_compile_options()) {
    Sources sources;
    const FileId file = sources.add("test.rules", std::string(text));
    Diagnostics diagnostics;
    const Program program = compile(sources, split_lines(sources, file), options, diagnostics);
    LoadOptions load_options;
    load_options.machine = machine_by_name(options.machine).value();
    const LoadResult loaded = load(program.messages, load_options, diagnostics);
    EXPECT_FALSE(program.failed || loaded.refused || loaded.outside_model) << text;
    for (const Diagnostic& d : diagnostics.items())
        if (d.level == Level::error) ADD_FAILURE() << d.span.line << ": " << d.message;
    return loaded.state;
}

}  // namespace auopt::test
