// Tests journey J2: the user finds the slowest part of a network, in three gestures and two keys.
#include "engine/base/text.hpp"
#include "engine/run/trust.hpp"
#include "tests/gui/journeys/journey.hpp"
#include "ui/charts/timeline/timeline_chart.hpp"
#include "ui/model/measured/measured_here.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/timeline_panel.hpp"
#include "ui/theme/screen_number.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolBar>

#include <gmock/gmock.h>

#include <algorithm>

namespace spira::ui {
namespace {

class SlowestJourney : public Journey {
 protected:
  void pickNetwork(const QString& name) {
    auto* box = window.findChild<QToolBar*>("toolbar")->findChild<QComboBox*>();
    hands.click(*box);
    ASSERT_TRUE(waitFor([&] { return box->view()->isVisible(); }));
    const QModelIndex row = box->model()->index(box->findData(name), 0);
    hands.click(*box->view()->viewport(), box->view()->visualRect(row).center());
    ASSERT_EQ(app.workspace().network()->name, name.toStdString());
  }
  /// Expects that the spans of a layer fill the visible range of the timeline. Does not check their duration,
  /// because one layer can take most of a run on a busy machine.
  static void expectFillsTheView(const TimelineChart& chart, const Timeline& timeline,
                                 const std::string& layer) {
    double start_ms = timeline.shown_wall_ms(), end_ms = 0;
    for (const TimelineSpan& span : timeline.spans) {
      if (span.stage.layer() != layer) continue;
      start_ms = std::min(start_ms, span.start_ms);
      end_ms = std::max(end_ms, span.end_ms);
    }
    ASSERT_LT(start_ms, end_ms);
    EXPECT_LE(chart.scale().low(), start_ms);
    EXPECT_GE(chart.scale().high(), end_ms);
    EXPECT_LE(chart.scale().high() - chart.scale().low(), 1.3 * (end_ms - start_ms));
  }
};

TEST_F(SlowestJourney, APickARunALinkAndF) {
  openWith(file("room", 30'000, "room.ply"), 0.06);
  pickNetwork("resn21");
  hands.key(window, Qt::Key_M, Qt::ControlModifier);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  const Measurement& measured = *app.workspace().results().measurement();
  QTableWidget& slowest = *child<SummaryPanel>(window).overview()->slowest();
  ASSERT_TRUE(slowest.isVisible()) << "Summary must be visible";
  picture(app, "slowest-summary");
  hands.click(*slowest.viewport(), slowest.visualItemRect(slowest.item(0, 0)).center());
  const int layer = app.selection().layer();
  ASSERT_GE(layer, 0);
  for (const auto& other : measured.layers)
    EXPECT_LE(other.stages.sum_of_tops_ms(),
              measured.layers[static_cast<std::size_t>(layer)].stages.sum_of_tops_ms());
  const TimelineChart& chart = *child<TimelinePanel>(window).chart();
  ASSERT_TRUE(chart.isVisible());
  hands.key(window, Qt::Key_F);
  expectFillsTheView(chart, measured.timeline, measured.layers[static_cast<std::size_t>(layer)].name);
  EXPECT_EQ(hands.count(), (Count{3, 2}));
  picture(app, "slowest-timeline");
}

TEST_F(SlowestJourney, ASingleRunShowsItsTotalItsSlowestLayersAndItsStages) {
  open(file("room", 2000, "room.ply"));
  RunOverview& overview = *child<SummaryPanel>(window).overview();
  EXPECT_FALSE(overview.slowest()->isVisible()) << "no layer has run";
  runNetwork("resn21");
  ASSERT_TRUE(waitFor([&] { return overview.slowest()->isVisible(); }));
  const auto times = run_times(app.workspace());
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->wall) << "a single run has no wall time";
  EXPECT_THAT(overview.total()->text().toStdString(),
              testing::AllOf(testing::HasSubstr("Sum of all stages, one run"),
                             testing::HasSubstr(keepUnits(msOnScreen(times->sum_ms, 1)).toStdString())));
  EXPECT_TRUE(child<SummaryPanel>(window).run()->text().contains(
      keepUnits(msOnScreen(times->single_wall_ms.value(), 1)) + " for the layers alone, without indexing"));
  EXPECT_EQ(overview.slowest()->rowCount(), 5);
  EXPECT_EQ(overview.stages()->rowCount(), std::ssize(times->stages));
  EXPECT_EQ(overview.layerAt(0), times->slowest.front().layer);
  ASSERT_TRUE(std::ranges::any_of(times->stages,
                                  [](const auto& stage) { return stage.first == StageGroup::residual; }));
  const auto outside = overview.stages()->findItems("outside", Qt::MatchStartsWith);
  ASSERT_EQ(outside.size(), 1);
  EXPECT_TRUE(outside.front()->toolTip().contains("the part of the stage that no step covers"));
  const auto labels = overview.findChildren<QLabel*>();
  EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->isVisible() && label->text().endsWith("single run: the order may change; press Measure");
  }));
}

TEST_F(SlowestJourney, AMeasuredTotalHasATitleAndItsTrustGrade) {
  open(file("room", 2000, "room.ply"));
  ASSERT_TRUE(app.commands().trigger("run.measure"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  QApplication::processEvents();
  const QLabel& total = *child<SummaryPanel>(window).overview()->total();
  const Trust trust = trust_of(*app.workspace().results().measurement());
  EXPECT_THAT(total.text().toStdString(),
              testing::AllOf(testing::HasSubstr("Wall time of one run"),
                             testing::HasSubstr(std::string("Trust grade ") + letter_of(trust.grade)),
                             testing::HasSubstr(std::string(meaning_of(trust.grade)))));
  EXPECT_TRUE(total.toolTip().contains(onScreen(trust.text()))) << "the tooltip must list the reasons";
}

/// The spread of a single sample is not known.
TEST(SingleSamples, HaveNoMoreDigitsThanCanBeTrusted) {
  EXPECT_EQ(msOnScreen(0.9224, 1), "0.92 ms");
  EXPECT_EQ(msOnScreen(7.767, 1), "7.8 ms");
  EXPECT_EQ(msOnScreen(9.96, 1), "10 ms");
  EXPECT_EQ(msOnScreen(115.3, 1), "120 ms");
  EXPECT_EQ(msOnScreen(996.0, 1), "1.0 s");
  EXPECT_EQ(msOnScreen(12'345, 1), "12 s");
  EXPECT_EQ(msOnScreen(0.0123, 1), "0.012 ms");
  EXPECT_EQ(msOnScreen(0, 1), "0.00 ms");
  EXPECT_EQ(msOnScreen(2704, 1), "2.7 s");
  EXPECT_EQ(msOnScreen(7.767, 15), "7.767 ms");
}

TEST_F(SlowestJourney, TheSummaryCountsThePairsOfAllKernelSizesWithoutARun) {
  open(file("room", 2000, "room.ply"));
  const QLabel& table = *child<SummaryPanel>(window).pairs();
  EXPECT_TRUE(table.isVisible());
  EXPECT_THAT(table.text().toStdString(), testing::HasSubstr("\u2026"))
      << "the places of the values are reserved";
  const int height = table.heightForWidth(table.width());
  ASSERT_TRUE(waitFor([&] {
    return idle() && app.workspace().scene().map(1).densities && !table.text().contains(QChar(0x2026));
  }));
  EXPECT_EQ(table.heightForWidth(table.width()), height) << "nothing must move when the count ends";
  const Densities& map = *app.workspace().scene().map(1).densities;
  const double pairs = static_cast<double>(map.pairs) / static_cast<double>(map.outputs);
  EXPECT_THAT(
      table.text().toStdString(),
      testing::AllOf(testing::HasSubstr(">" + onScreen(fixed(pairs, 1)).toStdString() + "<"),
                     testing::HasSubstr("7x7x7"),
                     testing::HasSubstr(">" + onScreen(count_text(map.outputs)).toStdString() + "<")));
  EXPECT_EQ(table.text().count("<tr>"), 6) << "the head and the strides 1 to 16";
  EXPECT_EQ(app.workspace().results().layersRun(), 0);
}

TEST_F(SlowestJourney, ARunFillsInThePairsOfItsKernelMaps) {
  open(file("room", 2000, "room.ply"));
  SummaryPanel& summary = child<SummaryPanel>(window);
  const auto missing = [&] { return summary.pairs()->text().count(QChar(0x2026)); };
  const auto uncounted = missing();
  ASSERT_GT(uncounted, 0);
  ASSERT_TRUE(app.commands().trigger("run.run"));
  // The count waits while frames are drawn, so all values come from the run.
  ASSERT_TRUE(waitFor([&] {
    summary.yieldToFrames();
    return idle() && missing() < uncounted;
  })) << summary.pairs()->text().toStdString();
  EXPECT_GT(missing(), 0) << "the run has no kernel maps of 5x5x5 and 7x7x7";
  const auto& first = app.workspace().results().layer(0);
  ASSERT_NE(first, nullptr);
  const double pairs = static_cast<double>(first->densities.pairs) / static_cast<double>(first->map->outputs);
  EXPECT_TRUE(summary.pairs()->text().contains(">" + onScreen(fixed(pairs, 1)) + "<"));
}

/// The sums are computed again from the stages of the layers, without run_times().
TEST_F(SlowestJourney, SharesReferToTheSumOfAllStages) {
  open(file("room", 2000, "room.ply"));
  runNetwork("resn21");
  const auto times = run_times(app.workspace());
  ASSERT_TRUE(times);
  double sum = app.workspace().scene().voxels()->stages.sum_of_tops_ms(), longest = 0;
  for (int layer = 0; layer < times->layers; ++layer) {
    const double ms = app.workspace().results().layer(layer)->stages.sum_of_tops_ms();
    sum += ms;
    longest = std::max(longest, ms);
  }
  EXPECT_DOUBLE_EQ(times->sum_ms, sum);
  EXPECT_DOUBLE_EQ(times->slowest.front().ms, longest);
  EXPECT_DOUBLE_EQ(times->slowest.front().share, longest / sum);
  double stages = 0;
  for (const auto& [group, ms] : times->stages)
    stages += ms;
  EXPECT_NEAR(stages, sum, sum * 1e-9) << "inner stages must be counted once";
}

}  // namespace
}  // namespace spira::ui
