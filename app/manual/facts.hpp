// What a program understands, read out of its option table.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct OptionFacts {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its one name, "scene"
  std::string description, value;  ///< "FILE", "fp16|fp32", "N"; empty: a flag
  std::string range, default_text;
  std::vector<std::string> choices;  ///< values to offer
  bool argument = false;             ///< stands without a name
  bool file = false, folder = false, required = false, repeats = false;
  bool of_program = false;  ///< declared by the program, understood by each of its commands
};

struct CommandFacts {
  std::string name, description, footer;
  std::vector<OptionFacts> arguments, options;  ///< of a command: those of the program stand last
  std::vector<CommandFacts> commands;
};

[[nodiscard]] CommandFacts facts_of(const CLI::App& program);
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between);
/// `from` is not empty.
[[nodiscard]] std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace spira::app
