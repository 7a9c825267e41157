// Tests tuning on a real scan, and applies the tuning profile to the same scan and to another scan.
#include "tests/cli/cli_fixture.hpp"
#include "tests/support/real_scenes.hpp"

#include <gmock/gmock.h>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST_F(Cli, AProfileOfARealScanAppliesToScansOfItsSizeOnly) {
  SPIRA_NEED_REAL_SCENES();
  const std::string scan = (data_folder() / "kitti/semantickitti_00_000000.bin").string();
  const std::string small = (data_folder() / "nuscenes/n015_1532402927647951.pcd.bin").string();
  const Finished made =
      spira({"tune",      scan,    "--network",     "resn21", "--grid",        "0.2",
             "--backend", "cpu",   "--min-samples", "1",      "--max-samples", "1",
             "--warmup",  "0",     "--budget",      "1h",     "--packings",    "32,64,12/11/9",
             "-o",        "p.json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("; the output matches\n"));
  const json profile = json::parse(read("p.json"));
  for (const json& record : profile.at("features")) {
    EXPECT_TRUE(record.at("output_vs_t_max").at("ok")) << record.at("key") << record.at("t");
    EXPECT_LT(record.at("output_vs_t_max").at("max_rel").get<double>(), 1e-5);
  }
  const auto run = [&](const std::string& scene, const std::string& grid) {
    return spira({"run", scene, "--network", "resn21", "--grid", grid, "--backend", "cpu", "--repeat", "1",
                  "--plan", "p.json"});
  };
  EXPECT_THAT(run(scan, "0.2").err, AllOf(HasSubstr("0 of 21 layers from profile p.json\n"),
                                          HasSubstr("  21 layers are undecided and use t = max: ")));
  EXPECT_THAT(run(small, "1").err, AllOf(HasSubstr("0 of 21 layers"), HasSubstr(": tuned for ")));
}

}  // namespace
}  // namespace spira::test
