# Uses ccache if it is installed. ccache avoids compiling a source again that was already compiled in this or another build directory.
option(SPIRA_CCACHE "Use ccache if it is installed" ON)
find_program(SPIRA_CCACHE_PROGRAM ccache)
if(SPIRA_CCACHE AND SPIRA_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Only with these settings and with -fpch-preprocess does ccache cache objects that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${SPIRA_CCACHE_PROGRAM}")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  message(STATUS "Compiler cache: ${SPIRA_CCACHE_PROGRAM}")
endif()
