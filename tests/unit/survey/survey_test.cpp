#include "engine/survey/survey.hpp"

#include "app/common/backends.hpp"
#include "engine/base/file.hpp"
#include "engine/base/named_arrays.hpp"
#include "engine/network/network.hpp"
#include "engine/report/reproduce.hpp"
#include "engine/scene/sequence.hpp"
#include "engine/voxel/fit.hpp"
#include "tests/support/altered_backend.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spira {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SurveyOfFrames : public testing::Test {
 protected:
  /// Writes a scene with a row of voxels along x, beginning at 0. The voxels are 1 m wide.
  void line(const std::string& name, int voxels, double height = 0.5) const {
    std::string text = "x,y,z\n";
    for (int x = 0; x < voxels; ++x)
      text += std::to_string(x) + ".5,0.5," + std::to_string(height) + "\n";
    folder_.write(name, text);
  }
  void broken(const std::string& name) const { folder_.write(name, "ply\nformat nothing 1.0\n"); }

  [[nodiscard]] SurveyRequest request(int kernel_size = 0) const {
    SurveyRequest asked;
    asked.folder = folder_.path().string();
    asked.frames = list_frames(folder_.path());
    asked.grid = Grid{{1, 1, 1}, {}};
    asked.density_kernel_size = kernel_size;
    return asked;
  }
  [[nodiscard]] static Survey survey(SurveyRequest asked, Job job = Job()) {
    const auto backend = app::make_registry().make("cpu");
    return survey_frames(std::move(asked), *backend, job);
  }
  [[nodiscard]] static std::vector<std::string> faults_of_json(const Survey& survey) {
    return test::shipped_schema("survey").faults(nlohmann::json::parse(survey_json(survey)));
  }
  [[nodiscard]] static std::vector<std::string> outliers(const Survey& survey) {
    std::vector<std::string> names;
    for (const Outlier& outlier : survey.summary.outliers)
      names.push_back(survey.rows.at(outlier.frame).name + " " + outlier.measure);
    return names;
  }
  [[nodiscard]] static PackingTally tally(const Survey& survey, PackSpec pack) {
    for (const PackingTally& one : survey.summary.packings) {
      if (one.pack == pack) return one;
    }
    ADD_FAILURE() << pack.text() << " is not in the summary";
    return {};
  }

  test::TempFolder folder_;
};

TEST(Spread, InterpolatesBetweenValues) {
  const Spread some = spread({4, 1, 3, 2, 5});
  EXPECT_EQ(some.n, 5);
  EXPECT_DOUBLE_EQ(some.min, 1);
  EXPECT_DOUBLE_EQ(some.p5, 1.2);
  EXPECT_DOUBLE_EQ(some.q1, 2);
  EXPECT_DOUBLE_EQ(some.median, 3);
  EXPECT_DOUBLE_EQ(some.q3, 4);
  EXPECT_DOUBLE_EQ(some.p95, 4.8);
  EXPECT_DOUBLE_EQ(some.max, 5);
  EXPECT_EQ(spread({}).n, 0);
  EXPECT_DOUBLE_EQ(spread({7}).p95, 7);
}

TEST_F(SurveyOfFrames, CountsWhatEachFrameHoldsInNaturalOrder) {
  line("f10.csv", 9);
  line("f2.csv", 4);
  line("f1.csv", 2);
  const Survey found = survey(request(3));
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_FALSE(found.partial());
  EXPECT_EQ(found.rows[0].name, "f1.csv");
  EXPECT_EQ(found.rows[2].name, "f10.csv");
  EXPECT_EQ(found.rows[2].points, 9);
  EXPECT_EQ(found.rows[2].voxels, 9);
  EXPECT_THAT(found.rows[2].extent->span, ElementsAre(9, 1, 1));
  EXPECT_THAT(found.rows[2].extent->bits, ElementsAre(4, 1, 1));
  EXPECT_EQ(found.rows[2].extent->bits_sum(), 6);
  EXPECT_DOUBLE_EQ(found.summary.voxels.median, 4);
  EXPECT_DOUBLE_EQ(found.summary.cells[0].max, 9);
  EXPECT_EQ(found.summary.densities.size(), 4U);
  // In a row of n voxels, n - 1 voxels have a neighbour in each of the two directions. Six offsets have the
  // L1 norm 1.
  EXPECT_DOUBLE_EQ(found.rows[0].densities->groups[1].mean, 2.0 * 1 / 6 / 2);
  EXPECT_DOUBLE_EQ(found.summary.densities[1].mean.median, 2.0 * 3 / 6 / 4);
  EXPECT_EQ(found.summary.densities[1].offsets, 6);
  EXPECT_DOUBLE_EQ(found.summary.densities[0].mean.min, 1.0);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, AFrameThatCannotBeReadIsARowAndTheGridSuitsTheNext) {
  broken("a.ply");
  line("b.csv", 5);
  line("c.csv", 6);
  SurveyRequest asked = request();
  asked.grid.reset();
  const Survey found = survey(std::move(asked));
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].fault_kind, ErrorKind::input);
  EXPECT_THAT(found.rows[0].fault, Not(IsEmpty()));
  EXPECT_THAT(found.rows[0].fault, Not(HasSubstr("a.ply")))
      << "the fault must not repeat the name of the frame";
  EXPECT_EQ(found.rows[0].points, std::nullopt);
  EXPECT_EQ(found.grid_from, "b.csv");
  EXPECT_EQ(found.summary.faults, 1);
  EXPECT_EQ(found.summary.voxels.n, 2);
  EXPECT_EQ(tally(found, PackSpec::bits32()).fitting, 2);
  EXPECT_EQ(tally(found, PackSpec::bits32()).failing, 0);
  EXPECT_TRUE(tally(found, PackSpec::bits32()).always_fits())
      << "a frame that cannot be read must not count against a packing";
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, NoFrameThatCanBeReadLeavesNoGrid) {
  broken("a.ply");
  SurveyRequest asked = request(3);
  asked.grid.reset();
  const Survey found = survey(std::move(asked));
  EXPECT_FALSE(found.grid.has_value());
  EXPECT_EQ(found.summary.points.n, 0);
  EXPECT_FALSE(tally(found, PackSpec::bits64()).always_fits());
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, AFrameThatFitsNothingFailsEveryPacking) {
  line("a.csv", 5);
  folder_.write("wide.csv", "x,y,z\n0,0,0\n900000000,900000000,900000000\n");
  folder_.write("wider.csv", "x,y,z\n0,0,0\n2,0,0\n");
  SurveyRequest asked = request();
  const Survey found = survey(std::move(asked));
  EXPECT_EQ(found.rows[1].fault_kind, ErrorKind::does_not_fit);
  EXPECT_EQ(found.rows[1].points, 2) << "values found before the fault must be kept";
  EXPECT_THAT(found.rows[1].extent->bits, ElementsAre(30, 30, 30));
  EXPECT_EQ(found.rows[1].voxels, std::nullopt);
  EXPECT_TRUE(found.rows[2].surveyed());
  for (const PackingTally& one : found.summary.packings) {
    EXPECT_EQ(one.failing, 1) << one.pack.text();
    EXPECT_FALSE(one.always_fits());
  }
  EXPECT_DOUBLE_EQ(found.summary.bits_sum.max, 90);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, CellsBeyond64BitsFailEveryPackingToo) {
  folder_.write("a.csv", "x,y,z\n0,0,0\n900000000,0,0\n");
  SurveyRequest asked = request();
  asked.grid = Grid{{1e-12, 1, 1}, {}};
  const Survey found = survey(std::move(asked));
  EXPECT_EQ(found.rows[0].fault_kind, ErrorKind::does_not_fit);
  EXPECT_FALSE(found.rows[0].extent.has_value());
  EXPECT_EQ(tally(found, PackSpec::bits64()).failing, 1);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, APackingForAllFramesIsFoundAndJudged) {
  line("a.csv", 3);
  // 301 cells do not fit in 8 bits.
  folder_.write("high.csv", "x,y,z\n0.5,0.5,0.5\n0.5,0.5,300.5\n");
  folder_.write("long.csv", "x,y,z\n0.5,0.5,0.5\n0.5,3000.5,0.5\n");
  const Survey found = survey(request());
  EXPECT_EQ(tally(found, PackSpec::bits32()).failing, 1);
  EXPECT_EQ(tally(found, {11, 11, 10}).failing, 1);
  EXPECT_TRUE(tally(found, {11, 12, 9}).always_fits());
  EXPECT_TRUE(tally(found, PackSpec::bits64()).always_fits());
  EXPECT_EQ(found.rows[1].voxels, 2) << "the frame must be counted with a packing that fits it";
}

TEST_F(SurveyOfFrames, ASpecialPackingIsFoundIfNoUsualOneFitsAllFrames) {
  folder_.write("high.csv", "x,y,z\n0.5,0.5,0.5\n0.5,0.5,300.5\n");
  folder_.write("long.csv", "x,y,z\n0.5,0.5,0.5\n3000.5,0.5,0.5\n");
  // This scene does not fit in any packing.
  folder_.write("wide.csv", "x,y,z\n0,0,0\n900000000,900000000,900000000\n");
  const Survey found = survey(request());
  // With guard cells, the scene needs 303 cells in z (9 bits) and 3 cells in y (2 bits). x gets the remaining
  // bits.
  EXPECT_EQ(tally(found, {21, 2, 9}).fitting, 2);
  for (const PackSpec& usual : usual_packings())
    EXPECT_LT(usual.word_bits() == 32 ? tally(found, usual).fitting : 0, 2) << usual.text();
  EXPECT_THAT(found.rows[0].fits, testing::Contains(true));
}

TEST_F(SurveyOfFrames, NamesFramesOutsideTheFences) {
  for (int at = 0; at < 9; ++at)
    line("f" + std::to_string(at) + ".csv", 100 + at);
  line("giant.csv", 1000);
  const Survey found = survey(request());
  ASSERT_TRUE(found.summary.outliers_judged);
  EXPECT_THAT(outliers(found), ElementsAre("giant.csv voxels", "giant.csv cells x"));
  const Outlier& voxels = found.summary.outliers[0];
  EXPECT_DOUBLE_EQ(voxels.value, 1000);
  EXPECT_GT(voxels.high, 108);
  // The fences are computed from logarithms. Therefore both have the same ratio to their quartile (102.25 or
  // 106.75) and not the same distance.
  EXPECT_NEAR(voxels.low * voxels.high, 102.25 * 106.75, 2.0);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, SimilarFramesHaveNoOutliers) {
  for (int at = 0; at < 9; ++at)
    line("f" + std::to_string(at) + ".csv", 100);
  line("g.csv", 103);
  EXPECT_THAT(outliers(survey(request(3))), IsEmpty());
  line("h.csv", 110);
  EXPECT_THAT(outliers(survey(request(3))), ElementsAre("h.csv voxels", "h.csv cells x"));
}

TEST_F(SurveyOfFrames, DensitiesCanBeOutliersToo) {
  for (int at = 0; at < 9; ++at)
    line("f" + std::to_string(at) + ".csv", 100);
  std::string apart = "x,y,z\n0.5,0.5,0.5\n99.5,0.5,0.5\n";
  for (int x = 1; x < 99; ++x)
    apart += std::to_string(x) + ".5," + (x % 2 == 0 ? "0" : "3") + ".5,0.5\n";
  folder_.write("loose.csv", apart);
  EXPECT_THAT(outliers(survey(request(3))), ElementsAre("loose.csv cells y", "loose.csv density L1 = 1"));
}

TEST_F(SurveyOfFrames, FewFramesHaveNoOutliers) {
  for (int at = 0; at < 6; ++at)
    line("f" + std::to_string(at) + ".csv", 100);
  line("giant.csv", 1000);
  // A frame that cannot be read must not be counted.
  broken("z.ply");
  const Survey found = survey(request());
  EXPECT_FALSE(found.summary.outliers_judged);
  EXPECT_THAT(found.summary.outliers, IsEmpty());
}

TEST_F(SurveyOfFrames, OneFrameIsASurvey) {
  line("only.csv", 4);
  const Survey found = survey(request(3));
  EXPECT_DOUBLE_EQ(found.summary.voxels.min, 4);
  EXPECT_DOUBLE_EQ(found.summary.voxels.max, 4);
  EXPECT_FALSE(found.summary.outliers_judged);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, VoxelFilesAreSurveyedInCells) {
  const std::vector<std::int32_t> coords{1, 2, 3, 4, 5, 6};
  const std::vector<float> features{1, 2};
  const std::vector<NamedArray> arrays{
      {"coords", ArrayType::i32, {2, 3}, std::as_bytes(std::span(coords))},
      {"features", ArrayType::f32, {2, 1}, std::as_bytes(std::span(features))}};
  write_file(folder_.path() / "one.safetensors", safetensors_bytes(arrays, {}));
  const Survey found = survey(request());
  EXPECT_EQ(found.unit, LengthUnit::cells);
  EXPECT_EQ(nlohmann::json::parse(survey_json(found))["unit"], "cells");
  EXPECT_THAT(faults_of_json(found), IsEmpty());
}

TEST_F(SurveyOfFrames, AFrameThatIsTooLargeForTheMemoryDoesNotStopTheRest) {
  line("a.csv", 40'000);
  line("b.csv", 4);
  BackendOptions little;
  little.memory_limit_bytes = 200'000;
  const auto backend = app::make_registry().make("cpu", little);
  Job job;
  SurveyRequest asked = request();
  const Survey found = survey_frames(std::move(asked), *backend, job);
  EXPECT_EQ(found.rows[0].fault_kind, ErrorKind::device_memory);
  EXPECT_EQ(found.rows[1].voxels, 4);
}

TEST_F(SurveyOfFrames, StoppingKeepsTheFramesThatWereFinished) {
  for (int at = 0; at < 5; ++at)
    line("f" + std::to_string(at) + ".csv", 10);
  std::stop_source stop;
  test::AlteredBackend backend(app::make_registry().make("cpu"));
  int voxelized = 0;
  backend.alter_scene = [&](Voxelized&) {
    if (++voxelized == 3) stop.request_stop();
  };
  Job job(stop.get_token());
  std::vector<std::size_t> rows_seen;
  const Survey found = survey_frames(request(3), backend, job,
                                     [&](const Survey& so_far) { rows_seen.push_back(so_far.rows.size()); });
  EXPECT_EQ(found.rows.size(), 2U) << "the unfinished third frame must not be kept";
  EXPECT_THAT(rows_seen, ElementsAre(1, 2));
  EXPECT_TRUE(found.partial());
  EXPECT_EQ(found.summary.voxels.n, 2);
  EXPECT_THAT(faults_of_json(found), IsEmpty());
  const Survey none = survey_frames(request(3), backend, job);
  EXPECT_TRUE(none.partial());
  EXPECT_THAT(none.rows, IsEmpty());
  EXPECT_THAT(faults_of_json(none), IsEmpty());
}

TEST_F(SurveyOfFrames, ProgressNamesTheFrame) {
  line("a.csv", 4);
  std::string said;
  const Survey found = survey(request(), Job({}, nullptr, [&](const Progress& progress) {
                                said = std::string(progress.what) + " " + std::to_string(progress.done) +
                                       " of " + std::to_string(progress.total);
                              }));
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(said, "surveying frame 1 of 1");
}

TEST_F(SurveyOfFrames, ARequestThatNoFrameCanSatisfyIsTheCallersFault) {
  line("a.csv", 4);
  SurveyRequest asked = request();
  asked.format = "nonsense";
  EXPECT_THROW(static_cast<void>(survey(asked)), Error);
  EXPECT_THROW(static_cast<void>(survey(request(8))), Error);
}

TEST_F(SurveyOfFrames, ANetworkIsJudgedByTheRuleOfItsLevels) {
  line("a.csv", 254);
  SurveyRequest asked = request(3);
  asked.judged_kernel_size = 3;
  asked.judged_max_stride = 2;
  const Network network = parse_network(R"({"schema": "spira.network 2", "layers": [
      {"name": "a", "stride": 2, "padding": 2, "out_channels": 4, "rule": "reached"}]})",
                                        "net.json");
  EXPECT_EQ(survey(asked).rows.front().extent->fit_cells[0], 254);
  asked.network = "net.json";
  asked.network_needs = levels_of(network).needs;
  const Survey made = survey(asked);
  EXPECT_EQ(made.rows.front().extent->fit_cells[0], 255);
  EXPECT_THAT(faults_of_json(made), IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(survey_json(made))["judged"]["network"], "net.json");
  const auto words = command_of_survey(made, false);
  EXPECT_EQ(std::vector(words.end() - 3, words.end()),
            (std::vector<std::string>{"--network", "net.json", "--json"}));
}

TEST(SurveyCommand, HasTheFolderAndTheOptions) {
  Survey survey;
  survey.request.folder = "scans";
  survey.request.format = "kitti";
  survey.request.density_kernel_size = 3;
  survey.grid = Grid{{0.1, 0.1, 0.1}, {}};
  using Words = std::vector<std::string>;
  EXPECT_EQ(command_of_survey(survey, false), (Words{"spira", "info", "scans", "--format", "kitti", "--grid",
                                                     "0.1", "--kernel", "5", "--stride", "16", "--json"}));
  EXPECT_EQ(command_of_survey(survey, true),
            (Words{"spira", "densities", "scans", "--format", "kitti", "--grid", "0.1", "--kernel", "3",
                   "--stride", "1", "--json"}));
}

TEST(SurveyCommand, NamesEachFrameThatWasPicked) {
  Survey survey;
  survey.request.folder = "a";
  survey.request.picked = true;
  survey.request.frames = {"a/1.bin", "b/1.bin", "c d/2.bin"};
  survey.request.density_kernel_size = 3;
  survey.grid = Grid{{0.1, 0.1, 0.1}, {}};
  const auto words = command_of_survey(survey, false);
  ASSERT_GE(words.size(), 6U);
  EXPECT_EQ(std::vector(words.begin(), words.begin() + 5),
            (std::vector<std::string>{"spira", "info", "a/1.bin", "b/1.bin", "c d/2.bin"}));
  EXPECT_EQ(std::count(words.begin(), words.end(), "--frames"), 1)
      << "--frames must be given once for all frames";
  EXPECT_EQ(command_of_survey(survey, true)[1], "densities");
  EXPECT_EQ(command_of_survey(survey, true)[4], "c d/2.bin");
}

TEST(SurveyCommand, CountsNeighboursWithTheSameOptions) {
  Survey survey;
  survey.request.folder = "scans";
  MapKey key{3, 2, 4};
  key.kernel.neighbourhood = {NeighbourShape::ball, 2, 1.5};
  survey.request.neighbours_of = key;
  survey.request.positions = PositionKind::grid;
  survey.grid = Grid{{0.1, 0.1, 0.1}, {}};
  EXPECT_EQ(shell_text(command_of_survey(survey, false)),
            "spira neighbours scans --grid 0.1 --kernel 3 --neighbours ball --cell 2 --radius 1.5 --stride 2 "
            "--out-stride 4 --positions grid --json");
}

TEST_F(SurveyOfFrames, AReadSurveyIsWrittenUnchanged) {
  for (int frame = 0; frame < 9; ++frame)
    line("frame" + std::to_string(frame) + ".csv", frame == 4 ? 400 : 20 + frame);
  broken("frame9.ply");
  SurveyRequest asked = request(3);
  asked.network = "resn21";
  asked.network_needs = levels_of(network_preset("resn21")).needs;
  const Survey found = survey(asked);
  ASSERT_FALSE(found.summary.outliers.empty());
  const std::string text = survey_json(found);
  const Survey read = read_survey(text, "s.json");
  EXPECT_EQ(survey_json(read), text);
  EXPECT_EQ(read.packings, found.packings);
  EXPECT_EQ(read.request.frames.front(), "frame0.csv");
}

}  // namespace
}  // namespace spira
