# Settings that every target shares, and the helper that makes one library of one folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(AUOPT_WERROR "treat warnings as errors" OFF)
set(AUOPT_SANITIZE "" CACHE STRING "sanitizers to build with, such as address,undefined")

find_program(AUOPT_CCACHE ccache)
if(AUOPT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${AUOPT_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${AUOPT_CCACHE})
endif()

add_library(auopt_flags INTERFACE)
target_include_directories(auopt_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
target_compile_options(auopt_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(AUOPT_WERROR)
  target_compile_options(auopt_flags INTERFACE -Werror)
endif()
if(AUOPT_SANITIZE)
  target_compile_options(auopt_flags INTERFACE -fsanitize=${AUOPT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(auopt_flags INTERFACE -fsanitize=${AUOPT_SANITIZE})
endif()

# auopt_library(NAME DEPENDS lib...): the library of the folder that calls it, from all its *.cpp.
function(auopt_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC auopt_flags ${ARG_DEPENDS})
  else()  # headers only
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE auopt_flags ${ARG_DEPENDS})
  endif()
endfunction()

# auopt_embed(OUT header namespace_array FILE...): generates OUT.cpp with the named files as
# `extern const EmbeddedFile NAME[]` / `NAME_count` (tables/embedded.hpp), so that an installed binary needs no data folder.
function(auopt_embed target name)
  set(out ${CMAKE_BINARY_DIR}/generated/${name}.cpp)
  set(body "#include \"tables/embedded.hpp\"\n\nnamespace auopt {\nextern const EmbeddedFile ${name}[];\nextern const std::size_t ${name}_count;\n")
  set(body "${body}const EmbeddedFile ${name}[] = {\n")
  set(count 0)
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    get_filename_component(stem ${file} NAME)
    set(body "${body}{\"${stem}\", R\"__auopt__(${text})__auopt__\"},\n")
    math(EXPR count "${count}+1")
  endforeach()
  set(body "${body}};\nconst std::size_t ${name}_count = ${count};\n}  // namespace auopt\n")
  file(CONFIGURE OUTPUT ${out} CONTENT "@body@" @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()
