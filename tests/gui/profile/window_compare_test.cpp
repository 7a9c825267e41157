// Tests the comparison of two runs. The views must show both scenes from the same camera position, and each
// row must show the densities of both runs.
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/sweep_chart.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_pane.hpp"
#include "ui/features/compare/compared_scenes.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/view3d/scene/scene_camera.hpp"
#include "ui/view3d/view_overlay.hpp"
#include "ui/view3d/voxels/voxel_colours.hpp"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace spira::ui {
namespace {

using testing::HasSubstr;
using testing::Not;

class CompareWindow : public WindowTest {
 protected:
  [[nodiscard]] QString roomFile(std::uint64_t seed) {
    const QString file = folder.filePath(QString("room%1.ply").arg(seed));
    write_scene(*test::small_room(2000, seed), file.toStdString());
    return file;
  }
  void measureRoom(std::uint64_t seed) {
    open(roomFile(seed));
    if (app.workspace().network()->name != "little")
      app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    ASSERT_TRUE(app.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  }
  [[nodiscard]] QString fileOf(const char* created, const QString& name) {
    Report report = test::recorded_report();
    report.created = created;
    write_report(folder.filePath(name).toStdString(), report);
    return folder.filePath(name);
  }
  [[nodiscard]] ComparedScenes& scenes() { return child<ComparedScenes>(window); }
  [[nodiscard]] bool bothSettled() {
    return app.sceneView().settled() && scenes().baselineView() != nullptr &&
           scenes().baselineView()->settled();
  }
  /// Returns true if both cameras have the same position and target. The two scenes can have different
  /// origins, so rounding differences are allowed.
  [[nodiscard]] bool fromOnePlace() {
    const auto a = app.sceneView().camera().pose(), b = scenes().baselineView()->camera().pose();
    if (!a || !b) return false;
    double apart = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      apart = std::max({apart, std::abs(a->position_m.at(axis) - b->position_m.at(axis)),
                        std::abs(a->focal_m.at(axis) - b->focal_m.at(axis))});
    return apart < 1e-6;
  }

  QTemporaryDir folder;
};

TEST_F(CompareWindow, TheSceneOfTheBaselineCanBeHiddenSeparately) {
  measureRoom(1);
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  measureRoom(2);
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  app.viewParts().show(ViewPart::baseline, false);
  EXPECT_EQ(scenes().baselineView()->hiddenText(), "Voxels are hidden");
  EXPECT_EQ(app.sceneView().hiddenText(), "")
      << "hiding the scene of the baseline must keep the open scene visible";
  QTest::mouseClick(scenes().baselineView()->findChild<QPushButton*>("showHidden"), Qt::LeftButton);
  EXPECT_TRUE(app.viewParts().shows(ViewPart::baseline));
  EXPECT_EQ(scenes().baselineView()->hiddenText(), "");
}

TEST_F(CompareWindow, ANewComparisonKeepsTheSelectedLayerAndRow) {
  measureRoom(1);
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  app.selection().setLayer(1);
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ComparePanel& panel = *app.profileTools().comparePanel();
  ASSERT_TRUE(waitFor([&] { return idle() && panel.table()->model()->rowCount() > 3; }));
  ASSERT_TRUE(panel.table()->currentIndex().isValid()) << "a row must be selected";
  EXPECT_EQ(app.selection().layer(), 1) << "the measurement must not select another layer";
  const auto text = [&](int row, int column) {
    return panel.table()->model()->index(row, column).data().toString();
  };
  int other = -1;
  for (int row = 0; row < panel.table()->model()->rowCount(); ++row) {
    if (!text(row, CompareModel::layer).isEmpty() && row != panel.table()->currentIndex().row()) other = row;
  }
  ASSERT_GE(other, 0);
  // The displayed name of a layer becomes shorter if wide numbers need the space.
  const auto layerOf = [&](int row) {
    return panel.table()->model()->index(row, CompareModel::layer).data(CompareModel::layer_role).toString();
  };
  const QString layer = layerOf(other), stage = text(other, CompareModel::stage);
  panel.table()->selectRow(other);
  app.selection().setLayer(-1);
  const auto former = app.workspace().results().measurement();
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement() != former; }));
  ASSERT_TRUE(waitFor([&] { return panel.table()->currentIndex().isValid(); }));
  const int now = panel.table()->currentIndex().row();
  EXPECT_EQ(layerOf(now), layer);
  EXPECT_EQ(text(now, CompareModel::stage), stage);
  EXPECT_EQ(app.selection().layer(), -1);
}

TEST_F(CompareWindow, TheFollowingLayoutHasSpaceForItsResults) {
  window.resize(1024, 640);
  measureRoom(1);
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  measureRoom(1);
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return app.profileTools().comparing()->comparison() && bothSettled(); }));
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  QApplication::processEvents();
  const QTabWidget& tabs = app.docks().tabs(DockLayout::Side::bottom);
  EXPECT_LE(tabs.mapTo(&window, QPoint(0, tabs.height())).y(), window.statusBar()->y());
  EXPECT_EQ(window.height(), 640);
}

TEST_F(CompareWindow, ChangesOfBaselinesCanBeUndone) {
  app.opening().open(fileOf("2026-05-01T10:00:00Z", "now.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  Comparing& comparing = *app.profileTools().comparing();
  const auto report = std::make_shared<const Report>(test::recorded_report());
  comparing.add("first", report, nullptr);
  comparing.add("second", report, nullptr);
  const auto names = [&] {
    QStringList all;
    for (const Baseline& one : comparing.baselines())
      all.append(QString("%1 %2%3").arg(one.name).arg(one.colour).arg(one.hidden ? " hidden" : ""));
    return all;
  };
  const QStringList before = names();
  comparing.recolour(0, 4);
  comparing.setHidden(1, true);
  comparing.move(0, 1);
  comparing.rename(0, "other");
  comparing.remove(1);
  const QStringList after = names();
  EXPECT_EQ(after, QStringList{"other 1 hidden"});
  EXPECT_EQ(app.commands().action("edit.undo")->text(), "Undo remove baseline");
  for (int step = 0; step < 5; ++step)
    ASSERT_TRUE(app.commands().trigger("edit.undo")) << step;
  EXPECT_EQ(names(), before);
  EXPECT_EQ(comparing.chosen(), 1);
  EXPECT_FALSE(app.commands().trigger("edit.undo"));
  for (int step = 0; step < 5; ++step)
    ASSERT_TRUE(app.commands().trigger("edit.redo")) << step;
  EXPECT_EQ(names(), after);
}

TEST_F(CompareWindow, TheSceneOfTheBaselineIsNextToTheOpenOneFromTheSamePosition) {
  measureRoom(1);
  const auto before = app.workspace().scene().voxels();
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  measureRoom(2);
  EXPECT_EQ(scenes().baselineView(), nullptr) << "the baseline must not be drawn before the user asks for it";
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  // After the first picture, the views are linked.
  const QSignalSpy drawn(scenes().baselineView(), &SceneView::pictureReady);
  ASSERT_TRUE(waitFor([&] { return drawn.count() > 0 && bothSettled(); }));
  EXPECT_TRUE(scenes().sceneUnavailableReason().isEmpty());
  EXPECT_EQ(app.profileTools().comparing()->baselineScene(), before);
  const auto as_it_was = app.sceneView().camera().pose();
  ASSERT_TRUE(waitFor([&] { return fromOnePlace(); }));
  EXPECT_EQ(app.sceneView().camera().pose(), as_it_was)
      << "the new view must take the camera position of the open one";
  ASSERT_TRUE(app.commands().trigger("view.top"));
  EXPECT_TRUE(fromOnePlace());
  scenes().baselineView()->camera().look(1, 0, 0);
  EXPECT_TRUE(fromOnePlace()) << "moving either camera must move the other one";
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  EXPECT_FALSE(scenes().sideBySide());
}

TEST_F(CompareWindow, TheBaselineFollowsTheDisplayedStride) {
  measureRoom(1);
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  measureRoom(2);
  ASSERT_TRUE(app.commands().trigger("view.stride_2"));
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  const auto voxels = count_text(size_of(app.profileTools().comparing()->baselineScene()->level(2)));
  EXPECT_THAT(scenes().baselineView()->findChild<ViewOverlay*>()->note().toStdString(), HasSubstr(voxels));
}

TEST_F(CompareWindow, ChangesAreAColouringOnBothSides) {
  auto* colours = window.findChild<QComboBox*>("colourBy");
  const int row = colours->findText("Changes from baseline");
  ASSERT_GE(row, 0);
  const auto possible = [&] {
    return (colours->model()->flags(colours->model()->index(row, 0)) & Qt::ItemIsEnabled) != 0;
  };
  measureRoom(1);
  EXPECT_FALSE(possible());
  EXPECT_THAT(colours->itemData(row, Qt::ToolTipRole).toString().toStdString(), HasSubstr("press B"));
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  const auto before = app.workspace().scene().voxels();
  measureRoom(2);
  EXPECT_TRUE(possible());
  ColourLegend legend;
  QObject::connect(&app.sceneView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { legend = now; });
  app.selection().look().setColourBy(ColourBy::changed);
  ASSERT_TRUE(waitFor([&] { return app.sceneView().settled(); }));
  ASSERT_EQ(legend.classes.size(), 3U);
  const std::int64_t both = legend.classes[0].voxels;
  EXPECT_EQ(both + legend.classes[1].voxels, size_of(app.workspace().scene().voxels()->level(1)));
  EXPECT_EQ(both + legend.classes[2].voxels, size_of(before->level(1)));
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  ColourLegend beside;
  QObject::connect(scenes().baselineView(), &SceneView::legendChanged,
                   [&](const ColourLegend& now) { beside = now; });
  app.selection().look().setColourBy(ColourBy::height);
  app.selection().look().setColourBy(ColourBy::changed);
  ASSERT_EQ(beside.classes.size(), 3U);
  EXPECT_EQ(beside.classes[0].voxels, both);
  EXPECT_EQ(beside.classes[1].voxels, legend.classes[2].voxels);
}

TEST_F(CompareWindow, ReportsGiveTheReasonWhyTheyShowNoScene) {
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  EXPECT_THAT(scenes().sceneUnavailableReason().toStdString(), HasSubstr("No baseline yet"));
  app.opening().openAll(
      {fileOf("2026-11-21T20:00:00Z", "a.spira.json"), fileOf("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return app.profileTools().comparing()->comparison() && idle(); }));
  EXPECT_TRUE(scenes().sideBySide()) << "the views must stay side by side";
  EXPECT_THAT(scenes().sceneUnavailableReason().toStdString(), HasSubstr("contains no coordinates"));
  EXPECT_THAT(scenes().sceneUnavailableReason().toStdString(), HasSubstr("a.spira.json"));
  EXPECT_EQ(scenes().baselineView(), nullptr);
}

TEST_F(CompareWindow, AReportOfTheOpenVoxelsShowsThemNextToTheScene) {
  measureRoom(1);
  Report report = *app.profileTools().comparing()->current();
  app.profileTools().comparing()->add("far", std::make_shared<const Report>(report), nullptr);
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  EXPECT_EQ(app.profileTools().comparing()->baselineScene(), app.workspace().scene().voxels());
}

TEST_F(CompareWindow, ASceneWithTheFingerprintOfAReportIsFoundAmongTheRecentFiles) {
  measureRoom(1);  // This call makes the file a recent file.
  Report report = *app.profileTools().comparing()->current();
  const auto written = [&](const char* created, const QString& name) {
    report.created = created;
    write_report(folder.filePath(name).toStdString(), report);
    return folder.filePath(name);
  };
  app.opening().openAll(
      {written("2026-11-21T20:00:00Z", "a.spira.json"), written("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return app.workspace().results().report() && idle(); }));
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] {
    return scenes().baselineView() != nullptr && scenes().recordedView() != nullptr &&
           scenes().baselineView()->settled() && scenes().recordedView()->settled();
  }));
  EXPECT_TRUE(scenes().sceneUnavailableReason().isEmpty());
  EXPECT_TRUE(app.workspace().results().report()) << "the report must stay open";
  for (const bool recorded : {true, false}) {
    SceneView* moved = recorded ? scenes().recordedView() : scenes().baselineView();
    ASSERT_TRUE(waitFor([&] {  // The views are linked after their first picture.
      moved->camera().look(recorded ? 1 : 0, recorded ? 0 : 1, 0);
      return moved->camera().pose() &&
             scenes().recordedView()->camera().pose() == scenes().baselineView()->camera().pose();
    }));
  }
}

TEST_F(CompareWindow, AFileThatIsNotTheSceneOfAReportIsRefusedWithTheReason) {
  measureRoom(1);
  Report report = *app.profileTools().comparing()->current();
  report.scene.name = "elsewhere.ply";
  app.profileTools().comparing()->add("far", std::make_shared<const Report>(report), nullptr);
  measureRoom(2);  // The voxels differ from the voxels of the baseline.
  ASSERT_TRUE(app.commands().trigger("layout.compare"));
  EXPECT_THAT(scenes().sceneUnavailableReason().toStdString(), HasSubstr("elsewhere.ply"));
  EXPECT_THAT(scenes().sceneUnavailableReason().toStdString(),
              HasSubstr("None of the recent files contains this scene"));
  scenes().findIn(roomFile(2));
  ASSERT_TRUE(waitFor([&] {
    return scenes().sceneUnavailableReason().contains(
        "has different voxels; it is not the scene of this run");
  }));
  scenes().findIn(roomFile(1));
  ASSERT_TRUE(waitFor([&] { return scenes().sceneUnavailableReason().isEmpty(); }));
}

TEST_F(CompareWindow, AVerdictBringsBothBarsAndBothCurves) {
  app.opening().openAll(
      {fileOf("2026-11-21T20:00:00Z", "a.spira.json"), fileOf("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return app.profileTools().comparing()->comparison() && idle(); }));
  ComparePanel& panel = *app.profileTools().comparePanel();
  panel.words()->setText("deep features");
  panel.table()->selectRow(0);
  ASSERT_TRUE(app.workspace().baseline().report());
  app.docks().tabs(DockLayout::Side::bottom).setCurrentIndex(1);
  const auto* stages = window.findChild<StageChart*>();
  const auto& bars = stages->bars();
  const auto deep = std::find_if(bars.begin(), bars.end(),
                                 [](const StageBar& bar) { return bar.layer == 2 && !bar.is_map; });
  ASSERT_NE(deep, bars.end());
  double now = 0;
  for (const auto& [group, ms] : deep->parts)
    now += ms;
  EXPECT_NEAR(deep->baseline_ms, now, 1e-9) << "both runs must have the same time";
  EXPECT_TRUE(stages->table().header.last().startsWith("baseline"));
  const auto* sweep = child<SweepPanel>(window).findChild<SweepChart*>("sweep.thresholds.chart");
  EXPECT_TRUE(sweep->table().header.last().startsWith("Baseline"));
  EXPECT_EQ(sweep->table().rows.front().last(), sweep->table().rows.front()[1]);
  EXPECT_FALSE(child<TimelinePanel>(window).chart()->view().comparesLayer())
      << "a layer without spans must not be compared in the timeline";
  app.selection().setLayer(0);
  EXPECT_TRUE(child<TimelinePanel>(window).chart()->view().comparesLayer());
  app.profileTools().comparing()->remove(0);
  EXPECT_FALSE(app.workspace().baseline().report());
  EXPECT_LT(window.findChild<StageChart*>()->bars().front().baseline_ms, 0);
}

TEST_F(CompareWindow, TheRowOfALayerHasTheDensitiesOfBothRuns) {
  app.opening().openAll(
      {fileOf("2026-11-21T20:00:00Z", "a.spira.json"), fileOf("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return app.profileTools().comparing()->comparison() && idle(); }));
  ComparePanel& panel = *app.profileTools().comparePanel();
  EXPECT_FALSE(panel.pane()->densities()->hasContent()) << "the whole network must have no densities";
  panel.words()->setText("deep features");
  panel.table()->selectRow(0);
  ASSERT_TRUE(panel.pane()->densities()->hasContent());
  ASSERT_NE(panel.pane()->densities()->subset(), nullptr);
  EXPECT_EQ(panel.pane()->densities()->subset()->pairs, test::recorded_report().layer_densities[2].pairs);
  EXPECT_THAT(panel.pane()->findChild<QLabel*>("densityText")->text().toStdString(),
              HasSubstr("baseline</span>"));
  EXPECT_THAT(panel.pane()->findChild<QLabel*>("densityText")->text().toStdString(),
              Not(HasSubstr("cannot")));
}

TEST_F(CompareWindow, EveryFigureIsVisibleWithoutScrolling) {
  app.opening().openAll(
      {fileOf("2026-11-21T20:00:00Z", "before.json"), fileOf("2026-11-22T20:00:00Z", "now.json")});
  ASSERT_TRUE(waitFor([&] { return idle() && app.profileTools().comparing()->comparison(); }));
  ASSERT_TRUE(app.commands().trigger("compare.show"));
  const QTableView& table = *app.profileTools().comparePanel()->table();
  for (const QSize size : {QSize(1440, 900), QSize(1024, 640)}) {
    window.resize(size);
    ASSERT_TRUE(waitFor([&] { return window.size() == size; }));
    QApplication::processEvents();
    EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0) << size.width();
    for (const int column : {CompareModel::verdict, CompareModel::change, CompareModel::baseline,
                             CompareModel::current, CompareModel::n}) {
      const QString heading = table.model()->headerData(column, Qt::Horizontal).toString();
      EXPECT_FALSE(table.isColumnHidden(column));
      EXPECT_GT(table.columnWidth(column), table.horizontalHeader()->fontMetrics().horizontalAdvance(heading))
          << heading.toStdString() << " at " << size.width();
    }
  }
}

TEST_F(CompareWindow, OfManyReportsTheNewestAreCompared) {
  QStringList files;
  for (int day = 1; day <= 7; ++day)
    files += fileOf(QString("2026-11-0%1T20:00:00Z").arg(day).toLatin1().constData(),
                    QString("r%1.spira.json").arg(day));
  QStringList log;
  QObject::connect(&app.workspace(), &Workspace::logAdded, [&](const QString& line) { log += line; });
  app.opening().openAll(files);
  ASSERT_TRUE(waitFor([&] { return app.profileTools().comparing()->comparison() && idle(); }));
  const auto& baselines = app.profileTools().comparing()->baselines();
  ASSERT_EQ(baselines.size(), 4U);
  EXPECT_EQ(baselines.front().name, "r3.spira.json");
  EXPECT_EQ(baselines.back().name, "r6.spira.json");
  EXPECT_THAT(log.join('\n').toStdString(), HasSubstr("2 older reports were not opened"));
}

}  // namespace
}  // namespace spira::ui
