# spira_test(<name> SOURCES <files> [LIBRARIES <targets>] [LABELS <labels>]): adds a GoogleTest program, with one ctest
# entry for each test case. The spira_tests_<kind> programs find the real scenes through SPIRA_TEST_DATA.
include(GoogleTest)

# -O1 is enough for test sources, because most of the time is spent in the tested libraries.
set(SPIRA_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)
spira_shared_headers(spira_test_headers OPTIONS ${SPIRA_TEST_OPTIONS} LIBRARIES GTest::gmock
                     HEADERS algorithm array cmath filesystem functional gmock/gmock.h gtest/gtest.h map memory optional set string vector)

function(spira_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  spira_target(${name})
  target_compile_options(${name} PRIVATE ${SPIRA_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  spira_use_headers(${name} spira_test_headers)
  target_compile_definitions(${name} PRIVATE SPIRA_TEST_DATA="${SPIRA_TEST_DATA}"
                             SPIRA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set(properties TIMEOUT 300)
  if(arg_LABELS)
    list(APPEND properties LABELS "${arg_LABELS}")
  endif()
  # NO_PRETTY_VALUES: the cases of a parameterised test keep the names that their suite defines. Names with printed values would differ
  # between builds.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()
