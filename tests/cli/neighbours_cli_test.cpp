// Tests `spira neighbours` on points whose neighbours were counted by hand, on folders, and with wrong
// options.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class NeighboursCli : public Cli {
 protected:
  /// Writes five points. Two of them are in one voxel. The last one is 1.8 cells from the second, so it is in
  /// its ball but outside its 27 cells.
  void make_points(const std::string& name = "five.csv") const {
    write(name, "x,y,z\n0.5,0.5,0.5\n1.5,0.5,0.5\n1.6,1.5,0.5\n0.6,0.5,0.5\n3.3,0.5,0.5\n");
  }
};

TEST_F(NeighboursCli, CountsNeighboursByHandCheckedNumbers) {
  make_points();
  const Finished run = spira({"neighbours", "five.csv", "--grid", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json row = json::parse(run.out);
  EXPECT_EQ(row.at("kernel_size"), 3);
  EXPECT_EQ(row.at("neighbours"), "ball");
  // Each of the four rows is its own neighbour, and four pairs of rows are neighbours of each other.
  EXPECT_EQ(row.at("outputs"), 4);
  EXPECT_EQ(row.at("triplets"), 12);
  EXPECT_EQ(row.at("groups"), 12);
  EXPECT_EQ(row.at("folded"), 2);
  EXPECT_EQ(row.at("voxel_pairs"), 10);
  EXPECT_EQ(row.at("in_voxel_map"), 10);
  EXPECT_EQ(row.at("same_column"), 10);
  EXPECT_EQ(row.at("p50_neighbours"), 3);
  EXPECT_EQ(row.at("most_neighbours"), 4);
  EXPECT_EQ(row.at("unread_inputs"), 0);
  EXPECT_EQ(row.at("list_bytes"), 96);
  EXPECT_EQ(row.at("position_bytes"), 32);
  EXPECT_EQ(row.at("explicit_bytes"), 4 * 4 * (4 + (64 * 2)));
  EXPECT_EQ(row.at("merged"), 1);
  EXPECT_EQ(row.at("positions"), "nearest");
  const Finished text = spira({"neighbours", "five.csv", "--grid", "1"});
  EXPECT_THAT(text.out, HasSubstr("12, 3.00 per output; 16.7 % are new"));
  EXPECT_THAT(text.out, HasSubstr("1 point merged"));
}

TEST_F(NeighboursCli, PositionsOnTheGridGiveTheVoxelNeighbours) {
  make_points();
  for (const char* shape : {"cube", "ball"}) {
    const Finished run = spira(
        {"neighbours", "five.csv", "--grid", "1", "--neighbours", shape, "--positions", "grid", "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    const json row = json::parse(run.out);
    EXPECT_EQ(row.at("triplets"), 10) << shape;
    EXPECT_EQ(row.at("same_column"), 10) << shape;
    EXPECT_EQ(row.at("positions"), "grid");
  }
  EXPECT_THAT(spira({"neighbours", "five.csv", "--grid", "1", "--positions", "grid"}).out,
              HasSubstr("Voxels would do"));
}

TEST_F(NeighboursCli, CountsInputsThatAStridedLayerDoesNotRead) {
  make_scene();
  const Finished run =
      spira({"neighbours", "scene.ply", "--grid", "0.2", "--out-stride", "2", "--cell", "1", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const json row = json::parse(run.out);
  EXPECT_EQ(row.at("out_stride"), 2);
  EXPECT_LT(row.at("outputs"), row.at("inputs"));
  EXPECT_EQ(row.at("position_bytes"), 8 * (row.at("outputs").get<int>() + row.at("inputs").get<int>()));
}

TEST_F(NeighboursCli, AnAutomaticPackingIsNeverRefused) {
  const Finished run = spira({"neighbours", "street:1", "--grid", "0.037", "--out-stride", "16", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_GT(json::parse(run.out).at("triplets"), 0);
}

TEST_F(NeighboursCli, ListsTheFramesOfAFolder) {
  std::filesystem::create_directory(folder() / "frames");
  make_points("frames/a.csv");
  make_points("frames/b.csv");
  write("frames/c.csv", "x,y,z\n");
  const Finished run = spira({"neighbours", "frames", "--grid", "1"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("median of 2 frames: 3.00 triplets per output, fan-in 1.00"));
  EXPECT_THAT(run.out, HasSubstr("c.csv: "));
  const Finished csv = spira({"neighbours", "frames", "--grid", "1", "--csv"});
  EXPECT_THAT(csv.out, HasSubstr("frame,outputs,inputs,voxel_pairs,triplets,groups,folded,fan_in"));
  EXPECT_THAT(csv.out, HasSubstr("\r\na.csv,4,4,10,12,12,2,1,10,10,3,"));
  EXPECT_EQ(json::parse(spira({"neighbours", "frames", "--grid", "1", "--json"}).out).at("frames").size(),
            3U);
  std::filesystem::remove(folder() / "frames/a.csv");
  std::filesystem::remove(folder() / "frames/b.csv");
  const Finished none = spira({"neighbours", "frames", "--grid", "1"});
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("no frame could be surveyed"));
}

TEST_F(NeighboursCli, DensitiesOfANativeMapCountGroups) {
  // The second and the third point are in the cell to the right of the first one, in different voxels.
  write("three.csv", "x,y,z\n0.9,0.5,0.5\n1.6,0.5,0.5\n2.3,0.5,0.5\n");
  const std::vector<std::string> words{"densities",    "three.csv", "--grid",      "1",
                                       "--neighbours", "ball",      "--per-offset"};
  const auto with = [&](const char* option) {
    std::vector<std::string> all = words;
    all.emplace_back(option);
    return spira(all);
  };
  const json found = json::parse(with("--json").out);
  EXPECT_EQ(found.at("map_entries"), 9);
  EXPECT_EQ(found.at("groups"), 7)
      << "two inputs on the right of the first point, two on the left of the last";
  std::int64_t matches = 0, triplets = 0;
  for (const json& column : found.at("by_offset")) {
    matches += column.at("matches").get<std::int64_t>();
    triplets += column.at("triplets").get<std::int64_t>();
    EXPECT_LE(column.at("density").get<double>(), 1.0);
  }
  EXPECT_EQ(matches, 7);
  EXPECT_EQ(triplets, 9);
  EXPECT_THAT(with("--csv").out, HasSubstr("dx,dy,dz,l1,matches,density,triplets"));
  EXPECT_THAT(spira({"densities", "three.csv", "--grid", "1", "--neighbours", "ball"}).out,
              HasSubstr("9 map entries in 7 groups"));
}

TEST_F(NeighboursCli, DensitiesRefuseOptionsWithoutAnEffect) {
  make_points();
  const auto expect = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> words{"--quiet", "densities", "five.csv", "--grid", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = spira(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_EQ(run.out, "");
  };
  expect({"--positions", "grid"}, "--positions grid: the neighbours are voxels, so no positions are read");
  expect({"--neighbours", "voxels", "--positions", "nearest"}, "--positions nearest: ");
  expect({"--neighbours", "cube", "--redundancy"},
         "--redundancy: native layers do not run implicit GEMM; remove --redundancy");
  expect({"--network", "resn21", "--layer", "stage1.conv", "--neighbours", "ball", "--redundancy"},
         "--redundancy: native layers");
}

TEST_F(NeighboursCli, ExplainsWrongOptions) {
  make_points();
  const auto expect = [&](const std::vector<std::string>& more, int code, const std::string& why) {
    std::vector<std::string> words{"--quiet", "neighbours", "five.csv", "--grid", "1"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished run = spira(words);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(why));
    EXPECT_EQ(run.out, "");
  };
  expect({"--neighbours", "cube", "--radius", "2"}, 2, "--radius: a cube has none; remove it");
  expect({"--cell", "12"}, 2, "use a smaller cell");
  expect({"--radius", "30"}, 2, "use a smaller radius");
  expect({"--radius", "1e-7"}, 2, "--radius: must be at least 0.000001");
  expect({"--stride", "4", "--out-stride", "2"}, 2, "--out-stride 2: must not be less than --stride 4");
  expect({"--kernel", "4"}, 2, "--kernel");
  expect({"--neighbours", "voxels"}, 2, "--neighbours");
}

}  // namespace
}  // namespace spira::test
