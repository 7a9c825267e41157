// Writes the completion script for bash. The package bash-completion can load the script, but is not
// required.
#include "app/manual/writers.hpp"

namespace spira::app {
namespace {

/// Returns the table entry of a value: the words to offer, FILE or FOLDER for paths, or "-" if there is
/// nothing to offer.
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
    // An argument that may be repeated is used for all further positions.
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

// Bash splits words at '=', so --name=value becomes three words.
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

}  // namespace spira::app
