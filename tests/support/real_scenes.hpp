// Gives access to the real scenes and their ground truth. Tests that use these scenes are skipped if the
// folder is missing.
#pragma once

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace spira::test {

[[nodiscard]] inline std::filesystem::path data_folder() {
  return SPIRA_TEST_DATA;
}
[[nodiscard]] inline bool have_data() {
  return std::filesystem::exists(data_folder() / "ground_truth.json");
}

[[nodiscard]] inline nlohmann::json ground_truth() {
  std::ifstream file(data_folder() / "ground_truth.json");
  return nlohmann::json::parse(file);
}

/// Returns true if the scene has a format that the program cannot read yet.
[[nodiscard]] inline bool unsupported(const std::string& name) {
  for (const char* end : {".stl", ".off", ".ptx", ".obj", ".e57", ".laz"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

}  // namespace spira::test

#define SPIRA_NEED_REAL_SCENES() \
  if (!spira::test::have_data()) GTEST_SKIP() << "no real scenes in " << SPIRA_TEST_DATA
