# What makes a memory error end the program instead of turning it against the host: it runs as root and reads files
# that it did not write. Every build but those with sanitizers, which bring checks of their own that these would hide.
# tests/cli/hardening.sh reads the result back from the binary.

include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)

function(auopt_harden target)
  # Canaries, probed stack pages, and landing pads for indirect jumps, on machines that have them.
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "AUOPT_HAS${flag}" known)
    check_cxx_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(${target} INTERFACE ${flag})
    endif()
  endforeach()

  # The C library's own bounds checks work only in optimized code, and level 3 only with newer compilers: an older one
  # warns and takes 2.
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_cxx_source_compiles("#include <cstdio>\nint main() { return std::puts(\"\"); }" AUOPT_HAS_FORTIFY_3)
  set(level 2)
  if(AUOPT_HAS_FORTIFY_3)
    set(level 3)
  endif()
  target_compile_options(${target} INTERFACE
    "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}>")

  # A program that can be put anywhere, whose tables of functions are read-only before main starts.
  target_compile_options(${target} INTERFACE -fPIE)
  target_link_options(${target} INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>"
    -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endfunction()
