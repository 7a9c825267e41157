// Tests the completions in bash, zsh and fish, and formats the man pages with a man page formatter. Skips a
// test if the required tool is missing.
#include "tests/manual/manual_fixture.hpp"

#include <gmock/gmock.h>

namespace spira::test {
namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

class Shells : public Manual {
 protected:
  /// Returns the words that bash suggests for the last word of `words`, after bash has run `setup`.
  [[nodiscard]] Words bash_offers(const std::vector<std::string>& words,
                                  const std::string& setup = "") const {
    const std::string ask = "source " + bash(words.front()).string() + " && " + setup +
                            "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _" + words.front() +
                            "; printf '%s\\n' \"${COMPREPLY[@]}\"";
    std::vector<std::string> line{"bash", "--norc", "-c", ask, "ask"};
    line.insert(line.end(), words.begin(), words.end());
    const Finished asked = start(line);
    EXPECT_EQ(asked.code, 0);
    EXPECT_EQ(asked.err, "");
    Words offers = lines_of(asked.out);
    offers.erase("");
    return offers;
  }
  [[nodiscard]] Words fish_offers(const std::string& line) const {
    const Finished asked =
        start({"fish", "--no-config", "-c",
               "source " + fish(line.substr(0, line.find(' '))).string() + "; complete -C '" + line + "'"});
    EXPECT_EQ(asked.code, 0) << asked.err;
    Words offers;
    for (const auto& offer : lines_of(asked.out))
      offers.insert(offer.substr(0, offer.find('\t')));
    return offers;
  }
};

TEST_F(Shells, BashKnowsCommandsAndTheOptionsOfEach) {
  if (!has("bash")) GTEST_SKIP() << "no bash";
  EXPECT_EQ(bash_offers({"spira", "ru"}), Words{"run"});
  Words names;
  for (const auto* command : commands())
    names.insert(command->get_name());
  EXPECT_EQ(bash_offers({"spira", ""}), names);
  for (const auto* command : commands()) {
    Words options = names_of(*command);
    options.merge(names_of(spira_));
    EXPECT_EQ(bash_offers({"spira", command->get_name(), "-"}), options) << command->get_name();
  }
  EXPECT_EQ(bash_offers({"spira", "-"}), names_of(spira_));
  EXPECT_EQ(bash_offers({"spirascope", "-"}), names_of(spirascope_));
}

TEST_F(Shells, BashKnowsTheChoicesOfAnOption) {
  if (!has("bash")) GTEST_SKIP() << "no bash";
  EXPECT_EQ(bash_offers({"spira", "run", "--prec"}), Words{"--precision"});
  EXPECT_EQ(bash_offers({"spira", "run", "--precision", ""}), (Words{"fp16", "fp32"}));
  EXPECT_EQ(bash_offers({"spira", "run", "--precision", "fp3"}), Words{"fp32"});
  EXPECT_EQ(bash_offers({"spira", "run", "--precision", "="}), (Words{"fp16", "fp32"}));
  EXPECT_EQ(bash_offers({"spira", "run", "--precision", "=", "fp1"}), Words{"fp16"});
  EXPECT_EQ(bash_offers({"spira", "bench", "map"}), Words{"mapping"});
  EXPECT_EQ(bash_offers({"spirascope", "--theme", "l"}), Words{"light"});
  EXPECT_EQ(bash_offers({"spirascope", "--size", ""}), Words{});
}

TEST_F(Shells, BashFindsTheCommandBehindValuesOfOptions) {
  if (!has("bash")) GTEST_SKIP() << "no bash";
  EXPECT_EQ(bash_offers({"spira", "--threads", "4", "ru"}), Words{"run"});
  EXPECT_EQ(bash_offers({"spira", "--quiet", "--threads", "=", "4", "run", "--map", "h"}), Words{"hash"});
  EXPECT_EQ(bash_offers({"spira", "bench", "mapping", "--repeat", "3", "str"}), Words{"street"});
  EXPECT_EQ(bash_offers({"spira", "run", "--seed", ""}), Words{});
  EXPECT_EQ(bash_offers({"spira", "nothing", "-"}), Words{});
}

TEST_F(Shells, BashOffersFilesWhereAFileIsExpected) {
  if (!has("bash")) GTEST_SKIP() << "no bash";
  static_cast<void>(folder_.write("a scan.bin", ""));
  std::filesystem::create_directory(folder_ / "frames");
  const Words files{"a scan.bin", "frames"};
  EXPECT_THAT(bash_offers({"spira", "run", ""}), IsSupersetOf({"a scan.bin", "frames", "street", "random"}));
  EXPECT_THAT(bash_offers({"spira", "info", "x.bin", ""}), IsSupersetOf(files));
  EXPECT_THAT(bash_offers({"spira", "compare", "x.json", ""}), IsSupersetOf(files));
  EXPECT_THAT(bash_offers({"spira", "run", "street", "-o", ""}), IsSupersetOf(files));
  EXPECT_THAT(bash_offers({"spira", "run", "--network", "minkunet42", "a"}), Contains("a scan.bin"));
  EXPECT_EQ(bash_offers({"spira", "generate", ""}), (Words{"street", "room", "random", "triples"}));
  EXPECT_THAT(bash_offers({"spirascope", "one.bin", "a"}), Contains("a scan.bin"));
  EXPECT_EQ(bash_offers({"spirascope", "--screenshots", ""}), Words{"frames"});
}

TEST_F(Shells, ZshReadsTheCompletions) {
  if (!has("zsh")) GTEST_SKIP() << "no zsh";
  for (const char* program : {"spira", "spirascope"}) {
    const Finished read = start({"zsh", "-n", zsh(program).string()});
    EXPECT_EQ(read.code, 0) << read.err;
    EXPECT_EQ(read.err, "");
  }
}

TEST_F(Shells, FishKnowsCommandsOptionsAndChoices) {
  if (!has("fish")) GTEST_SKIP() << "no fish";
  EXPECT_EQ(fish_offers("spira ru"), Words{"run"});
  EXPECT_THAT(fish_offers("spira run --prec"), Contains("--precision"));
  EXPECT_EQ(fish_offers("spira run --precision "), (Words{"fp16", "fp32"}));
  static_cast<void>(folder_.write("scan.bin", ""));
  EXPECT_THAT(fish_offers("spira run street -o sc"), Contains("scan.bin"));
  EXPECT_THAT(fish_offers("spira run s"), IsSupersetOf({"street", "scan.bin"}));
  EXPECT_THAT(fish_offers("spira s"), Not(Contains("scan.bin")));
  EXPECT_EQ(fish_offers("spirascope --theme l"), Words{"light"});
}

TEST_F(Shells, PagesGoThroughTheFormatterWithoutAWarning) {
  if (!has("groff")) GTEST_SKIP() << "no groff";
  for (const char* program : {"spira", "spirascope"}) {
    for (const auto& entry : std::filesystem::directory_iterator(share(program) / "man" / "man1")) {
      const Finished made = start({"groff", "-man", "-ww", "-z", entry.path().string()});
      EXPECT_EQ(made.code, 0) << entry.path();
      EXPECT_EQ(made.err, "") << entry.path();
    }
  }
}

}  // namespace
}  // namespace spira::test
