// Writes the completion script for zsh, with one _arguments specification for each option.
#include "app/manual/writers.hpp"

namespace spira::app {
namespace {

std::string in_quotes(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

/// Escapes brackets and colons, because they would end a description or a field.
std::string escaped(const std::string& text) {
  std::string plain = replaced(text, "\\", "\\\\");
  for (const char* special : {"[", "]", ":"})
    plain = replaced(plain, special, std::string("\\") + special);
  return plain;
}

std::string action(const OptionFacts& option) {
  const std::string words = joined(option.choices, " ");
  const std::string paths = option.folder ? "_files -/" : "_files";
  if (!option.file && !option.folder) return words.empty() ? " " : "(" + words + ")";
  // Without the leading space, zsh would insert its own arguments before these arguments.
  return words.empty() ? paths : " _PROGRAM_words_or_files " + words;
}

std::string field(const OptionFacts& option) {
  return ":" + escaped(option.argument ? option.names.front() : option.value) + ":" + action(option);
}

std::string specification(const OptionFacts& option) {
  if (option.argument) return in_quotes((option.repeats ? "*" : "") + field(option));
  const std::string tail =
      "[" + escaped(option.description) + "]" + (option.value.empty() ? "" : field(option));
  if (option.names.size() == 1) {
    // zsh then accepts both --name=value and --name value.
    const std::string form = option.value.empty() ? "" : "=";
    return in_quotes((option.repeats ? "*" : "") + option.names.front() + form + tail);
  }
  const std::string others = option.repeats ? "*" : "(" + joined(option.names, " ") + ")";
  std::vector<std::string> forms;
  for (const auto& name : option.names)
    forms.push_back(name + (option.value.empty() ? "" : name[1] == '-' ? "=" : "+"));
  return in_quotes(others) + "{" + joined(forms, ",") + "}" + in_quotes(tail);
}

std::string specifications(const CommandFacts& command, const std::string& indent) {
  std::string text;
  for (const auto& option : command.options)
    text += " \\\n" + indent + specification(option);
  for (const auto& argument : command.arguments)
    text += " \\\n" + indent + specification(argument);
  return text;
}

constexpr const char* helper = R"(
_PROGRAM_words_or_files() {
  compadd -- "$@"
  _files
}
)";

std::string commands_part(const CommandFacts& program) {
  std::string list, cases;
  for (const auto& command : program.commands) {
    list += "    " + in_quotes(command.name + ":" + escaped(command.description)) + "\n";
    cases += "        " + command.name + ")\n          _arguments -s -S" +
             specifications(command, "            ") + " ;;\n";
  }
  return "  local -a commands=(\n" + list + "  )\n  _arguments -C -s -S" + specifications(program, "    ") +
         " \\\n    '1:command:->command' \\\n    '*::argument:->arguments'\n"
         "  case $state in\n"
         "    command) _describe -t commands command commands ;;\n"
         "    arguments)\n"
         "      case $line[1] in\n" +
         cases + "      esac ;;\n  esac\n";
}

}  // namespace

std::string zsh_completion(const CommandFacts& program) {
  std::string script = "#compdef " + program.name + "\n# Written from the option table of " + program.name +
                       ".\n" + helper + "\n_PROGRAM() {\n  local curcontext=\"$curcontext\" state line\n" +
                       "  typeset -A opt_args\n";
  script += program.commands.empty() ? "  _arguments -s -S" + specifications(program, "    ") + "\n"
                                     : commands_part(program);
  return replaced(script + "}\n\n_PROGRAM \"$@\"\n", "PROGRAM", program.name);
}

}  // namespace spira::app
