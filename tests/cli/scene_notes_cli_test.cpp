// Tests the notes that `info`, `run` and `verify` print about valid scenes with possible problems: values
// beyond the range of fp16, NaN, outliers, points on voxel boundaries, and rows whose layout the user must
// describe.
#include "tests/cli/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>

namespace spira {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class SceneNotesCli : public test::Cli {
 protected:
  /// Writes a scene of 400 points on a curved floor, with intensities from 0 to `highest`, and appends the
  /// lines `more`.
  void write_scene(double highest, const std::string& more = {}) const {
    std::string text = "x y z intensity\n";
    for (int at = 0; at < 400; ++at) {
      char line[128];
      const double x = 0.137 * (at % 20), y = 0.131 * (at / 20);
      std::snprintf(line, sizeof line, "%.4f %.4f %.4f %.1f\n", x, y, 0.3 * std::sin(x + y),
                    highest * at / 399);
      text += line;
    }
    write("scene.txt", text + more);
  }
  [[nodiscard]] json info(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"info", "scene.txt", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Finished done = spira(arguments);
    EXPECT_EQ(done.code, 0) << done.err;
    return json::parse(done.out).at(0);
  }
};

TEST_F(SceneNotesCli, InfoListsAttributesWithTheirRangeAndTheirNonFiniteValues) {
  write_scene(250, "1 1 0 nan\n");
  const json document = info();
  ASSERT_EQ(document["attributes"].size(), 1U) << document.dump(1);
  const json& intensity = document["attributes"][0];
  EXPECT_EQ(intensity["name"], "intensity");
  EXPECT_EQ(intensity["column"], "intensity");
  EXPECT_EQ(intensity["low"], 0.0);
  EXPECT_EQ(intensity["high"], 250.0);
  EXPECT_EQ(intensity["non_finite"], 1);
  EXPECT_EQ(intensity["kept"], true);
  EXPECT_TRUE(document["skipped_columns"].empty());
}

TEST_F(SceneNotesCli, RunAndVerifyReportValuesBeyondFp16) {
  write_scene(90'000);
  EXPECT_THAT(info()["notes"].dump(), HasSubstr("intensities beyond 65,504"));
  const std::vector<std::string> run{"run",      "scene.txt", "--network", "resn21", "--grid",     "0.1",
                                     "--repeat", "2",         "-o",        "r.json", "--precision"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return spira(arguments);
  };
  const test::Finished fp32 = with({"fp32", "--check"});
  EXPECT_EQ(fp32.code, 0) << fp32.err;
  EXPECT_THAT(fp32.out, HasSubstr("output check  PASSED"));
  EXPECT_THAT(fp32.err, Not(HasSubstr("warning")));
  EXPECT_EQ(json::parse(read("r.json"))["input"]["non_finite_rows"], 0);

  const test::Finished fp16 = with({"fp16"});
  EXPECT_EQ(fp16.code, 0) << fp16.err;
  EXPECT_THAT(fp16.err, HasSubstr("input rows are NaN or infinite in fp16"));
  EXPECT_THAT(fp16.err, HasSubstr("layers have NaN or infinite values in fp16; the first is "));
  const json report = json::parse(read("r.json"));
  EXPECT_GT(report["input"]["non_finite_rows"], 50);
  EXPECT_GT(report["layers"][0]["non_finite_values"], 0);
  EXPECT_THAT(report["trust"]["reasons"].dump(), HasSubstr("input_not_finite"));
  EXPECT_NE(report["trust"]["grade"], "A");
  EXPECT_NE(report["trust"]["grade"], "B");

  const test::Finished checked = with({"fp16", "--check"});
  EXPECT_EQ(checked.code, 1) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("output check  FAILED"));
  EXPECT_THAT(checked.err, HasSubstr("NaN or infinite values"));

  const test::Finished verified = spira({"verify", "scene.txt", "--grid", "0.1", "--quick"});
  EXPECT_EQ(verified.code, 1);
  EXPECT_THAT(verified.out, HasSubstr("NaN or infinite"));
  EXPECT_THAT(verified.out, Not(HasSubstr("all passed")));
}

TEST_F(SceneNotesCli, OutliersAreReportedAndDoNotChangeTheVoxelSize) {
  write_scene(1);
  const json alone = info();
  write_scene(1, "100000 3 2 1\n");
  const json with_stray = info();
  EXPECT_EQ(with_stray["grid_m"], alone["grid_m"]);
  EXPECT_EQ(with_stray["voxels"], alone["voxels"].get<int>() + 1);
  EXPECT_EQ(with_stray["display_origin_m"], json({0, 0, 0}));
  EXPECT_THAT(with_stray["notes"].dump(), HasSubstr("1 point is an outlier"));
  const json cropped = info({"--crop", "-10,-10,-10,10,10,10"});
  EXPECT_EQ(cropped["grid_m"], alone["grid_m"]);
  EXPECT_THAT(cropped["notes"].dump(), Not(HasSubstr("outlier")));
  const test::Finished run = spira({"run", "scene.txt", "--network", "resn21", "--repeat", "1"});
  EXPECT_THAT(run.err, HasSubstr("1 point is an outlier"));
}

TEST_F(SceneNotesCli, AnOutlierThatNoPackingHoldsIsNamedInTheError) {
  write_scene(1, "900000000 3 2 1\n");
  const test::Finished done = spira({"info", "scene.txt", "--grid", "0.001"});
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_THAT(done.err, HasSubstr("1 point is an outlier"));
}

TEST_F(SceneNotesCli, PointsOnVoxelBoundariesAreReported) {
  std::string text = "x y z\n";
  for (int at = 0; at < 1'000; ++at) {
    char line[64];
    std::snprintf(line, sizeof line, "%.1f %.1f %.1f\n", 0.1 * (at % 10), 0.1 * (at / 10 % 10),
                  0.1 * (at / 100));
    text += line;
  }
  write("scene.txt", text);
  EXPECT_THAT(info({"--grid", "0.1"})["notes"].dump(), HasSubstr("lie on a voxel boundary"));
  EXPECT_EQ(info()["grid_m"][0], 0.1) << "the suggested voxel size must be the distance of the points";
  const test::Finished run =
      spira({"run", "scene.txt", "--network", "resn21", "--repeat", "1", "--grid", "0.1"});
  EXPECT_THAT(run.err, HasSubstr("lie on a voxel boundary"));
}

TEST_F(SceneNotesCli, RowsWithoutAHeaderAreDescribed) {
  // The file has a header of two bytes, then two rows of int16: 1 2 3 7 and 4 5 6 8.
  write("rows.bin", std::string("ab\x01\0\x02\0\x03\0\x07\0\x04\0\x05\0\x06\0\x08\0", 18));
  const test::Finished run =
      spira({"info", "rows.bin", "--columns", "x,y,z,intensity", "--type", "i16", "--skip-bytes", "2"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out + run.err, HasSubstr("rows of 4 i16: x, y, z, intensity; 2 points"));
  const test::Finished same = spira({"info", "rows.bin", "--format", "rows:i16:x,y,z,intensity:skip=2"});
  EXPECT_EQ(same.out, run.out);
  EXPECT_EQ(spira({"info", "rows.bin", "--columns", "x,y", "--type", "i16"}).code, 2);
  EXPECT_EQ(spira({"info", "rows.bin", "--type", "i16"}).code, 2);
  EXPECT_EQ(spira({"info", "rows.bin"}).code, 3);
}

}  // namespace
}  // namespace spira
