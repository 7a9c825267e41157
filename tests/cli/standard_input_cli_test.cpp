// Tests commands that read the scene from standard input (the file name is "-").
#include "tests/cli/cli_fixture.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <tuple>

namespace spira::test {
namespace {

TEST_F(Cli, EveryCommandReadsAPipedSceneAsItReadsTheFile) {
  make_scene();
  const Finished file = spira({"--quiet", "info", "scene.ply", "--json"});
  const Finished piped = spira_reading("scene.ply", {"--quiet", "info", "-", "--json"});
  ASSERT_EQ(piped.code, 0) << piped.err;
  auto expected = nlohmann::json::parse(file.out), found = nlohmann::json::parse(piped.out);
  EXPECT_EQ(found[0]["scene"], "-");
  found[0]["scene"] = expected[0]["scene"];
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(spira_reading("scene.ply", {"info", "-"}).out.starts_with("standard input\n"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"densities", "-"}, {"run", "-", "--network", "resn21", "--repeat", "1"}}) {
    const Finished finished = spira_reading("scene.ply", words);
    EXPECT_EQ(finished.code, 0) << words.front() << ": " << finished.err;
    EXPECT_NE(finished.err.find("standard input: read as PLY"), std::string::npos) << finished.err;
  }
}

TEST_F(Cli, ABadPipedSceneIsRefusedInOneLine) {
  write("scan.bin", std::string(33, '\1'));
  write("empty", "");
  for (const auto& [file, format, part] :
       {std::tuple{"scan.bin", "", "standard input: 33 bytes that are not in a supported format"},
        {"scan.bin", "kitti", "standard input: 33 bytes is not a multiple of 16"},
        {"empty", "", "standard input: is empty"}}) {
    std::vector<std::string> words{"info", "-"};
    if (*format != '\0') words.insert(words.end(), {"--format", format});
    const Finished refused = spira_reading(file, words);
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
  const Finished folder_given = spira_reading(".", {"info", "-"});
  EXPECT_EQ(folder_given.code, 3);
  EXPECT_NE(folder_given.err.find("standard input: cannot be read"), std::string::npos) << folder_given.err;
}

TEST_F(Cli, StandardInputIsReadOnceAndNamedInTheReport) {
  make_scene();
  const Finished twice = spira_reading("scene.ply", {"info", "-", "-"});
  EXPECT_EQ(twice.code, 3);
  EXPECT_NE(twice.err.find("was already read"), std::string::npos) << twice.err;
  const Finished run = spira_reading(
      "scene.ply", {"--quiet", "run", "-", "--network", "resn21", "--repeat", "1", "-o", "r.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(read("r.json"))["scene"]["name"], "standard input");
}

}  // namespace
}  // namespace spira::test
