// The commands and options of a program, read from its option table.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace spira::app {

struct OptionFacts {
  /// Names such as "-o" and "--output". A positional argument has one name, such as "scene".
  std::vector<std::string> names;
  std::string description, value;  ///< `value` is "FILE", "fp16|fp32", "N", or empty for a flag.
  std::string range, default_text;
  std::vector<std::string> choices;  ///< Values that completions offer.
  bool argument = false;             ///< True for a positional argument.
  bool file = false, folder = false, required = false, repeats = false;
  bool of_program = false;  ///< True if the program declares the option and every command accepts it.
};

struct CommandFacts {
  std::string name, description, footer;
  std::vector<OptionFacts> arguments, options;  ///< In a command, the options of the program come last.
  std::vector<CommandFacts> commands;
};

[[nodiscard]] CommandFacts facts_of(const CLI::App& program);
[[nodiscard]] std::string joined(const std::vector<std::string>& words, const std::string& between);
/// Replaces every `from` in `text` by `to`. `from` must not be empty.
[[nodiscard]] std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace spira::app
