// Tests the links between views: a layer, offset, voxel or t that the user selects in one view appears in all
// other views.
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/real_scenes.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QComboBox>
#include <QFile>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

#include <gmock/gmock.h>

namespace spira::ui {
namespace {

class LinksTest : public WindowTest {
 protected:
  void SetUp() override {
    open("street");
    runNetwork("resn21");
  }
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
};

TEST_F(LinksTest, ChoosingALayerShowsItsStrideAndItsMap) {
  auto* table = window.findChild<QTableView*>("layers");
  ASSERT_NE(table, nullptr);
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                    table->visualRect(table->model()->index(5, 0)).center());
  EXPECT_EQ(app.selection().layer(), 5);  // The layer stage2.conv, from stride 1 to stride 2.
  EXPECT_EQ(app.selection().stride(), 2);
  EXPECT_EQ(app.workspace().shownMap(5).stride_out, 2);
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  QTest::keyClick(table, Qt::Key_Down);
  EXPECT_EQ(app.selection().layer(), 6);
}

TEST_F(LinksTest, ClickingABarOrAGroupHighlightsVoxels) {
  app.selection().setLayer(1);
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  const QImage before = app.sceneView().grab3d();
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().barCentre(0));
  EXPECT_EQ(app.selection().columns(), std::vector<int>{0});
  EXPECT_NE(app.sceneView().grab3d(), before) << "selecting a bar must change the 3D view";
  QTest::mouseClick(&chart(), Qt::LeftButton, Qt::ControlModifier, chart().barCentre(26));
  EXPECT_EQ(app.selection().columns(), (std::vector<int>{0, 26}));
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().groupLabelCentre(1));
  EXPECT_EQ(app.selection().columns().size(), 6U);
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_TRUE(app.selection().columns().empty());
  EXPECT_EQ(app.sceneView().grab3d(), before);
}

TEST_F(LinksTest, DraggingTheDividerSetsTheThresholdOfTheLayer) {
  app.selection().setLayer(1);
  EXPECT_EQ(app.workspace().requested().plan().layers[1].threshold, 4);
  QTest::mousePress(&chart(), Qt::LeftButton, {}, chart().dividerAt(4));
  move_mouse(chart(), chart().dividerAt(2), Qt::LeftButton);
  QTest::mouseRelease(&chart(), Qt::LeftButton, {}, chart().dividerAt(2));
  EXPECT_EQ(app.workspace().requested().plan().layers[1].threshold, 2);
  ASSERT_TRUE(app.commands().trigger("t.down"));
  EXPECT_EQ(app.workspace().requested().plan().layers[1].threshold, 1);
}

TEST_F(LinksTest, AStridedLayerAcceptsOnlyTheEndsOfTheRangeOfT) {
  app.selection().setLayer(5);
  QTest::mousePress(&chart(), Qt::LeftButton, {}, chart().dividerAt(4));
  move_mouse(chart(), chart().dividerAt(2), Qt::LeftButton);
  QTest::mouseRelease(&chart(), Qt::LeftButton, {}, chart().dividerAt(2));
  EXPECT_EQ(app.workspace().requested().plan().layers[5].threshold, 4);
}

TEST_F(LinksTest, ClickingAVoxelShowsItsKeyAndItsRow) {
  SceneView& view = app.sceneView();
  // These voxels are large enough to be clicked from a distance.
  ASSERT_TRUE(app.commands().trigger("view.stride_8"));
  ASSERT_TRUE(waitFor([&] { return view.settled(); }));
  const auto& level = app.workspace().scene().voxels()->level(8);
  view.camera().look(0, 0, -1);
  // Find a voxel that is visible from above. A click selects this voxel or another voxel that covers it.
  bool hit = false;
  for (std::int64_t row = 0; row < size_of(level) && !hit; row += 97) {
    const Voxel wanted = voxel_at(level, row);
    QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, view.pointer().positionOf(wanted));
    hit = app.selection().voxel() && app.selection().voxel()->voxel == wanted;
  }
  ASSERT_TRUE(hit);
  const Voxel chosen = app.selection().voxel()->voxel;
  EXPECT_EQ(app.docks().tabs(DockLayout::Side::right).currentIndex(), 1);
  auto* panel = window.findChild<VoxelPanel*>();
  EXPECT_THAT(
      panel->findChild<QLabel*>("facts")->text().toStdString(),
      testing::HasSubstr(QString("(%1, %2, %3)").arg(chosen[0]).arg(chosen[1]).arg(chosen[2]).toStdString()));
  EXPECT_THAT(panel->findChild<QLabel*>("facts")->text().toStdString(),
              testing::HasSubstr(QString::number(level.pack.pack(chosen), 16).toStdString()));
  EXPECT_TRUE(panel->findChild<QLabel*>("facts")->text().contains(QString("%1m<br>").arg(QChar(QChar::Nbsp))))
      << "the unit m must stay on the line of its number";
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, QPoint(3, 3));
  EXPECT_FALSE(app.selection().voxel());
}

/// Counts the pixels of `colour` in a square around a position on the canvas. `half` is half of the side
/// length of the square.
int pixels_of(const QImage& picture, const QColor& colour, const QPoint& at, int half) {
  int count = 0;
  for (int y = at.y() - half; y <= at.y() + half; ++y) {
    for (int x = at.x() - half; x <= at.x() + half; ++x)
      count += picture.valid(x, y) && picture.pixelColor(x, y) == colour ? 1 : 0;
  }
  return count;
}

TEST_F(WindowTest, TheSelectedVoxelIsVisibleFromADistanceAndANearMissKeepsIt) {
  QTemporaryDir folder;
  QFile file(folder.filePath("sparse.xyz"));  // The voxels have 0.1 m and are 10 m apart.
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  for (int at = 0; at < 21 * 21; ++at)
    file.write(QString("%1 %2 0.05\n").arg(10 * (at % 21)).arg(10 * (at / 21)).toLatin1());
  file.close();
  app.workspace().requested().setGrid(parse_grid("0.1"));
  app.jobs().scenes().options().keep_grid = true;
  open(file.fileName());
  SceneView& view = app.sceneView();
  view.camera().look(0, 0, -1);
  ASSERT_TRUE(waitFor([&] { return view.settled(); }));
  const QPoint lonely = view.pointer().positionOf(voxel_at(app.workspace().scene().voxels()->level(1), 220));
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, lonely + QPoint(2, 0));
  ASSERT_TRUE(app.selection().voxel()) << "a click two pixels from a voxel must select it";
  const auto chosen = app.selection().voxel();
  const QPoint at = view.pointer().positionOf(chosen->voxel);
  const QColor red = app.theme().palette().error;
  EXPECT_GE(pixels_of(view.canvas()->grab().toImage(), red, at, 24), 40)
      << "the voxel must have a ring around it";
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, at + QPoint(7, 0));
  EXPECT_EQ(app.selection().voxel(), chosen) << "a near miss must keep the selected voxel";
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, QPoint(3, 3));
  EXPECT_FALSE(app.selection().voxel());
  EXPECT_EQ(pixels_of(view.canvas()->grab().toImage(), red, at, 24), 0);
}

TEST_F(WindowTest, ALayerShowsItsStrideBeforeItRuns) {
  app.jobs().runs().chooseNetwork("resn21");
  open("street");
  app.selection().setLayer(5);  // The layer stage2.conv, from stride 1 to stride 2.
  EXPECT_EQ(app.selection().stride(), 2);
  app.selection().look().setColourBy(ColourBy::match_count);
  auto* colours = window.findChild<QComboBox*>("colourBy");
  EXPECT_EQ(colours->currentText(), "Height") << "the box must show the colouring in use";
  ASSERT_TRUE(app.commands().trigger("view.stride_1"));
  EXPECT_EQ(colours->currentText(), "Pair count");
}

TEST_F(LinksTest, DraggingTheViewMovesTheCameraAndPicksNothing) {
  SceneView& view = app.sceneView();
  const QImage before = view.grab3d();
  const QPoint middle = view.canvas()->rect().center();
  QTest::mousePress(view.canvas(), Qt::LeftButton, {}, middle);
  move_mouse(*view.canvas(), middle + QPoint(40, 10), Qt::LeftButton);
  move_mouse(*view.canvas(), middle + QPoint(90, 20), Qt::LeftButton);
  QTest::mouseRelease(view.canvas(), Qt::LeftButton, {}, middle + QPoint(90, 20));
  ASSERT_TRUE(waitFor([&] { return view.settled(); }));
  EXPECT_NE(view.grab3d(), before);
  EXPECT_FALSE(app.selection().voxel());
}

TEST_F(WindowTest, RealScenesOpenInTheWindow) {
  SPIRA_NEED_REAL_SCENES();
  window.resize(window.minimumSize());  // Most of the time is needed to draw the window.
  const auto all = test::ground_truth();
  for (const auto& [name, truth] : all.items()) {
    if (test::unsupported(name)) continue;
    SCOPED_TRACE(name);
    open(QString::fromStdString((test::data_folder() / name).string()));
    EXPECT_EQ(app.workspace().scene().cloud()->size() + app.workspace().scene().cloud()->dropped_non_finite,
              truth["points"].get<std::int64_t>());
    const QImage picture = app.sceneView().grab3d();
    EXPECT_GT(picture.width(), 0);
    // True if some neighbouring pixels differ clearly. They do not if the picture contains only the
    // background.
    bool many = false;
    for (int y = 0; y < picture.height() && !many; y += 3) {
      for (int x = 3; x < picture.width() && !many; x += 3)
        many = std::abs(qGray(picture.pixel(x, y)) - qGray(picture.pixel(x - 3, y))) > 24;
    }
    EXPECT_TRUE(many) << "the 3D view must not be empty";
  }
}

}  // namespace
}  // namespace spira::ui
