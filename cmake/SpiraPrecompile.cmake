# spira_precompile(<target> <header>...): headers of other projects that most sources of a target read. A compiler
# cache has read them before and looks into no precompiled ones, so with one there are none.
include(CMakeDependentOption)
cmake_dependent_option(SPIRA_PRECOMPILE "Precompile headers of other projects" ON "NOT CMAKE_CXX_COMPILER_LAUNCHER" OFF)

function(spira_precompile target)
  if(SPIRA_PRECOMPILE)
    list(TRANSFORM ARGN PREPEND "<")
    list(TRANSFORM ARGN APPEND ">")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
