// Tests the crop box: handles, numbers, the live count, a crop that keeps nothing, and sequences.
#include "engine/base/text.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/panels/scene/points_panel.hpp"
#include "ui/view3d/tools/crop_tool.hpp"
#include "ui/view3d/voxels/outside_points.hpp"
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
  [[nodiscard]] CropBox& crop() { return window.cropBox(); }
  void showBox() {
    ASSERT_TRUE(window.commands().trigger("crop.box"));
    ASSERT_TRUE(waitFor([&] { return crop().kept().has_value(); }));
  }
  [[nodiscard]] bool settled() {
    return waitFor([&] { return idle() && crop().kept() && window.sceneView().settled(); });
  }
  /// Returns the position of a handle on the canvas.
  [[nodiscard]] QPoint handle(int face) {
    const auto* canvas = window.sceneView().canvas();
    const QPointF pixel = window.sceneView().cropTool().handles().handleAt(face);
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

TEST_F(WindowCropTest, AHandleIsDraggedTheCountFollowsAndTheSceneIsVoxelisedWithTheBox) {
  open("street");
  const auto before = window.workspace().voxels();
  const std::int64_t all = window.workspace().cloud()->size();
  showBox();
  EXPECT_EQ(crop().kept(), all);
  EXPECT_EQ(chip(), nullptr);
  auto* canvas = window.sceneView().canvas();
  const QPoint from = handle(0), to = (2 * from + handle(1)) / 3;
  ASSERT_TRUE(canvas->rect().contains(from)) << "a box that is shown is in the picture";
  const double low = crop().box()->low[0];
  QTest::mousePress(canvas, Qt::LeftButton, Qt::NoModifier, from);
  QTest::mouseMove(canvas, (from + to) / 2);
  QTest::mouseMove(canvas, to);
  EXPECT_GT(crop().box()->low[0], low) << "the box follows the hand";
  EXPECT_EQ(window.workspace().voxels(), before) << "before it is let go nothing is voxelised";
  ASSERT_TRUE(waitFor([&] { return crop().kept().has_value(); }));
  const std::int64_t kept = *crop().kept();
  EXPECT_LT(kept, all);
  EXPECT_EQ(kept, inside_count(*window.workspace().cloud(), *crop().box()));
  EXPECT_TRUE(window.pointsPanel().keptLabel()->text().contains(QString::fromStdString(count_text(kept))));
  QTest::mouseRelease(canvas, Qt::LeftButton, Qt::NoModifier, to);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels() != before; }));
  ASSERT_TRUE(settled());
  EXPECT_EQ(window.workspace().voxels()->kept, kept);
  EXPECT_EQ(window.workspace().voxels()->grid.crop_m, crop().box());
  ASSERT_TRUE(waitFor([&] { return window.sceneView().cropTool().outsideShown() > 0; }));
  ASSERT_NE(chip(), nullptr);
  QTest::mouseClick(chip(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->kept == all; }));
  EXPECT_EQ(crop().box(), crop().whole());
}

TEST_F(WindowCropTest, NumbersAreTypedAndKeysShowAndHideTheBox) {
  open("street");
  ASSERT_TRUE(settled());
  QApplication::setActiveWindow(&window);  // a bare X server has no window manager that activates the window
  auto* canvas = window.sceneView().canvas();
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_C);
  EXPECT_TRUE(crop().editing());
  EXPECT_TRUE(window.pointsPanel().isVisible());
  QDoubleSpinBox* edit = window.pointsPanel().cropEdit(0, 0);
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, "5");
  EXPECT_FALSE(window.workspace().grid().crop_m) << "half typed";
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->grid.crop_m; }));
  EXPECT_EQ(window.workspace().voxels()->grid.crop_m->low[0], 5.0);
  canvas->setFocus();
  QTest::keyClick(canvas, Qt::Key_Escape);
  EXPECT_FALSE(crop().editing());
  EXPECT_TRUE(window.workspace().grid().crop_m) << "hiding the box keeps the crop";
  ASSERT_TRUE(waitFor([&] { return window.sceneView().settled(); }));
  QTest::keyClick(canvas, Qt::Key_C, Qt::ShiftModifier);
  ASSERT_TRUE(waitFor([&] { return idle() && !window.workspace().voxels()->grid.crop_m; }));
}

TEST_F(WindowCropTest, ACropThatKeepsNothingSaysSoAndLosesNothing) {
  open("street");
  ASSERT_TRUE(settled());
  const auto before = window.workspace().voxels();
  const Bounds whole = *crop().box();
  crop().setBox({{900, 900, 900}, {901, 901, 901}});
  ASSERT_TRUE(waitFor([&] { return crop().kept() == 0; }));
  EXPECT_TRUE(window.pointsPanel().keptLabel()->text().startsWith("The box contains no points"));
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && window.banner().isVisible(); }));
  const QString text = window.banner().text();
  EXPECT_TRUE(text.contains("no point lies inside the crop, x 900.00 to 901.00")) << text.toStdString();
  EXPECT_TRUE(text.contains("the points span x")) << text.toStdString();
  EXPECT_EQ(window.workspace().voxels(), before);
  EXPECT_EQ(crop().box(), whole);
  ASSERT_TRUE(settled());
  EXPECT_EQ(crop().kept(), window.workspace().cloud()->size());
}

QByteArray rows(double x) {
  QByteArray text;
  for (int at = 0; at < 100; ++at)
    text += QString("%1 %2 %3\n").arg(x + (at % 10)).arg(at / 10).arg(at % 3).toLatin1();
  return text;
}

TEST_F(WindowCropTest, StaysThroughASequenceAndAFrameWithoutPointsInItCanBeSeenWhole) {
  QTemporaryDir folder;
  for (const auto& [name, x] : {std::pair{"frame1.xyz", 0.0}, {"frame2.xyz", 3.0}, {"frame3.xyz", 100.0}}) {
    QFile file(folder.filePath(name));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(rows(x));
  }
  window.open(folder.path());
  ASSERT_TRUE(waitFor([&] { return window.workspace().voxels() && settled(); }));
  const Bounds half{{0, -1, -1}, {5, 20, 20}};
  crop().setBox(half);
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->kept == 50; }));
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frame() == 1 && settled(); }));
  EXPECT_EQ(window.workspace().voxels()->grid.crop_m, half);
  EXPECT_EQ(window.workspace().voxels()->kept, 20);
  ASSERT_TRUE(window.commands().trigger("frame.next"));
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().frameRefused(); }));
  EXPECT_TRUE(window.banner().text().contains("no point lies inside the crop"));
  EXPECT_EQ(window.workspace().voxels()->kept, 20) << "what was open stays";
  QPushButton* all = nullptr;
  for (auto* button : window.banner().findChildren<QPushButton*>()) {
    if (button->text() == "Remove crop") all = button;
  }
  ASSERT_NE(all, nullptr);
  QTest::mouseClick(all, Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->kept == 100; }));
  EXPECT_EQ(window.workspace().frame(), 2);
}

TEST_F(WindowCropTest, AnotherSceneOpensWhole) {
  open("street");
  ASSERT_TRUE(settled());
  crop().setBox({{0, 0, -10}, {20, 20, 10}});
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->grid.crop_m; }));
  window.jobs().scenes().options().keep_grid = true;  // has the effect of --grid
  open("room");
  EXPECT_FALSE(window.workspace().grid().crop_m);
  ASSERT_TRUE(settled());
  EXPECT_EQ(crop().kept(), window.workspace().cloud()->size());
}

TEST_F(WindowCropTest, CountsARealSweep) {
  const std::filesystem::path file =
      std::filesystem::path(SPIRA_TEST_DATA) / "kitti/semantickitti_00_000000.bin";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no real scenes at " SPIRA_TEST_DATA;
  open(QString::fromStdString(file.string()));
  ASSERT_TRUE(settled());
  crop().setBox({{-60, -60, -4}, {60, 60, 2}});
  crop().commit();
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().voxels()->grid.crop_m; }));
  ASSERT_TRUE(settled());
  EXPECT_EQ(*crop().kept(), inside_count(*window.workspace().cloud(), {{-60, -60, -4}, {60, 60, 2}}));
  EXPECT_EQ(window.workspace().voxels()->kept, *crop().kept());
  EXPECT_LT(*crop().kept(), 124'668);
}

TEST(CropBoxTest, ABoxAroundAllPointsIsNoCropAndOneBeingDraggedIsNotTakenAway) {
  Workspace workspace;
  workspace.setGrid(Grid{{0.5, 0.5, 0.5}, {}});
  CropBox box(&workspace);
  std::vector<std::optional<Bounds>> asked;
  QObject::connect(&box, &CropBox::applyRequested, [&](const auto& crop) { asked.push_back(crop); });
  EXPECT_FALSE(box.box()) << "the extents are not known yet";
  box.setExtents(Bounds{{0.1, 0.1, 0.1}, {3.2, 3.2, 3.2}});
  EXPECT_EQ(box.box(), (Bounds{{0, 0, 0}, {3.5, 3.5, 3.5}}));
  box.setBox({{-1, -1, -1}, {9, 9, 9}});
  box.commit();
  box.setBox({{2, 0, 0}, {1, 3, 3}});  // the user dragged a face past the opposite face
  workspace.setSceneKernelSize(5);     // another request arrives during the drag
  EXPECT_EQ(box.box(), (Bounds{{1, 0, 0}, {2, 3, 3}}));
  box.commit();
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_FALSE(asked[0]);
  EXPECT_EQ(asked[1], (Bounds{{1, 0, 0}, {2, 3, 3}}));
}

TEST(OutsidePointsTest, AreThoseThatTheCropLeavesOutThinnedToTheMost) {
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
