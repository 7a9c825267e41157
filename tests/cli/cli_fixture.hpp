// Test fixture that runs the program `spira` in a temporary folder.
#pragma once

#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

namespace spira::test {

class Cli : public testing::Test {
 protected:
  [[nodiscard]] Finished spira(const std::vector<std::string>& arguments,
                               const std::filesystem::path& out_file = {}) const {
    return Program(SPIRA_PROGRAM, arguments, folder(), out_file).finish();
  }
  [[nodiscard]] Finished spira_reading(const std::string& file,
                                       const std::vector<std::string>& arguments) const {
    return Program(SPIRA_PROGRAM, arguments, folder(), {}, folder() / file).finish();
  }
  /// Writes a generated street of about 5,000 points to scene.ply.
  void make_scene() const {
    const Finished made = spira({"generate", "street", "--points", "5000", "--seed", "7", "-o", "scene.ply"});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  void write(const std::string& name, const std::string& bytes) const {
    static_cast<void>(folder_.write(name, bytes));
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

}  // namespace spira::test
