// Tests hovering, which highlights an item in all views until the pointer leaves the item. Also tests the
// selection history and pinned views.
#include "engine/map/map_view.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/scene/neighbour_cube.hpp"
#include "ui/panels/scene/voxel_panel.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

namespace spira::ui {
namespace {

class HoverTest : public WindowTest {
 protected:
  void SetUp() override {
    open("street");
    runNetwork("resn21");
    app.selection().setLayer(1);
    ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  }
  [[nodiscard]] DensityChart& chart() { return *child<DensityPanel>(window).chart(); }
  [[nodiscard]] Selection& selection() { return app.selection(); }
  void hoverOver(QWidget* widget, const QPoint& at) { move_mouse(*widget, at); }
  void leave(QWidget* widget) {
    QEvent event(QEvent::Leave);
    QApplication::sendEvent(widget, &event);
  }
  /// Processes the queued steps of the history.
  void turn() { QApplication::processEvents(); }
};

TEST_F(HoverTest, AHoveredBarTintsAllViewsUntilThePointerLeaves) {
  const QImage before = app.sceneView().grab3d();
  hoverOver(&chart(), chart().barCentre(14));  // The offset is (0, 0, 1). Its L1 norm 1 is below t = 4.
  EXPECT_EQ(selection().hover().columns, std::vector<int>{14});
  EXPECT_TRUE(selection().columns().empty()) << "hovering must not change the selection";
  EXPECT_NE(app.sceneView().grab3d(), before);
  auto* stages = window.findChild<BreakdownPanel*>()->chart();
  EXPECT_EQ(stages->tintedParts(), std::set{StageGroup::output_stationary});
  EXPECT_EQ(child<SweepPanel>(window).findChild<SweepChart*>("sweep.thresholds.chart")->marked(),
            (std::set{1, 2}));
  leave(&chart());
  EXPECT_TRUE(selection().hover().columns.empty());
  EXPECT_EQ(app.sceneView().grab3d(), before);
  EXPECT_TRUE(stages->tintedParts().empty());
  EXPECT_TRUE(child<SweepPanel>(window).findChild<SweepChart*>("sweep.thresholds.chart")->marked().empty());
}

TEST_F(HoverTest, AVoxelShowsItsOffsetsAndTheCubeItsColumns) {
  const auto& level = app.workspace().scene().voxels()->level(1);
  const auto map = app.workspace().shownMap(1).map;
  const std::int64_t row = size_of(level) / 2;
  selection().setVoxel(ChosenVoxel{voxel_at(level, row), 1});
  const auto inputs = row_of(*map, static_cast<std::int32_t>(row));
  EXPECT_EQ(std::ssize(chart().marked()),
            std::count_if(inputs.begin(), inputs.end(), [](auto i) { return i >= 0; }));
  auto* cube = window.findChild<VoxelPanel*>()->cube();
  selection().setColumns({12});
  EXPECT_EQ(cube->marked(), std::vector<int>{12});
  app.docks().tabs(DockLayout::Side::right).setCurrentIndex(1);
  hoverOver(cube, cube->cellOf(3).center());
  EXPECT_EQ(selection().hover().columns, std::vector<int>{3});
  EXPECT_EQ(cube->marked(), std::vector<int>{3});
  leave(cube);
  EXPECT_EQ(cube->marked(), std::vector<int>{12});
  // In the 3D view, hovering highlights the voxel under the pointer until the pointer leaves the view.
  ASSERT_TRUE(app.commands().trigger("view.stride_1"));
  auto* canvas = app.sceneView().canvas();
  hoverOver(canvas, app.sceneView().pointer().positionOf(voxel_at(level, row)));
  EXPECT_TRUE(selection().hover().voxel);
  leave(canvas);
  EXPECT_FALSE(selection().hover().voxel);
}

TEST_F(HoverTest, ControlAddsAndRemovesAnOffset) {
  QTest::mouseClick(&chart(), Qt::LeftButton, {}, chart().barCentre(0));
  QTest::mouseClick(&chart(), Qt::LeftButton, Qt::ControlModifier, chart().barCentre(26));
  EXPECT_EQ(selection().columns(), (std::vector<int>{0, 26}));
  QTest::mouseClick(&chart(), Qt::LeftButton, Qt::ControlModifier, chart().barCentre(0));
  EXPECT_EQ(selection().columns(), std::vector<int>{26});
}

TEST_F(HoverTest, TheHistoryHasOneStepForEachSelectionAndGoesBothWays) {
  turn();
  selection().setColumns({3});
  turn();
  selection().setLayer(5);  // This sets stride 2 and clears the offset, in one step.
  turn();
  EXPECT_EQ(selection().stride(), 2);
  ASSERT_TRUE(app.commands().trigger("select.back"));
  EXPECT_EQ(selection().layer(), 1);
  EXPECT_EQ(selection().stride(), 1);
  EXPECT_EQ(selection().columns(), std::vector<int>{3});
  ASSERT_TRUE(app.commands().trigger("select.back"));
  EXPECT_TRUE(selection().columns().empty());
  ASSERT_TRUE(app.commands().trigger("select.forward"));
  ASSERT_TRUE(app.commands().trigger("select.forward"));
  EXPECT_EQ(selection().layer(), 5);
  EXPECT_FALSE(app.commands().unavailableReason("select.forward").isEmpty());
  open("room");
  turn();
  EXPECT_FALSE(app.commands().unavailableReason("select.back").isEmpty())
      << "the history of another scene must be unavailable";
}

TEST_F(HoverTest, APinnedViewKeepsItsLayerUntilItIsUnpinned) {
  auto* pin = child<DensityPanel>(window).findChild<QToolButton*>("pin");
  ASSERT_NE(pin, nullptr);
  const QString first = child<DensityPanel>(window).findChild<QLabel*>("densityTitle")->text();
  QTest::mouseClick(pin, Qt::LeftButton);
  EXPECT_TRUE(pin->isChecked());
  selection().setLayer(5);
  EXPECT_EQ(child<DensityPanel>(window).findChild<QLabel*>("densityTitle")->text(), first);
  QTest::mouseClick(pin, Qt::LeftButton);
  EXPECT_NE(child<DensityPanel>(window).findChild<QLabel*>("densityTitle")->text(), first);
  QTest::mouseClick(pin, Qt::LeftButton);
  open("room");
  EXPECT_FALSE(pin->isChecked()) << "a new scene must unpin the view";
}

TEST_F(HoverTest, AHoveredRowOfTheNetworkHighlightsItsLayer) {
  auto* table = window.findChild<QTableView*>("layers");
  hoverOver(table->viewport(), table->visualRect(table->model()->index(7, 0)).center());
  EXPECT_EQ(selection().hover().layer, 7);
  EXPECT_EQ(selection().layer(), 1);
  leave(table->viewport());
  EXPECT_EQ(selection().hover().layer, -1);
}

TEST_F(HoverTest, EscapeClearsOneLevelAtATime) {
  selection().setColumns({3});
  selection().setVoxel(ChosenVoxel{voxel_at(app.workspace().scene().voxels()->level(1), 0), 1});
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_FALSE(selection().voxel());
  EXPECT_FALSE(selection().columns().empty());
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_TRUE(selection().columns().empty());
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_EQ(selection().layer(), -1);
}

}  // namespace
}  // namespace spira::ui
