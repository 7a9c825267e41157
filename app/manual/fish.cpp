// Writes the completion script for fish, with one `complete` line for each option and command.
#include "app/manual/writers.hpp"

namespace spira::app {
namespace {

std::string in_quotes(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

/// Returns -x for a value that is not a file, and -r -F for a value that may be a file. -F offers files even
/// if another line of the script disables them.
std::string value_part(const OptionFacts& option) {
  std::string part;
  if (!option.argument) part = option.file ? " -r -F" : " -x";
  if (option.argument && option.file) part = " -F";
  std::string words = joined(option.choices, " ");
  if (option.folder) words += (words.empty() ? "" : " ") + std::string("(__fish_complete_directories)");
  return words.empty() ? part : part + " -a " + in_quotes(words);
}

std::string names_part(const OptionFacts& option) {
  std::string part;
  for (const auto& name : option.names)
    part += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return part;
}

std::string line(const std::string& program, const std::string& condition, const OptionFacts& option) {
  std::string text = "complete -c " + program;
  if (!condition.empty()) text += " -n " + in_quotes(condition);
  if (!option.argument) text += names_part(option);
  if (!option.value.empty()) text += value_part(option);
  // fish shows the description of an argument next to each offered word.
  return text + " -d " + in_quotes(option.argument ? option.names.front() : option.description) + "\n";
}

}  // namespace

std::string fish_completion(const CommandFacts& program) {
  std::string script = "# Written from the option table of " + program.name + ".\n";
  if (!program.commands.empty()) script += "complete -c " + program.name + " -f\n";
  for (const auto& option : program.options)
    script += line(program.name, "", option);
  for (const auto& argument : program.arguments)
    script += line(program.name, "", argument);
  for (const auto& command : program.commands) {
    script += "complete -c " + program.name + " -n __fish_use_subcommand -a " + command.name + " -d " +
              in_quotes(command.description) + "\n";
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const auto& argument : command.arguments)
      script += line(program.name, condition, argument);
    for (const auto& option : command.options) {
      if (!option.of_program) script += line(program.name, condition, option);
    }
  }
  return script;
}

}  // namespace spira::app
