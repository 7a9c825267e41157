// Tests lessons about measured runs: which run a page shows, how the page describes this run, how the user
// measures a run on this machine, and the diagrams of the run.
#include "ui/lessons/lesson_runs.hpp"

#include "engine/report/report_exports.hpp"
#include "tests/gui/lessons/lessons_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "tests/support/temp_folder.hpp"
#include "ui/lessons/controls/run_box.hpp"
#include "ui/lessons/diagrams/diagram_view.hpp"
#include "ui/lessons/lesson_questions.hpp"
#include "ui/view3d/vtk_widget.hpp"

#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>

#include <gmock/gmock.h>

#include <algorithm>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int serial_page = 0, overlap_page = 4, swept_page = 5;

class LessonRunsTest : public LessonsTest {
 protected:
  RunBox& box() { return *panel().findChild<RunBox*>(); }
  std::string source() { return box().text().toStdString(); }
  QPushButton& button(const QString& text) {
    const auto all = box().findChildren<QPushButton*>();
    return **std::find_if(all.begin(), all.end(), [&](const auto* one) { return one->text() == text; });
  }
  std::shared_ptr<const Sweep> sweepOfOneMoment() {
    auto sweep = std::make_shared<Sweep>(*test::recorded_report().threshold_sweep);
    sweep->device.name = "Desk CPU";
    for (SweepRow& row : sweep->rows)
      row.wall.ms = {1.0 + row.threshold, 2.0 + row.threshold, 3.0 + row.threshold};
    return sweep;
  }
};

TEST_F(LessonRunsTest, WithoutALocalRunTheBuiltInRunIsShownAndNamed) {
  open("street");
  start("indexing", serial_page);
  EXPECT_THAT(source(), HasSubstr("recorded run, NVIDIA H100 80GB HBM3, minkunet42"));
  EXPECT_THAT(source(), HasSubstr("different machine and scene"));
  EXPECT_TRUE(box().findChild<QComboBox*>()->isHidden()) << "the box must be hidden if only one run exists";
  EXPECT_FALSE(button("Measure here").isHidden());
  EXPECT_TRUE(button("Sweep t here").isHidden());
  goTo(1);
  EXPECT_EQ(panel().findChild<RunBox*>(), nullptr)
      << "a page about the levels of the open scene must not show a run";
}

TEST_F(LessonRunsTest, ALocalRunReplacesTheBuiltInOneIfItHasAllNumbers) {
  setCalm(true);
  measureBriefly();
  open("room");
  app.commands().trigger("network.resn21");
  start("indexing", serial_page);
  button("Measure here").click();
  ASSERT_TRUE(
      waitFor([&] { return app.workspace().results().measurement() && lessons().pages().settled(); }));
  EXPECT_THAT(source(), HasSubstr("this run, "));
  EXPECT_THAT(source(), HasSubstr("resn21 on room"));
  EXPECT_THAT(source(), Not(HasSubstr("different machine")));
  EXPECT_NEAR(number("wall time of a whole run, layer by layer"),
              app.workspace().results().measurement()->wall.stats().median, 0.0006);
  goTo(overlap_page);
  EXPECT_THAT(source(), HasSubstr("NVIDIA H100"))
      << "a CPU run has no overlap, so the page must show the built-in run";
  auto& choice = *box().findChild<QComboBox*>();
  ASSERT_EQ(choice.count(), 2);
  choice.setCurrentIndex(0);
  emit choice.activated(0);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_THAT(source(), HasSubstr("resn21 on room"));
  EXPECT_THAT(source(), HasSubstr("no stages ran at the same time"));
}

TEST_F(LessonRunsTest, AnOpenReportTakesPrecedenceOverTheBuiltInOne) {
  const test::TempFolder folder;
  setCalm(true);
  write_report(folder / "far.json", test::recorded_report());
  app.opening().open(QString::fromStdString((folder / "far.json").string()));
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().report() != nullptr && idle(); }));
  start("indexing", serial_page);
  EXPECT_THAT(source(), HasSubstr("recorded run, A far GPU, little on "));
  EXPECT_EQ(number("layers of the network"), 7);
  ASSERT_TRUE(waitFor([&] { return app.workspace().scene().voxels() && idle(); }));
  EXPECT_TRUE(app.docks().dock(DockLayout::Side::bottom).isHidden() && app.docks().leftDock().isHidden())
      << "the scene that the lesson opens must not bring other panels";
  lessons().leave();
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().report() != nullptr && idle(); }));
  EXPECT_FALSE(app.docks().dock(DockLayout::Side::bottom).isHidden());
}

TEST_F(LessonRunsTest, ALocalSweepIsShownWhileItGrows) {
  setCalm(true);
  open("street");
  start("dataflows", swept_page);
  EXPECT_THAT(source(), HasSubstr("NVIDIA H100"));
  EXPECT_FALSE(button("Sweep t here").isHidden());
  app.workspace().results().setThresholdSweep(sweepOfOneMoment());
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_THAT(source(), HasSubstr("this run, Desk CPU"));
  EXPECT_EQ(number("t = 2, median"), 4);
  EXPECT_EQ(number("t = 2, IQR"), 1);
  EXPECT_THAT(lessons().pages().diagram().status().toStdString(), HasSubstr("t = 4: measured 6.00 ms"))
      << "the status line must show the last t of the sweep";
}

/// Some layers of the recorded run have only pair lists. The model uses their rates for layers without pair
/// lists.
TEST_F(LessonRunsTest, TheModelUsesTheCostOfAPairAndListsEveryT) {
  setCalm(true);
  open("street");
  start("dataflows", swept_page + 1);
  EXPECT_EQ(panel().cells().size(), 3U * 5U)
      << "t = 0 to 4 must have a measured value, a modelled value and a difference";
  QString told;
  for (const QLabel* label : panel().findChildren<QLabel*>())
    if (label->isVisible()) told += label->text();
  EXPECT_TRUE(told.contains("uses the cost per pair of the other layers")) << told.toStdString();
  EXPECT_FALSE(told.contains("as much as a slot"));
}

TEST_F(LessonRunsTest, DiagramsAreBelowTheViewOnTheirPagesOnly) {
  open("street");
  start("dataflows");
  DiagramView& diagram = lessons().pages().diagram();
  EXPECT_TRUE(diagram.isVisible());
  EXPECT_GT(diagram.height(), app.sceneView().canvas()->height());
  EXPECT_THAT(diagram.status().toStdString(), HasSubstr("Outputs: 0 of 20"));
  const QImage before = diagram.grab().toImage();
  player().scrub(1);
  EXPECT_THAT(diagram.status().toStdString(), HasSubstr("Outputs: 20 of 20"));
  EXPECT_NE(diagram.grab().toImage(), before);
  ASSERT_TRUE(app.selection().rows());
  EXPECT_EQ(app.selection().rows()->rows.size(), 20U)
      << "the scene must show the same outputs as the diagram";
  EXPECT_EQ(diagram.picture().size(), diagram.size());
  lessons().start(lesson("voxelize"), 1);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_FALSE(diagram.isVisible());
  lessons().start(lesson("indexing"), 0);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_TRUE(diagram.isVisible());
  lessons().leave();
  EXPECT_FALSE(diagram.isVisible());
}

TEST_F(LessonRunsTest, QuestionsOnDataflowsAreAnsweredBySelecting) {
  setCalm(true);
  open("street");
  start("dataflows", 10);
  ASSERT_NE(panel().questions(), nullptr);
  const auto densities = app.workspace().shownMap(-1).densities;
  ASSERT_TRUE(densities);
  std::vector<int> near;
  int thin = -1;
  for (const ColumnDensity& column : densities->columns) {
    if (column.l1 == 1) near.push_back(column.column);
    if (column.density <= 0.1) thin = column.column;
  }
  ASSERT_GE(thin, 0);
  const auto solves = [&](std::size_t question) {
    return waitFor([&] { return panel().questions()->solved(question); });
  };
  app.selection().setColumns({thin});
  EXPECT_TRUE(solves(0));
  app.selection().setColumns(near);
  EXPECT_TRUE(solves(2));
  EXPECT_FALSE(panel().questions()->solved(1)) << "the question must not be solved before a layer runs";
}

TEST_F(LessonRunsTest, QuestionsOnIndexingAreAnsweredByRunningAndSelecting) {
  setCalm(true);
  open("room");
  app.commands().trigger("network.resn21");
  start("indexing", 6);
  ASSERT_NE(panel().questions(), nullptr);
  app.selection().setStride(16);
  EXPECT_TRUE(waitFor([&] { return panel().questions()->solved(0); }));
  app.commands().trigger("run.run");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() > 3; }));
  const Network& network = *app.workspace().network();
  for (int layer = 0; layer < static_cast<int>(network.layers.size()); ++layer) {
    if (panel().questions()->solved(1) && panel().questions()->solved(2)) break;
    app.selection().setLayer(layer);
    ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  }
  EXPECT_TRUE(panel().questions()->solved(1));
  EXPECT_TRUE(panel().questions()->solved(2));
}

TEST_F(LessonRunsTest, TheLastPageOfPointsTimesBothLayersOnTheOpenScene) {
  open("room");
  setCalm(true);
  start("points", 4);
  EXPECT_EQ(number("samples, voxels"), 11);
  EXPECT_EQ(number("samples, native"), 11);
  for (const char* row : {"map, median", "features, median"}) {
    for (const char* layer : {"voxels", "native"})
      EXPECT_GT(number(QString("%1, %2").arg(row, layer)), 0) << row << " " << layer;
  }
  app.workspace().requested().setSceneKernelSize(5);
  ASSERT_TRUE(waitFor([&] { return lessons().pages().settled(); }));
  EXPECT_EQ(number("samples, native"), 11) << "another kernel must be timed again";
}

}  // namespace
}  // namespace spira::ui
