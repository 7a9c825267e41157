// Tests that `spira info` and `spira densities` print the ground truth for every real scene. The ground
// truth was computed by an independent program.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/real_scenes.hpp"

namespace spira::test {
namespace {

using nlohmann::json;

class CliOnRealScenes : public Cli {
 protected:
  void check(const std::string& name, const json& truth) const {
    const std::string file = (data_folder() / name).string();
    const json& grid = truth.at("grids").at(0);
    const std::string size = grid.at("grid").dump();
    const Finished info = spira({"info", file, "--grid", size, "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    const json seen = json::parse(info.out).at(0);
    EXPECT_EQ(seen.at("points").get<std::int64_t>() + seen.at("dropped_nonfinite").get<std::int64_t>(),
              truth.at("points").get<std::int64_t>());
    EXPECT_EQ(seen.at("voxels"), grid.at("voxels"));
    EXPECT_EQ(seen.at("extent_cells"), grid.at("extent_voxels"));
    EXPECT_EQ(seen.at("bits"), grid.at("bits"));
    for (const char* kernel : {"3", "5"}) {
      const std::string key = std::string("K") + kernel;
      if (!grid.contains(key)) continue;
      const Finished run = spira({"densities", file, "--grid", size, "--kernel", kernel, "--json"});
      ASSERT_EQ(run.code, 0) << run.err;
      const json found = json::parse(run.out);
      EXPECT_EQ(found.at("map_entries"), grid.at(key).at("map_entries"));
      for (const auto& group : found.at("by_l1")) {
        const json& expected = grid.at(key).at("density_by_l1").at(group.at("l1").get<std::size_t>());
        EXPECT_NEAR(group.at("mean").get<double>(), expected.get<double>(), 1e-12) << key << group;
      }
    }
  }
};

TEST_F(CliOnRealScenes, InfoAndDensitiesReproduceTheGroundTruth) {
  SPIRA_NEED_REAL_SCENES();
  int scenes = 0;
  const json all = ground_truth();
  for (const auto& [name, truth] : all.items()) {
    if (unsupported(name)) continue;
    SCOPED_TRACE(name);
    check(name, truth);
    ++scenes;
  }
  EXPECT_GE(scenes, 20);
}

}  // namespace
}  // namespace spira::test
