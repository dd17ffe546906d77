# The versions of auditctl that Debian has, by scripts/fetch-auditctl.
set(AUOPT_ORACLE_VERSIONS 3.0.9 4.0.2 4.1.2 4.2.1)

# auopt_oracle_fetch(PREFIX): per version a test PREFIX.fetch_VERSION, and a fixture auditctl_VERSION that it sets up.
function(auopt_oracle_fetch prefix)
  foreach(version IN LISTS AUOPT_ORACLE_VERSIONS)
    set(name ${prefix}.fetch_${version})
    add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/scripts/fetch-auditctl
                                  ${CMAKE_CURRENT_BINARY_DIR}/auditctl-${version} ${version})
    set_tests_properties(${name} PROPERTIES LABELS ${prefix} TIMEOUT 300 SKIP_RETURN_CODE 77
                         FIXTURES_SETUP auditctl_${version})
  endforeach()
endfunction()

# The oracle's own programs. The C parts never get the sanitizers: they live inside an auditctl that has none.
function(auopt_oracle_programs)
  set(dir ${CMAKE_SOURCE_DIR}/tests/oracle)
  add_library(oracle_preload SHARED ${dir}/oracle_preload.c)
  add_executable(oracle_exec ${dir}/oracle_exec.c)
  add_executable(arule_decode ${dir}/arule_decode.c)
  foreach(target oracle_preload oracle_exec arule_decode)
    target_compile_options(${target} PRIVATE -O1 -Wall -Wextra -U_FORTIFY_SOURCE -fno-builtin)
  endforeach()
  target_link_libraries(oracle_preload PRIVATE ${CMAKE_DL_LIBS})
endfunction()
