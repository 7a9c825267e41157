// Tests the recorded reports that are installed with the program. They must be valid and complete, and must
// contain no coordinates. Also tests that their sweeps can be shown as a matrix, and how well the model
// predicts them.
#include "engine/base/file.hpp"
#include "engine/report/advice/threshold_model.hpp"
#include "engine/report/report.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/tune/matrix.hpp"
#include "tests/support/json_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace spira {
namespace {

using nlohmann::json;
using testing::IsEmpty;

std::vector<std::filesystem::path> sample_reports() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(SPIRA_SOURCE_DIR "/samples/reports")) {
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  }
  return found;
}

TEST(SampleReports, AreWholeAndReadBack) {
  const test::JsonSchema schema = test::shipped_schema("report");
  const auto found = sample_reports();
  EXPECT_GE(found.size(), 12U);
  for (const auto& path : found) {
    SCOPED_TRACE(path.filename().string());
    const std::string text = read_text_file(path.string(), 1 << 24);
    const json document = json::parse(text);
    EXPECT_THAT(schema.faults(document), IsEmpty());
    EXPECT_FALSE(document.at("scene").at("coordinates_included").get<bool>());
    const Report read = parse_report(text, path.string());
    EXPECT_THAT(read.notes, IsEmpty());
    EXPECT_EQ(read.measurement.indexing.clock, Clock::cuda_events);
    ASSERT_NE(read.threshold_sweep, nullptr);
    const auto kernel_size = read.network.layers.front().kernel_size;
    EXPECT_EQ(read.threshold_sweep->rows.size(), kernel_size == 5 ? 8U : 5U);
    ASSERT_NE(read.pack_sweep, nullptr);
    for (const int bits : {32, 64}) {
      EXPECT_TRUE(std::any_of(
          read.pack_sweep->rows.begin(), read.pack_sweep->rows.end(),
          [&](const SweepRow& row) { return row.why_not.empty() && row.pack.word_bits() == bits; }));
    }
    EXPECT_EQ(read.measurement.timeline.mode, TimelineMode::in_situ);
    EXPECT_FALSE(read.measurement.timeline.spans.empty());
  }
}

/// docs/command-line.md contains these errors.
TEST(SampleReports, TheirSweepsFillAMatrixThatTheModelDoesNotPredict) {
  for (const auto& path : sample_reports()) {
    SCOPED_TRACE(path.filename().string());
    const Report read = read_report(path);
    SettingMatrix matrix =
        setting_matrix(*read.threshold_sweep, read.measurement, read.network, read.measurement.plan);
    for (const MatrixRow& row : matrix.rows) {
      for (const MatrixCell& cell : row.cells) {
        const bool feasible = cell.state != CellState::infeasible;
        EXPECT_EQ(feasible, cell.state == CellState::measured) << row.layer;
        EXPECT_EQ(feasible, cell.n > 0) << row.layer;
      }
    }
    std::vector<const Densities*> densities;
    for (const Densities& one : read.layer_densities)
      densities.push_back(&one);
    add_modelled_cells(matrix, read.measurement, read.network, densities);
    ASSERT_EQ(matrix.models.size(), 1U);
    const ModelCheck& check = matrix.models.front();
    EXPECT_GE(check.cells, 72);
    const bool others = read.network.name == "minkunet42";
    EXPECT_EQ(check.basis == text_of(RatesOf::other_layers), others) << check.basis;
    constexpr double largest_shown = 0.25;
    EXPECT_GT(check.median_error, largest_shown);
    EXPECT_FALSE(check.shown);
  }
}

}  // namespace
}  // namespace spira
