// Tests the crop box: dragging handles, typing numbers, the live count, a crop without points, and the crop
// of a sequence.
#include "engine/base/text.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/voxels/level_of_detail.hpp"
#include "ui/view3d/vtk_widget.hpp"
#include "ui/window/banner.hpp"

#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>

#include <filesystem>

namespace spira::ui {
namespace {

class WindowCropTest : public WindowTest {
 protected:
  [[nodiscard]] CropBox& crop() { return app.cropBox(); }
  void showBox() {
    ASSERT_TRUE(app.commands().trigger("crop.box"));
    ASSERT_TRUE(waitFor([&] { return crop().kept().has_value(); }));
  }
  [[nodiscard]] bool settled() {
    return waitFor([&] { return idle() && crop().kept() && app.sceneView().settled(); });
  }
  /// Returns the position of a handle on the canvas.
  [[nodiscard]] QPoint handle(int face) {
    const auto* canvas = app.sceneView().canvas();
    const QPointF pixel = app.sceneView().tools().crop()->handles().handleAt(face);
    const double ratio = canvas->devicePixelRatioF();
    return {static_cast<int>(pixel.x() / ratio), static_cast<int>(canvas->height() - (pixel.y() / ratio))};
  }
  QToolButton* chip() {
    for (auto* button : window.findChildren<QToolButton*>("chip")) {
      if (button->isVisible() && button->text().startsWith("crop")) return button;
    }
    return nullptr;
  }
  static std::int64_t inside_count(const PointCloud& cloud, const Bounds& box) {
    Job job;
    return count_inside(cloud, box, job);
  }
};

TEST_F(WindowCropTest, DraggingAHandleUpdatesTheCountAndVoxelisesTheSceneOnRelease) {
  open("street");
  const auto before = app.workspace().scene().voxels();
  const std::int64_t all = app.workspace().scene().cloud()->size();
  showBox();
  EXPECT_EQ(crop().kept(), all);
  EXPECT_EQ(chip(), nullptr);
  auto* canvas = app.sceneView().canvas();
  const QPoint from = handle(0), to = (2 * from + handle(1)) / 3;
  ASSERT_TRUE(canvas->rect().contains(from)) << "the handle of a visible box must be in the picture";
  const double low = crop().box()->low[0];
  QTest::mousePress(canvas, Qt::LeftButton, Qt::NoModifier, from);
  move_mouse(*canvas, (from + to) / 2, Qt::LeftButton);
  move_mouse(*canvas, to, Qt::LeftButton);
  EXPECT_GT(crop().box()->low[0], low) << "the box must follow the drag";
  EXPECT_EQ(app.workspace().scene().voxels(), before) << "the scene must not be voxelised before the release";
  ASSERT_TRUE(waitFor([&] { return crop().kept().has_value(); }));
  const std::int64_t kept = *crop().kept();
  EXPECT_LT(kept, all);
  EXPECT_EQ(kept, inside_count(*app.workspace().scene().cloud(), *crop().box()));
  EXPECT_TRUE(child<PointsPanel>(window).findChild<QLabel*>("kept")->text().contains(
      QString::fromStdString(count_text(kept))));
  QTest::mouseRelease(canvas, Qt::LeftButton, Qt::NoModifier, to);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels() != before; }));
  ASSERT_TRUE(settled());
  EXPECT_EQ(app.workspace().scene().voxels()->kept, kept);
  EXPECT_EQ(app.workspace().scene().voxels()->grid.crop_m, crop().box());
  ASSERT_TRUE(waitFor([&] { return app.sceneView().tools().crop()->outsideShown() > 0; }));
  ASSERT_NE(chip(), nullptr);
  QTest::mouseClick(chip(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->kept == all; }));
  EXPECT_EQ(crop().box(), crop().whole());
}

TEST_F(WindowCropTest, NumbersAreTypedAndKeysShowAndHideTheBox) {
  open("street");
  ASSERT_TRUE(settled());
  // The bare X server of the tests has no window manager that would activate the window.
  QApplication::setActiveWindow(&window);
  auto* canvas = app.sceneView().canvas();
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_C);
  EXPECT_TRUE(crop().editing());
  EXPECT_TRUE(child<PointsPanel>(window).isVisible());
  QDoubleSpinBox* edit = child<PointsPanel>(window).findChild<QDoubleSpinBox*>("crop_x_from");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, "5");
  EXPECT_FALSE(app.workspace().requested().grid().crop_m) << "a number must not apply before Enter";
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.crop_m; }));
  EXPECT_EQ(app.workspace().scene().voxels()->grid.crop_m->low[0], 5.0);
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Escape);
  EXPECT_FALSE(crop().editing());
  EXPECT_TRUE(app.workspace().requested().grid().crop_m) << "hiding the box must keep the crop";
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  QTest::keyClick(canvas, Qt::Key_C, Qt::ShiftModifier);
  ASSERT_TRUE(waitFor([&] { return idle() && !app.workspace().scene().voxels()->grid.crop_m; }));
}

TEST_F(WindowCropTest, ACropWithoutPointsIsReportedAndLosesNothing) {
  open("street");
  ASSERT_TRUE(settled());
  const auto before = app.workspace().scene().voxels();
  const Bounds whole = *crop().box();
  crop().setBox({{900, 900, 900}, {901, 901, 901}});
  ASSERT_TRUE(waitFor([&] { return crop().kept() == 0; }));
  EXPECT_TRUE(
      child<PointsPanel>(window).findChild<QLabel*>("kept")->text().startsWith("The box contains no points"));
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  const QString text = banner_of(window).text();
  EXPECT_TRUE(text.contains("no point lies inside the crop, x 900.00 to 901.00")) << text.toStdString();
  EXPECT_TRUE(text.contains("the points span x")) << text.toStdString();
  EXPECT_EQ(app.workspace().scene().voxels(), before);
  EXPECT_EQ(crop().box(), whole);
  ASSERT_TRUE(settled());
  EXPECT_EQ(crop().kept(), app.workspace().scene().cloud()->size());
}

QByteArray rows(double x) {
  QByteArray text;
  for (int at = 0; at < 100; ++at)
    text += QString("%1 %2 %3\n").arg(x + (at % 10)).arg(at / 10).arg(at % 3).toLatin1();
  return text;
}

TEST_F(WindowCropTest, StaysThroughASequenceAndAFrameWithoutPointsInItCanBeShownWhole) {
  QTemporaryDir folder;
  for (const auto& [name, x] : {std::pair{"frame1.xyz", 0.0}, {"frame2.xyz", 3.0}, {"frame3.xyz", 100.0}}) {
    QFile file(folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(rows(x));
  }
  app.opening().open(folder.path());
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && settled(); }));
  const Bounds half{{0, -1, -1}, {5, 20, 20}};
  crop().setBox(half);
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->kept == 50; }));
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 1 && settled(); }));
  EXPECT_EQ(app.workspace().scene().voxels()->grid.crop_m, half);
  EXPECT_EQ(app.workspace().scene().voxels()->kept, 20);
  ASSERT_TRUE(app.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frameRefused(); }));
  EXPECT_TRUE(banner_of(window).text().contains("no point lies inside the crop"));
  EXPECT_EQ(app.workspace().scene().voxels()->kept, 20) << "the previous frame must stay open";
  QPushButton* all = nullptr;
  for (auto* button : banner_of(window).findChildren<QPushButton*>()) {
    if (button->text() == "Remove crop") all = button;
  }
  ASSERT_NE(all, nullptr);
  QTest::mouseClick(all, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->kept == 100; }));
  EXPECT_EQ(app.workspace().scene().frame(), 2);
}

TEST_F(WindowCropTest, AnotherSceneOpensWithoutTheCrop) {
  open("street");
  ASSERT_TRUE(settled());
  crop().setBox({{0, 0, -10}, {20, 20, 10}});
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.crop_m; }));
  app.jobs().scenes().options().keep_grid = true;  // This has the same effect as --grid.
  open("room");
  EXPECT_FALSE(app.workspace().requested().grid().crop_m);
  ASSERT_TRUE(settled());
  EXPECT_EQ(crop().kept(), app.workspace().scene().cloud()->size());
}

TEST_F(WindowCropTest, CountsARealSweep) {
  const std::filesystem::path file =
      std::filesystem::path(SPIRA_TEST_DATA) / "kitti/semantickitti_00_000000.bin";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the real scenes are missing at " SPIRA_TEST_DATA;
  open(QString::fromStdString(file.string()));
  ASSERT_TRUE(settled());
  crop().setBox({{-60, -60, -4}, {60, 60, 2}});
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels()->grid.crop_m; }));
  ASSERT_TRUE(settled());
  EXPECT_EQ(*crop().kept(), inside_count(*app.workspace().scene().cloud(), {{-60, -60, -4}, {60, 60, 2}}));
  EXPECT_EQ(app.workspace().scene().voxels()->kept, *crop().kept());
  EXPECT_LT(*crop().kept(), 124'668);
}

TEST(CropBoxTest, ABoxAroundAllPointsIsNotACropAndADraggedBoxIsNotReset) {
  Workspace workspace;
  workspace.requested().setGrid(Grid{{0.5, 0.5, 0.5}, {}});
  CropBox box(&workspace);
  std::vector<std::optional<Bounds>> asked;
  QObject::connect(&box, &CropBox::applyRequested, [&](const auto& crop) { asked.push_back(crop); });
  EXPECT_FALSE(box.box()) << "the box must be empty before the extents are known";
  box.setExtents(Bounds{{0.1, 0.1, 0.1}, {3.2, 3.2, 3.2}});
  EXPECT_EQ(box.box(), (Bounds{{0, 0, 0}, {3.5, 3.5, 3.5}}));
  box.setBox({{-1, -1, -1}, {9, 9, 9}});
  box.commit();
  box.setBox({{2, 0, 0}, {1, 3, 3}});           // The user has dragged a face past the opposite face.
  workspace.requested().setSceneKernelSize(5);  // Another request arrives during the drag.
  EXPECT_EQ(box.box(), (Bounds{{1, 0, 0}, {2, 3, 3}}));
  box.commit();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_FALSE(asked[0]);
  EXPECT_EQ(asked[1], (Bounds{{1, 0, 0}, {2, 3, 3}}));
}

TEST(OutsidePointsTest, ContainThePointsOutsideTheCropUpToTheMaximum) {
  PointCloud cloud;
  for (int at = 0; at < 1000; ++at)
    cloud.positions.push_back({static_cast<double>(at), 0, 0});
  const Bounds crop{{0, -1, -1}, {500, 1, 1}};
  EXPECT_EQ(outside_points(cloud, crop, {}, 5000, {}).size(), 3U * 500U);
  const auto few = outside_points(cloud, crop, {}, 100, {});
  EXPECT_LE(few.size(), 3U * 100U);
  EXPECT_GE(few.size(), 3U * 40U);
  EXPECT_GE(few.front(), 500.0F);
}

}  // namespace
}  // namespace spira::ui
