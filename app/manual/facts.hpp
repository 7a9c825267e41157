// Contains the commands and options of a program in the form that the man pages and completions need.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct OptionFacts {
  /// Names of an option, such as "-o" and "--output". A positional argument has one name, such as "scene".
  std::vector<std::string> names;
  /// `value` is a name such as "FILE", "fp16|fp32" or "N". It is empty for a flag.
  std::string description, value;
  std::string range, default_text;
  std::vector<std::string> choices;
  bool argument = false;
  bool file = false, folder = false, required = false, repeats = false;
  /// True if the option belongs to the program itself. Every command accepts such an option.
  bool of_program = false;
};

struct CommandFacts {
  std::string name, description, footer;
  std::vector<OptionFacts> arguments, options;  ///< For a command, the options of the program are at the end.
  std::vector<CommandFacts> commands;
};

[[nodiscard]] CommandFacts facts_of(const CLI::App& program);
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between);
/// Returns `text` with every `from` replaced by `to`. `from` must not be empty.
[[nodiscard]] std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace spira::app
