// Compares the statistics of a scene with the values that an independent reader computed.
#include "ui/model/scene_statistics.hpp"

#include "tests/gui/window_fixture.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

#include <filesystem>
#include <map>

namespace spira::ui {
namespace {

TEST_F(WindowTest, StatisticsOfARealSweepEqualThoseOfAnIndependentReader) {
  const std::filesystem::path file =
      std::filesystem::path(SPIRA_TEST_DATA) / "kitti/semantickitti_00_000000.bin";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the real scenes are missing at " SPIRA_TEST_DATA;
  open(QString::fromStdString(file.string()));
  ASSERT_TRUE(waitFor([&] { return app.cropBox().extents().has_value(); }));
  std::map<QString, QString> rows;
  for (const auto& [name, value] :
       scene_statistics(*app.workspace().scene().voxels(), app.cropBox().extents()))
    rows[name] = value;
  EXPECT_EQ(rows["points"], "124,668");
  EXPECT_EQ(rows["voxels"], "60,152");
  EXPECT_TRUE(rows["duplicates"].startsWith("64,516 (51.8 %)")) << rows["duplicates"].toStdString();
  EXPECT_TRUE(rows["x"].endsWith(" to 77.97, 156.05 m")) << rows["x"].toStdString();
  EXPECT_TRUE(child<PointsPanel>(window).findChild<QLabel*>("statistics")->text().contains("124,668"));
}

TEST_F(WindowTest, NotesOfFileAndGridAreShownInFullInScenesAndSummary) {
  QTemporaryDir folder;
  QFile file(folder.filePath("stray.txt"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("x y z intensity\n100000 3 2 1\n0 0 0 nan\n");
  for (int at = 1; at < 400; ++at)
    file.write(
        QString("%1 %2 0.0 %3\n").arg(0.137 * (at % 20)).arg(0.131 * (at / 20)).arg(at * 200).toLatin1());
  file.close();
  open(file.fileName());
  EXPECT_LT(app.workspace().requested().grid().voxel_m[0], 0.5)
      << "the voxel size must suit the cluster and not the stray point";
  const auto* notes = window.findChild<QLabel*>("scene_notes");
  ASSERT_NE(notes, nullptr);
  EXPECT_TRUE(notes->isVisibleTo(notes->window()));
  EXPECT_TRUE(notes->wordWrap());
  const QStringList lines = notes->text().split('\n');
  ASSERT_EQ(lines.size(), 3) << notes->text().toStdString();
  EXPECT_TRUE(lines[0].startsWith("1 intensity is not finite")) << lines[0].toStdString();
  EXPECT_TRUE(lines[1].startsWith("1 point is an outlier, at least 99,99")) << lines[1].toStdString();
  EXPECT_TRUE(lines[2].contains("beyond 65,504")) << lines[2].toStdString();
  QString summary;
  for (const QLabel* label : child<SummaryPanel>(window).findChildren<QLabel*>())
    summary += label->text();
  for (const QString& line : lines)
    EXPECT_TRUE(summary.contains(line.toHtmlEscaped())) << line.toStdString();
  EXPECT_TRUE(summary.contains("1 to 79800; NaN or infinite: 1")) << summary.toStdString();

  SceneView& view = app.sceneView();
  const QImage picture = view.grab3d();
  const CoordSet& level = app.workspace().scene().voxels()->level(1);
  int drawn = 0;
  for (std::int64_t row = 0; row < size_of(level); ++row) {
    const QPoint at = view.pointer().positionOf(voxel_at(level, row));
    const bool inside = picture.rect().contains(at);
    drawn += inside && picture.pixel(at) != picture.pixel(QPoint(1, at.y())) ? 1 : 0;
  }
  EXPECT_GT(drawn, size_of(level) / 2)
      << "the view must frame the cluster without the stray point and without clipping";

  open("room");
  EXPECT_FALSE(notes->isVisibleTo(notes->window())) << notes->text().toStdString();
}

TEST_F(WindowTest, ALongFileNameLeavesSpaceForThePairs) {
  QTemporaryDir folder;
  const QString name = "2011_09_26_drive_0001_sync_velodyne_points_of_a_long_recording_0000000001.txt";
  QFile file(folder.filePath(name));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < 400; ++at)
    file.write(QString("%1 %2 0\n").arg(0.137 * (at % 20)).arg(0.131 * (at / 20)).toLatin1());
  file.close();
  window.resize(1024, 640);
  open(file.fileName());
  const auto& summary = child<SummaryPanel>(window);
  const QLabel& pairs = *summary.pairs();
  const auto& scroll = *summary.findChild<WholeRowScroll*>();
  EXPECT_TRUE(waitFor([&] { return pairs.width() >= pairs.minimumSizeHint().width(); }));
  EXPECT_LE(scroll.widget()->width(), scroll.viewport()->width()) << "nothing must be cut on the right";
  bool in_tooltip = false;
  for (const QLabel* label : summary.findChildren<QLabel*>())
    in_tooltip = in_tooltip || label->toolTip() == name;
  EXPECT_TRUE(in_tooltip) << "the full name must stay available";
}

TEST_F(WindowTest, TheShiftOfLargeCoordinatesIsInTheStatistics) {
  QTemporaryDir folder;
  QFile file(folder.filePath("far.xyz"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < 50; ++at)
    file.write(QString("%1 5400000.5 12.0\n").arg(500'000 + at).toLatin1());
  file.close();
  open(file.fileName());
  ASSERT_TRUE(waitFor([&] { return app.cropBox().extents().has_value(); }));
  QString shift;
  for (const auto& [name, value] :
       scene_statistics(*app.workspace().scene().voxels(), app.cropBox().extents()))
    if (name == "view offset") shift = value;
  EXPECT_TRUE(shift.contains("500") && shift.contains("12 m")) << shift.toStdString();
  open("room");
  for (const auto& [name, value] :
       scene_statistics(*app.workspace().scene().voxels(), app.cropBox().extents()))
    EXPECT_NE(name, "view offset") << value.toStdString();
}

}  // namespace
}  // namespace spira::ui
