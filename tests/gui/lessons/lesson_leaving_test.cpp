// Tests that leaving a lesson restores results, selections, docks, parameters and undo.
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/jobs/parameter_history.hpp"
#include "ui/lessons/controls/control_row.hpp"
#include "ui/panels/density_panel.hpp"

#include <QDockWidget>

namespace spira::ui {
namespace {

TEST_F(LessonsTest, LeavingRestoresWhatWas) {
  open("room");
  window.jobs().runs().runLayer(2);
  ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().layer(2); }));
  window.selection().setLayer(2);
  window.selection().setStride(2);
  window.selection().setColourBy(ColourBy::points_per_voxel);
  window.commands().trigger("layout.explore");
  window.rightTabs().setCurrentIndex(2);
  const auto atRest = [&] {
    return idle() && window.workspace().followUps().empty() && window.sceneView().settled();
  };
  QTest::qWait(100);  // docks get their sizes when events are handled
  ASSERT_TRUE(waitFor(atRest));
  window.sceneView().look(1, 0, 0);
  const auto camera = window.sceneView().pose();
  const auto state = session_json(window.session(), {});
  const auto voxels = window.workspace().voxels();
  const auto layer = window.workspace().layer(2);
  const QByteArray docks = window.saveState();
  const int undoable = window.history().stack()->count();
  start("density");
  EXPECT_FALSE(window.findChild<QDockWidget*>("right")->isVisible());
  EXPECT_EQ(panel().width() >= 430 && panel().width() <= 460, true) << panel().width();
  goTo(3);
  EXPECT_TRUE(window.selection().rows());
  lessons().start(lesson("voxelize"), 1);
  ASSERT_TRUE(waitFor([&] { return lessons().settled(); }));
  panel().controls().front()->set(4);
  ASSERT_TRUE(waitFor([&] { return lessons().settled() && window.workspace().voxels() != voxels; }));
  lessons().leave();
  ASSERT_TRUE(waitFor(atRest));
  EXPECT_EQ(window.workspace().voxels(), voxels);
  EXPECT_EQ(window.workspace().layer(2), layer);
  EXPECT_EQ(session_json(window.session(), {}), state);
  EXPECT_EQ(window.saveState(), docks);
  EXPECT_EQ(window.rightTabs().currentIndex(), 2);
  EXPECT_EQ(window.history().stack()->count(), undoable);
  ASSERT_TRUE(window.sceneView().pose() && camera);
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(window.sceneView().pose()->position_m[axis], camera->position_m[axis], 1e-6);
}

TEST_F(LessonsTest, LeavingAnotherSceneTakesWhatTheLessonChoseAway) {
  setCalm(true);
  open("room");
  window.selection().setColourBy(ColourBy::points_per_voxel);
  start("search", 3);
  ASSERT_TRUE(window.selection().voxel());
  window.open("street");
  ASSERT_TRUE(waitFor([&] {
    return idle() && window.workspace().cloud() && window.workspace().cloud()->name == "street" &&
           lessons().settled();
  }));
  ASSERT_TRUE(window.selection().voxel());
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle() && window.sceneView().settled(); }));
  EXPECT_EQ(window.workspace().cloud()->name, "street");
  EXPECT_FALSE(window.selection().voxel());
  EXPECT_TRUE(window.selection().columns().empty());
  EXPECT_EQ(window.selection().stride(), 1);
  EXPECT_EQ(window.selection().colourBy(), ColourBy::points_per_voxel);
}

/// Hints of questions lead to the densities. The user can choose a layout while a lesson is open.
TEST_F(LessonsTest, DensitiesAndTheLessonAreTabsWhereTheyWouldCoverEachOther) {
  setCalm(true);
  open("room");
  start("density", 5);
  window.resize(1024, 640);
  auto* right = window.findChild<QDockWidget*>("right");
  auto* side = window.findChild<QDockWidget*>("lesson");
  window.commands().trigger("window.right");
  ASSERT_TRUE(waitFor([&] { return !window.tabifiedDockWidgets(right).isEmpty(); }));
  EXPECT_EQ(window.tabifiedDockWidgets(right), QList<QDockWidget*>{side});
  EXPECT_TRUE(window.densityPanel().isVisible());
  QWidget* behind = window.densityPanel().chart();
  behind->setFocus();
  ASSERT_EQ(window.focusWidget(), behind);
  side->raise();
  EXPECT_TRUE(waitFor([&] {
    return panel().isAncestorOf(window.focusWidget()) || window.focusWidget() == &panel();
  })) << "the keyboard does not stay behind the lesson";
  right->raise();
  window.commands().trigger("window.right");
  EXPECT_TRUE(waitFor([&] { return panel().isVisible() && panel().height() > 300; }));
  lessons().leave();
  window.resize(1440, 1000);
  start("density", 5);
  window.commands().trigger("window.right");
  ASSERT_TRUE(waitFor([&] { return panel().height() > 300 && right->height() > 300; })) << panel().height();
  EXPECT_TRUE(window.tabifiedDockWidgets(right).isEmpty());
}

/// A question asks the user to set another t and to run with it.
TEST_F(LessonsTest, LeavingRestoresNetworkThresholdsAndPrecisionAndUndoWorksOn) {
  setCalm(true);
  open("room");
  runNetwork("resn21");
  const auto& workspace = window.workspace();
  Plan plan = workspace.plan();
  ASSERT_GT(plan.layers.at(2).threshold, 2);
  const int chosen = --plan.layers.at(2).threshold;
  window.workspace().setPlan(plan);
  ASSERT_TRUE(window.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.layer(2); }));
  window.commands().trigger("precision.fp32");
  const auto network = workspace.network();
  const auto layer = workspace.layer(2);
  const QString undo = window.history().stack()->undoText();
  const int steps = window.history().stack()->index();
  ASSERT_GE(steps, 2);
  start("dataflows", 8);
  EXPECT_FALSE(window.commands().trigger("edit.undo")) << "what the lesson changes is put back as a whole";
  plan = workspace.plan();
  plan.layers.at(2).threshold = 1;
  window.workspace().setPlan(plan);
  ASSERT_TRUE(window.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && workspace.layer(2) && workspace.layer(2) != layer; }));
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.plan().layers.at(2).threshold, chosen);
  EXPECT_EQ(workspace.layer(2), layer) << "and what was run with it";
  start("dataflows", 8);
  window.jobs().runs().chooseNetwork("minkunet42");
  window.commands().trigger("precision.fp16");
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_EQ(workspace.network(), network);
  EXPECT_EQ(workspace.layer(2), layer);
  EXPECT_EQ(workspace.chosenPrecision(), Precision::fp32);
  EXPECT_EQ(workspace.plan().precision, Precision::fp32);
  EXPECT_EQ(window.history().stack()->index(), steps);
  EXPECT_EQ(window.history().stack()->undoText(), undo);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_EQ(workspace.chosenPrecision(), std::nullopt);
  ASSERT_TRUE(window.commands().trigger("edit.undo"));
  EXPECT_EQ(workspace.plan().layers.at(2).threshold, chosen + 1);
  ASSERT_TRUE(window.commands().trigger("edit.redo"));
  ASSERT_TRUE(window.commands().trigger("edit.redo"));
  EXPECT_EQ(workspace.plan().layers.at(2).threshold, chosen);
  EXPECT_EQ(workspace.chosenPrecision(), Precision::fp32);
}

TEST_F(LessonsTest, WithoutASceneABuiltInOneIsTakenAndGivenBack) {
  const QString title = window.windowTitle();
  start("voxelize");
  EXPECT_EQ(window.workspace().cloud()->name, "street");
  lessons().leave();
  EXPECT_EQ(window.workspace().voxels(), nullptr);
  EXPECT_EQ(window.windowTitle(), title);
  EXPECT_FALSE(window.whyNoSession().isEmpty()) << "nothing is open";
  open("room");  // opening a scene still works
}

TEST_F(LessonsTest, ARecordedRunIsThereAgain) {
  const test::TempFolder folder;
  write_report(folder / "far.json", test::recorded_report());
  window.open(QString::fromStdString((folder / "far.json").string()));
  ASSERT_TRUE(waitFor([&] { return window.workspace().report() != nullptr && idle(); }));
  const auto report = window.workspace().report();
  const QString title = window.windowTitle();
  start("density");
  EXPECT_EQ(window.workspace().report(), nullptr);
  lessons().leave();
  EXPECT_EQ(window.workspace().report(), report);
  EXPECT_EQ(window.windowTitle(), title);
  EXPECT_TRUE(window.bottomTabs().isVisible());
}

TEST_F(LessonsTest, AFileThatIsOpenedMeanwhileStays) {
  open("room");
  start("voxelize");
  open("random");
  EXPECT_TRUE(player().lesson());
  ASSERT_TRUE(waitFor([&] { return lessons().settled(); }));
  lessons().leave();
  EXPECT_EQ(window.workspace().cloud()->name, "random");
  EXPECT_TRUE(window.findChild<QDockWidget*>("left")->isVisible());
}

}  // namespace
}  // namespace spira::ui
