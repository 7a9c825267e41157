// Tests the Profile layout and the selection in its views: advice in Summary, two runs next to each other,
// bars, and kernel maps.
#include "engine/report/report_exports.hpp"
#include "engine/scene/point_cloud.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/histogram_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/features/compare/compare_panel.hpp"
#include "ui/features/compare/compared_pane.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/features/tune/profile_tools.hpp"
#include "ui/model/tables/compare_model.hpp"
#include "ui/model/tables/map_table_model.hpp"
#include "ui/panels/map_panel.hpp"
#include "ui/panels/profile/advice_list.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/theme/theme.hpp"
#include "ui/window/banner.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace spira::ui {
namespace {

using testing::HasSubstr;

class ProfileWindow : public WindowTest {
 protected:
  [[nodiscard]] QString fileOf(const Report& report, const QString& name) {
    write_report(folder.filePath(name).toStdString(), report);
    return folder.filePath(name);
  }
  /// Returns the recorded run with all times multiplied by `factor`, and with enough samples for a verdict.
  [[nodiscard]] static Report recorded(double factor, const char* created) {
    Report report = test::recorded_report();
    report.created = created;
    report.measurement.state_after = {};
    report.measurement.wall.ms.clear();
    for (int at = 0; at < 30; ++at)
      report.measurement.wall.ms.push_back(factor * (2.5 + 0.0001 * at));
    return report;
  }
  void openTwo() {
    const QString slower = fileOf(recorded(1.2, "2026-11-22T20:00:00Z"), "now.spira.json");
    const QString faster = fileOf(recorded(1.0, "2026-11-21T20:00:00Z"), "before.spira.json");
    app.opening().openAll({slower, faster});
    ASSERT_TRUE(waitFor([&] { return comparing().comparison() != nullptr && idle(); }));
  }
  void useLittleNetwork() {
    app.jobs().runs().useNetwork(std::make_shared<const Network>(test::little_unet()));
  }
  /// Opens a small scene, so that even a busy machine takes samples quickly.
  void openRoom() {
    const QString file = folder.filePath("room.ply");
    write_scene(*test::small_room(2000), file.toStdString());
    open(file);
    useLittleNetwork();
  }
  void measure() {
    ASSERT_TRUE(app.commands().trigger("run.measure"));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement(); }));
  }
  [[nodiscard]] Comparing& comparing() { return *app.profileTools().comparing(); }
  [[nodiscard]] ComparePanel& panel() { return *app.profileTools().comparePanel(); }

  QTemporaryDir folder;
};

TEST_F(ProfileWindow, SummaryStartsWithTheAdviceOfAReport) {
  app.opening().open(fileOf(test::recorded_report(), "far.spira.json"));
  AdviceList& list = *child<SummaryPanel>(window).advice();
  ASSERT_TRUE(waitFor([&] { return !list.advice().empty(); }));
  EXPECT_TRUE(std::any_of(list.advice().begin(), list.advice().end(),
                          [](const Advice& one) { return one.rule == AdviceRule::held_back; }));
  EXPECT_EQ(list.findChildren<QPushButton*>().size(), 0)
      << "the advice of a recorded run must have no buttons";
}

TEST_F(ProfileWindow, AdviceLinksToItsEvidenceAndCanBeApplied) {
  openRoom();
  Sweep sweep;
  sweep.layer = 2;
  for (const auto& [t, ms] : {std::pair{0, 5.0}, {2, 1.0}, {4, 3.0}})
    sweep.rows.push_back({"t = " + std::to_string(t), t, {}, "", {std::vector<double>(9, ms), false}, {}});
  app.workspace().results().setThresholdSweep(std::make_shared<const Sweep>(sweep));
  AdviceList& list = *child<SummaryPanel>(window).advice();
  ASSERT_TRUE(waitFor([&] { return !list.advice().empty(); }));
  EXPECT_EQ(list.advice().front().action, "use t = 2 for deep");
  app.docks().tabs(DockLayout::Side::bottom).setCurrentIndex(0);
  emit list.findChild<QLabel*>("advice_0")->linkActivated("show");
  EXPECT_EQ(app.selection().layer(), 2);
  EXPECT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), &child<SweepPanel>(window));
  list.findChild<QPushButton*>("change_0")->click();
  EXPECT_EQ(app.workspace().requested().plan().layers[2].threshold, 2);
  EXPECT_TRUE(waitFor([&] {
    return std::none_of(list.advice().begin(), list.advice().end(),
                        [](const Advice& one) { return one.rule == AdviceRule::faster_threshold; });
  })) << "applied advice must not be repeated";
}

TEST_F(ProfileWindow, TwoReportsTogetherOpenCompare) {
  openTwo();
  EXPECT_EQ(app.docks().tabs(DockLayout::Side::bottom).currentWidget(), &panel());
  ASSERT_EQ(comparing().baselines().size(), 1U);
  EXPECT_EQ(comparing().baselines()[0].name, "before.spira.json")
      << "the older report must be the baseline, regardless of the order";
  const auto* model = panel().table()->model();
  EXPECT_EQ(model->rowCount(), static_cast<int>(comparing().comparison()->rows.size()));
  EXPECT_EQ(model->index(0, CompareModel::layer).data().toString(), "whole network");
  EXPECT_EQ(model->index(0, CompareModel::verdict).data().toString(), "SLOWER");
  EXPECT_EQ(model->index(0, CompareModel::change).data().toString(), "+20.0");
  EXPECT_THAT(panel().headline().toStdString(), HasSubstr("1 slower"));
  EXPECT_THAT(panel().headline().toStdString(), HasSubstr("whole network: SLOWER (+20.0 %)"));
  ASSERT_EQ(panel().pane()->histogram()->series().size(), 2U)
      << "the histogram must show the samples of the first row";
  EXPECT_EQ(panel().pane()->histogram()->series()[1].ms.size(), 30U);
}

TEST_F(ProfileWindow, CompareSortsFiltersAndFollowsItsRow) {
  openTwo();
  auto* model = panel().table()->model();
  panel().filter()->setCurrentIndex(2);
  EXPECT_EQ(model->rowCount(), 1) << "the filter must show the one slower row";
  panel().filter()->setCurrentIndex(0);
  panel().words()->setText("deep features");
  ASSERT_GE(model->rowCount(), 1);
  panel().table()->selectRow(0);
  EXPECT_EQ(app.selection().layer(), 2);
  panel().words()->clear();
  panel().table()->sortByColumn(CompareModel::current, Qt::DescendingOrder);
  const auto longest = model->index(0, CompareModel::current).data(CompareModel::sort_role).toDouble();
  for (int row = 1; row < model->rowCount(); ++row)
    EXPECT_LE(model->index(row, CompareModel::current).data(CompareModel::sort_role).toDouble(), longest);
}

TEST_F(ProfileWindow, BMakesTheOpenRunABaseline) {
  EXPECT_FALSE(app.commands().trigger("compare.set_baseline"));
  EXPECT_THAT(app.commands().unavailableReason("compare.set_baseline").toStdString(), HasSubstr("Ctrl+M"));
  openRoom();
  measure();
  ASSERT_TRUE(app.commands().trigger("compare.set_baseline"));
  EXPECT_EQ(comparing().comparison(), nullptr) << "a run must not be compared with itself";
  EXPECT_FALSE(app.commands().trigger("compare.set_baseline"))
      << "a run that is already a baseline must be refused";
  measure();
  ASSERT_TRUE(waitFor([&] { return comparing().comparison() != nullptr; }));
  EXPECT_TRUE(comparing().comparison()->differences.empty());
  comparing().rename(0, "before");
  EXPECT_EQ(panel().findChild<QComboBox*>()->currentText(), "before");
  comparing().remove(0);
  EXPECT_EQ(comparing().comparison(), nullptr);
}

TEST_F(ProfileWindow, BaselinesAreRecolouredHiddenAndMoved) {
  const auto add = [&](const char* name) {
    comparing().add(name, std::make_shared<const Report>(recorded(1.0, "2026-11-20T20:00:00Z")), nullptr);
  };
  openTwo();
  add("second");
  add("third");
  ASSERT_TRUE(waitFor([&] { return comparing().comparison() != nullptr && idle(); }));
  auto* list = panel().findChild<QComboBox*>();
  QMenu* more = nullptr;
  for (const QToolButton* button : panel().findChildren<QToolButton*>()) {
    if (button->text() == "More") more = button->menu();
  }
  ASSERT_NE(more, nullptr);
  const auto pick = [&](const QString& text) {
    emit more->aboutToShow();
    const auto actions = more->actions();
    const auto found = std::find_if(actions.begin(), actions.end(),
                                    [&](const QAction* action) { return action->text() == text; });
    ASSERT_NE(found, actions.end()) << text.toStdString();
    ASSERT_TRUE((*found)->isEnabled());
    (*found)->trigger();
  };
  const auto names = [&] {
    QStringList all;
    for (int at = 0; at < list->count(); ++at)
      all += list->itemText(at);
    return all.join(" ").toStdString();
  };
  EXPECT_EQ(comparing().baselines()[2].colour, 2) << "each baseline must have its own colour";
  pick("Teal");
  EXPECT_EQ(panel().pane()->histogram()->legendEntries().front().colour, baselineColour(app.theme(), 3));
  pick("Move up");
  EXPECT_EQ(names(), "before.spira.json third second");
  EXPECT_EQ(list->currentText(), "third") << "a moved baseline must stay selected";
  EXPECT_NE(comparing().comparison(), nullptr) << "a moved baseline must still be compared";
  pick("Hide");
  EXPECT_EQ(comparing().comparison(), nullptr);
  EXPECT_EQ(app.workspace().baseline().report(), nullptr) << "a hidden baseline must not be drawn";
  EXPECT_EQ(list->currentText(), "third (hidden)");
  EXPECT_THAT(panel().headline().toStdString(), HasSubstr("hidden"));
  EXPECT_TRUE(list->isVisible()) << "the list must stay visible, so that the baseline can be shown again";
  pick("Show");
  ASSERT_TRUE(waitFor([&] { return comparing().comparison() != nullptr && idle(); }));
  pick("Move down");
  EXPECT_EQ(names(), "before.spira.json second third");
}

TEST_F(ProfileWindow, ASecondReportIsComparedIfCompareWaitsForIt) {
  app.opening().open(fileOf(recorded(1.0, "2026-11-21T20:00:00Z"), "before.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  ASSERT_TRUE(app.commands().trigger("compare.show"));
  app.opening().open(fileOf(recorded(1.2, "2026-11-22T20:00:00Z"), "now.spira.json"));
  ASSERT_TRUE(waitFor([&] { return comparing().comparison() != nullptr; }));
}

TEST_F(ProfileWindow, BreakdownHasEachMapOnceAndTheSamplesOfABar) {
  openRoom();
  measure();
  BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  const auto& bars = panel.chart()->bars();
  std::vector<std::string> maps;
  for (const StageBar& bar : bars) {
    if (bar.is_map) maps.push_back(bar.name.toStdString());
  }
  ASSERT_EQ(maps.size(), 5U);
  EXPECT_EQ(maps[0], "map stride 1") << "stem, join.conv and last must share one map";
  const auto stem = std::find_if(bars.begin(), bars.end(), [](const StageBar& bar) { return bar.is_map; });
  EXPECT_THAT(stem->tip().toStdString(), HasSubstr("used by 3 layers: stem join.conv last"));
  EXPECT_TRUE(panel.samples()->isHidden());
  emit panel.chart()->barClicked(static_cast<int>(stem - bars.begin()));
  EXPECT_FALSE(panel.samples()->isHidden());
  EXPECT_THAT(panel.samples()->text().toStdString(), HasSubstr("median "));
  EXPECT_FALSE(panel.inSitu()->isEnabled()) << "the in-situ option must be disabled for a CPU";
  EXPECT_THAT(panel.inSitu()->toolTip().toStdString(), HasSubstr("no in-situ times"));
}

TEST_F(ProfileWindow, BreakdownShowsThePassesOfATrainingStep) {
  openRoom();
  measureBriefly();
  BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  measure();
  app.docks().show("breakdown");
  EXPECT_FALSE(panel.division()->isVisible()) << "without a training step there are no passes";
  ASSERT_TRUE(waitFor([&] { return panel.measurePasses()->isVisible(); }));
  QTest::mouseClick(panel.measurePasses(), Qt::LeftButton);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().measurement()->training; }));
  ASSERT_TRUE(waitFor([&] { return panel.division()->isVisible(); }));
  EXPECT_FALSE(panel.measurePasses()->isVisible());
  const Measurement& run = *app.workspace().results().measurement();
  double dgrad = 0, wgrad = 0;
  const double all = run.training->stages.sum_of_tops_ms();
  for (const LayerMeasurement& layer : run.layers) {
    dgrad += layer.backward->dgrad.stages.sum_of_tops_ms();
    wgrad += layer.backward->wgrad.stages.sum_of_tops_ms();
  }
  std::map<BarPart, double> sums;
  for (const StageBar& bar : panel.chart()->bars()) {
    for (const auto& [part, ms] : bar.parts)
      sums[part] += ms;
  }
  EXPECT_NEAR(sums[PassPart::dgrad], dgrad, 1e-9);
  EXPECT_NEAR(sums[PassPart::wgrad] + sums[PassPart::reduce], wgrad, 1e-9);
  for (const PassPart part : {PassPart::forward, PassPart::maps, PassPart::repack, PassPart::voxels})
    EXPECT_GT(sums[part], 0) << partText(part).toStdString();
  EXPECT_NEAR(panel.chart()->table().rows.back().back().toDouble(), all + dgrad + wgrad, 1e-9);
  EXPECT_THAT(panel.headline().toStdString(),
              testing::AllOf(HasSubstr("Training step"), HasSubstr("loss scale 1, no overflow.")));
  EXPECT_FALSE(panel.inSitu()->isEnabled());
  panel.division()->setCurrentIndex(1);
  EXPECT_EQ(panel.chart()->bars().back().parts.count(PassPart::forward), 0U);
  // A recorded report shows the same.
  const QString file = folder.filePath("train.spira.json");
  Report report = *app.openRun().report();
  report.measurement.training->overflow = true;
  write_report(file.toStdString(), report);
  app.opening().open(file);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  panel.division()->setCurrentIndex(0);
  EXPECT_THAT(panel.headline().toStdString(), HasSubstr("overflow: a gradient is NaN or infinite"));
  double recorded = 0;
  for (const StageBar& bar : panel.chart()->bars())
    recorded += bar.parts.count(PassPart::dgrad) != 0 ? bar.parts.at(PassPart::dgrad) : 0;
  EXPECT_NEAR(recorded, dgrad, 1e-6);
}

TEST_F(ProfileWindow, PartsOfABarAddUpToTheTimeOfItsLayer) {
  openRoom();
  measure();
  const BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  const Measurement& run = *app.workspace().results().measurement();
  std::map<int, double> sums;
  for (const StageBar& bar : panel.chart()->bars())
    sums[bar.layer] += bar.sum_ms();
  EXPECT_NEAR(sums[-1], run.indexing.sum_of_tops_ms(), 1e-9);
  for (int layer = 0; layer < static_cast<int>(run.layers.size()); ++layer)
    EXPECT_NEAR(sums[layer], run.layers[static_cast<std::size_t>(layer)].stages.sum_of_tops_ms(), 1e-9);
  const ChartTable table = panel.chart()->table();
  EXPECT_TRUE(table.header.contains("outside timed steps, ms"));
  EXPECT_NEAR(table.rows.back().back().toDouble(), run.sum_of_stages_ms(), 1e-9)
      << "the last row must be the total time";
}

TEST_F(ProfileWindow, PercentilesAreDashesWithATooltipIfSamplesAreTooFew) {
  app.opening().open(fileOf(recorded(1.0, "2026-11-21T20:00:00Z"), "thirty.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  const auto labelWith = [](QWidget& panel, const char* words) {
    const auto labels = panel.findChildren<QLabel*>();
    const auto found = std::find_if(labels.begin(), labels.end(),
                                    [&](const QLabel* label) { return label->text().contains(words); });
    return found == labels.end() ? nullptr : *found;
  };
  const char* known = "p90 2.503 ms, p95 2.503 ms, p99 \u2013";
  const char* tip = "30 samples measured. Missing percentiles: p99 needs 100 samples.";
  const QLabel* run = labelWith(*window.findChild<SummaryPanel*>(), "percentiles");
  ASSERT_NE(run, nullptr);
  EXPECT_THAT(run->text().replace(QChar::Nbsp, ' ').toStdString(), HasSubstr(known));
  EXPECT_THAT(run->toolTip().toStdString(), HasSubstr(tip));
  BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  const QLabel* headline = labelWith(panel, "Device time of one run: ");
  ASSERT_NE(headline, nullptr);
  EXPECT_THAT(headline->toolTip().toStdString(), HasSubstr(known));
  EXPECT_THAT(headline->toolTip().toStdString(), HasSubstr(tip));
  EXPECT_THAT(panel.chart()->bars().front().tip().toStdString(),
              HasSubstr("p90 \u2013, p95 \u2013, p99 \u2013"))
      << "three samples must have no percentiles";
}

TEST_F(ProfileWindow, BreakdownOfAReportShowsItsInSituRun) {
  app.opening().open(fileOf(test::recorded_report(), "far.spira.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  ASSERT_TRUE(panel.inSitu()->isEnabled());
  panel.inSitu()->setChecked(true);
  double sum = 0;
  for (const StageBar& bar : panel.chart()->bars()) {
    EXPECT_TRUE(bar.in_situ);
    for (const auto& [group, ms] : bar.parts)
      sum += ms;
  }
  EXPECT_NEAR(sum, 14, 1e-6) << "the sum must include all spans of the median repetition";
}

TEST_F(ProfileWindow, AnotherThresholdIsModelledUntilItIsMeasured) {
  openRoom();
  measure();
  const BreakdownPanel& panel = *window.findChild<BreakdownPanel*>();
  const auto bar = [&] {
    const auto& bars = panel.chart()->bars();
    return *std::find_if(bars.begin(), bars.end(),
                         [](const StageBar& one) { return one.layer == 2 && !one.is_map; });
  };
  EXPECT_LT(bar().other_ms, 0);
  app.selection().setLayer(2);
  ASSERT_TRUE(app.commands().trigger("t.down"));
  EXPECT_GT(bar().other_ms, 0);
  EXPECT_TRUE(bar().other_modelled);
  ASSERT_TRUE(app.commands().trigger("sweep.thresholds"));
  ASSERT_TRUE(waitFor([&] { return idle(); }));
  EXPECT_GT(bar().other_ms, 0);
  EXPECT_FALSE(bar().other_modelled);
  measure();
  EXPECT_LT(bar().other_ms, 0) << "the bar must have no modelled time after the measurement";
}

TEST_F(ProfileWindow, TheKernelMapIsATableThatFollowsVoxelAndOffsets) {
  openRoom();
  MapPanel& panel = *app.profileTools().mapPanel();
  auto* model = panel.table()->model();
  const ShownMap shown = app.workspace().shownMap(-1);
  ASSERT_EQ(model->rowCount(), static_cast<int>(shown.map->outputs));
  ASSERT_EQ(model->columnCount(), 3 + 27);
  const int centre = MapTableModel::first_offset + shown.map->offsets->centre();
  EXPECT_EQ(model->index(7, centre).data().toString(), "7")
      << "the centre offset must match the output itself";
  panel.table()->setCurrentIndex(model->index(5, 0));
  ASSERT_TRUE(app.selection().voxel().has_value());
  EXPECT_EQ(app.selection().voxel()->voxel, voxel_at(app.workspace().scene().voxels()->level(1), 5));
  app.selection().setVoxel(ChosenVoxel{voxel_at(app.workspace().scene().voxels()->level(1), 40), 1});
  EXPECT_EQ(panel.table()->currentIndex().row(), 40);
  app.selection().setColumns({0});
  panel.rows()->setCurrentIndex(1);
  ASSERT_TRUE(waitFor([&] { return !panel.busy(); }));
  EXPECT_EQ(model->rowCount(), static_cast<int>(shown.densities->columns[0].matches));
  EXPECT_NE(model->index(0, MapTableModel::first_offset).data().toString(), QString("\u22121"));
}

TEST_F(ProfileWindow, APackingIsOfTheOpenSceneEvenAfterAnotherOneWasRefused) {
  openRoom();
  const auto cloud = app.workspace().scene().cloud();
  app.opening().open("/no/such/scene.ply");
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  emit child<SummaryPanel>(window).packRequested(PackSpec::bits64());
  ASSERT_TRUE(
      waitFor([&] { return idle() && app.workspace().scene().voxels()->pack == PackSpec::bits64(); }));
  EXPECT_EQ(app.workspace().scene().cloud(), cloud);
}

TEST_F(ProfileWindow, ARefusedSceneOffersTheCropThatFits) {
  app.workspace().requested().setPack(parse_pack_spec("10,10,6"));
  app.jobs().scenes().options().keep_pack = true;
  app.workspace().requested().setGrid(parse_grid("0.02"));
  app.jobs().scenes().options().keep_grid = true;
  app.opening().open("room");
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  ASSERT_TRUE(app.jobs().scenes().refusal().misfit && app.jobs().scenes().refusal().misfit->crop);
  QPushButton* way = nullptr;
  for (auto* button : banner_of(window).findChildren<QPushButton*>()) {
    if (button->text().startsWith("Crop z to")) way = button;
  }
  ASSERT_NE(way, nullptr);
  way->click();
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().scene().voxels(); }));
  EXPECT_EQ(app.workspace().scene().voxels()->pack, (PackSpec{10, 10, 6}));
  EXPECT_LT(app.workspace().scene().facts()->kept, app.workspace().scene().facts()->points);
}

TEST(Histogram, SharesBinsAndCountsEverySample) {
  const std::vector<SampleSeries> series{{"a", {1, 1.1, 1.2, 1.3, 2}}, {"b", {1.5, 1.5, 3}}};
  const auto edges = histogram_edges(series, false);
  ASSERT_GE(edges.size(), 6U);
  EXPECT_DOUBLE_EQ(edges.front(), 1);
  EXPECT_DOUBLE_EQ(edges.back(), 3);
  double sum = 0;
  for (const double count : histogram_counts(series[0].ms, edges))
    sum += count;
  EXPECT_EQ(sum, 5);
  EXPECT_EQ(histogram_counts(series[1].ms, edges).back(), 1) << "the largest sample must be in the last bin";
  EXPECT_TRUE(histogram_edges({{"none", {}}}, false).empty());
  EXPECT_EQ(histogram_edges({{"same", {2, 2, 2}}}, false).size(), 6U) << "equal samples must have bins";
  EXPECT_LT(histogram_edges(series, true).back(), 3) << "the range must exclude the extreme samples";
}

}  // namespace
}  // namespace spira::ui
