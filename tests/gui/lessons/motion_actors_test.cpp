// Tests how the 3D view draws lesson animations: it draws fewer points if there are many, draws all points
// when the animation stops, and redraws only after a change.
#include "ui/view3d/motion/motion_actors.hpp"

#include "tests/gui/lessons/lessons_fixture.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <gtest/gtest.h>

namespace spira::ui {
namespace {

class MotionActorsTest : public LessonsTest {
 protected:
  vtkRenderer* renderer() { return app.sceneView().canvas()->renderer(); }
  static std::shared_ptr<AnimationScene> row(int points) {
    auto picture = std::make_shared<AnimationScene>();
    for (int at = 0; at < points; ++at)
      picture->from.push_back({0.1 * at, 0, 0});
    return picture;
  }
};

TEST_F(MotionActorsTest, ManyPointsAreThinnedOnlyOnRequest) {
  MotionActors actors(renderer());
  actors.set(row(60'000), {});
  EXPECT_EQ(actors.drawn(), 60'000);
  actors.setFew(true);
  EXPECT_NEAR(static_cast<double>(actors.drawn()), 8'000, 500);
  actors.setAt(0.5);
  EXPECT_NEAR(static_cast<double>(actors.drawn()), 8'000, 500);
  actors.setFew(false);
  EXPECT_EQ(actors.drawn(), 60'000);
}

TEST_F(MotionActorsTest, PointsThatAppearOneByOneAreThinnedAmongTheVisibleOnes) {
  MotionActors actors(renderer());
  const auto picture = row(60'000);
  picture->one_by_one = true;
  actors.set(picture, {});
  EXPECT_EQ(actors.drawn(), 0);
  actors.setFew(true);
  actors.setAt(0.5);
  EXPECT_NEAR(static_cast<double>(actors.drawn()), 4'000, 300);
  actors.setFew(false);
  EXPECT_EQ(actors.drawn(), 30'000);
  actors.setAt(1);
  EXPECT_EQ(actors.drawn(), 60'000);
}

TEST_F(MotionActorsTest, FewPointsAreAllDrawn) {
  MotionActors actors(renderer());
  actors.set(row(8'000), {});
  actors.setFew(true);
  EXPECT_EQ(actors.drawn(), 8'000);
}

TEST_F(MotionActorsTest, ALevelThatIsDrawnInsteadIsThinnedWhileItMoves) {
  open("street");
  const auto mesh =
      std::make_shared<const VoxelMesh>(build_voxel_mesh(*app.workspace().scene().voxels(), 1, {}, {}));
  ASSERT_GT(mesh->voxels, 20'000);
  VoxelActors actors(renderer());
  actors.setMesh(mesh);
  actors.setFew(true);
  EXPECT_EQ(actors.drawnInstead(), nullptr) << "a level at rest must not be thinned";
  actors.setMoving(true);
  ASSERT_NE(actors.drawnInstead(), nullptr);
  EXPECT_EQ(actors.drawnInstead()->mesh, mesh);
  const auto quarter = static_cast<double>(mesh->voxels) / 4;
  EXPECT_NEAR(static_cast<double>(actors.pointsDrawnInstead()), quarter, quarter / 10);
  actors.setFew(false);
  EXPECT_EQ(actors.drawnInstead(), nullptr);
  actors.setMesh(
      std::make_shared<const VoxelMesh>(build_voxel_mesh(*app.workspace().scene().voxels(), 16, {}, {})));
  actors.setFew(true);
  EXPECT_EQ(actors.drawnInstead(), nullptr) << "a level with few voxels must not be thinned";
}

TEST_F(MotionActorsTest, AnAnimationOutsideTheViewDoesNotRedrawTheView) {
  constexpr int shift = 3, bits = 4;
  open("street");
  const auto drawsAt = [&](int page) {
    goTo(page);
    EXPECT_TRUE(waitFor([&] { return !app.sceneView().canvas()->framePending(); }));
    player().scrub(0.5);
    return app.sceneView().canvas()->framePending();
  };
  start("voxelize", shift);
  EXPECT_TRUE(drawsAt(shift));
  EXPECT_FALSE(drawsAt(bits)) << "the bits of the word are in the panel, so the view must not be redrawn";
}

TEST_F(MotionActorsTest, TheOverlayIsNotRepaintedWithEveryFrame) {
  struct Paints : QObject {
    int count = 0;
    bool eventFilter(QObject*, QEvent* event) override {
      count += event->type() == QEvent::Paint ? 1 : 0;
      return false;
    }
  } paints;
  open("street");
  start("voxelize", 3);
  VtkWidget& canvas = *app.sceneView().canvas();
  player().scrub(0.25);
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled() && !canvas.framePending(); }));
  QTest::qWait(100);
  canvas.findChild<ViewOverlay*>()->installEventFilter(&paints);
  canvas.redraw();
  ASSERT_TRUE(waitFor([&] { return !canvas.framePending(); }));
  EXPECT_EQ(paints.count, 0);
  app.theme().choose(ThemeChoice::dark);
  EXPECT_TRUE(waitFor([&] { return paints.count > 0; })) << "a new theme must repaint the overlay";
}

TEST_F(MotionActorsTest, APictureSetBeforeTheMeshIsDrawnWithIt) {
  SceneView& view = app.sceneView();
  auto picture = std::make_shared<AnimationScene>();
  picture->from = {{1, 2, 3}};
  view.animation().set(picture, {});
  view.animation().setAt(0.5);
  EXPECT_EQ(view.animation().actors().picture(), nullptr)
      << "a picture must not be drawn before a mesh defines its position";
  open("street");
  EXPECT_EQ(view.animation().actors().picture(), picture);
  EXPECT_EQ(view.animation().actors().part(), 0.5);
  app.workspace().requested().setGrid(parse_grid("1.7"));
  app.jobs().scenes().voxelize();
  ASSERT_TRUE(waitFor([&] { return idle() && view.settled(); }));
  const Point placed = view.animation().actors().origin();
  view.animation().set(picture, {});
  EXPECT_EQ(placed, view.animation().actors().origin()) << "the picture must move with the new mesh";
}

}  // namespace
}  // namespace spira::ui
