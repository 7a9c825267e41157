// Tests the text of the man pages and completions: they must contain every option that is not hidden.
#include "app/manual/writers.hpp"
#include "tests/manual/manual_fixture.hpp"

#include <gmock/gmock.h>

namespace spira::test {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::string without_fonts(const std::string& roff) {
  std::string text = roff;
  for (const char* mark : {"\\fB", "\\fI", "\\fR", "\\&"})
    text = app::replaced(text, mark, "");
  return app::replaced(text, "\\-", "-");
}

/// Returns the option names in a man page. They are on the lines after .TP.
Words tags_of(const std::string& page) {
  Words tags;
  std::istringstream lines(without_fonts(page));
  for (std::string line, before; std::getline(lines, line); before = line) {
    if (before != ".TP") continue;
    std::istringstream words(app::replaced(line, ",", ""));
    for (std::string word; words >> word;)
      tags.insert(word);
  }
  return tags;
}

std::string lines_with(const std::string& script, const std::string& text) {
  std::string found;
  for (const auto& line : lines_of(script)) {
    if (line.find(text) != std::string::npos) found += line + "\n";
  }
  return found;
}

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from);
  if (start == std::string::npos) return {};
  return text.substr(start, text.find(to, start) - start);
}

TEST_F(Manual, EachPageHasEachOptionOfItsCommand) {
  const Words of_all = names_of(spira_);
  const Words overview = tags_of(read(page("spira", "spira")));
  EXPECT_THAT(overview, IsSupersetOf(of_all));
  ASSERT_GE(commands().size(), 11U);
  for (const auto* command : commands()) {
    SCOPED_TRACE(command->get_name());
    EXPECT_THAT(overview, testing::Contains(command->get_name()));
    const Words tags = tags_of(read(page("spira", "spira-" + command->get_name())));
    EXPECT_THAT(tags, IsSupersetOf(names_of(*command)));
    EXPECT_THAT(tags, IsSupersetOf(of_all));
    for (const auto* option : command->get_options()) {
      if (option->get_positional()) {
        EXPECT_THAT(tags, testing::Contains(option->get_name(true)));
      }
    }
  }
  EXPECT_THAT(tags_of(read(page("spirascope", "spirascope"))), IsSupersetOf(names_of(spirascope_)));
}

TEST_F(Manual, TheOverviewHasEachExitCode) {
  const Words tags = tags_of(read(page("spira", "spira")));
  for (const char* code : {"0", "1", "2", "3", "4", "5", "6", "7", "130"})
    EXPECT_THAT(tags, testing::Contains(code));
}

TEST_F(Manual, APageShowsChoicesRangesAndDefaults) {
  const std::string run = without_fonts(read(page("spira", "spira-run")));
  EXPECT_THAT(run, HasSubstr(".TP\n--precision fp16|fp32\n"
                             "Number format in which features and weights are "
                             "stored (default: fp32).\n"));
  EXPECT_THAT(run, HasSubstr(".TP\n-o, --output FILE\n"));
  EXPECT_THAT(run, HasSubstr(".TP\n--repeat, --iterations N\n"
                             "Number of measured repetitions (with "
                             "--duration: the minimum number of repetitions) (1 to 10000; default: 5).\n"));
  EXPECT_THAT(run, HasSubstr("spira run [OPTIONS] [scene]\n"));
  EXPECT_THAT(without_fonts(read(page("spira", "spira"))), HasSubstr(".SH DESCRIPTION\nRun and measure "));
}

TEST_F(Manual, ZshHasEachOptionOfEachCommand) {
  const std::string script = read(zsh("spira"));
  const Words of_all = names_of(spira_);
  for (const auto* command : commands()) {
    EXPECT_THAT(script, HasSubstr("\n    '" + command->get_name() + ":"));
    const std::string part = between(script, "\n        " + command->get_name() + ")\n", ";;");
    Words names = names_of(*command);
    names.insert(of_all.begin(), of_all.end());
    for (const auto& name : names)
      EXPECT_THAT(part, testing::ContainsRegex("[',{*]" + name + "[]=+,}[']")) << command->get_name();
  }
  EXPECT_THAT(
      script,
      HasSubstr(
          "'--precision=[Number format in which features and weights are stored]:fp16|fp32:(fp16 fp32)'"));
  for (const auto& name : names_of(spirascope_))
    EXPECT_THAT(read(zsh("spirascope")), testing::ContainsRegex("[',{*]" + name + "[]=+,}[']"));
}

TEST_F(Manual, FishHasEachOptionOfEachCommand) {
  const auto form = [](const std::string& name) {
    return (name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1)) + " ";
  };
  const std::string script = read(fish("spira"));
  for (const auto* command : commands()) {
    EXPECT_THAT(script, HasSubstr("-n __fish_use_subcommand -a " + command->get_name() + " "));
    const std::string part = lines_with(script, "from " + command->get_name() + "'");
    for (const auto& name : names_of(*command))
      EXPECT_THAT(part, HasSubstr(form(name))) << command->get_name();
  }
  const std::string of_program =
      lines_with(script, "complete -c spira -l") + lines_with(script, "complete -c spira -s");
  for (const auto& name : names_of(spira_))
    EXPECT_THAT(of_program, HasSubstr(form(name)));
  for (const auto& name : names_of(spirascope_))
    EXPECT_THAT(read(fish("spirascope")), HasSubstr(form(name)));
}

TEST_F(Manual, HiddenOptionsAreNotDocumented) {
  auto* command = spira_.add_subcommand("secret", "Not for people")->group("");
  command->add_flag("--innermost", flag_, "Not for people");
  spira_.get_subcommand("run")->add_flag("--unseen", flag_, "Not for people")->group("");
  const auto facts = app::facts_of(spira_);
  std::string all = app::bash_completion(facts) + app::zsh_completion(facts) + app::fish_completion(facts);
  for (const auto& [name, text] : app::man_pages(facts))
    all += name + without_fonts(text);
  for (const char* word : {"secret", "innermost", "unseen", "Not for people"})
    EXPECT_THAT(all, Not(HasSubstr(word)));
}

TEST_F(Manual, TextWithSpecialCharactersStaysText) {
  auto* run = spira_.get_subcommand("run");
  run->add_flag("--odd", flag_, "It's [a] back\\slash: 'x'");
  run->footer("Example: .hidden 'line'");
  const auto facts = app::facts_of(spira_);
  const std::string run_page = app::man_pages(facts).at("spira-run.1");
  EXPECT_THAT(run_page, HasSubstr("\n\\&It\\(aqs [a] back\\eslash: \\(aqx\\(aq.\n"));
  EXPECT_THAT(run_page, HasSubstr("\n\\&.hidden \\(aqline\\(aq\n"));
  EXPECT_THAT(app::zsh_completion(facts), HasSubstr(R"('--odd[It'\''s \[a\] back\\slash\: '\''x'\'']')"));
  EXPECT_THAT(app::fish_completion(facts), HasSubstr(R"(-l odd -d 'It\'s [a] back\\slash: \'x\'')"));
}

}  // namespace
}  // namespace spira::test
