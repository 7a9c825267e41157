// Every command of the real program on a generated scene, and the ground truth through it.
#include "tests/support/real_scenes.hpp"
#include "tests/support/run_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Finished run(const std::vector<std::string>& arguments) {
  return Program(SPIRA_PROGRAM, arguments).wait();
}

TEST(Cli, HelpOfEveryCommandHasAnExample) {
  EXPECT_THAT(run({"--version"}).out, HasSubstr("spira 0."));
  for (const char* command :
       {"devices", "info", "densities", "run", "layer", "sweep", "verify", "bench", "generate"}) {
    const Finished help = run({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr(std::string("Example: spira ") + command));
  }
}

TEST(Cli, DevicesListsTheCpu) {
  const Finished plain = run({"devices"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.out, HasSubstr("usable"));
  bool cpu = false;
  for (const auto& row : json::parse(run({"devices", "--json"}).out))
    cpu = cpu || (row["kind"] == "cpu" && row["usable"] == true);
  EXPECT_TRUE(cpu);
}

TEST(Cli, InfoSaysTheFitAndGoesOnAfterABadFile) {
  const Finished plain = run({"info", "random", "--grid", "0.1"});
  EXPECT_EQ(plain.code, 0);
  EXPECT_THAT(plain.out, HasSubstr("12/12/8"));
  const Finished both = run({"info", "nothing.here", "random", "--json"});
  EXPECT_EQ(both.code, 3);
  EXPECT_THAT(both.err, HasSubstr("nothing.here"));
  const json all = json::parse(both.out);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0]["points"], 100'000);
}

TEST(Cli, GenerateWritesWhatInfoReads) {
  TempFolder folder;
  for (const char* name : {"a.ply", "a.npy", "a.csv", "a.bin"}) {
    const std::string file = folder / name;
    ASSERT_EQ(run({"generate", "random", "--points", "5000", "--seed", "3", "-o", file}).code, 0) << name;
    const json info = json::parse(run({"info", file, "--json", "--grid", "0.1"}).out);
    EXPECT_EQ(info[0]["points"], 5000) << name;
  }
  EXPECT_EQ(run({"generate", "random", "--points", "500", "--seed", "3", "-o", folder / "b.bin"}).code, 0);
  EXPECT_EQ(run({"generate", "random", "--points", "500", "--seed", "3", "-o", folder / "c.bin"}).code, 0);
  std::ifstream b(folder / "b.bin", std::ios::binary), c(folder / "c.bin", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(b), {}),
            std::string(std::istreambuf_iterator<char>(c), {}));
}

TEST(Cli, DensitiesAsTextCsvAndJson) {
  EXPECT_THAT(run({"densities", "random", "--kernel", "3"}).out, HasSubstr("map entries"));
  const Finished csv = run({"densities", "random", "--kernel", "3", "--per-offset", "--csv"});
  EXPECT_THAT(csv.out, HasSubstr("dx,dy,dz,l1,matches,density\r\n"));
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 28);
  const json found =
      json::parse(run({"densities", "random", "--kernel", "5", "--stride", "2", "--json"}).out);
  EXPECT_EQ(found["by_l1"].size(), 7U);
  EXPECT_EQ(found["by_l1"][0]["mean"], 1.0);
}

TEST(Cli, RunMeasuresAndWritesAReport) {
  TempFolder folder;
  const std::string file = folder / "report.spira.json";
  const Finished plain =
      run({"run", "random", "--network", "resn21", "--grid", "0.4", "--repeat", "2", "-o", file});
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.out, HasSubstr("wall time"));
  EXPECT_THAT(plain.out, HasSubstr("sum of stages"));
  std::ifstream stream(file);
  const json report = json::parse(stream);
  EXPECT_EQ(report["schema"], "spira.report");
  EXPECT_EQ(report["layers"].size(), 21U);
  EXPECT_EQ(report["totals"]["wall_ms"]["samples"].size(), 2U);
  EXPECT_EQ(report["scene"]["coordinates_included"], false);
  const Finished csv = run({"run", "random", "--network", "resn21", "--grid", "0.4", "--repeat", "1", "--csv",
                            "--threshold", "2", "--precision", "fp16"});
  EXPECT_THAT(csv.out, HasSubstr("layer,stage,n,median_ms"));
}

TEST(Cli, LayerAndSweep) {
  const Finished layer = run({"layer", "random", "--grid", "0.4", "--cin", "8", "--cout", "12", "--kernel",
                              "3", "--repeat", "1", "--map", "hash"});
  EXPECT_EQ(layer.code, 0) << layer.err;
  EXPECT_THAT(layer.out, HasSubstr("8>12"));
  const json sweep = json::parse(run({"sweep", "random", "--grid", "0.4", "--cin", "8", "--cout", "8",
                                      "--kernel", "5", "--repeat", "2", "--json"})
                                     .out);
  EXPECT_EQ(sweep["rows"].size(), 8U);  // t = 0 .. 7
  const Finished packs = run(
      {"sweep", "random", "--grid", "0.4", "--network", "resn21", "--packs", "32,64,4/4/4", "--repeat", "1"});
  EXPECT_EQ(packs.code, 0) << packs.err;
  EXPECT_THAT(packs.out, HasSubstr("needs"));
}

TEST(Cli, VerifyPassesOnASmallScene) {
  const Finished verify = run({"verify", "random", "--grid", "0.8", "--network", "resn21", "--quick"});
  EXPECT_EQ(verify.code, 0) << verify.out;
  EXPECT_THAT(verify.out, HasSubstr("all passed"));
}

TEST(Cli, BenchPrintsRatios) {
  const Finished bench = run({"bench", "mapping", "random", "--grid", "0.2", "--repeat", "2"});
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("times_first"));
  EXPECT_EQ(run({"bench", "indexing", "random", "--grid", "0.2", "--repeat", "1"}).code, 0);
}

TEST(Cli, DensitiesOfRealScenesAreTheGroundTruth) {
  SPIRA_NEED_REAL_SCENES();
  const json all = ground_truth();
  for (const char* name : {"kitti/semantickitti_00_000000.bin", "indoor/pcl_office1_organized.pcd",
                           "nuscenes/n008_1533151603597909.pcd.bin", "objects/screwdriver_big_endian.ply"}) {
    const json& grid = all[name]["grids"][0];
    for (const int k : {3, 5}) {
      const Finished found =
          run({"densities", (data_folder() / name).string(), "--grid",
               std::to_string(grid["grid"].get<double>()), "--kernel", std::to_string(k), "--json"});
      ASSERT_EQ(found.code, 0) << found.err;
      const json densities = json::parse(found.out), &truth = grid["K" + std::to_string(k)];
      EXPECT_EQ(densities["voxels"], grid["voxels"]) << name;
      EXPECT_EQ(densities["map_entries"], truth["map_entries"]) << name;
      for (std::size_t l1 = 0; l1 < truth["density_by_l1"].size(); ++l1) {
        EXPECT_NEAR(densities["by_l1"][l1]["mean"].get<double>(), truth["density_by_l1"][l1].get<double>(),
                    1e-12)
            << name;
      }
    }
  }
}

}  // namespace
}  // namespace spira::test
