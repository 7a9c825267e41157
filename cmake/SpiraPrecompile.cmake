# spira_precompile(<target> <header>...): precompiles headers of other projects that most sources of a target include.
# Disabled with a compiler cache, because a cache already avoids parsing them again and cannot look into precompiled headers.
include(CMakeDependentOption)
cmake_dependent_option(SPIRA_PRECOMPILE "Precompile headers of other projects" ON "NOT CMAKE_CXX_COMPILER_LAUNCHER" OFF)

function(spira_precompile target)
  if(SPIRA_PRECOMPILE)
    list(TRANSFORM ARGN PREPEND "<")
    list(TRANSFORM ARGN APPEND ">")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
