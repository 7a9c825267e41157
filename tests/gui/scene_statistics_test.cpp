// The figures of a scene against those of an independent reader.
#include "ui/model/scene_statistics.hpp"

#include "tests/gui/window_fixture.hpp"
#include "ui/panels/points_panel.hpp"

#include <QLabel>

#include <filesystem>
#include <map>

namespace spira::ui {
namespace {

TEST_F(WindowTest, StatisticsOfARealSweepAreThoseOfAnIndependentReader) {
  const std::filesystem::path file =
      std::filesystem::path(SPIRA_TEST_DATA) / "kitti/semantickitti_00_000000.bin";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no real scenes at " SPIRA_TEST_DATA;
  open(QString::fromStdString(file.string()));
  ASSERT_TRUE(waitFor([&] { return window.cropBox().extents().has_value(); }));
  std::map<QString, QString> rows;
  for (const auto& [name, value] : scene_statistics(*window.workspace().voxels(), window.cropBox().extents()))
    rows[name] = value;
  EXPECT_EQ(rows["points"], "124,668");
  EXPECT_EQ(rows["voxels"], "60,152");
  EXPECT_TRUE(rows["duplicates"].startsWith("64,516 (51.8 %)")) << rows["duplicates"].toStdString();
  EXPECT_TRUE(rows["x"].endsWith("\n156.05 m")) << rows["x"].toStdString();
  EXPECT_TRUE(window.pointsPanel().statisticsLabel()->text().contains("124,668"));
}

}  // namespace
}  // namespace spira::ui
