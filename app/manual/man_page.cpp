// Writes man pages with the macros of man(7).
#include "app/manual/writers.hpp"
#include "engine/base/error.hpp"

#include <array>
#include <sstream>
#include <utility>

namespace spira::app {
namespace {

/// Escapes text that users copy into a shell. Minus signs stay ASCII minus signs, and lines that look like
/// roff requests stay text.
std::string literal(const std::string& text) {
  std::string roff = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  roff = replaced(replaced(roff, "'", "\\(aq"), "\n", "\n\\&");
  return "\\&" + roff;
}

/// Escapes sentences. Minus signs of options stay minus signs, and hyphens of words stay hyphens.
std::string prose(const std::string& text) {
  std::string roff;
  std::istringstream words(replaced(text, "\n", " "));
  for (std::string word; words >> word;) {
    if (!roff.empty()) roff += ' ';
    const bool option = word.find_first_not_of("([") == word.find('-');
    roff += option ? literal(word) : replaced(replaced(word, "\\", "\\e"), "'", "\\(aq");
  }
  return "\\&" + roff;
}

std::string bold(const std::string& text) {
  return "\\fB" + literal(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + literal(text) + "\\fR";
}

std::string purpose(const CommandFacts& program) {
  const std::string heading = program.name + ": ";
  return program.description.compare(0, heading.size(), heading) == 0
             ? program.description.substr(heading.size())
             : program.description;
}

char upper(char letter) {
  return static_cast<char>(letter >= 'a' && letter <= 'z' ? letter - 'a' + 'A' : letter);
}

std::string sentence(std::string text) {
  if (!text.empty()) text.front() = upper(text.front());
  return prose(text) + ".";
}

std::string heading(const std::string& page) {
  std::string title;
  for (const char letter : page)
    title += upper(letter);
  return ".TH " + replaced(title, "-", "\\-") + " 1 \"\" \"SpiraScope " SPIRA_VERSION "\" \"SpiraScope\"\n";
}

std::string tagged(const std::string& tag, const std::string& text) {
  return ".TP\n" + tag + "\n" + text + "\n";
}

std::string entry(const OptionFacts& option) {
  std::string tag;
  for (const auto& name : option.names)
    tag += (tag.empty() ? "" : ", ") + (option.argument ? italic(name) : bold(name));
  if (!option.value.empty()) tag += " " + italic(option.value);
  std::vector<std::string> more;
  if (option.required && !option.argument) more.emplace_back("required");
  if (!option.range.empty()) more.push_back(option.range);
  if (!option.default_text.empty()) more.push_back("default: " + option.default_text);
  const std::string notes = more.empty() ? "" : " (" + prose(joined(more, "; ")) + ")";
  return tagged(tag, prose(option.description) + notes + ".");
}

std::string entries(const std::string& title, const std::vector<OptionFacts>& options, bool of_program) {
  std::string text;
  for (const auto& option : options) {
    if (option.of_program == of_program) text += entry(option);
  }
  return text.empty() ? text : ".SH " + title + "\n" + text;
}

std::string synopsis(const std::string& name, const CommandFacts& command) {
  std::string line = bold(name) + " [" + italic("OPTIONS") + "]";
  for (const auto& argument : command.arguments) {
    const std::string word = italic(argument.names.front()) + (argument.repeats ? "..." : "");
    line += argument.required ? " " + word : " [" + word + "]";
  }
  return ".SH SYNOPSIS\n" + line + (command.commands.empty() ? "" : " " + italic("COMMAND") + " ...") + "\n";
}

/// Returns the examples from the footer of --help: the text after "Example: " and all following lines.
std::string examples(const CommandFacts& command) {
  std::string lines = replaced(command.footer, "Example: ", "");
  lines = replaced(lines, "\n         ", "\n");
  return lines.empty() ? lines : ".SH EXAMPLES\n.nf\n" + literal(lines) + "\n.fi\n";
}

std::string exit_status() {
  using Row = std::pair<ErrorKind, const char*>;
  static constexpr std::array<Row, 8> rows{{
      {ErrorKind::failed_check, "a check failed, or an internal error"},
      {ErrorKind::usage, "wrong usage, such as an unknown command or option, or a value out of range"},
      {ErrorKind::input, "a file cannot be read or written"},
      {ErrorKind::does_not_fit,
       "the coordinates do not fit the packing, or the weights do not fit into the free memory"},
      {ErrorKind::device, "the back end cannot be used on this machine, or the memory limit is reached"},
      {ErrorKind::slower, "the network is slower than the limit set with spira compare --fail-on"},
      {ErrorKind::undecided,
       "too few samples to decide whether the network is slower (spira compare --fail-on), or to choose any "
       "setting within the budget (spira tune)"},
      {ErrorKind::cancelled, "the program was interrupted"},
  }};
  std::string text = ".SH EXIT STATUS\n" + tagged(bold("0"), "Done.");
  for (const auto& [kind, meaning] : rows)
    text += tagged(bold(std::to_string(facts(kind).exit_code)), prose(meaning) + ".");
  return text;
}

std::string environment(bool window) {
  std::string text = ".SH ENVIRONMENT\n";
  if (window) {
    text += tagged(bold("DISPLAY") + ", " + bold("WAYLAND_DISPLAY") + ", " + bold("QT_QPA_PLATFORM"),
                   "The display on which the window opens. At least one of these variables must be set.");
    text += tagged(bold("XDG_STATE_HOME"),
                   "Recent files and the window geometry are stored in the folder spirascope of this "
                   "directory (default: \\(ti/.local/state).");
  }
  return text + tagged(bold("CUDA_VISIBLE_DEVICES"), "The GPUs that the CUDA back end may use.");
}

std::string see_also(const CommandFacts& program, const std::string& page) {
  std::vector<std::string> pages;
  if (page != program.name) pages.push_back(program.name);
  for (const auto& command : program.commands) {
    if (page == program.name) pages.push_back(program.name + "-" + command.name);
  }
  if (program.name == "spirascope") pages.emplace_back("spira");
  std::string text;
  for (const auto& name : pages)
    text += (text.empty() ? "" : ",\n") + bold(name) + "(1)";
  return ".SH SEE ALSO\n" + text + "\n";
}

std::string program_page(const CommandFacts& program) {
  std::string page = heading(program.name);
  page += ".SH NAME\n" + program.name + " \\- " + prose(purpose(program)) + "\n" +
          synopsis(program.name, program) + ".SH DESCRIPTION\n" + sentence(purpose(program)) + "\n";
  if (!program.commands.empty()) {
    page +=
        "Results are written to stdout, and messages and errors to stderr. Each command has a separate "
        "page.\n";
    page += ".SH COMMANDS\n";
  }
  for (const auto& command : program.commands)
    page += tagged(bold(command.name),
                   prose(command.description) + ". See " + bold(program.name + "-" + command.name) + "(1).");
  page += entries("ARGUMENTS", program.arguments, true) + entries("OPTIONS", program.options, true);
  page += exit_status() + environment(program.commands.empty()) + examples(program);
  return page + see_also(program, program.name);
}

std::string command_page(const CommandFacts& program, const CommandFacts& command) {
  const std::string name = program.name + "-" + command.name;
  return heading(name) + ".SH NAME\n" + replaced(name, "-", "\\-") + " \\- " + prose(command.description) +
         "\n" + synopsis(program.name + " " + command.name, command) + ".SH DESCRIPTION\n" +
         prose(command.description) + ".\n" + entries("ARGUMENTS", command.arguments, false) +
         entries("OPTIONS", command.options, false) +
         entries("OPTIONS OF EVERY COMMAND", command.options, true) + examples(command) +
         ".SH EXIT STATUS\nSee " + bold(program.name) + "(1).\n" + see_also(program, name);
}

}  // namespace

std::map<std::string, std::string> man_pages(const CommandFacts& program) {
  std::map<std::string, std::string> pages{{program.name + ".1", program_page(program)}};
  for (const auto& command : program.commands)
    pages[program.name + "-" + command.name + ".1"] = command_page(program, command);
  return pages;
}

}  // namespace spira::app
