// Tests `spira info` and `spira densities` on a folder of frames.
#include "tests/cli/cli_fixture.hpp"
#include "tests/cli/expect_csv.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spira::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CliSurvey : public Cli {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder() / "set"); }
  /// Writes a scene of `voxels` points along x. The points are 1 m apart, so each point is in a separate
  /// voxel.
  void line(const std::string& name, int voxels) const {
    std::string text = "x,y,z\n";
    for (int x = 0; x < voxels; ++x)
      text += std::to_string(x) + ".5,0.5,0.5\n";
    write("set/" + name, text);
  }
  [[nodiscard]] json survey(std::vector<std::string> words, int code = 0) const {
    words.emplace_back("--json");
    const Finished run = spira(words);
    EXPECT_EQ(run.code, code) << run.err;
    const json document = json::parse(run.out);
    EXPECT_THAT(shipped_schema("survey").faults(document), testing::IsEmpty());
    return document;
  }
  static void expect_80_columns(const std::string& text) {
    std::istringstream lines(text);
    for (std::string row; std::getline(lines, row);)
      EXPECT_LE(row.size(), 80U) << row;
  }
};

TEST_F(CliSurvey, InfoSummarisesTheFramesInNaturalOrder) {
  for (const int n : {10, 9, 8})
    line("f" + std::to_string(n) + ".csv", n);
  write("set/notes.md", "no scene");
  const json all = survey({"info", "set", "--grid", "1"});
  EXPECT_EQ(all.at("frames").at(0).at("frame"), "f8.csv");
  EXPECT_EQ(all.at("frames").at(2).at("frame"), "f10.csv");
  EXPECT_EQ(all.at("frames").at(2).at("bits"), json({4, 1, 1}));
  EXPECT_EQ(all.at("summary").at("voxels").at("median"), 9.0);
  EXPECT_EQ(all.at("densities_of"), nullptr);
  EXPECT_EQ(all.at("grid_from"), "");
  EXPECT_EQ(all.at("judged"), json({{"kernel_size", 5}, {"max_stride", 16}}));
  const Finished text = spira({"info", "set", "--grid", "1"});
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_THAT(text.out, HasSubstr("set: 3 frames\n"));
  EXPECT_THAT(text.out,
              HasSubstr("not determined, because only 3 frames were counted; at least 8 are required"));
  EXPECT_THAT(text.out, Not(HasSubstr("f8.csv"))) << "without --frames the frames must not be listed";
  EXPECT_THAT(spira({"info", "set", "--grid", "1", "--frames"}).out, HasSubstr("\nf8.csv "));
}

TEST_F(CliSurvey, InfoJudgesPackingsAsForASingleFile) {
  write("set/long.csv", "x,y,z\n0.5,0.5,0.5\n4084.5,0.5,0.5\n");
  const auto fits = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"info", "set", "--grid", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return survey(words).at("summary").at("packings").at(0).at("always_fits");
  };
  EXPECT_EQ(fits({}), false);
  EXPECT_EQ(fits({"--kernel", "3", "--stride", "8"}), true);
}

TEST_F(CliSurvey, DensitiesAreThoseOfSingleFrames) {
  line("a.csv", 4);
  line("b.csv", 7);
  for (const char* stride : {"1", "2"}) {
    const json all = survey({"densities", "set", "--grid", "1", "--kernel", "5", "--stride", stride});
    for (const auto& frame : all.at("frames")) {
      const Finished one = spira({"densities", "set/" + frame.at("frame").get<std::string>(), "--grid", "1",
                                  "--kernel", "5", "--stride", stride, "--json"});
      EXPECT_EQ(frame.at("densities").at("by_l1"), json::parse(one.out).at("by_l1"));
      EXPECT_EQ(frame.at("densities").at("map_entries"), json::parse(one.out).at("map_entries"));
      EXPECT_EQ(frame.at("densities").at("voxels"), json::parse(one.out).at("voxels"));
    }
  }
  expect_csv(spira({"densities", "set", "--grid", "1", "--csv"}).out,
             "l1,offsets,n,min,p5,q1,median,q3,p95,max");
  expect_csv(spira({"densities", "set", "--grid", "1", "--csv", "--frames"}).out,
             "frame,points,voxels,level_voxels,map_entries,l1_0,l1_1,l1_2,l1_3,fault,notes");
}

TEST_F(CliSurvey, FaultsAreRowsAndANote) {
  write("set/a.ply", "ply\nformat nothing 1.0\n");
  line("b.csv", 5);
  write("set/wide.csv", "x,y,z\n0,0,0\n900000000,900000000,900000000\n");
  const Finished text = spira({"info", "set", "--grid", "1"});
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "2 of 3 frames cannot be surveyed\n");
  EXPECT_THAT(text.out, HasSubstr("faults: 2\n  a.ply: "));
  const json all = survey({"info", "set", "--grid", "1"});
  EXPECT_EQ(all.at("faults"), 2);
  EXPECT_TRUE(all.at("frames").at(0).contains("fault"));
  EXPECT_EQ(all.at("frames").at(1).at("voxels"), 5);
  EXPECT_EQ(spira({"--quiet", "info", "set", "--grid", "1"}).err, "");
}

TEST_F(CliSurvey, NotesOfFramesAreReported) {
  line("a.csv", 5);
  write("set/b.csv", "x,y,z\n0.5,0.5,0.5\n1.5,0.5,nan\n2.5,0.5,0.5\n");
  const std::string note = "1 point was not finite and was dropped";
  EXPECT_THAT(spira({"info", "set", "--grid", "1"}).out, HasSubstr("frames with notes: 1\n  b.csv: " + note));
  const json all = survey({"info", "set", "--grid", "1"});
  EXPECT_FALSE(all.at("frames").at(0).contains("notes"));
  EXPECT_EQ(all.at("frames").at(1).at("notes"), json({note}));
  EXPECT_THAT(spira({"densities", "set", "--grid", "1", "--csv", "--frames"}).out,
              HasSubstr(",," + note + "\r\n"));
}

TEST_F(CliSurvey, TheGridSuitsTheFirstReadableFrameAndIsPrinted) {
  write("set/a.ply", "ply\nformat nothing 1.0\n");
  line("b.csv", 40);
  line("c.csv", 4000);
  const Finished run = spira({"densities", "set"});
  EXPECT_THAT(run.err, HasSubstr("m (automatic, from b.csv; set it with --grid)"));
  EXPECT_THAT(run.out, HasSubstr("m (automatic, from b.csv; set it with --grid)"));
  const json one = json::parse(spira({"info", "set/b.csv", "--json"}).out).at(0);
  EXPECT_EQ(survey({"info", "set"}).at("grid_m"), one.at("grid_m"));
}

TEST_F(CliSurvey, WithoutAnyFrameTheExitCodeIsThatOfTheWorstFault) {
  EXPECT_EQ(spira({"info", "set"}).code, 3);
  EXPECT_THAT(spira({"densities", "set"}).err, HasSubstr("no scene files in this folder"));
  write("set/a.ply", "ply\nformat nothing 1.0\n");
  const Finished broken = spira({"info", "set"});
  EXPECT_EQ(broken.code, 3);
  EXPECT_EQ(broken.err, "spira: set: no frame could be surveyed\n");
  EXPECT_THAT(broken.out, HasSubstr("a.ply: "))
      << "the fault of each frame must be printed even if no frame can be read";
  EXPECT_EQ(survey({"info", "set"}, 3).at("grid_m"), nullptr);
  write("set/wide.csv", "x,y,z\n0,0,0\n900000000,900000000,900000000\n");
  EXPECT_EQ(spira({"info", "set", "--grid", "1"}).code, 4);
}

TEST_F(CliSurvey, FilesOfSeveralFoldersAreSurveyedTogetherWithFrames) {
  line("a.csv", 3);
  line("b.csv", 5);
  std::filesystem::create_directory(folder() / "other");
  std::filesystem::rename(folder() / "set" / "b.csv", folder() / "other" / "b.csv");
  const json counts = survey({"info", "set/a.csv", "other/b.csv", "--grid", "1", "--frames"});
  EXPECT_EQ(counts.at("frames_found"), 2);
  EXPECT_EQ(counts.at("summary").at("voxels").at("median"), 4.0);
  const json found = survey({"densities", "set/a.csv", "other/b.csv", "--grid", "1", "--frames"});
  EXPECT_EQ(found.at("frames_found"), 2);
  EXPECT_EQ(spira({"densities", "set/a.csv", "other/b.csv", "--grid", "1"}).code, 2);
  EXPECT_EQ(spira({"info", "set/a.csv", "other/b.csv", "--frames", "--every", "2"}).code, 2);
}

TEST_F(CliSurvey, UsageErrorsAre2) {
  line("a.csv", 3);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"info", "set", "set/a.csv"},
                                                {"info", "set", "set"},
                                                {"info", "set/a.csv", "--frames"},
                                                {"densities", "set/a.csv", "--frames"},
                                                {"densities", "set", "--per-offset"},
                                                {"densities", "set", "--kernel", "8"},
                                                {"info", "set", "--grid", "0"},
                                                {"info", "set", "--format", "nope"}}) {
    const Finished run = spira(words);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

TEST_F(CliSurvey, TheTextKeepsTo80Columns) {
  for (int at = 0; at < 12; ++at)
    line("a_frame_with_a_name_that_is_longer_than_most_" + std::to_string(at) + ".csv", at == 3 ? 900 : 100);
  write("set/a.ply", "ply\nformat nothing 1.0\n");
  for (const char* kernel : {"3", "5", "7"})
    expect_80_columns(spira({"densities", "set", "--kernel", kernel, "--frames"}).out);
  const Finished info = spira({"info", "set", "--frames", "--grid", "1"});
  expect_80_columns(info.out);
  EXPECT_THAT(info.out, HasSubstr("most_3.csv: voxels 900, above "));
  EXPECT_THAT(info.out, HasSubstr("outliers: 1\n"));
}

TEST_F(CliSurvey, AnInterruptPrintsTheFinishedFramesAndIs130) {
  make_scene();
  for (int at = 0; at < 400; ++at)
    std::filesystem::create_hard_link(folder() / "scene.ply",
                                      folder() / ("set/" + std::to_string(at) + ".ply"));
  for (const char* format : {"--json", "--frames"}) {
    Program program(SPIRA_PROGRAM, {"densities", "set", "--kernel", "7", format}, folder());
    ASSERT_TRUE(program.wait_for_message("automatic, from 0.ply"));
    program.interrupt();
    const Finished run = program.finish();
    EXPECT_EQ(run.code, 130) << run.err;
    EXPECT_THAT(run.err, HasSubstr("spira: cancelled after "));
    EXPECT_THAT(run.err, HasSubstr("of 400 frames\n"));
    if (std::string(format) == "--json") {
      const json part = json::parse(run.out);
      EXPECT_EQ(part.at("partial"), true);
      EXPECT_EQ(part.at("frames_found"), 400);
      EXPECT_GE(part.at("frames").size(), 1U);
      EXPECT_LT(part.at("frames").size(), 400U);
      EXPECT_EQ(part.at("summary").at("voxels").at("n"), part.at("frames").size());
    } else {
      EXPECT_THAT(run.out, HasSubstr("set: 400 frames; INCOMPLETE: the survey stopped after "));
    }
  }
}

}  // namespace
}  // namespace spira::test
