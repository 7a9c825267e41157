// Tests that leaving a lesson restores the results, selections, docks, parameters and undo steps from before
// the lesson.
#include "engine/report/report_exports.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/small_session.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/model/neighbours.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/view3d/scene/scene_camera.hpp"

#include <QDockWidget>

namespace spira::ui {
namespace {

TEST_F(LessonsTest, LeavingRestoresThePreviousState) {
  open("room");
  app.jobs().runs().runLayer(2);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layer(2); }));
  app.selection().setLayer(2);
  app.selection().setStride(2);
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  app.commands().trigger("layout.explore");
  app.docks().tabs(DockLayout::Side::right).setCurrentIndex(2);
  const auto atRest = [&] {
    return idle() && app.workspace().viewUpdates().empty() && app.sceneView().settled();
  };
  QTest::qWait(100);  // The docks get their sizes while events are processed.
  ASSERT_TRUE(waitFor(atRest));
  app.sceneView().camera().look(1, 0, 0);
  const auto camera = app.sceneView().camera().pose();
  const auto state = session_json(app.sessions().state(), {});
  const auto voxels = app.workspace().scene().voxels();
  const auto layer = app.workspace().results().layer(2);
  const QByteArray docks = window.saveState();
  const int undoable = app.history().stack()->count();
  start("density");
  EXPECT_FALSE(window.findChild<QDockWidget*>("right")->isVisible());
  EXPECT_EQ(panel().width() >= 430 && panel().width() <= 460, true) << panel().width();
  goTo(3);
  EXPECT_TRUE(app.selection().rows());
  lessons().start(lesson("voxelize"), 1);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  panel().controls().front()->set(4);
  ASSERT_TRUE(
      waitFor([&] { return lessons().pages().settled() && app.workspace().scene().voxels() != voxels; }));
  lessons().leave();
  ASSERT_TRUE(waitFor(atRest));
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
  EXPECT_EQ(app.workspace().results().layer(2), layer);
  EXPECT_EQ(session_json(app.sessions().state(), {}), state);
  EXPECT_EQ(window.saveState(), docks);
  EXPECT_EQ(app.docks().tabs(DockLayout::Side::right).currentIndex(), 2);
  EXPECT_EQ(app.history().stack()->count(), undoable);
  ASSERT_TRUE(app.sceneView().camera().pose() && camera);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(app.sceneView().camera().pose()->position_m[axis], camera->position_m[axis], 1e-6);
}

TEST_F(LessonsTest, AnAutomaticPackingStaysAutomatic) {
  setCalm(true);
  open("room");
  ASSERT_TRUE(app.workspace().requested().packAutomatic());
  for (const auto& one : lessons().all()) {
    start(one->id, static_cast<int>(one->steps.size()));
    EXPECT_TRUE(app.workspace().requested().packAutomatic()) << "on the questions of " << one->id;
  }
  // Leave the lesson while the scene has other voxels than before the lesson.
  const auto voxels = app.workspace().scene().voxels();
  start("voxelize", 1);
  panel().controls().front()->set(4);
  ASSERT_TRUE(
      waitFor([&] { return lessons().pages().settled() && app.workspace().scene().voxels() != voxels; }));
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_TRUE(app.workspace().requested().packAutomatic());
  EXPECT_EQ(window.findChild<QComboBox*>("packing")->currentText(), "Automatic (12/12/8)");
  // The lesson's request must not come back when a later request is cancelled.
  app.workspace().requested().setGrid({{0.5, 0.5, 0.5}});
  app.jobs().scenes().voxelize();
  app.jobs().lane().cancel();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_TRUE(app.workspace().requested().packAutomatic());
}

TEST_F(LessonsTest, LeavingOnAnotherSceneClearsTheSelectionOfTheLesson) {
  setCalm(true);
  open("room");
  app.selection().look().setColourBy(ColourBy::points_per_voxel);
  start("search", 3);
  ASSERT_TRUE(app.selection().voxel());
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.workspace().scene().cloud() && app.workspace().scene().cloud()->name == "street" &&
           lessons().pages().settled();
  }));
  ASSERT_TRUE(app.selection().voxel());
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && app.sceneView().settled(); }));
  EXPECT_EQ(app.workspace().scene().cloud()->name, "street");
  EXPECT_FALSE(app.selection().voxel());
  EXPECT_TRUE(app.selection().columns().empty());
  EXPECT_EQ(app.selection().stride(), 1);
  EXPECT_EQ(app.selection().look().colourBy(), ColourBy::points_per_voxel);
}

/// The hints of questions show the densities, and the user can select a layout while a lesson is open.
TEST_F(LessonsTest, DensitiesAndTheLessonAreTabsIfTheyWouldOverlap) {
  setCalm(true);
  open("room");
  window.resize(1024, 640);
  start("density", 5);
  auto* right = window.findChild<QDockWidget*>("right");
  auto* side = window.findChild<QDockWidget*>("lesson");
  app.commands().trigger("window.right");
  ASSERT_TRUE(waitFor([&] { return !window.tabifiedDockWidgets(right).isEmpty(); }));
  EXPECT_EQ(window.tabifiedDockWidgets(right), QList<QDockWidget*>{side});
  EXPECT_TRUE(child<DensityPanel>(window).isVisible());
  QWidget* behind = child<DensityPanel>(window).chart();
  behind->setFocus();
  ASSERT_EQ(window.focusWidget(), behind);
  side->raise();
  EXPECT_TRUE(waitFor([&] {
    return panel().isAncestorOf(window.focusWidget()) || window.focusWidget() == &panel();
  })) << "the focus must move to the panel in front of the lesson";
  right->raise();
  app.commands().trigger("window.right");
  EXPECT_TRUE(waitFor([&] { return panel().isVisible() && panel().height() > 300; }));
  lessons().leave();
  window.resize(1440, 1000);
  start("density", 5);  // This page asks questions and shows the densities.
  ASSERT_TRUE(waitFor([&] { return panel().height() > 300 && right->height() > 300; })) << panel().height();
  EXPECT_TRUE(window.tabifiedDockWidgets(right).isEmpty());
}

/// A question of the lesson asks the user to set another t and to run the network with it.
TEST_F(LessonsTest, LeavingRestoresNetworkThresholdsAndPrecisionAndUndoStillWorks) {
  setCalm(true);
  open("room");
  const auto& workspace = app.workspace();
  app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor(
      [&] { return idle() && workspace.results().layersRun() == std::ssize(workspace.network()->layers); }));
  Plan plan = workspace.requested().plan();
  ASSERT_GT(plan.layers.at(2).threshold, 2);
  const int chosen = --plan.layers.at(2).threshold;
  app.workspace().setPlan(plan);
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.results().layer(2); }));
  app.commands().trigger("precision.fp32");
  const auto network = workspace.network();
  const auto layer = workspace.results().layer(2);
  const QString undo = app.history().stack()->undoText();
  const int steps = app.history().stack()->index();
  ASSERT_GE(steps, 2);
  start("dataflows", 10);
  EXPECT_FALSE(app.commands().trigger("edit.undo"))
      << "undo must be disabled, because leaving restores all changes of the lesson";
  plan = workspace.requested().plan();
  plan.layers.at(2).threshold = 1;
  app.workspace().setPlan(plan);
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor(
      [&] { return idle() && workspace.results().layer(2) && workspace.results().layer(2) != layer; }));
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.requested().plan().layers.at(2).threshold, chosen);
  EXPECT_EQ(workspace.results().layer(2), layer) << "leaving must restore the result of the layer";
  start("dataflows", 10);
  app.jobs().runs().chooseNetwork("minkunet42");
  app.commands().trigger("precision.fp16");
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.network(), network);
  EXPECT_EQ(workspace.results().layer(2), layer);
  EXPECT_EQ(workspace.requested().chosenPrecision(), Precision::fp32);
  EXPECT_EQ(workspace.requested().plan().precision, Precision::fp32);
  EXPECT_EQ(app.history().stack()->index(), steps);
  EXPECT_EQ(app.history().stack()->undoText(), undo);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(workspace.requested().chosenPrecision(), std::nullopt);
  ASSERT_TRUE(app.commands().trigger("edit.undo"));
  EXPECT_EQ(workspace.requested().plan().layers.at(2).threshold, chosen + 1);
  ASSERT_TRUE(app.commands().trigger("edit.redo"));
  ASSERT_TRUE(app.commands().trigger("edit.redo"));
  EXPECT_EQ(workspace.requested().plan().layers.at(2).threshold, chosen);
  EXPECT_EQ(workspace.requested().chosenPrecision(), Precision::fp32);
}

TEST_F(LessonsTest, APageChoosesTheNeighboursAndLeavingRestoresThem) {
  setCalm(true);
  open("room");
  const auto& workspace = app.workspace();
  const auto shape = [&] { return common_neighbourhood(*workspace.network()).value().shape; };
  const auto voxels_network = workspace.network();
  start("points", 4);
  EXPECT_EQ(shape(), NeighbourShape::ball);
  EXPECT_TRUE(workspace.scene().map(1).map->many());
  goTo(5);
  EXPECT_EQ(shape(), NeighbourShape::ball) << "the questions use the neighbours of the last step";
  start("density");
  EXPECT_EQ(shape(), NeighbourShape::voxels) << "other lessons explain the convolution of voxels";
  EXPECT_FALSE(workspace.scene().map(1).map->many());
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.network(), voxels_network);
  ASSERT_TRUE(app.commands().trigger("neighbours.cube"));
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.scene().map(1).map; }));
  const auto cube_network = workspace.network();
  start("points", 1);
  EXPECT_EQ(shape(), NeighbourShape::ball);
  EXPECT_EQ(panel().controls().front()->place(), 1);
  const double in_ball = number("inputs of the selected row, ball with the default radius");
  panel().controls().front()->set(0);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled() && shape() == NeighbourShape::cube; }));
  EXPECT_EQ(number("inputs of the selected row, ball with the default radius"), in_ball);
  EXPECT_EQ(number("inputs outside the cells (folded), chosen neighbours"), 0);
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.network(), cube_network);
}

TEST_F(LessonsTest, WithoutASceneABuiltInOneOpensUntilTheLessonEnds) {
  const QString title = window.windowTitle();
  start("voxelize");
  EXPECT_EQ(app.workspace().scene().cloud()->name, "street");
  lessons().leave();
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
  EXPECT_EQ(window.windowTitle(), title);
  EXPECT_FALSE(app.sessions().whyNone().isEmpty()) << "no scene must be open after the lesson";
  open("room");  // Opening a scene must still work.
}

TEST_F(LessonsTest, ARecordedRunIsRestored) {
  const test::TempFolder folder;
  write_report(folder / "far.json", test::recorded_report());
  app.opening().open(QString::fromStdString((folder / "far.json").string()));
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().report() != nullptr && idle(); }));
  const auto report = app.workspace().results().report();
  const QString title = window.windowTitle();
  start("density");
  EXPECT_EQ(app.workspace().results().report(), nullptr);
  lessons().leave();
  EXPECT_EQ(app.workspace().results().report(), report);
  EXPECT_EQ(window.windowTitle(), title);
  EXPECT_TRUE(app.docks().tabs(DockLayout::Side::bottom).isVisible());
}

TEST_F(LessonsTest, AFileOpenedDuringALessonStays) {
  open("room");
  start("voxelize");
  open("random");
  EXPECT_TRUE(player().lesson());
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  lessons().leave();
  EXPECT_EQ(app.workspace().scene().cloud()->name, "random");
  EXPECT_TRUE(window.findChild<QDockWidget*>("left")->isVisible());
}

}  // namespace
}  // namespace spira::ui
