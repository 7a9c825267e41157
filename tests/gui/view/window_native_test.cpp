// Tests a selected row of a native layer in the 3D view, and the points in voxels near the camera.
#include "engine/map/map_view.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/small_session.hpp"
#include "ui/model/view_parts.hpp"
#include "ui/view3d/scene/scene_animation.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/scene/scene_marks.hpp"
#include "ui/view3d/scene/scene_points.hpp"

#include <QTreeWidget>

#include <algorithm>

namespace spira::ui {
namespace {

class NativeViewTest : public WindowTest {
 protected:
  /// Opens a scene, runs a network and selects its first layer.
  void run(const QString& scene, NeighbourShape shape, double voxel_m = 0.2) {
    openWith(scene, voxel_m);
    Network network = test::little_unet();
    if (shape != NeighbourShape::voxels) set_neighbourhood(network, {shape, 1, 0});
    app.jobs().runs().useNetwork(std::make_shared<const Network>(std::move(network)));
    ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
    ASSERT_TRUE(app.commands().trigger("run.run"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
    app.selection().setLayer(0);
    ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  }
  /// Selects the row with the most inputs and zooms to it.
  void selectBusiestRow() {
    const auto& map = *shown_map(app.workspace(), app.selection()).map;
    std::vector<int> inputs(static_cast<std::size_t>(map.outputs), 0);
    for_each_pair(
        map, [&](std::int32_t output, int, std::int32_t) { ++inputs[static_cast<std::size_t>(output)]; });
    const auto row = std::max_element(inputs.begin(), inputs.end()) - inputs.begin();
    app.selection().setVoxel(ChosenVoxel{voxel_at(scene().level(1), row), 1});
    app.sceneView().camera().frameChosen();
    ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  }
  [[nodiscard]] const VoxelScene& scene() { return *app.workspace().scene().voxels(); }
  [[nodiscard]] NativeMarks& native() { return app.sceneView().marks().native(); }
  [[nodiscard]] QTreeWidgetItem* row(const QString& text) {
    const auto found =
        window.findChild<QTreeWidget*>("scenes")->findItems(text, Qt::MatchExactly | Qt::MatchRecursive);
    return found.empty() ? nullptr : found.front();
  }
};

TEST_F(NativeViewTest, ARowShowsItsCellsItsBallAndItsInputs) {
  run("room", NeighbourShape::ball);
  selectBusiestRow();
  ASSERT_TRUE(native().row());
  const auto marker = native().marker();
  ASSERT_TRUE(marker);
  EXPECT_EQ(marker->inputs.size(), native().row()->inputs.size());
  EXPECT_EQ(marker->near_edges.size() + marker->far_edges.size(), 3 * 4 * 4) << "27 cells have 48 edges";
  EXPECT_EQ(marker->ball.size(), 3);
  EXPECT_TRUE(marker->chosen.empty());
  app.selection().setColumns({13});
  EXPECT_EQ(native().marker()->chosen.size(), 3U) << "an observer sees three faces of a cell";
  const QImage with = app.sceneView().picture(1, false);
  app.viewParts().show(ViewPart::highlights, false);
  EXPECT_NE(app.sceneView().picture(1, false), with);
}

TEST_F(NativeViewTest, TheKeyMovesTheCellsBetweenThePointAndTheVoxel) {
  run("room", NeighbourShape::cube);
  selectBusiestRow();
  const auto on_point = native().marker();
  ASSERT_TRUE(on_point);
  EXPECT_TRUE(on_point->ball.empty());
  ASSERT_TRUE(app.commands().trigger("view.cells_on_point"));
  EXPECT_FALSE(native().settled()) << "the cells must slide";
  EXPECT_FALSE(app.sceneView().settled());
  ASSERT_TRUE(waitFor([&] { return native().settled(); }));
  const auto on_voxel = native().marker();
  EXPECT_EQ(native().share(), 0);
  EXPECT_NE(on_voxel->near_edges, on_point->near_edges);
  EXPECT_NE(on_voxel->note, on_point->note);
  EXPECT_EQ(on_voxel->at, on_point->at) << "the point must stay in its place";
  app.settings().set("look.reduced_motion", true);
  ASSERT_TRUE(app.commands().trigger("view.cells_on_point"));
  EXPECT_TRUE(native().settled()) << "reduced motion must not animate";
  EXPECT_EQ(native().marker()->near_edges, on_point->near_edges);
  app.settings().set("look.reduced_motion", false);
  ASSERT_TRUE(app.commands().trigger("view.cells_on_point"));
  static_cast<void>(app.sceneView().picture(1, false));
  EXPECT_EQ(native().share(), 0) << "a picture must show the end of the animation";
}

TEST_F(NativeViewTest, AnAnimationOfALessonMovesTheCellsOfItsVoxel) {
  run("room", NeighbourShape::ball);
  selectBusiestRow();
  const Point chosen = native().row()->position_m, other = position_m(scene(), 1, 0);
  SceneAnimation& animation = app.sceneView().animation();
  auto picture = std::make_shared<AnimationScene>();
  picture->cells_of = ChosenVoxel{voxel_at(scene().level(1), 0), 1};
  animation.set(picture, {});
  EXPECT_EQ(native().share(), 0);
  EXPECT_EQ(native().row()->position_m, other);
  animation.setAt(0.75);
  EXPECT_EQ(native().share(), 0.75);
  animation.set(nullptr, {});
  EXPECT_EQ(native().share(), 1);
  EXPECT_EQ(native().row()->position_m, chosen);
}

TEST_F(NativeViewTest, AnAnimationThatReplacesTheVoxelsHidesThePointsAndTheCells) {
  run("room", NeighbourShape::ball);
  selectBusiestRow();
  ASSERT_NE(app.sceneView().points().shown(), nullptr);
  auto picture = std::make_shared<AnimationScene>();
  picture->from.push_back(position_m(scene(), 1, 0));
  picture->alone = true;
  app.sceneView().animation().set(picture, {});
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  EXPECT_EQ(app.sceneView().points().shown(), nullptr);
  app.sceneView().animation().set(nullptr, {});
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled() && app.sceneView().points().shown(); }));
}

TEST_F(NativeViewTest, PointsHaveAnEyeAndAreDrawnNearTheCamera) {
  run("room", NeighbourShape::ball);
  const ScenePoints& points = app.sceneView().points();
  ASSERT_NE(row("Points"), nullptr);
  selectBusiestRow();
  ASSERT_NE(points.shown(), nullptr);
  EXPECT_GT(points.shown()->kept.count(), 10U);
  EXPECT_GT(points.shown()->merged.count(), 10U);
  const QImage with = app.sceneView().grab3d();
  app.viewParts().show(ViewPart::points, false);
  EXPECT_EQ(points.shown(), nullptr);
  EXPECT_NE(app.sceneView().grab3d(), with);
}

TEST_F(NativeViewTest, LayersWithTheNeighbourhoodVoxelsAreUnchanged) {
  run("room", NeighbourShape::voxels);
  EXPECT_EQ(row("Points"), nullptr);
  selectBusiestRow();
  EXPECT_FALSE(native().row());
  EXPECT_EQ(app.sceneView().points().shown(), nullptr);
  EXPECT_FALSE(app.commands().unavailableReason("view.cells_on_point").isEmpty());
  EXPECT_FALSE(app.commands().unavailableReason("view.voxel_points").isEmpty());
}

}  // namespace
}  // namespace spira::ui
