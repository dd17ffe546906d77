// One visitor from several lambdas, for the variants of compiler/ir.hpp.
#pragma once

namespace auopt {

template <class... Ts>
struct Overloaded : Ts... {
    using Ts::operator()...;
};
// clang 14 does not deduce aggregates by itself.
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace auopt
