// The figures of a scene against those of an independent reader.
#include "ui/model/scene_statistics.hpp"

#include "tests/gui/window_fixture.hpp"
#include "ui/panels/points_panel.hpp"

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

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
  EXPECT_TRUE(rows["x"].endsWith(" to 77.97, 156.05 m")) << rows["x"].toStdString();
  EXPECT_TRUE(window.pointsPanel().statisticsLabel()->text().contains("124,668"));
}

TEST_F(WindowTest, TheShiftOfLargeCoordinatesIsAmongTheStatistics) {
  QTemporaryDir folder;
  QFile file(folder.filePath("far.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < 50; ++at)
    file.write(QString("%1 5400000.5 12.0\n").arg(500'000 + at).toLatin1());
  file.close();
  open(file.fileName());
  ASSERT_TRUE(waitFor([&] { return window.cropBox().extents().has_value(); }));
  QString shift;
  for (const auto& [name, value] : scene_statistics(*window.workspace().voxels(), window.cropBox().extents()))
    if (name == "shift of the view") shift = value;
  EXPECT_TRUE(shift.contains("500") && shift.contains("12 m")) << shift.toStdString();
  open("room");
  for (const auto& [name, value] : scene_statistics(*window.workspace().voxels(), window.cropBox().extents()))
    EXPECT_NE(name, "shift of the view") << value.toStdString();
}

}  // namespace
}  // namespace spira::ui
