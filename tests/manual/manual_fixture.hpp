// Test fixture with the option tables of both programs, and with the man pages and completions that the
// build generated from these tables.
#pragma once

#include "app/spira/program.hpp"
#include "app/spirascope/arguments.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_folder.hpp"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace spira::test {

using Words = std::set<std::string>;

/// Returns the names of an option, such as "-o" and "--output". Returns an empty list for a positional
/// argument.
inline Words names_of(const CLI::Option& option) {
  Words names;
  for (const auto& name : option.get_snames())
    names.insert("-" + name);
  for (const auto& name : option.get_lnames())
    names.insert("--" + name);
  return names;
}

inline Words names_of(const CLI::App& command) {
  Words names;
  for (const auto* option : command.get_options())
    names.merge(names_of(*option));
  return names;
}

inline Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.insert(line);
  return lines;
}

class Manual : public testing::Test {
 protected:
  Manual() {
    app::declare(spira_, context_);
    app::declare(spirascope_, arguments_);
  }

  [[nodiscard]] static std::filesystem::path share(const std::string& program) {
    return std::filesystem::path(SPIRA_MANUAL) / program;
  }
  [[nodiscard]] static std::filesystem::path page(const std::string& program, const std::string& name) {
    return share(program) / "man" / "man1" / (name + ".1");
  }
  [[nodiscard]] static std::filesystem::path bash(const std::string& program) {
    return share(program) / "bash-completion" / "completions" / program;
  }
  [[nodiscard]] static std::filesystem::path zsh(const std::string& program) {
    return share(program) / "zsh" / "site-functions" / ("_" + program);
  }
  [[nodiscard]] static std::filesystem::path fish(const std::string& program) {
    return share(program) / "fish" / "vendor_completions.d" / (program + ".fish");
  }
  [[nodiscard]] static std::string read(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// Searches for a program in PATH, runs it and waits for its end. The exit code is 127 if the program does
  /// not exist.
  [[nodiscard]] Finished start(const std::vector<std::string>& words) const {
    return Program("/usr/bin/env", words, folder_.path()).finish();
  }
  [[nodiscard]] bool has(const std::string& tool) const {
    return start({"sh", "-c", "command -v " + tool}).code == 0;
  }
  [[nodiscard]] std::vector<const CLI::App*> commands() const { return spira_.get_subcommands(nullptr); }

  TempFolder folder_;
  Registry no_backends_{{}};
  app::Context context_{no_backends_, {}, {}};
  app::Arguments arguments_;
  bool flag_ = false;  ///< Receives the values of the command-line flags that a test adds.
  CLI::App spira_, spirascope_;
};

}  // namespace spira::test
