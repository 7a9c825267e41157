// Journey J1: shows a new scan as voxels with its densities, in three gestures, or in four keys without a
// mouse.
#include "tests/gui/journeys/journey.hpp"
#include "tests/support/real_scenes.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QTabWidget>

#include <algorithm>

namespace spira::ui {
namespace {

class ScanJourney : public Journey {
 protected:
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
  [[nodiscard]] bool onlyOfNorm(int l1) {
    const auto densities = app.workspace().shownMap(-1).densities;
    std::vector<int> expected;
    for (const auto& column : densities->columns) {
      if (column.l1 == l1) expected.push_back(column.column);
    }
    return app.selection().columns() == expected;
  }
  /// Returns a position in the 3D view with a voxel under the pointer, close to the centre of the view.
  [[nodiscard]] std::optional<QPoint> placeOfAVoxel() {
    const QRect all = app.sceneView().canvas()->rect();
    for (int far = 0; far < 12; ++far) {
      for (const QPoint& way : {QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)}) {
        const QPoint at = all.center() + 13 * far * way;
        Hands::move(*app.sceneView().canvas(), at);
        QTest::qWait(20);
        if (app.selection().hover().voxel) return at;
      }
    }
    return std::nullopt;
  }
  void seeScan(const QString& scan, int points) {
    hands.drop(window, {scan});
    ASSERT_TRUE(opened(points));
    EXPECT_TRUE(chart().isVisible()) << "the densities must be visible without a click";
    EXPECT_EQ(app.workspace().shownMap(-1).densities->kernel_size, 3);
    picture(app, "scan-opened");
    hands.click(chart(), chart().groupLabelCentre(2));
    EXPECT_TRUE(onlyOfNorm(2));
    picture(app, "scan-group");
    const auto at = placeOfAVoxel();
    ASSERT_TRUE(at) << "a voxel must be near the middle of the view";
    hands.click(*app.sceneView().canvas(), *at);
    ASSERT_TRUE(app.selection().voxel());
    EXPECT_TRUE(window.findChild<VoxelPanel*>()->isVisible());
    EXPECT_TRUE(onlyOfNorm(2)) << "selecting a voxel must keep the selected group of offsets";
    EXPECT_EQ(hands.count(), (Count{3, 0}));
    picture(app, "scan-voxel");
  }
};

TEST_F(ScanJourney, ADropAGroupAndAVoxelAreThreeGestures) {
  seeScan(file("street", 40'000, "scan.bin"), 30'000);
  EXPECT_NE(app.workspace().cloud()->reading.find("KITTI"), std::string::npos)
      << "the format must be detected automatically";
}

TEST_F(ScanJourney, ADropAGroupAndAVoxelOfARealSweep) {
  SPIRA_NEED_REAL_SCENES();
  seeScan(QString::fromStdString((test::data_folder() / "kitti/semantickitti_00_000000.bin").string()),
          100'000);
}

TEST_F(ScanJourney, FourKeysSelectTheFirstGroupWithoutAMouse) {
  const QString scan = file("street", 40'000, "scan.bin");
  Hands::inNextFileDialog([&](QFileDialog& dialog) {
    Hands::typeName(dialog, scan);
    hands.key(dialog, Qt::Key_Return);
  });
  hands.key(window, Qt::Key_O, Qt::ControlModifier);
  ASSERT_TRUE(opened(30'000));
  EXPECT_EQ(window.focusWidget(), app.sceneView().canvas());
  hands.key(window, Qt::Key_Tab);
  ASSERT_TRUE(chart().hasFocus());
  hands.key(window, Qt::Key_Right);
  EXPECT_TRUE(onlyOfNorm(1)) << "the first key must skip the centre offset, which matches all outputs";
  EXPECT_EQ(hands.count(), (Count{0, 4}));
  hands.key(window, Qt::Key_Right);
  EXPECT_TRUE(onlyOfNorm(2)) << "each further key must select the next group";
  hands.key(window, Qt::Key_Down);
  EXPECT_EQ(app.selection().columns().size(), 1U) << "the key must select a single offset";
  hands.key(window, Qt::Key_Left);
  EXPECT_TRUE(onlyOfNorm(1));
}

TEST_F(ScanJourney, ArrowKeysMoveInTheChartAndElsewhereChangeTheFrame) {
  const QStringList frames{file("room", 1000, "frame1.ply"), file("room", 2000, "frame2.ply")};
  hands.drop(window, frames);
  ASSERT_TRUE(opened(800));
  child<DensityPanel>(window).chart()->setFocus();
  hands.key(window, Qt::Key_Right);
  EXPECT_TRUE(onlyOfNorm(1));
  EXPECT_EQ(app.workspace().frame(), 0);
  app.sceneView().canvas()->setFocus();
  hands.key(window, Qt::Key_Right);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().frame() == 1; }));
}

}  // namespace
}  // namespace spira::ui
