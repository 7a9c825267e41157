// Tests `spira sweep`, `spira tune` and `spira bench blocks` for bird's-eye view networks.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Words = std::vector<std::string>;

class CliBevTune : public Cli {
 protected:
  void SetUp() override {
    make_scene();
    write("bev.json", R"({"schema": "spira.network 1", "name": "small", "space": "bev", "in_channels": 5,
      "layers": [{"name": "stem", "out_channels": 8},
        {"name": "in", "kernel_size": 1, "out_channels": 4, "unit": "u"},
        {"name": "mid", "out_channels": 4, "unit": "u"},
        {"name": "out", "kernel_size": 1, "out_channels": 8, "residual": "stem", "unit": "u"}]})");
  }
  [[nodiscard]] Finished on_scene(const std::string& command, const Words& more,
                                  const std::string& network = "bev.json") const {
    Words words{"--threads", "1",         command, "scene.ply", "--network",
                network,     "--backend", "cpu",   "--grid",    "1"};
    words.insert(words.end(), more.begin(), more.end());
    return spira(words);
  }
};

TEST_F(CliBevTune, SweepMeasuresDenseAndEachMethodAndCore) {
  const Finished text = on_scene("sweep", {"--mask", "occupied", "--cores", "4,8", "--repeat", "2"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("mask occupied"), HasSubstr("fused 4"), HasSubstr("gathered 8"),
                              HasSubstr("1x1 8>4, 3x3 4>4, 1x1 4>8"), HasSubstr("over dense")));
  const Finished csv = on_scene("sweep", {"--cores", "8", "--repeat", "2", "--csv"});
  ASSERT_EQ(csv.code, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("network,mask,first_unit,units,"));
  const Finished document = on_scene("sweep", {"--cores", "8", "--repeat", "2", "--json"});
  ASSERT_EQ(document.code, 0) << document.err;
  EXPECT_EQ(json::parse(document.out).at("settings").size(), 3U);
}

TEST_F(CliBevTune, OptionsWithoutEffectAreRefused) {
  for (const Words& option : {Words{"--thresholds", "0"}, {"--packs", "32"}, {"--pack", "32"}}) {
    const Finished refused = on_scene("sweep", option);
    EXPECT_EQ(refused.code, 2) << option.front();
    EXPECT_THAT(refused.err, HasSubstr(option.front() + " has no effect for a bird's-eye view network"));
  }
  EXPECT_THAT(on_scene("sweep", {"--cores", "5"}).err, HasSubstr("4, 8, 16, 32"));
  EXPECT_THAT(on_scene("sweep", {"--mask", "all"}, "resn21").err,
              HasSubstr("needs a bird's-eye view network"));
  EXPECT_THAT(on_scene("tune", {"--budget", "5s"}).err, HasSubstr("--budget has no effect"));
  EXPECT_THAT(on_scene("tune", {"--cores", "8"}, "resn21").err, HasSubstr("needs a bird's-eye view network"));
}

TEST_F(CliBevTune, TuneWritesAPlan) {
  const Finished tuned =
      on_scene("tune", {"--mask", "top-left:0.1", "--cores", "8", "--max-samples", "5", "-o", "plan.json"});
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, AllOf(HasSubstr("choice"), HasSubstr("dense")));
  const json plan = json::parse(read("plan.json"));
  EXPECT_EQ(plan.at("schema"), "spira.plan 1");
  EXPECT_EQ(plan.at("mask"), "top-left:0.1");
  EXPECT_THAT(plan.at("area").get<std::string>(), HasSubstr("cells of 1 m"));
  ASSERT_EQ(plan.at("units").size(), 2U);
  EXPECT_EQ(plan.at("units")[1].at("unit"), "u");
}

TEST_F(CliBevTune, BenchRepeatsTablesOfThePaper) {
  const Finished run =
      spira({"bench", "blocks", "--backend", "cpu", "--only", "table 2 conv-5", "--quick", "--repeat", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("table 2 conv-5"), HasSubstr("fused 16"), HasSubstr("gathered 16"),
                    HasSubstr("rows"), HasSubstr("1.64 x (Sub-M 0.58 x)"), HasSubstr("GTX 1080 Ti")));
  EXPECT_THAT(run.out, Not(HasSubstr("conv-4")));
  EXPECT_THAT(run.err, HasSubstr("floor of the dense unit"));
}

TEST_F(CliBevTune, BenchMeasuresTheMaskOfAScene) {
  const Finished run = spira({"bench", "blocks", "scene.ply", "--backend", "cpu", "--grid", "1", "--only",
                              "project", "--repeat", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json rows = json::parse(run.out).at("rows");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].at("subject"), "all");
  EXPECT_THAT(spira({"bench", "mapping", "scene.ply", "--quick"}).err, HasSubstr("suite blocks"));
  EXPECT_THAT(spira({"bench", "blocks", "--densities", "5,200"}).err, HasSubstr("--densities"));
}

}  // namespace
}  // namespace spira::test
