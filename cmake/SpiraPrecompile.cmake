# spira_precompile(<target> <header>...): precompiles headers of external libraries that most sources of a target include.
option(SPIRA_PRECOMPILE "Precompile headers of other projects" ON)

function(spira_precompile target)
  if(SPIRA_PRECOMPILE)
    list(TRANSFORM ARGN PREPEND "<")
    list(TRANSFORM ARGN APPEND ">")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
