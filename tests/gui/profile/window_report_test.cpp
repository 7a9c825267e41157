// Tests the window with an open report. Every panel shows the data of the report and the machine that
// recorded it. Views that require a scene are disabled and show this reason. After a scene is opened, the
// panels show the data of this machine.
#include "engine/backend/dataflow.hpp"
#include "engine/base/text.hpp"
#include "engine/report/report_exports.hpp"
#include "tests/gui/mouse.hpp"
#include "tests/gui/window_fixture.hpp"
#include "tests/support/recorded_report.hpp"
#include "ui/charts/density_chart.hpp"
#include "ui/charts/stage_chart.hpp"
#include "ui/charts/threshold_bars.hpp"
#include "ui/features/layout/dock_layout.hpp"
#include "ui/features/open/empty_page.hpp"
#include "ui/features/open/recorded_page.hpp"
#include "ui/features/status/status_bar.hpp"
#include "ui/features/sweep/sweep_panel.hpp"
#include "ui/model/tables/layer_table_model.hpp"
#include "ui/panels/density_panel.hpp"
#include "ui/panels/network_panel.hpp"
#include "ui/panels/profile/breakdown_panel.hpp"
#include "ui/panels/profile/run_overview.hpp"
#include "ui/panels/profile/samples_pane.hpp"
#include "ui/panels/profile/summary_panel.hpp"
#include "ui/panels/profile/whole_row_scroll.hpp"
#include "ui/theme/labels.hpp"
#include "ui/theme/screen_number.hpp"
#include "ui/window/banner.hpp"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QToolTip>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace spira::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ReportWindow : public WindowTest {
 protected:
  [[nodiscard]] QString file(const QString& name = "far.spira.json") const { return folder.filePath(name); }
  void openReport(const Report& report = test::recorded_report()) {
    write_report(file().toStdString(), report);
    app.opening().open(file());
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  }
  [[nodiscard]] std::string textOf(QWidget* widget) const {
    QStringList all;
    for (const QLabel* label : widget->findChildren<QLabel*>())
      all += label->text();
    return all.join('\n').replace(QChar::Nbsp, ' ').toStdString();
  }
  [[nodiscard]] BreakdownPanel& breakdown() const { return *window.findChild<BreakdownPanel*>(); }
  [[nodiscard]] RecordedStrip* strip() const { return window.findChild<RecordedStrip*>(); }

  QTemporaryDir folder;
};

TEST_F(ReportWindow, SaysThatARunWasABatch) {
  Report report = test::recorded_report();
  report.scene.batch = 4;
  report.scene.pack = report.scene.pack.with_batch(4);
  openReport(report);
  const std::string summary = textOf(window.findChild<SummaryPanel*>());
  EXPECT_THAT(summary,
              HasSubstr("batch of 4: all frames in one run; the frame index uses 2 bits of each word"));
  EXPECT_THAT(summary, HasSubstr("wall time per frame"));
  EXPECT_THAT(summary, HasSubstr("(median of the batch, divided by its 4 frames)"));
}

TEST_F(ReportWindow, ShowsTheCountsOfAGraphInsteadOfVoxels) {
  Report report = test::recorded_report();
  report.scene.triples = TripleFacts{1234, 5000, 7, 3, 26, 2000, 661, Normalise::sum, true, {}, {}};
  report.scene.voxels = 1234;
  openReport(report);
  const std::string summary = textOf(window.findChild<SummaryPanel*>());
  for (const char* expected :
       {"1,234", "5,000 after 7 duplicates were removed", "26 including inverse relations",
        "2,000 pairs (node, relation) with at least one source", "661 in one row",
        "none (sum of the sources)"})
    EXPECT_THAT(summary, HasSubstr(expected));
  EXPECT_THAT(summary, Not(HasSubstr("points per voxel")));
  const std::string page = window.findChild<RecordedPage*>()->text().toStdString();
  EXPECT_THAT(page, AllOf(HasSubstr("Relations have no 3D view."), Not(HasSubstr("coordinates"))));
}

TEST_F(ReportWindow, AlwaysNamesTheMachineOfTheRecording) {
  EXPECT_FALSE(strip()->isVisible());
  openReport();
  EXPECT_TRUE(strip()->isVisible());
  EXPECT_EQ(strip()->text(),
            "Not measured on this machine. Recorded on A far GPU (132 SMs, sm_90), driver 1.2.3, 21 Nov "
            "2026, 20:01 UTC, CUDA events");
  auto* page = window.findChild<RecordedPage*>();
  EXPECT_TRUE(page->isVisible());
  EXPECT_THAT(
      page->text().toStdString(),
      AllOf(HasSubstr("contains no coordinates"), HasSubstr("1.250 ms</b></span> Device time of one run"),
            HasSubstr("Device time of one run: the whole network as one CUDA graph"),
            HasSubstr("Trust grade C"), Not(HasSubstr("2.500 ms"))))
      << "one time leads";
  EXPECT_THAT(window.windowTitle().toStdString(), HasSubstr("far.spira.json"));
}

TEST_F(ReportWindow, TheCentreShowsItsSlowestLayersAndStages) {
  openReport();
  const RunOverview& centre = window.findChild<RecordedPage*>()->overview();
  const RunOverview& summary = *child<SummaryPanel>(window).overview();
  EXPECT_TRUE(centre.slowest()->isVisible() && centre.stages()->isVisible());
  EXPECT_EQ(centre.slowest()->rowCount(), 5);
  EXPECT_FALSE(centre.total()->isVisible());
  EXPECT_TRUE(summary.total()->isVisible());
  EXPECT_FALSE(summary.slowest()->isVisible()) << "the window must not show the layers twice";
  for (const QSize& size : {QSize(1366, 768), QSize(1024, 640)}) {
    window.resize(size);
    ASSERT_TRUE(app.commands().trigger("layout.profile"));
    QTest::qWait(50);
    for (const QTableWidget* table : {centre.slowest(), centre.stages()})
      EXPECT_LE(table->horizontalHeader()->length(), table->viewport()->width())
          << size.width() << ": the numbers must not be clipped";
  }
  app.docks().show("log");
  emit centre.slowest()->cellClicked(2, 2);
  EXPECT_TRUE(app.docks().shows("summary")) << "the samples are in the Summary panel";
  EXPECT_TRUE(child<SummaryPanel>(window).findChild<SamplesPane*>()->isVisible());
  emit centre.slowest()->cellClicked(2, 0);
  EXPECT_EQ(app.selection().layer(), centre.layerAt(2));
  open("room");
  app.docks().show("summary");
  ASSERT_TRUE(app.commands().trigger("run.run"));
  EXPECT_TRUE(waitFor([&] { return idle() && summary.slowest()->isVisible(); }));
}

TEST_F(ReportWindow, LayersAndStagesAreVisibleWithoutScrollingInTheSmallestWindow) {
  window.resize(1024, 640);
  app.opening().open(SPIRA_SOURCE_DIR "/samples/reports/h100-resn21-lidar-street.spira.json");
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  const auto& page = child<RecordedPage>(window);
  const RunOverview& overview = page.overview();
  ASSERT_EQ(overview.slowest()->rowCount(), 5);
  ASSERT_GE(overview.stages()->rowCount(), 6);
  const auto is_visible = [](const QTableWidget& table) {
    const QRect last(0, table.rowViewportPosition(table.rowCount() - 1), 1,
                     table.rowHeight(table.rowCount() - 1));
    return table.viewport()->visibleRegion().boundingRect().contains(last);
  };
  EXPECT_TRUE(waitFor([&] { return is_visible(*overview.slowest()) && is_visible(*overview.stages()); }));
  EXPECT_THAT(textOf(&child<SummaryPanel>(window)), Not(HasSubstr("Run the network as one CUDA graph")));
}

TEST_F(ReportWindow, TheOrderOfAMapIsInTheBarOfTheSharedMap) {
  Report report = test::recorded_report();
  auto& layers = report.measurement.layers;
  const auto shares = std::find_if(layers.begin(), layers.end(), [](const auto& row) {
    return row.map_shared && row.stages.nodes.front().name.starts_with("features");
  });
  ASSERT_NE(shares, layers.end());
  shares->stages.nodes.push_back({"order", 0, {7, 7, 7}});
  openReport(report);
  int maps_with_it = 0;
  for (const StageBar& bar : window.findChild<BreakdownPanel*>()->chart()->bars()) {
    const auto part = bar.parts.find(StageGroup::order);
    const bool has = part != bar.parts.end() && part->second >= 7;
    EXPECT_EQ(bar.parts.count(StageGroup::transpose) != 0 && bar.parts.at(StageGroup::transpose) >= 7, false)
        << "the row order must not be drawn as a transposition";
    EXPECT_FALSE(has && !bar.is_map) << bar.name.toStdString();
    maps_with_it += has ? 1 : 0;
    EXPECT_FALSE(has && bar.layer == shares - layers.begin())
        << "a layer that shares a map must not have its order stage";
  }
  EXPECT_EQ(maps_with_it, 1);
}

TEST_F(ReportWindow, PanelsShowTheRecordedData) {
  openReport();
  const std::string summary = textOf(app.docks().tabs(DockLayout::Side::bottom).widget(0));
  for (const char* words : {"A far GPU, 132 SMs, sm_90", "2.500 ms", "1.250 ms", "one CUDA graph",
                            "CUDA events", "7 of 7 layers run", "cells", "21 Nov 2026"})
    EXPECT_THAT(summary, HasSubstr(words));
  const auto headlines = breakdown().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(headlines.begin(), headlines.end(), [](const QLabel* label) {
    return label->toolTip().endsWith("Measured on A far GPU, CUDA events, wall times by the host clock");
  }));
  EXPECT_EQ(app.selection().layer(), 0);
  EXPECT_THAT(textOf(&child<DensityPanel>(window)), HasSubstr("s (stem), 3x3x3, stride 1<"));
  EXPECT_EQ(child<DensityPanel>(window).findChild<QComboBox*>("densityKernel")->currentText(), "3x3x3");
  app.selection().setLayer(1);
  EXPECT_THAT(textOf(&child<DensityPanel>(window)), HasSubstr("do (down), 2x2x2, stride 1 to 2<"));
  std::map<int, QTableWidget*> tables;  // by number of rows: five thresholds, two packings
  for (auto* table : child<SweepPanel>(window).findChildren<QTableWidget*>()) {
    if (table->rowCount() > 0) tables[table->rowCount()] = table;
  }
  ASSERT_EQ(tables.size(), 2U) << "the report has no sweep of dataflows";
  EXPECT_EQ(tables.at(5)->item(0, 0)->text(), "t = 0");
  EXPECT_EQ(tables.at(5)->item(4, 0)->text(), "t = max (4)");
  EXPECT_THAT(tables.at(2)->item(1, 1)->text().toStdString(), HasSubstr("needed"));
  auto* layers = window.findChild<QTableView*>("layers")->model();
  ASSERT_EQ(layers->rowCount(), 7);
  EXPECT_FALSE(layers->index(6, LayerTableModel::voxels).data().toString().isEmpty());
  EXPECT_FALSE(layers->index(6, LayerTableModel::time).data().toString().isEmpty());
  const QModelIndex peak = layers->index(6, LayerTableModel::peak);
  EXPECT_GT(peak.data().toDouble(), 0.0);
  EXPECT_THAT(peak.data(Qt::ToolTipRole).toString().toStdString(), HasSubstr("Whole run: "));
}

TEST_F(ReportWindow, TheNoteOfARecordedRunIsShortenedOnlyIfItIsLongerThanTheWindow) {
  write_report(file().toStdString(), test::recorded_report());
  QFile written(file());
  ASSERT_TRUE(written.open(QIODevice::ReadWrite));
  QByteArray text = written.readAll();
  const QRegularExpression version(R"("schema_version": ?"[0-9.]+")");
  text = QString::fromUtf8(text).replace(version, R"("schema_version":"1.99")").toUtf8();
  written.resize(0);
  written.seek(0);
  written.write(text);
  written.close();
  window.resize(1024, 640);
  app.opening().open(file());
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  ASSERT_FALSE(app.workspace().results().report()->notes.empty()) << "the report is of a newer version";
  QApplication::processEvents();
  const auto& note = *strip()->findChild<ElidedLabel*>("note");
  ASSERT_TRUE(note.isVisible());
  EXPECT_GE(note.width(), note.sizeHint().width());
  const auto& where = *strip()->findChild<ElidedLabel*>("where");
  EXPECT_GE(where.width(), where.sizeHint().width());
}

TEST_F(ReportWindow, TheDensityPanelNamesTheStrideOfTheMapAndTheContentsOfItsTimes) {
  Report report = test::recorded_report();
  auto& first = report.measurement.layers.front();
  const int features = first.stages.find({"features", first.name});
  ASSERT_GE(features, 0);
  first.stages.nodes.push_back({"order", features, {0.001, 0.001, 0.001}});
  openReport(report);
  window.resize(1024, 640);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  const auto& panel = child<DensityPanel>(window);
  const auto& times = child<ThresholdBars>(panel);
  ASSERT_TRUE(waitFor([&] { return times.isVisible(); })) << panel.height();
  EXPECT_EQ(times.times().front().name, "t = max (4)");
  EXPECT_EQ(times.shownCaption(), "Features and row order without map, isolated runs");
  EXPECT_LE(times.fontMetrics().horizontalAdvance("Features and row order without map"), times.width())
      << "the short caption must not be cut";
  EXPECT_GE(times.height(), 2 * times.fontMetrics().height()) << "the caption and a bar must fit";
  const auto* stride = panel.findChild<QComboBox*>("densityStride");
  EXPECT_EQ(stride->currentText(), "1");
  EXPECT_FALSE(stride->isEnabled());
  app.selection().setLayer(1);
  EXPECT_EQ(times.shownCaption(), "Features without map, isolated runs");
  EXPECT_EQ(stride->currentText(), "2") << "the stride of the outputs of the layer";
}

TEST_F(ReportWindow, TheBreakdownIsReadableInTheSmallestWindow) {
  window.resize(1024, 640);
  openReport();
  ASSERT_TRUE(app.commands().trigger("window.show_summary"));
  QApplication::processEvents();
  const int before = app.docks().dock(DockLayout::Side::bottom).height();
  ASSERT_TRUE(app.commands().trigger("window.show_breakdown"));
  EXPECT_TRUE(waitFor([&] { return breakdown().chart()->plotHeight() >= 150; }))
      << breakdown().chart()->plotHeight();
  EXPECT_GE(child<RecordedPage>(window).height(), 110) << "the page in the centre stays visible";
  ASSERT_TRUE(app.commands().trigger("window.show_summary"));
  EXPECT_TRUE(waitFor([&] { return app.docks().dock(DockLayout::Side::bottom).height() == before; }))
      << "other tabs do not need the height";
}

TEST_F(ReportWindow, ALowPageShowsOnlyWholeLinesAndRows) {
  openReport();
  const auto& scroll = *child<RecordedPage>(window).findChild<WholeRowScroll*>();
  const auto cut = [&scroll](const QTableWidget& table) {
    const int bottom = scroll.viewport()->height() - scroll.hiddenHeight(table);
    for (int row = 0; row < table.rowCount(); ++row) {
      const int top =
          table.viewport()->mapTo(scroll.viewport(), QPoint(0, table.rowViewportPosition(row))).y();
      if (top < bottom && top + table.rowHeight(row) > bottom) return true;
    }
    return false;
  };
  const RunOverview& overview = child<RecordedPage>(window).overview();
  window.resize(1024, 640);
  ASSERT_TRUE(app.commands().trigger("layout.profile"));
  int hidden = 0;
  for (int height = 230; height < 340; height += 13) {
    window.resizeDocks({&app.docks().dock(DockLayout::Side::bottom)}, {height}, Qt::Vertical);
    EXPECT_TRUE(waitFor([&] { return !cut(*overview.slowest()) && !cut(*overview.stages()); })) << height;
    hidden = std::max(hidden, scroll.hiddenHeight(*overview.slowest()));
  }
  EXPECT_GT(hidden, 0) << "rows that do not fit must be hidden at some of these heights";
}

TEST(WholeRowScroll, ColumnsWithoutACommonRowEndAtTheirOwnHeight) {
  WholeRowScroll scroll;
  auto* content = new QWidget;
  auto* all = new QVBoxLayout(content);
  all->setContentsMargins(0, 0, 0, 0);
  auto* columns = new QHBoxLayout;
  all->addLayout(columns);
  all->addWidget(new QLabel("A wide line below the columns must not give them a common height."));
  std::vector<QLabel*> labels;
  for (int column = 0; column < 2; ++column) {
    auto* label = new QLabel(QStringList(40, "row").join('\n'));
    // The rows of the second column begin half a row lower, so every common height cuts a row.
    label->setContentsMargins(0, column * label->fontMetrics().height() / 2, 0, 0);
    label->setAlignment(Qt::AlignTop);
    columns->addWidget(label);
    labels.push_back(label);
  }
  scroll.setContent(content);
  scroll.resize(300, (10 * labels.front()->fontMetrics().height()) + 5);
  scroll.show();
  ASSERT_TRUE(QTest::qWaitFor([&] { return scroll.hiddenHeight(*labels[0]) > 0; }));
  for (const QLabel* label : labels) {
    const int row = label->fontMetrics().height(), first = label->contentsMargins().top();
    const int shown = scroll.viewport()->height() - scroll.hiddenHeight(*label);
    EXPECT_LT(scroll.hiddenHeight(*label), row + 2) << "only the cut row is hidden";
    EXPECT_LE((shown - first) % row, 1) << shown;
  }
}

TEST(WholeRowScroll, ARowOfATextTableWithSeveralLinesIsHiddenAsAWhole) {
  WholeRowScroll scroll;
  auto* content = new QWidget;
  auto* all = new QVBoxLayout(content);
  all->setContentsMargins(0, 0, 0, 0);
  const QString row = "<tr><td>name</td><td>first<br>second<br>third</td></tr>";
  auto* label = new QLabel("<table cellspacing='0'>" + row.repeated(10) + "</table>");
  label->setAlignment(Qt::AlignTop);
  all->addWidget(label);
  scroll.setContent(content);
  scroll.show();
  const int line = label->fontMetrics().height(), high = label->sizeHint().height() / 10;
  ASSERT_GE(high, 3 * line);
  // The edge is inside the third row, after its second line.
  scroll.resize(300, (2 * high) + (2 * line) + 2);
  ASSERT_TRUE(QTest::qWaitFor([&] { return scroll.hiddenHeight(*label) > 0; }));
  EXPECT_NEAR(scroll.hiddenHeight(*label), 2 * line, 6) << "no sentence ends in the middle of a cell";
}

TEST_F(ReportWindow, TheDensitiesOfARecordedRunHaveAUsableHeight) {
  openReport();
  const DensityChart& chart = *child<DensityPanel>(window).chart();
  for (const QSize size : {QSize(1440, 900), QSize(1366, 768)}) {
    window.resize(size);
    ASSERT_TRUE(app.commands().trigger("layout.profile"));
    EXPECT_TRUE(waitFor([&] {
      const int bottom = chart.groupLabelCentre(0).y() - 10, middle = chart.barCentre(13).y();
      return chart.isVisible() && 2 * (bottom - middle) >= 80;
    })) << size.width();
  }
}

TEST_F(ReportWindow, ListsShowTheSameShortNamesAndFullNamesInTooltips) {
  openReport();
  const QStringList names = shortLayerNames(app.workspace().results().report()->network);
  const RunOverview& overview = *child<SummaryPanel>(window).overview();
  const int layer = overview.layerAt(0);
  const QString full =
      QString::fromStdString(app.workspace().network()->layers[static_cast<std::size_t>(layer)].name);
  ASSERT_NE(names[layer], full);
  const QTableWidgetItem& slowest = *overview.slowest()->item(0, 0);
  EXPECT_EQ(slowest.text(), names[layer]);
  EXPECT_TRUE(slowest.toolTip().startsWith(full + "\nMap and features: ")) << slowest.toolTip().toStdString();
  const auto& list = *window.findChild<QTableView*>("layers");
  const QModelIndex cell = list.model()->index(layer, LayerTableModel::name);
  EXPECT_EQ(cell.data(LayerTableModel::short_name_role).toString(), names[layer]);
  EXPECT_TRUE(cell.data(Qt::ToolTipRole).toString().startsWith(full + "\n"));
  bool found = false;
  for (const StageBar& bar : breakdown().chart()->bars()) {
    if (bar.layer != layer || bar.is_map) continue;
    found = true;
    EXPECT_EQ(bar.name, names[layer]);
    EXPECT_TRUE(bar.tip().startsWith("time to compute the features of " + full + ", without its kernel map:"))
        << bar.tip().toStdString();
  }
  EXPECT_TRUE(found);
}

TEST_F(ReportWindow, SharesNameTheirBaseAndTinySharesAreNotZero) {
  openReport();
  const auto times = run_times(app.workspace());
  ASSERT_TRUE(times);
  const QString sum = onScreen(ms_text(times->sum_ms));
  const RunOverview& overview = *child<SummaryPanel>(window).overview();
  constexpr int share_column = 3;
  EXPECT_TRUE(overview.stages()
                  ->item(0, share_column)
                  ->toolTip()
                  .contains(" of the sum of all stages (" + sum + ")"));
  const std::string page = textOf(app.docks().tabs(DockLayout::Side::bottom).widget(0));
  EXPECT_THAT(page, HasSubstr("100 % = sum of all stages"));
  EXPECT_THAT(page, HasSubstr("(each stage timed separately, medians; indexing "));
  EXPECT_THAT(page, Not(HasSubstr("percentiles"))) << "three samples have no percentiles";
  EXPECT_EQ(shareOnScreen(0), "0 %");
  EXPECT_EQ(shareOnScreen(0.0049), "<1 %");
  EXPECT_EQ(shareOnScreen(0.006), "1 %");
}

TEST_F(ReportWindow, SummaryShowsTheComparisonsAndReadsOfSearches) {
  Report report = test::recorded_report();
  CountedMap map;
  map.counted.queries = 81'000;
  map.counted.sampled_queries = 27'000;
  map.counted.comparisons = {{{4.95, 0.1}, {16.78, 0.1}, {1.85, 0.1}, {9.5, 0.1}}};
  map.counted.sectors = {{{0.31, 0.1}, {1.04, 0.1}, {1.99, 0.1}, {1.3, 0.1}}};
  report.measurement.searches = SearchCounters{{map}};
  write_report(file("counted.json").toStdString(), report);
  app.opening().open(file("counted.json"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  EXPECT_THAT(textOf(app.docks().tabs(DockLayout::Side::bottom).widget(0)),
              HasSubstr("Comparisons and memory sectors per query: z-delta 4.95 and 0.31, binary search "
                        "16.78 and 1.04, hash 1.85 and 1.99 (counted for 27,000 of 81,000 queries)"));
}

TEST_F(ReportWindow, TheStatusBarShowsTheGradeAndNumbersOfGradeXAreGrey) {
  auto* trust = window.findChild<TrustLabel*>();
  EXPECT_TRUE(trust->isHidden()) << "the grade must be hidden before a measurement";
  const auto show = [&](const Report& report, const QString& name) {
    write_report(file(name).toStdString(), report);
    app.opening().open(file(name));
    ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  };
  const auto grey = [&] {
    const auto* layers = window.findChild<QTableView*>("layers")->model();
    return layers->index(0, LayerTableModel::time).data(Qt::ForegroundRole).isValid();
  };
  Report report = test::recorded_report();
  show(report, "c.spira.json");
  const Trust expected = trust_of(report);
  const auto others = std::count_if(expected.reasons.begin(), expected.reasons.end(),
                                    [&](const auto& one) { return one.at_best == expected.grade; }) -
                      1;
  ASSERT_EQ(expected.reasons.front().code, "few_samples");
  EXPECT_EQ(trust->text(), others == 0 ? QString("trust grade C: few samples")
                           : others == 1
                               ? QString("trust grade C: few samples and 1 more reason")
                               : QString("trust grade C: few samples and %1 more reasons").arg(others));
  EXPECT_THAT(trust->toolTip().toStdString(), AllOf(HasSubstr("samples (recommended: at least 30)"),
                                                    HasSubstr("the listed reasons limit their use.")));
  EXPECT_FALSE(grey());
  app.opening().open("street");
  ASSERT_TRUE(waitFor([&] { return idle() && !app.workspace().results().report(); }));
  EXPECT_TRUE(trust->isHidden());
  report.measurement.state_before.throttled_by = {"power cap"};
  show(report, "x.spira.json");
  EXPECT_THAT(trust->text().toStdString(), HasSubstr("trust grade X: throttled"));
  EXPECT_TRUE(grey());
  EXPECT_THAT(textOf(app.docks().tabs(DockLayout::Side::bottom).widget(0)),
              HasSubstr("color:" + app.theme().palette().faint_text.name().toStdString()));
}

TEST_F(ReportWindow, TooltipsOfBreakdownHaveThePeakOfEachStage) {
  openReport();
  app.docks().show("breakdown");
  QApplication::processEvents();
  auto* plot = window.findChild<StageChart*>()->findChild<QWidget*>();
  const QPoint middle = plot->rect().center();
  QHelpEvent help(QEvent::ToolTip, middle, plot->mapToGlobal(middle));
  QApplication::sendEvent(plot, &help);
  const std::string tip = QToolTip::text().toStdString();
  EXPECT_THAT(tip, AllOf(HasSubstr("features["), HasSubstr(", peak "), HasSubstr("B")));
}

TEST_F(ReportWindow, ShowsADashIfAReportHasNoPeaks) {
  Report report = test::recorded_report();
  for (auto& layer : report.measurement.layers) {
    for (auto& stage : layer.stages.nodes)
      stage.peak_bytes.reset();
  }
  openReport(report);
  auto* layers = window.findChild<QTableView*>("layers")->model();
  const QModelIndex peak = layers->index(0, LayerTableModel::peak);
  EXPECT_EQ(peak.data().toString(), QString(QChar(0x2013)));
  EXPECT_THAT(peak.data(Qt::ToolTipRole).toString().toStdString(), HasSubstr("not recorded"));
}

TEST_F(ReportWindow, ViewsThatNeedASceneAreDisabledWithAReason) {
  openReport();
  for (const char* id : {"run.run", "run.measure", "run.step_forward", "sweep.thresholds", "sweep.packings",
                         "view.frame", "t.up", "network.resn21"}) {
    EXPECT_FALSE(app.commands().trigger(id)) << id;
    EXPECT_THAT(app.commands().unavailableReason(id).toStdString(), HasSubstr("recorded")) << id;
  }
  auto* layers = window.findChild<QTableView*>("layers")->model();
  EXPECT_FALSE(layers->flags(layers->index(0, LayerTableModel::dataflow)).testFlag(Qt::ItemIsEditable));
  EXPECT_FALSE(window.findChild<QLineEdit*>("grid")->isEnabled());
  const Plan before = app.workspace().requested().plan();
  auto* chart = child<DensityPanel>(window).chart();
  QTest::mousePress(chart, Qt::LeftButton, {}, chart->dividerAt(before.layers[0].threshold));
  move_mouse(*chart, chart->dividerAt(1), Qt::LeftButton);
  QTest::mouseRelease(chart, Qt::LeftButton, {}, chart->dividerAt(1));
  EXPECT_EQ(app.workspace().requested().plan().layers, before.layers);
}

TEST_F(ReportWindow, TheLayerListNamesTheDataflowsOfOtherSystems) {
  Report report = test::recorded_report();
  Plan& plan = report.measurement.plan;
  const std::vector<std::string> names{"mask-sorted:2", "gather"}, texts{"mask-sorted, 2 splits", "gather"};
  for (std::size_t at = 0; at < names.size(); ++at)
    plan.layers[at] = with_dataflow(report.network.layers[at], plan.layers[at], names[at]);
  openReport(report);
  const auto* layers = window.findChild<QTableView*>("layers")->model();
  for (int row = 0; row < 2; ++row) {
    const QModelIndex cell = layers->index(row, LayerTableModel::dataflow);
    EXPECT_EQ(cell.data(Qt::EditRole).toString().toStdString(), names[static_cast<std::size_t>(row)]);
    EXPECT_EQ(child<NetworkPanel>(window).layers()->index(row, LayerTableModel::dataflow).data().toString(),
              QString::fromStdString(texts[static_cast<std::size_t>(row)]));
    EXPECT_THAT(cell.data(Qt::ToolTipRole).toString().toStdString(),
                HasSubstr(row == 0 ? "sorted" : "copies"));
  }
}

TEST_F(ReportWindow, AnInvalidReportKeepsTheScene) {
  openReport();
  const auto before = app.workspace().results().report();
  QFile bad(file("bad.json"));
  ASSERT_TRUE(bad.open(QIODevice::WriteOnly));
  bad.write(R"({"schema": "spira.report", "schema_version": "9.0"})");
  bad.close();
  app.opening().open(bad.fileName());
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_THAT(banner_of(window).text().toStdString(), HasSubstr("bad.json: schema_version: 9.0 is newer"));
  EXPECT_EQ(app.workspace().results().report(), before);
  EXPECT_TRUE(strip()->isVisible());
  open("street");
  const auto voxels = app.workspace().scene().voxels();
  app.opening().open(bad.fileName());
  ASSERT_TRUE(waitFor([&] { return idle() && banner_of(window).isVisible(); }));
  EXPECT_EQ(app.workspace().scene().voxels(), voxels);
}

TEST_F(ReportWindow, OpeningASceneReturnsToThisMachine) {
  open("street");
  openReport();
  EXPECT_EQ(app.workspace().scene().voxels(), nullptr);
  open("room");
  EXPECT_EQ(app.workspace().results().report(), nullptr);
  EXPECT_FALSE(strip()->isVisible());
  EXPECT_EQ(app.workspace().results().measurement(), nullptr);
  EXPECT_EQ(app.workspace().results().thresholdSweep(), nullptr);
  EXPECT_EQ(app.workspace().network()->name, "little")
      << "the network of the report must become the current network";
  EXPECT_THAT(textOf(app.docks().tabs(DockLayout::Side::bottom).widget(0)),
              testing::Not(HasSubstr("A far GPU")));
  EXPECT_TRUE(window.findChild<QLineEdit*>("grid")->isEnabled());
  ASSERT_TRUE(app.commands().trigger("run.run"));
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().layersRun() == 7; }));
  EXPECT_FALSE(window.findChild<RecordedPage*>()->isVisible());
  EXPECT_TRUE(app.commands().trigger("network.resn21"));
}

TEST_F(ReportWindow, CanBeDroppedAndItsTableFollowsTheRulesOfModels) {
  write_report(file().toStdString(), test::recorded_report());
  auto* layers = window.findChild<QTableView*>("layers")->model();
  const QAbstractItemModelTester tester(layers, QAbstractItemModelTester::FailureReportingMode::Fatal);
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file())});
  QDragEnterEvent enter(QPoint(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QDropEvent drop(QPointF(700, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  app.selection().setLayer(-1);
  EXPECT_THAT(textOf(&child<DensityPanel>(window)), HasSubstr("Select a layer"));
}

TEST_F(ReportWindow, WithoutSweepsTheirPanelGivesTheReason) {
  Report plain = test::recorded_report();
  plain.threshold_sweep = plain.pack_sweep = nullptr;
  write_report(file().toStdString(), plain);
  app.opening().open(file());
  ASSERT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
  for (const auto* table : child<SweepPanel>(window).findChildren<QTableWidget*>())
    EXPECT_EQ(table->rowCount(), 0);
  EXPECT_FALSE(child<SweepPanel>(window)
                   .findChild<QPushButton*>("sweep.thresholds")
                   ->isVisibleTo(&child<SweepPanel>(window)));
}

TEST_F(ReportWindow, TheStartPageOffersReports) {
  EXPECT_EQ(window.findChild<QPushButton*>("report"), nullptr)
      << "the start page must not offer reports if there are none";
  write_report(file("h200-little_net-room.spira.json").toStdString(), test::recorded_report());
  app.pages().empty().setReports({file("h200-little_net-room.spira.json")});
  auto* card = window.findChild<QPushButton*>("report");
  ASSERT_NE(card, nullptr);
  EXPECT_EQ(card->text(), "Room");
  EXPECT_EQ(card->accessibleName(), "little, H200, Room");
  QTest::mouseClick(card, Qt::LeftButton);
  EXPECT_TRUE(waitFor([&] { return idle() && app.workspace().results().report(); }));
}

TEST_F(ReportWindow, AnInSituRunShowsOnlyItsOwnFigures) {
  openReport();
  EXPECT_THAT(breakdown().headline().toStdString(), HasSubstr("Sum of all bars: "));
  breakdown().inSitu()->setChecked(true);
  EXPECT_THAT(breakdown().headline().toStdString(),
              AllOf(HasSubstr("In situ, end to end: 10.0 ms"), HasSubstr("median of 3"),
                    HasSubstr("Sum of its stages: 14.0 ms"), Not(HasSubstr("Device time"))));
  const ChartText text = breakdown().chart()->text();
  EXPECT_EQ(text.statistic, "in situ, one run");
  EXPECT_EQ(text.samples, "n = 1 (the repetition with the median wall time, of 3 repetitions)");
  breakdown().inSitu()->setChecked(false);
  EXPECT_THAT(breakdown().headline().toStdString(), HasSubstr("Device time of one run: "));
}

}  // namespace
}  // namespace spira::ui
