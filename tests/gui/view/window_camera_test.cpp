// Tests the camera and the drawing modes of the 3D view: parallel projection, framing, points, edges and
// depth shading.
#include "app/common/backends.hpp"
#include "tests/gui/window_fixture.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/view3d/ground_grid.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_pointer.hpp"
#include "ui/view3d/scene/scene_tools.hpp"
#include "ui/view3d/tools/lasso_tool.hpp"
#include "ui/view3d/tools/measure_tool.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QMouseEvent>
#include <QTemporaryDir>

#include <cmath>

namespace spira::ui {
namespace {

/// Returns the number of pixels that differ. A few pixels at edges may differ, because the near and far
/// planes change.
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
    ASSERT_TRUE(app.commands().trigger("view.stride_8"));
    ASSERT_TRUE(waitFor([&] { return view().settled(); }));
  }
  [[nodiscard]] SceneView& view() { return app.sceneView(); }
  [[nodiscard]] QString note() { return view().findChild<ViewOverlay*>()->note(); }
  [[nodiscard]] const CoordSet& level() { return app.workspace().scene().voxels()->level(8); }
  /// Returns two voxels that are one above the other.
  [[nodiscard]] std::pair<Voxel, Voxel> column() {
    for (std::int64_t row = 1; row < size_of(level()); ++row) {
      const Voxel below = voxel_at(level(), row - 1), above = voxel_at(level(), row);
      if (below[0] == above[0] && below[1] == above[1]) return {below, above};
    }
    return {};
  }
  static double apart(const QPoint& a, const QPoint& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }
};

TEST_F(CameraTest, ParallelRaysKeepAColumnOnOnePixelAndPickTheVisibleVoxel) {
  ASSERT_TRUE(app.commands().trigger("view.top"));
  const auto [below, above] = column();
  ASSERT_TRUE(app.commands().trigger("view.orthographic"));
  EXPECT_TRUE(app.commands().action("view.orthographic")->isChecked());
  EXPECT_LE(apart(view().pointer().positionOf(below), view().pointer().positionOf(above)), 1.5);
  QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, view().pointer().positionOf(below));
  ASSERT_TRUE(app.selection().voxel());
  const Voxel chosen = app.selection().voxel()->voxel;
  EXPECT_EQ(chosen[0], above[0]);
  EXPECT_EQ(chosen[1], above[1]);
  EXPECT_GE(chosen[2], above[2]) << "the upper voxel must hide the lower one from above";
  const QImage parallel = view().grab3d();
  ASSERT_TRUE(app.commands().trigger("view.orthographic"));
  EXPECT_NE(view().grab3d(), parallel);
}

TEST_F(CameraTest, TheFirstViewShowsTheWholeSceneAtEverySizeOfTheWindow) {
  for (const QSize size : {QSize(1440, 900), QSize(1366, 768), QSize(1024, 640)}) {
    window.resize(size);
    ASSERT_TRUE(app.commands().trigger("view.reset"));
    ASSERT_TRUE(waitFor([&] { return view().settled() && window.size() == size; }));
    const QRect picture = view().canvas()->rect();
    QRect used;
    for (std::int64_t row = 0; row < size_of(level()); ++row)
      used |= QRect(view().pointer().positionOf(voxel_at(level(), row)), QSize(1, 1));
    EXPECT_TRUE(picture.contains(used)) << size.width();
    EXPECT_GT(used.width(), picture.width() * 3 / 5) << "the scene must fill the view";
  }
}

TEST_F(CameraTest, TheSelectionIsFramed) {
  const Voxel voxel = voxel_at(level(), 3);
  app.selection().setVoxel(ChosenVoxel{voxel, 8});
  ASSERT_TRUE(app.commands().trigger("view.frame"));
  EXPECT_LE(apart(view().pointer().positionOf(voxel), view().canvas()->rect().center()), 4.0);
  app.selection().setVoxel(std::nullopt);
  ASSERT_TRUE(app.commands().trigger("view.frame"));
  EXPECT_TRUE(view().canvas()->rect().contains(view().pointer().positionOf(voxel)));
}

TEST_F(CameraTest, VoxelsAreDrawnAsPointsOrWithEdgesAndDepthIsShaded) {
  const QImage usual = view().grab3d();
  EXPECT_TRUE(note().endsWith("voxels as cubes")) << note().toStdString();
  for (const auto& [id, words] :
       {std::pair{"view.points", "as points"}, {"view.outlined", "as outlined cubes"}}) {
    SCOPED_TRACE(id);
    ASSERT_TRUE(app.commands().trigger(id));
    EXPECT_TRUE(app.commands().action(id)->isChecked());
    EXPECT_NE(view().grab3d(), usual);
    EXPECT_TRUE(note().endsWith(words)) << note().toStdString();
  }
  EXPECT_EQ(app.sessions().state().parameters.voxel_style, VoxelStyle::outlined);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(app.selection().look().voxelStyle(), VoxelStyle::points);
  EXPECT_TRUE(app.commands().action("view.points")->isChecked());
  constexpr int few = 200, many = 5000;
  EXPECT_GT(differing(view().grab3d(), usual), many);
  ASSERT_TRUE(app.commands().trigger("view.automatic"));
  EXPECT_LT(differing(view().grab3d(), usual), few);
  ASSERT_TRUE(app.commands().trigger("view.depth"));
  EXPECT_GT(differing(view().grab3d(), usual), many);
  ASSERT_TRUE(app.commands().trigger("view.depth"));
  EXPECT_LT(differing(view().grab3d(), usual), few);
}

TEST(VoxelStyleTest, TheLastStyleIsUsedAtTheNextStart) {
  QTemporaryDir config;
  const auto registry = std::make_shared<const Registry>(app::make_registry());
  {
    Application app(registry, QString(), config.path());
    QSignalSpy opened(&app.jobs().scenes(), &SceneJobs::opened);
    app.opening().open("room");
    ASSERT_TRUE(QTest::qWaitFor([&] { return opened.count() == 1; }, 60'000));
    ASSERT_TRUE(app.commands().trigger("view.cubes"));
  }
  Application next(registry, QString(), config.path());
  EXPECT_EQ(next.selection().look().voxelStyle(), VoxelStyle::cubes);
  EXPECT_TRUE(next.commands().action("view.cubes")->isChecked());
}

TEST_F(CameraTest, TheGridLiesOnTheGroundAndUpCanBeAnotherAxis) {
  EXPECT_DOUBLE_EQ(grid_spacing(100), 5);
  EXPECT_DOUBLE_EQ(grid_spacing(30), 2);
  EXPECT_DOUBLE_EQ(grid_spacing(0.9), 0.05);
  ASSERT_TRUE(app.commands().trigger("view.reset"));
  const QImage bare = view().grab3d();
  ASSERT_TRUE(app.commands().trigger("view.grid"));
  const QImage with_grid = view().grab3d();
  EXPECT_NE(with_grid, bare);
  ASSERT_TRUE(app.commands().trigger("view.up_minus_y"));
  EXPECT_TRUE(app.commands().action("view.up_minus_y")->isChecked());
  EXPECT_DOUBLE_EQ(view().camera().pose()->up[1], -1);
  ASSERT_TRUE(app.commands().trigger("view.top"));
  EXPECT_LT(view().camera().pose()->position_m[1], view().camera().pose()->focal_m[1] - 1)
      << "the camera must be on the side of small y";
  QTest::mousePress(view().canvas(), Qt::LeftButton, {}, {200, 200});
  QMouseEvent drag(QEvent::MouseMove, QPointF(240, 260), view().canvas()->mapToGlobal(QPoint(240, 260)),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(view().canvas(), &drag);
  QTest::mouseRelease(view().canvas(), Qt::LeftButton, {}, {240, 260});
  EXPECT_DOUBLE_EQ(view().camera().pose()->up[1], -1) << "the camera must turn around the up axis";
  ASSERT_TRUE(app.commands().trigger("view.up_z"));
  ASSERT_TRUE(app.commands().trigger("view.grid"));
  EXPECT_EQ(view().grab3d(), bare) << "the picture must be as at the start";
}

TEST_F(CameraTest, TwoClicksMeasureADistance) {
  EXPECT_EQ(distance_text({0, 0, 0}, {3, 4, 0.05}, Grid{{0.1, 0.1, 0.05}}, LengthUnit::metres),
            "5.00 m: 3.00, 4.00, 0.05 m or 30, 40, 1 voxels along x, y, z");
  ASSERT_TRUE(app.commands().trigger("view.top"));
  ASSERT_TRUE(app.commands().trigger("view.measure"));
  MeasureTool& tool = *view().tools().measure();
  EXPECT_FALSE(tool.hint().isEmpty());
  const std::array<QPoint, 2> at{view().pointer().positionOf(voxel_at(level(), size_of(level()) / 3)),
                                 view().pointer().positionOf(voxel_at(level(), size_of(level()) / 2))};
  const QImage before = view().picture(1, false);
  for (const QPoint& place : at)
    QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, place);
  ASSERT_EQ(tool.ends().size(), 2U);
  EXPECT_FALSE(app.selection().voxel()) << "measuring must not select a voxel";
  EXPECT_NE(view().picture(1, false), before);
  QTest::mouseClick(view().canvas(), Qt::LeftButton, {}, at[1]);
  EXPECT_EQ(tool.ends().size(), 1U) << "the third click must start a new distance";
  ASSERT_TRUE(app.commands().trigger("select.box"));
  EXPECT_FALSE(tool.on()) << "selecting another tool must end the measurement";
  ASSERT_TRUE(app.commands().trigger("view.measure"));
  EXPECT_EQ(view().tools().lasso()->mode(), DrawMode::off);
  ASSERT_TRUE(app.commands().trigger("view.clear"));
  EXPECT_FALSE(tool.on());
  EXPECT_FALSE(app.commands().action("view.measure")->isChecked());
}

TEST_F(CameraTest, AMeasuredDistanceIsRestoredByUndo) {
  ASSERT_TRUE(app.commands().trigger("view.measure"));
  MeasureTool& tool = *view().tools().measure();
  tool.take({0, 0, 0});
  QUndoStack& undo = *app.history().stack();
  const int before = undo.count();
  tool.take({1, 0, 0});
  ASSERT_EQ(undo.count(), before + 1) << "two clicks must be one undo step";
  EXPECT_EQ(undo.undoText(), "measure distance");
  ASSERT_TRUE(app.commands().trigger("view.clear"));
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
  app.workspace().requested().setGrid(Grid{{0.2, 0.2, 0.2}, {}});
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && tool.ends().empty(); }));
  EXPECT_EQ(undo.index(), steps + 1)
      << "the change of voxels must be one step and removing the distance none";
}

TEST_F(CameraTest, HoveringOverAVoxelRedrawsNoFrame) {
  const QPoint at = view().pointer().positionOf(voxel_at(level(), size_of(level()) / 2));
  const QImage before = view().picture(1, false);
  ASSERT_TRUE(waitFor([&] { return !view().canvas()->framePending(); }));
  QMouseEvent move(QEvent::MouseMove, at, view().canvas()->mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
  QApplication::sendEvent(view().canvas(), &move);
  ASSERT_TRUE(app.selection().hover().voxel);
  EXPECT_FALSE(view().canvas()->framePending())
      << "hovering must not request a frame, because drawing a large scene takes a long time";
  EXPECT_NE(view().picture(1, false), before);
}

}  // namespace
}  // namespace spira::ui
