// Writes the completion scripts for bash, fish and zsh. The package bash-completion can load the script for
// bash, but is not required.

#include "app/manual/writers.hpp"

namespace spira::app {
namespace {

/// Returns the table entry of the bash script for an option value: the words to offer, FILE or FOLDER for
/// paths, or "-" if nothing can be offered.
std::string answer(const OptionFacts& option) {
  std::vector<std::string> words = option.choices;
  if (option.file) words.emplace_back("FILE");
  if (option.folder) words.emplace_back("FOLDER");
  return words.empty() ? "-" : joined(words, " ");
}

std::string row(const std::string& pattern, const std::string& words) {
  return "    " + pattern + ") words='" + words + "' ;;\n";
}

std::string option_row(const std::string& command, const std::vector<OptionFacts>& options) {
  std::vector<std::string> names;
  for (const auto& option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return row("'" + command + " options'", joined(names, " "));
}

std::string value_rows(const std::string& command, const CommandFacts& facts) {
  std::string text;
  for (const auto& option : facts.options) {
    if (option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const auto& name : option.names)
      patterns.push_back("'" + command + " " + name + "'");
    text += row(joined(patterns, " | "), answer(option));
  }
  for (std::size_t at = 0; at < facts.arguments.size(); ++at) {
    const auto& argument = facts.arguments[at];
    // An argument that can be repeated matches all later positions.
    const std::string place = argument.repeats ? "*" : std::to_string(at);
    text += row("'" + command + " argument '" + place, answer(argument));
  }
  return text;
}

std::string table(const CommandFacts& program) {
  std::string text = option_row("", program.options) + value_rows("", program);
  std::vector<std::string> names;
  for (const auto& command : program.commands)
    names.push_back(command.name);
  if (!names.empty()) text += row("' argument 0'", joined(names, " "));
  for (const auto& command : program.commands)
    text += option_row(command.name, command.options) + value_rows(command.name, command);
  return text;
}

// Bash splits words at '=', so --name=value arrives as three words.
constexpr const char* walk = R"(
_NAME() {
  local word="${COMP_WORDS[COMP_CWORD]}" command='' arguments=0 waiting='' words='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    words=''
    case "${COMP_WORDS[at]}" in
      =) ;;
      -*) _NAME_table "$command ${COMP_WORDS[at]}"; waiting="${words:+${COMP_WORDS[at]}}" ;;
      *)
        if [[ -n $waiting ]]; then waiting=''
        elif [[ -n HAS_COMMANDS && -z $command ]]; then command="${COMP_WORDS[at]}"
        else ((++arguments)); fi ;;
    esac
  done
  [[ $word == '=' ]] && word=''
  if [[ -n $waiting ]]; then _NAME_table "$command $waiting"
  elif [[ $word == -* ]]; then _NAME_table "$command options"
  else _NAME_table "$command argument $arguments"; fi
  local paths=''
  case " $words " in
    *' FILE '*) paths=-f ;;
    *' FOLDER '*) paths=-d ;;
  esac
  words=" $words "
  words="${words/ FILE / }"
  words="${words/ FOLDER / }"
  words="${words/ - / }"
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    [[ -n $paths ]] && compgen "$paths" -- "$word"
  )
  [[ -n $paths ]] && compopt -o filenames 2>/dev/null
  return 0
}
complete -F _NAME NAME
)";

}  // namespace

std::string bash_completion(const CommandFacts& program) {
  std::string script = "# bash completion for " + program.name + ", written from its option table\n_" +
                       program.name + "_table() {\n  words=''\n  case \"$1\" in\n" + table(program) +
                       "  esac\n}\n" + replaced(walk, "HAS_COMMANDS", program.commands.empty() ? "''" : "1");
  return replaced(script, "NAME", program.name);
}

namespace {

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

/// Returns arguments of the fish command `complete`: -x for a value that is not a file, and -r -F for a value
/// that can be a file. With -F, fish offers files even if another line of the script disables them.
std::string value_part(const OptionFacts& option) {
  std::string part;
  if (!option.argument) part = option.file ? " -r -F" : " -x";
  if (option.argument && option.file) part = " -F";
  std::string words = joined(option.choices, " ");
  if (option.folder) words += (words.empty() ? "" : " ") + std::string("(__fish_complete_directories)");
  return words.empty() ? part : part + " -a " + fish_quoted(words);
}

std::string names_part(const OptionFacts& option) {
  std::string part;
  for (const auto& name : option.names)
    part += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return part;
}

std::string line(const std::string& program, const std::string& condition, const OptionFacts& option) {
  std::string text = "complete -c " + program;
  if (!condition.empty()) text += " -n " + fish_quoted(condition);
  if (!option.argument) text += names_part(option);
  if (!option.value.empty()) text += value_part(option);
  // fish shows the description of an argument next to each offered word.
  return text + " -d " + fish_quoted(option.argument ? option.names.front() : option.description) + "\n";
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
              fish_quoted(command.description) + "\n";
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    for (const auto& argument : command.arguments)
      script += line(program.name, condition, argument);
    for (const auto& option : command.options) {
      if (!option.of_program) script += line(program.name, condition, option);
    }
  }
  return script;
}

namespace {

std::string zsh_quoted(const std::string& text) {
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
  if (option.argument) return zsh_quoted((option.repeats ? "*" : "") + field(option));
  const std::string tail =
      "[" + escaped(option.description) + "]" + (option.value.empty() ? "" : field(option));
  if (option.names.size() == 1) {
    // With "=", zsh accepts both --name=value and --name value.
    const std::string form = option.value.empty() ? "" : "=";
    return zsh_quoted((option.repeats ? "*" : "") + option.names.front() + form + tail);
  }
  const std::string others = option.repeats ? "*" : "(" + joined(option.names, " ") + ")";
  std::vector<std::string> forms;
  for (const auto& name : option.names)
    forms.push_back(name + (option.value.empty() ? "" : name[1] == '-' ? "=" : "+"));
  return zsh_quoted(others) + "{" + joined(forms, ",") + "}" + zsh_quoted(tail);
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
    list += "    " + zsh_quoted(command.name + ":" + escaped(command.description)) + "\n";
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
