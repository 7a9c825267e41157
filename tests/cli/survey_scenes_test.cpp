// Tests that a survey of real frames reports the ground truth for each frame. The ground truth was computed
// by an independent program.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/real_scenes.hpp"

namespace spira::test {
namespace {

using nlohmann::json;

TEST_F(Cli, SurveysReproduceTheGroundTruth) {
  SPIRA_NEED_REAL_SCENES();
  const json truth = ground_truth();
  int frames = 0;
  for (const char* set : {"kitti", "nuscenes"}) {
    const Finished run =
        spira({"densities", (data_folder() / set).string(), "--grid", "0.05", "--kernel", "5", "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    const json survey = json::parse(run.out);
    for (const auto& frame : survey.at("frames")) {
      const json& grid =
          truth.at(std::string(set) + "/" + frame.at("frame").get<std::string>()).at("grids").at(0);
      SCOPED_TRACE(frame.at("frame"));
      ASSERT_EQ(grid.at("grid"), 0.05);
      EXPECT_EQ(frame.at("voxels"), grid.at("voxels"));
      EXPECT_EQ(frame.at("extent_cells"), grid.at("extent_voxels"));
      EXPECT_EQ(frame.at("bits"), grid.at("bits"));
      EXPECT_EQ(frame.at("densities").at("map_entries"), grid.at("K5").at("map_entries"));
      ++frames;
    }
  }
  EXPECT_EQ(frames, 8);
}

}  // namespace
}  // namespace spira::test
