# spira_precompile(<target> <header>...): precompiles headers of external libraries that most sources of a target include.
option(SPIRA_PRECOMPILE "Precompile headers of other projects" ON)

function(spira_precompile target)
  if(SPIRA_PRECOMPILE)
    list(TRANSFORM ARGN PREPEND "<")
    list(TRANSFORM ARGN APPEND ">")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# spira_shared_headers(<name> OPTIONS <options> LIBRARIES <targets> HEADERS <headers>): precompiles headers once for several programs with
# these compiler options. spira_use_headers(<target> <name>) makes a program use them. The definitions of the programs may differ.
function(spira_shared_headers name)
  cmake_parse_arguments(arg "" "" "OPTIONS;LIBRARIES;HEADERS" ${ARGN})
  if(SPIRA_PRECOMPILE)
    set(source "${PROJECT_BINARY_DIR}/${name}.cpp")  # A target needs a source.
    if(NOT EXISTS "${source}")
      file(TOUCH "${source}")
    endif()
    add_library(${name} OBJECT "${source}")
    spira_target(${name})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
    spira_precompile(${name} ${arg_HEADERS})
  endif()
endfunction()

function(spira_use_headers target name)
  if(SPIRA_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
