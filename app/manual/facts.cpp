#include "app/manual/facts.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace spira::app {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, at);)
    words.push_back(word);
  return words;
}

bool is_choice(const std::string& word) {
  const auto any = [&word](int (*kind)(int)) {
    return std::any_of(word.begin(), word.end(), [kind](unsigned char letter) { return kind(letter) != 0; });
  };
  return any(std::islower) && !any(std::isupper);
}

/// Parses the checks of an option. CLI11 provides them only as text, such as "TEXT:{fp16,fp32}" or "INT:INT
/// in [1 - 1024]".
void read_checks(const std::string& checks, OptionFacts& facts) {
  const auto inside = [&checks](char open, char close) {
    const auto from = checks.find(open), to = checks.find(close);
    return from == std::string::npos || to == std::string::npos ? std::string()
                                                                : checks.substr(from + 1, to - from - 1);
  };
  if (checks.find(" in [") != std::string::npos) facts.range = replaced(inside('[', ']'), " - ", " to ");
  if (const auto members = inside('{', '}'); !members.empty()) {
    facts.choices = split(members, ',');
    facts.value = joined(facts.choices, "|");
  }
}

/// Parses the name of an option value. app/common/value_names.hpp explains these names.
void read_value_name(const std::string& name, OptionFacts& facts) {
  const bool number = name == "INT" || name == "UINT" || name == "FLOAT";
  facts.value = number ? "N" : name;
  for (const auto& word : split(name, '|')) {
    facts.file = facts.file || word == "FILE";
    facts.folder = facts.folder || word == "FOLDER";
    if (is_choice(word)) facts.choices.push_back(word);
  }
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const auto& name : option.get_snames())
    facts.names.push_back("-" + name);
  for (const auto& name : option.get_lnames())
    facts.names.push_back("--" + name);
  facts.argument = facts.names.empty();
  if (facts.argument) facts.names.push_back(option.get_name(true));
  facts.description = option.get_description();
  facts.required = option.get_required();
  facts.repeats = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() == 0) return facts;
  facts.default_text = option.get_default_str();
  const std::string type = option.get_type_name();
  const auto colon = type.find(':');
  read_value_name(type.substr(0, colon), facts);
  if (colon != std::string::npos) read_checks(type.substr(colon + 1), facts);
  // A positional argument is a file if it has no choices and is not a number.
  if (facts.argument && facts.choices.empty() && facts.value != "N") facts.file = true;
  return facts;
}

}  // namespace

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const auto& word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

CommandFacts facts_of(const CLI::App& program) {
  CommandFacts facts{program.get_name(), program.get_description(), program.get_footer(), {}, {}, {}};
  for (const auto* option : program.get_options()) {
    if (option->get_group().empty()) continue;  // An option without a group is hidden.
    auto found = facts_of(*option);
    found.of_program = program.get_parent() == nullptr;
    (found.argument ? facts.arguments : facts.options).push_back(std::move(found));
  }
  for (const auto* command : program.get_subcommands(nullptr)) {
    if (command->get_group().empty()) continue;
    auto found = facts_of(*command);
    for (const auto& option : facts.options) {
      const bool known = std::any_of(found.options.begin(), found.options.end(),
                                     [&](const auto& own) { return own.names == option.names; });
      if (!known) found.options.push_back(option);
    }
    facts.commands.push_back(std::move(found));
  }
  return facts;
}

}  // namespace spira::app
