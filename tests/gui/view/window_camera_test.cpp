// Tests the camera and the drawing modes of the 3D view: parallel projection, framing, points, edges, depth
// shading.
#include "tests/gui/window_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QTemporaryDir>

#include <cmath>

namespace spira::ui {
namespace {

/// Returns the number of different pixels. A few pixels at edges may differ, depending on the near and far
/// planes.
int differing(const QImage& a, const QImage& b) {
  if (a.size() != b.size()) return a.width() * a.height();
  int count = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width(); ++x)
      count += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
  }
  return count;
}

class CameraTest : public WindowTest {
 protected:
  void SetUp() override {
    open("street");
    ASSERT_TRUE(window.commands().trigger("view.stride_8"));
    ASSERT_TRUE(waitFor([&] { return view().settled(); }));
  }
  [[nodiscard]] SceneView& view() { return window.sceneView(); }
  [[nodiscard]] QString note() { return view().findChild<ViewOverlay*>()->note(); }
  [[nodiscard]] const CoordSet& level() { return window.workspace().voxels()->level(8); }
  /// Returns two voxels, one above the other.
  [[nodiscard]] std::pair<Voxel, Voxel> column() {
    for (std::int64_t row = 1; row < size_of(level()); ++row) {
      const Voxel below = voxel_at(level(), row - 1), above = voxel_at(level(), row);
      if (below[0] == above[0] && below[1] == above[1]) return {below, above};
    }
    return {};
  }
  static double apart(const QPoint& a, const QPoint& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }
};

TEST_F(CameraTest, ParallelRaysKeepAColumnOnOnePixelAndPickWhatIsSeen) {
  ASSERT_TRUE(window.commands().trigger("view.top"));
  const auto [below, above] = column();
  ASSERT_TRUE(window.commands().trigger("view.orthographic"));
  EXPECT_TRUE(window.commands().action("view.orthographic")->isChecked());
  EXPECT_LE(apart(view().positionOf(below), view().positionOf(above)), 1.5);
  QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, view().positionOf(below));
  ASSERT_TRUE(window.selection().voxel());
  const Voxel chosen = window.selection().voxel()->voxel;
  EXPECT_EQ(chosen[0], above[0]);
  EXPECT_EQ(chosen[1], above[1]);
  EXPECT_GE(chosen[2], above[2]) << "from above the upper one hides the lower";
  const QImage parallel = view().grab3d();
  ASSERT_TRUE(window.commands().trigger("view.orthographic"));
  EXPECT_NE(view().grab3d(), parallel);
}

TEST_F(CameraTest, TheChoiceIsFramed) {
  const Voxel voxel = voxel_at(level(), 3);
  window.selection().setVoxel(ChosenVoxel{voxel, 8});
  ASSERT_TRUE(window.commands().trigger("view.frame"));
  EXPECT_LE(apart(view().positionOf(voxel), view().canvas()->rect().center()), 4.0);
  window.selection().setVoxel(std::nullopt);
  ASSERT_TRUE(window.commands().trigger("view.frame"));
  EXPECT_TRUE(view().canvas()->rect().contains(view().positionOf(voxel)));
}

TEST_F(CameraTest, VoxelsAreDrawnAsPointsOrWithEdgesAndDepthIsShaded) {
  const QImage usual = view().grab3d();
  EXPECT_TRUE(note().endsWith("voxels as cubes")) << note().toStdString();
  for (const auto& [id, words] :
       {std::pair{"view.points", "as points"}, {"view.outlined", "as outlined cubes"}}) {
    SCOPED_TRACE(id);
    ASSERT_TRUE(window.commands().trigger(id));
    EXPECT_TRUE(window.commands().action(id)->isChecked());
    EXPECT_NE(view().grab3d(), usual);
    EXPECT_TRUE(note().endsWith(words)) << note().toStdString();
  }
  EXPECT_EQ(window.session().parameters.voxel_style, VoxelStyle::outlined);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_EQ(window.selection().voxelStyle(), VoxelStyle::points);
  EXPECT_TRUE(window.commands().action("view.points")->isChecked());
  constexpr int few = 200, many = 5000;
  EXPECT_GT(differing(view().grab3d(), usual), many);
  ASSERT_TRUE(window.commands().trigger("view.automatic"));
  EXPECT_LT(differing(view().grab3d(), usual), few);
  ASSERT_TRUE(window.commands().trigger("view.depth"));
  EXPECT_GT(differing(view().grab3d(), usual), many);
  ASSERT_TRUE(window.commands().trigger("view.depth"));
  EXPECT_LT(differing(view().grab3d(), usual), few);
}

TEST(VoxelStyleTest, TheOneTakenLastIsThatOfTheNextStart) {
  QTemporaryDir config;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    MainWindow window(registry, QString(), config.path());
    QSignalSpy opened(&window.jobs().scenes(), &SceneJobs::opened);
    window.open("room");
    ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
    ASSERT_TRUE(window.commands().trigger("view.cubes"));
  }
  MainWindow next(registry, QString(), config.path());
  EXPECT_EQ(next.selection().voxelStyle(), VoxelStyle::cubes);
  EXPECT_TRUE(next.commands().action("view.cubes")->isChecked());
}

TEST_F(CameraTest, TheGridLiesOnTheGroundAndUpCanBeAnotherAxis) {
  EXPECT_DOUBLE_EQ(grid_spacing(100), 5);
  EXPECT_DOUBLE_EQ(grid_spacing(30), 2);
  EXPECT_DOUBLE_EQ(grid_spacing(0.9), 0.05);
  ASSERT_TRUE(window.commands().trigger("view.reset"));
  const QImage bare = view().grab3d();
  ASSERT_TRUE(window.commands().trigger("view.grid"));
  const QImage with_grid = view().grab3d();
  EXPECT_NE(with_grid, bare);
  ASSERT_TRUE(window.commands().trigger("view.up_minus_y"));
  EXPECT_TRUE(window.commands().action("view.up_minus_y")->isChecked());
  EXPECT_DOUBLE_EQ(view().pose()->up[1], -1);
  ASSERT_TRUE(window.commands().trigger("view.top"));
  EXPECT_LT(view().pose()->position_m[1], view().pose()->focal_m[1] - 1) << "above is where y is small";
  QTest::mousePress(view().canvas(), Qt::LeftButton, {}, {200, 200});
  QMouseEvent drag(QEvent::MouseMove, QPointF(240, 260), view().canvas()->mapToGlobal(QPoint(240, 260)),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(view().canvas(), &drag);
  QTest::mouseRelease(view().canvas(), Qt::LeftButton, {}, {240, 260});
  EXPECT_DOUBLE_EQ(view().pose()->up[1], -1) << "it turns around the axis that is up";
  ASSERT_TRUE(window.commands().trigger("view.up_z"));
  ASSERT_TRUE(window.commands().trigger("view.grid"));
  EXPECT_EQ(view().grab3d(), bare) << "all as at the start";
}

TEST_F(CameraTest, TwoClicksMeasureADistance) {
  EXPECT_EQ(distance_text({0, 0, 0}, {3, 4, 0.05}, {0.1, 0.1, 0.05}),
            "5.00 m: 3.00, 4.00, 0.05 m or 30, 40, 1 voxels along x, y, z");
  ASSERT_TRUE(window.commands().trigger("view.top"));
  ASSERT_TRUE(window.commands().trigger("view.measure"));
  MeasureTool& tool = view().measureTool();
  EXPECT_FALSE(tool.hint().isEmpty());
  const std::array<QPoint, 2> at{view().positionOf(voxel_at(level(), size_of(level()) / 3)),
                                 view().positionOf(voxel_at(level(), size_of(level()) / 2))};
  const QImage before = view().picture(1, false);
  for (const QPoint& place : at)
    QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, place);
  ASSERT_EQ(tool.ends().size(), 2U);
  EXPECT_FALSE(window.selection().voxel()) << "nothing is chosen meanwhile";
  EXPECT_NE(view().picture(1, false), before);
  QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, at[1]);
  EXPECT_EQ(tool.ends().size(), 1U) << "the third begins anew";
  ASSERT_TRUE(window.commands().trigger("select.box"));
  EXPECT_FALSE(tool.on()) << "one tool has the left button";
  ASSERT_TRUE(window.commands().trigger("view.measure"));
  EXPECT_EQ(view().lassoTool().mode(), DrawMode::off);
  ASSERT_TRUE(window.commands().trigger("view.clear"));
  EXPECT_FALSE(tool.on());
  EXPECT_FALSE(window.commands().action("view.measure")->isChecked());
}

TEST_F(CameraTest, AMeasuredDistanceComesBackWithUndo) {
  ASSERT_TRUE(window.commands().trigger("view.measure"));
  MeasureTool& tool = view().measureTool();
  tool.take({0, 0, 0});
  QUndoStack& undo = *window.history().stack();
  const int before = undo.count();
  tool.take({1, 0, 0});
  ASSERT_EQ(undo.count(), before + 1) << "two clicks are a step";
  EXPECT_EQ(undo.undoText(), "measure distance");
  ASSERT_TRUE(window.commands().trigger("view.clear"));
  EXPECT_TRUE(tool.ends().empty());
  EXPECT_EQ(undo.undoText(), "clear distance");
  undo.undo();
  ASSERT_EQ(tool.ends().size(), 2U);
  EXPECT_EQ(tool.ends()[1], (Point{1, 0, 0}));
  EXPECT_TRUE(tool.on());
  undo.undo();
  EXPECT_TRUE(tool.ends().empty());
  undo.redo();
  EXPECT_EQ(tool.ends().size(), 2U);
  const int steps = undo.index();
  window.workspace().setGrid(Grid{{0.2, 0.2, 0.2}, {}});
  window.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && tool.ends().empty(); }));
  EXPECT_EQ(undo.index(), steps + 1) << "of other voxels; what went with the former ones is no step";
}

TEST_F(CameraTest, HoveringOverAVoxelPaintsNoFrame) {
  const QPoint at = view().positionOf(voxel_at(level(), size_of(level()) / 2));
  const QImage before = view().picture(1, false);
  ASSERT_TRUE(waitFor([&] { return !view().canvas()->framePending(); }));
  QMouseEvent move(QEvent::MouseMove, at, view().canvas()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(view().canvas(), &move);
  ASSERT_TRUE(window.selection().hover().voxel);
  EXPECT_FALSE(view().canvas()->framePending()) << "a large scene takes long for one";
  EXPECT_NE(view().picture(1, false), before);
}

}  // namespace
}  // namespace spira::ui
