// Functions that create readable names for the cases of parameterised tests. The names are the same in every
// build.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <string>

namespace spira::test {

/// Returns `parts`, joined with underscores. Each sequence of characters that are neither letters nor digits
/// becomes one underscore.
template <typename... Parts> std::string case_name(const Parts&... parts) {
  std::ostringstream joined;
  ((joined << parts << '_'), ...);
  std::string name;
  for (const unsigned char c : joined.str()) {
    if (std::isalnum(c) != 0) {
      name += static_cast<char>(c);
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_')
    name.pop_back();
  return name;
}

/// Creates the name of a test case from its number and the printed value of its parameter.
struct PrintedName {
  template <typename Param> std::string operator()(const testing::TestParamInfo<Param>& info) const {
    return case_name(info.index, testing::PrintToString(info.param));
  }
};

}  // namespace spira::test
