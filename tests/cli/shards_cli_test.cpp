// Tests --shard and `spira merge`: a merged result must be equal to the result of the whole folder.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class CliShards : public Cli {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder() / "set"); }
  /// Writes `count` frames. Frame 5 is broken, frame 7 fits no packing, and frame 11 is an outlier.
  void frames(int count) const {
    for (int at = 0; at < count; ++at) {
      const std::string name = "set/f" + std::to_string(at) + ".csv";
      std::string text = "x,y,z\n";
      for (int x = 0; x < (at == 11 ? 900 : 20 + at % 4); ++x)
        text += std::to_string(x) + ".5,0.5," + std::to_string(x % 3) + ".5\n";
      if (at == 5) text = "x,y,z\nnothing\n";
      if (at == 7) text = "x,y,z\n0,0,0\n900000000,900000000,900000000\n";
      write(name, text);
    }
  }
  /// Writes the results of all shards and returns the names of their files.
  [[nodiscard]] std::vector<std::string> shards(const std::vector<std::string>& words, int count) const {
    std::vector<std::string> files;
    for (int number = 1; number <= count; ++number) {
      std::vector<std::string> own = words;
      own.insert(own.end(), {"--shard", std::to_string(number) + "/" + std::to_string(count)});
      const Finished run = spira(own);
      EXPECT_THAT(run.code, testing::AnyOf(0, 3, 4)) << run.err;
      EXPECT_THAT(shipped_schema("survey").faults(json::parse(run.out)), testing::IsEmpty());
      files.push_back("part" + std::to_string(number) + "of" + std::to_string(count) + ".json");
      write(files.back(), run.out);
    }
    return files;
  }
  [[nodiscard]] Finished merge(std::vector<std::string> words) const {
    words.insert(words.begin(), "merge");
    return spira(words);
  }
};

TEST_F(CliShards, MergedSurveysAreEqualToTheSurveyOfTheFolder) {
  frames(37);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", "set", "--grid", "1", "--network", "resn21", "--json"},
        {"densities", "set", "--grid", "1", "--kernel", "3", "--pack", "13/13/6", "--json"},
        {"neighbours", "set", "--grid", "1", "--out-stride", "2", "--json"}}) {
    const Finished whole = spira(words);
    ASSERT_EQ(whole.code, 0) << whole.err;
    // Each count runs that many programs, so only `info` uses all of them.
    for (const int count : words.front() == "info" ? std::vector{1, 2, 5, 40} : std::vector{5}) {
      const Finished merged = merge(shards(words, count));
      EXPECT_EQ(merged.code, 0) << merged.err;
      EXPECT_EQ(merged.out, whole.out) << count << " shards";
    }
  }
}

TEST_F(CliShards, OtherShardsAreRefusedInOneLine) {
  frames(8);
  const std::vector<std::string> words{"info", "set", "--grid", "1", "--json"};
  const auto parts = shards(words, 3);
  const auto expect_refused = [&](const std::vector<std::string>& files, const std::string& fault) {
    const Finished run = merge(files);
    EXPECT_EQ(run.code, 3) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr(fault));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
  };
  expect_refused({parts[0], parts[2]}, "missing shard 2/3; ");
  expect_refused({parts[0], parts[1], parts[2], parts[1]}, parts[1] + ": shard 2/3 is also in " + parts[1]);
  write("grid.json", spira({"info", "set", "--grid", "2", "--json", "--shard", "2/3"}).out);
  expect_refused({parts[0], "grid.json", parts[2]}, "grid.json: grid 2, not 1 as in " + parts[0]);
  for (const auto& [shape, shard] : {std::pair("ball", "1/2"), {"cube", "2/2"}}) {
    const Finished half =
        spira({"neighbours", "set", "--grid", "1", "--neighbours", shape, "--json", "--shard", shard});
    write(std::string(shape) + ".json", half.out);
  }
  expect_refused(
      {"ball.json", "cube.json"},
      "cube.json: neighbours of K = 3 cube at strides 1 and 1, positions nearest, not of K = 3 ball");
  write("whole.json", spira(words).out);
  expect_refused({parts[0], "whole.json"}, "whole.json: is not a shard");
  write("set/f3.csv", "x,y,z\n0,0,0\n");
  write("changed.json", spira({"info", "set", "--grid", "1", "--json", "--shard", "2/3"}).out);
  expect_refused({parts[0], "changed.json", parts[2]}, "the folder has changed between the two runs");
  write("scene.csv", "x,y,z\n0,0,0\n");
  expect_refused({"scene.csv"}, "scene.csv: ");
}

TEST_F(CliShards, PartialMergesAreMarked) {
  frames(8);
  const auto parts = shards({"info", "set", "--grid", "1", "--json"}, 3);
  const Finished run = merge({"--partial", parts[2], parts[0], "-o", "merged.json"});
  EXPECT_EQ(run.code, 0) << run.err;
  const json merged = json::parse(read("merged.json"));
  EXPECT_THAT(shipped_schema("survey").faults(merged), testing::IsEmpty());
  EXPECT_EQ(merged.at("partial"), true);
  EXPECT_EQ(merged.at("frames_found"), 8);
  ASSERT_EQ(merged.at("frames").size(), 5U);
  EXPECT_EQ(merged.at("frames").at(1).at("frame"), "f2.csv");
}

TEST_F(CliShards, ProfilesOfShardsAreMerged) {
  frames(3);
  for (const char* number : {"1", "2"}) {
    const Finished run = spira({"tune", "set", "--grid", "1", "--shard", std::string(number) + "/2",
                                "--network", "resn21", "--thresholds", "0", "--warmup", "0", "--max-samples",
                                "5", "-o", "part" + std::string(number) + ".tune.json"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  const json part = json::parse(read("part2.tune.json"));
  EXPECT_EQ(part.at("shard").at("number"), 2);
  const Finished run = merge({"part2.tune.json", "part1.tune.json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json merged = json::parse(run.out);
  EXPECT_THAT(shipped_schema("tune").faults(merged), testing::IsEmpty());
  ASSERT_EQ(merged.at("scenes").size(), 3U);
  EXPECT_EQ(merged.at("scenes").at(1), part.at("scenes").at(0));
  EXPECT_EQ(merged.at("regret").size(), 4U);
  EXPECT_FALSE(merged.contains("shard"));
  EXPECT_EQ(merge({"part1.tune.json"}).code, 3);
  const Finished other =
      spira({"tune", "set", "--grid", "1", "--shard", "1/2", "--network", "resn21", "-o", "part2.tune.json"});
  EXPECT_EQ(other.code, 2) << other.err;
  EXPECT_THAT(other.err, HasSubstr("part2.tune.json: contains shard 2/2 of other frames"));
  const Finished empty =
      spira({"tune", "set", "--grid", "1", "--shard", "4/4", "--network", "resn21", "-o", "part4.tune.json"});
  EXPECT_EQ(empty.code, 0) << empty.err;
  EXPECT_FALSE(std::filesystem::exists(folder() / "part4.tune.json"));
}

TEST_F(CliShards, ShardsNeedAFolderAGridAndTwoNumbers) {
  frames(2);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info", "set", "--shard", "1/2"},
                                                {"densities", "set", "--shard", "1/2"},
                                                {"neighbours", "set", "--shard", "1/2"},
                                                {"info", "set/f0.csv", "--grid", "1", "--shard", "1/2"},
                                                {"info", "set", "--grid", "1", "--shard", "0/2"},
                                                {"info", "set", "--grid", "1", "--shard", "3/2"},
                                                {"info", "set", "--grid", "1", "--shard", "2"}}) {
    const Finished run = spira(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("--shard"));
  }
}

}  // namespace
}  // namespace spira::test
