// Two runs beside each other: their scenes from one place, and the densities behind a verdict.
#include "engine/scene/write_scene.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/panels/compare_panel.hpp"
#include "ui/panels/compared_pane.hpp"
#include "ui/window/compared_scenes.hpp"
#include "ui/window/profile_tools.hpp"

#include <QLineEdit>
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
    if (window.workspace().network()->name != "little")
      window.jobs().useNetwork(std::make_shared<const Network>(test::little_unet()));
    ASSERT_TRUE(window.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && window.workspace().measurement(); }));
  }
  [[nodiscard]] QString fileOf(const char* created, const QString& name) {
    Report report = test::recorded_report();
    report.created = created;
    write_report(folder.filePath(name).toStdString(), report);
    return folder.filePath(name);
  }
  [[nodiscard]] ComparedScenes& scenes() { return window.comparedScenes(); }
  [[nodiscard]] bool bothSettled() {
    return window.sceneView().settled() && scenes().baselineView() != nullptr &&
           scenes().baselineView()->settled();
  }
  /// Both cameras stand and look at the same places, within what the two origins round away.
  [[nodiscard]] bool fromOnePlace() {
    const auto a = window.sceneView().pose(), b = scenes().baselineView()->pose();
    if (!a || !b) return false;
    double apart = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      apart = std::max({apart, std::abs(a->position_m.at(axis) - b->position_m.at(axis)),
                        std::abs(a->focal_m.at(axis) - b->focal_m.at(axis))});
    return apart < 1e-6;
  }

  QTemporaryDir folder;
};

TEST_F(CompareWindow, TheSceneOfTheBaselineStandsBesideTheOpenOneFromTheSamePlace) {
  measureRoom(1);
  const auto before = window.workspace().voxels();
  ASSERT_TRUE(window.commands().trigger("compare.set_baseline"));
  measureRoom(2);
  EXPECT_EQ(scenes().baselineView(), nullptr) << "nothing is drawn that nobody asked for";
  ASSERT_TRUE(window.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  EXPECT_TRUE(scenes().whyNoScene().isEmpty());
  EXPECT_EQ(window.profileTools().comparing()->baselineScene(), before);
  const auto as_it_was = window.sceneView().pose();
  ASSERT_TRUE(waitFor([&] { return fromOnePlace(); }));
  EXPECT_EQ(window.sceneView().pose(), as_it_was) << "the new view comes to the open one";
  ASSERT_TRUE(window.commands().trigger("view.top"));
  EXPECT_TRUE(fromOnePlace());
  scenes().baselineView()->look(1, 0, 0);
  EXPECT_TRUE(fromOnePlace()) << "and either takes the other along";
  ASSERT_TRUE(window.commands().trigger("layout.profile"));
  EXPECT_FALSE(scenes().beside());
}

TEST_F(CompareWindow, ReportsSayWhyTheyShowNoScene) {
  ASSERT_TRUE(window.commands().trigger("layout.compare"));
  EXPECT_THAT(scenes().whyNoScene().toStdString(), HasSubstr("no baseline yet"));
  window.openAll(
      {fileOf("2026-11-21T20:00:00Z", "a.spira.json"), fileOf("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return window.profileTools().comparing()->comparison() && idle(); }));
  EXPECT_TRUE(scenes().beside()) << "the layout stays";
  EXPECT_THAT(scenes().whyNoScene().toStdString(), HasSubstr("carries no coordinates"));
  EXPECT_THAT(scenes().whyNoScene().toStdString(), HasSubstr("a.spira.json"));
  EXPECT_EQ(scenes().baselineView(), nullptr);
}

TEST_F(CompareWindow, AReportOfTheOpenVoxelsStandsBesideThem) {
  measureRoom(1);
  Report report = *window.profileTools().comparing()->current();
  window.profileTools().comparing()->add("far", std::make_shared<const Report>(report), nullptr);
  ASSERT_TRUE(window.commands().trigger("layout.compare"));
  ASSERT_TRUE(waitFor([&] { return bothSettled(); }));
  EXPECT_EQ(window.profileTools().comparing()->baselineScene(), window.workspace().voxels());
}

TEST_F(CompareWindow, TheRowOfALayerHasTheDensitiesOfBothRuns) {
  window.openAll(
      {fileOf("2026-11-21T20:00:00Z", "a.spira.json"), fileOf("2026-11-22T20:00:00Z", "b.spira.json")});
  ASSERT_TRUE(waitFor([&] { return window.profileTools().comparing()->comparison() && idle(); }));
  ComparePanel& panel = *window.profileTools().comparePanel();
  EXPECT_FALSE(panel.pane()->densities()->hasContent()) << "the whole network has none";
  panel.words()->setText("deep features");
  panel.table()->selectRow(0);
  ASSERT_TRUE(panel.pane()->densities()->hasContent());
  ASSERT_NE(panel.pane()->densities()->subset(), nullptr);
  EXPECT_EQ(panel.pane()->densities()->subset()->pairs, test::recorded_report().layer_densities[2].pairs);
  EXPECT_THAT(panel.pane()->densityText().toStdString(), HasSubstr("baseline</span>"));
  EXPECT_THAT(panel.pane()->densityText().toStdString(), Not(HasSubstr("cannot")));
}

TEST_F(CompareWindow, OfManyReportsTheNewestAreTaken) {
  QStringList files;
  for (int day = 1; day <= 7; ++day)
    files += fileOf(QString("2026-11-0%1T20:00:00Z").arg(day).toLatin1().constData(),
                    QString("r%1.spira.json").arg(day));
  QStringList log;
  QObject::connect(&window.workspace(), &Workspace::logAdded, [&](const QString& line) { log += line; });
  window.openAll(files);
  ASSERT_TRUE(waitFor([&] { return window.profileTools().comparing()->comparison() && idle(); }));
  const auto& baselines = window.profileTools().comparing()->baselines();
  ASSERT_EQ(baselines.size(), 4U);
  EXPECT_EQ(baselines.front().name, "r3.spira.json");
  EXPECT_EQ(baselines.back().name, "r6.spira.json");
  EXPECT_THAT(log.join('\n').toStdString(), HasSubstr("2 older reports were left out"));
}

}  // namespace
}  // namespace spira::ui
