// Tests journey J1: the user shows a new scan as voxels with its densities. This takes three gestures, or
// four keys without a mouse. When the scan is open, one gesture shows the densities of another stride.
#include "tests/gui/journeys/journey.hpp"
#include "tests/support/real_scenes.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/features/beside/scene_pane.hpp"
#include "ui/features/beside/scenes_beside.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QComboBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

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
  void seeScan(const QString& scan, int points) {
    hands.drop(window, {scan});
    ASSERT_TRUE(opened(points));
    EXPECT_TRUE(chart().isVisible()) << "the densities must be visible without a click";
    EXPECT_EQ(app.workspace().shownMap(-1).densities->kernel.size[0], 3);
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
  EXPECT_NE(app.workspace().scene().cloud()->reading.find("KITTI"), std::string::npos)
      << "the format must be detected automatically";
}

TEST_F(ScanJourney, ADropAGroupAndAVoxelOfARealSweep) {
  SPIRA_NEED_REAL_SCENES();
  seeScan(QString::fromStdString((test::data_folder() / "kitti/semantickitti_00_000000.bin").string()),
          100'000);
}

TEST_F(ScanJourney, CompareTwoDroppedScansAreSideBySideAfterTwoGestures) {
  hands.drop(window, {file("street", 40'000, "scan.bin"), file("room", 20'000, "room.ply")});
  const auto button = [&] { return banner_of(window).findChild<QPushButton*>(); };
  ASSERT_TRUE(waitFor([&] { return idle() && button() != nullptr && button()->isVisible(); }));
  hands.click(*button());
  BesideWindow& beside = child<BesideWindow>(window);
  ASSERT_TRUE(waitFor([&] { return beside.panes().size() == 2 && beside.settled(); }));
  EXPECT_EQ(hands.count(), (Count{2, 0}));
  EXPECT_EQ(beside.panes()[1]->fact("points"), "20,000");
  QTest::qWait(100);
  save_grab(beside, "scan-beside");
}

/// Counts the pairs of voxels by the L1 norm of their offset, in units of the stride.
std::map<int, std::int64_t> pairs_by_norm(const CoordSet& level, int kernel_size) {
  std::set<Voxel> all;
  for (std::int64_t row = 0; row < size_of(level); ++row)
    all.insert(voxel_at(level, row));
  std::map<int, std::int64_t> pairs;
  const int reach = kernel_size / 2;
  for (const Voxel& v : all) {
    for (int x = -reach; x <= reach; ++x) {
      for (int y = -reach; y <= reach; ++y) {
        for (int z = -reach; z <= reach; ++z) {
          const int s = level.stride;
          if (all.count({v[0] + (x * s), v[1] + (y * s), v[2] + (z * s)}) > 0)
            ++pairs[std::abs(x) + std::abs(y) + std::abs(z)];
        }
      }
    }
  }
  return pairs;
}

std::map<int, std::int64_t> pairs_by_norm(const Densities& densities) {
  std::map<int, std::int64_t> pairs;
  for (const ColumnDensity& column : densities.columns) {
    if (column.matches > 0) pairs[column.l1] += column.matches;
  }
  return pairs;
}

TEST_F(ScanJourney, ExploreOneGestureShowsTheDensitiesOfStride2) {
  hands.drop(window, {file("street", 40'000, "scan.bin")});
  ASSERT_TRUE(opened(30'000));
  const Count before = hands.count();
  hands.click(*window.findChild<QToolButton*>("stride2"));
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().map(2).densities && chart().hasContent(); }));
  EXPECT_EQ(hands.count().gestures - before.gestures, 1) << "one gesture must be enough";
  EXPECT_TRUE(chart().isVisible());
  const CoordSet& level = app.workspace().scene().voxels()->level(2);
  const ShownMap shown = shown_map(app.workspace(), app.selection());
  EXPECT_EQ(shown.stride_out, 2);
  EXPECT_EQ(shown.densities->outputs, size_of(level));
  EXPECT_EQ(pairs_by_norm(*shown.densities), pairs_by_norm(level, 3));
  EXPECT_EQ(chart().table().rows.size(), shown.densities->columns.size());
  EXPECT_EQ(app.workspace().results().layersRun(), 0) << "no run must be necessary";
  picture(app, "scan-stride-2");
}

TEST_F(ScanJourney, ExploreAllStridesAndKernelSizesAreTheSameInEveryView) {
  hands.drop(window, {file("street", 4'000, "scan.bin")});
  ASSERT_TRUE(opened(3'000));
  auto& panel = child<DensityPanel>(window);
  auto* strides = panel.findChild<QComboBox*>("densityStride");
  auto* kernels = panel.findChild<QComboBox*>("densityKernel");
  ASSERT_EQ(strides->count(), 5);
  ASSERT_EQ(kernels->count(), 3);
  for (int kernel = 0; kernel < kernels->count(); ++kernel) {
    const int k = kernels->itemData(kernel).toInt();
    kernels->setCurrentIndex(kernel);
    emit kernels->activated(kernel);
    for (int at = 0; at < strides->count(); ++at) {
      const int stride = strides->itemData(at).toInt();
      strides->setCurrentIndex(at);
      emit strides->activated(at);
      const auto now = [&] { return shown_map(app.workspace(), app.selection()).densities; };
      ASSERT_TRUE(waitFor([&] {
        return idle() && now() && now()->kernel.size[0] == k && now()->stride == stride;
      })) << k
          << " " << stride;
      ASSERT_TRUE(app.workspace().scene().voxels()->fit.fits());
      const CoordSet& level = app.workspace().scene().voxels()->level(stride);
      EXPECT_EQ(pairs_by_norm(*now()), pairs_by_norm(level, k)) << k << " " << stride;
      EXPECT_EQ(app.selection().stride(), stride) << "the view must show the stride of the chart";
      bool in_status_bar = false;
      for (const auto* label : window.statusBar()->findChildren<QLabel*>())
        in_status_bar = in_status_bar || label->text().endsWith(QString("stride %1").arg(stride));
      EXPECT_TRUE(in_status_bar) << stride;
    }
  }
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

TEST_F(ScanJourney, SeveralFilesInTheOpenDialogBecomeASequence) {
  static_cast<void>(file("room", 1000, "frame1.ply"));
  static_cast<void>(file("room", 2000, "frame2.ply"));
  Hands::inNextFileDialog([&](QFileDialog& dialog) {
    EXPECT_EQ(dialog.fileMode(), QFileDialog::ExistingFiles);
    dialog.setDirectory(folder.path());
    Hands::typeName(dialog, "\"frame1.ply\" \"frame2.ply\"");
    hands.key(dialog, Qt::Key_Return);
  });
  hands.key(window, Qt::Key_O, Qt::ControlModifier);
  ASSERT_TRUE(opened(800));
  EXPECT_EQ(app.workspace().scene().frames().size(), 2U);
}

TEST_F(ScanJourney, ArrowKeysMoveInTheChartAndElsewhereChangeTheFrame) {
  const QStringList frames{file("room", 1000, "frame1.ply"), file("room", 2000, "frame2.ply")};
  hands.drop(window, frames);
  ASSERT_TRUE(opened(800));
  child<DensityPanel>(window).chart()->setFocus();
  hands.key(window, Qt::Key_Right);
  EXPECT_TRUE(onlyOfNorm(1));
  EXPECT_EQ(app.workspace().scene().frame(), 0);
  app.sceneView().canvas()->setFocus();
  hands.key(window, Qt::Key_Right);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().frame() == 1; }));
}

}  // namespace
}  // namespace spira::ui
