# spira_target(<target>): the language level, warnings and sanitizers that every target of ours gets.
function(spira_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SPIRA_WERROR}>>:-Werror>)
  if(SPIRA_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${SPIRA_SANITIZE} -fno-omit-frame-pointer>)
    target_link_options(${target} PUBLIC -fsanitize=${SPIRA_SANITIZE})
  endif()
endfunction()
